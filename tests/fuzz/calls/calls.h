/* fuzz-x86-calls: what its parts do for each other. */
#ifndef M2S_TESTS_FUZZ_CALLS_H
#define M2S_TESTS_FUZZ_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- The input: some flags, then records of one call each ---- */

enum {
	INPUT_HEADER = 4,
	RECORD_SIZE = 20, /* 2 bytes for the call, 3 for each argument */
	RECORDS_MAX = 48,
	/* The first byte of the header. */
	INPUT_NARROW = 1,   /* an i386 program */
	INPUT_READ_ONLY = 2,
	INPUT_WRITABLE = 4, /* but for /w */
	INPUT_NO_NETWORK = 8,
};

/* ---- rows.c: the system calls and the kinds of their arguments ---- */

struct row {
	const char *name;
	int number[2]; /* x86-64, i386; -1: there is none */
	/* Letters of calls.def, and those of arguments.c. */
	const char *kinds;
};
extern const struct row rows[];
extern const size_t row_count;
/* A row that the ABI has. */
const struct row *row_choose(unsigned number, bool narrow);

/* ---- arguments.c ---- */

/* An argument: what an earlier call returned (slot 0: nothing), and more. */
struct argument {
	unsigned slot;
	uint64_t value;
};
/* From three bytes of a record. `slots`: how many have results. */
struct argument argument_make(char kind, const uint8_t bytes[3],
			      unsigned slots);

/* ---- arena.c: memory of the guest with something of every kind ---- */

enum {
	GUEST_BASE = 0x400000,
	GUEST_HANDLER = GUEST_BASE + 0x108,
	GUEST_RESTORER = GUEST_BASE + 0x110,
	GUEST_TABLE = GUEST_BASE + 0x1000,
	GUEST_SLOTS = GUEST_BASE + 0x4000, /* results of calls */
	GUEST_CURSOR = GUEST_BASE + 0x4800,
	GUEST_ARENA = GUEST_BASE + 0x8000,
	ARENA_PATHS = 0, ARENA_PATH = 256, ARENA_PATH_COUNT = 64,
	ARENA_LONG = 0x4000, /* a path that is too long */
	ARENA_BUFFERS = 0x6000, ARENA_BUFFERS_END = 0x8000,
	ARENA_OBJECTS = 0x8000,
	ARENA_SIZE = 0xa000,
	GUEST_SIZE = 0x8000 + ARENA_SIZE,
	/* What the first calls of every program (program.c) leave. */
	SLOT_ANONYMOUS = 1, /* 64 KiB */
	SLOT_CUT,           /* of a file that has become shorter: 16 KiB */
	SLOT_FILE,          /* shared, 8 KiB */
	SLOT_READ_ONLY,     /* 4 KiB */
	SLOT_NO_ACCESS,     /* 4 KiB */
	SLOT_FIRST_FREE = 24,
	SLOTS = 128,
};

/* Objects of one kind; 0 of them: no such kind. */
struct object_kind {
	char letter;
	unsigned offset, stride, count; /* in the arena */
};
const struct object_kind *arena_kind(char letter);
void arena_fill(uint8_t *arena, bool narrow);

/* ---- program.c ---- */

/* Makes the program of an input: an ELF file of PROGRAM_SIZE bytes. */
enum { PROGRAM_SIZE = GUEST_SIZE };
void program_make(uint8_t *file, const uint8_t *data, size_t size);

/* ---- world.c: the files that guests see, and those around them ---- */

/* All of it lies in a folder of its own. */
extern const char *world_root;     /* for --x86-root */
extern const char *world_outside;
extern char world_secret[33];      /* what a file outside holds */
enum { WORLD_PORT = 4242 };        /* where the world listens, TCP and UDP */
#define WORLD_ABSTRACT "m2s-calls-outside"

void world_create(const char *folder);
/* What guests see becomes as it was at first, with this as program "/0". */
void world_reset(uint8_t flags, const void *program, size_t size);
/* Ends the test if something is not as world_reset() left it that the flags of
 * the input protect. */
void world_check(uint8_t flags);

/* ---- host.c: a place where nothing can be harmed ---- */

/* Goes on in namespaces of its own, in which all but the current folder is
 * read-only; ends the process if there are none. Returns an empty folder. */
const char *host_leave(void);
/* To be called before and after a run: ends the test when the process itself
 * is not as it was. */
void host_remember(void);
void host_check(void);

#endif
