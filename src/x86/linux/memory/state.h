/* The state of an address space. */
#ifndef M2S_X86_LINUX_MEMORY_STATE_H
#define M2S_X86_LINUX_MEMORY_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct aio_context;
struct space;
struct x86_emulator;

/* A file or memory object behind shared mappings, kept open so that fork()
 * can map it again. */
struct shared_object {
	char *name; /* name of the region */
	dev_t device;
	ino_t inode;
	int file;
};

/* The file of the program that processes execute, held open. */
struct program_file {
	unsigned references;
	int host;
};

/* An address space and its decoded code. */
struct guest_memory {
	unsigned references;
	struct space *space;
	struct x86_emulator *emulator;
	bool abi32;
	uint64_t break_start, break_end; /* brk(): [start, end) */
	uint64_t map_top;                /* mmap() goes downwards from here */
	uint64_t stack_low, stack_high;
	uint64_t sigreturn;              /* page with the return sequences */
	uint64_t serial;                 /* unique among all memories */
	/* mlockall(): flags of later regions. */
	uint8_t lock_future;
	/* Absolute path at the time of execve(). */
	char *executable;
	struct program_file *program;    /* the executable's file, or NULL */
	char *command_line;              /* as /proc/self/cmdline */
	size_t command_line_size;
	char *environment;
	size_t environment_size;
	uint8_t *auxiliary;              /* as /proc/self/auxv */
	size_t auxiliary_size;
	uint8_t *ldt;                    /* descriptors: see memory/ldt.c */
	size_t ldt_size;
	struct shared_object *shared;
	size_t shared_count, shared_capacity;
	struct aio_context *aio;         /* aio/context.h */
};

#endif
