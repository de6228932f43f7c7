/* State of the slow core. */
#ifndef M2S_TESTS_X86_TIMING_REFERENCE_STATE_H
#define M2S_TESTS_X86_TIMING_REFERENCE_STATE_H

#include "x86/timing/reference.h"

#define NEVER UINT64_MAX

struct ref_access {
	uint64_t address, linear;
	uint32_t size;
};

struct ref_instruction {
	const struct x86_core_input *input;
	const struct x86_template *form;
	struct ref_access load[2], store[2];
	unsigned load_references;
	int store_number[2];      /* -1: none */
	unsigned issue_slots, queue_slots;
	uint64_t predecoded, decoded, issued, retired; /* NEVER */
	unsigned delivered;       /* queue slots that are or were in the queue */
	bool whole;               /* all have been delivered */
	unsigned renamed;         /* issue slots */
	unsigned next_uop;        /* of the template */
	int first_uop;            /* -1: none yet */
	unsigned uops;
	bool fuses, fused;
	bool done;                /* the renamer has finished it */
	enum ref_source { REF_DECODERS, REF_CACHE, REF_LOOP } by;
	bool ends_group;          /* the renamer stops behind it */
	/* A load began while an older store had no address; it needed that
	 * store; and it had not waited. */
	bool unknown, needed, wrong;
};

struct ref_uop {
	const struct x86_uop *what;
	unsigned instruction, port, unit, unit_cycles;
	uint64_t issued, started;
	int from[X86_UOP_SOURCES]; /* uops; -1: there */
	unsigned after[X86_UOP_SOURCES]; /* cycles */
	unsigned longest;
	/* Loads. */
	bool chased;
	int data, address;        /* uops of the store that is forwarded; -1 */
	unsigned from_data, from_address;
	int blocks, alias;        /* stores; -1 */
	uint64_t cache;           /* when the cache has answered */
	bool waits;               /* for the commit of `blocks` */
	int source;               /* the store that it needs; -1 */
	unsigned older;           /* stores that are older */
	bool held;                /* until all of them have addresses */
	bool copied;              /* it got the register of a store */
	bool mistaken;            /* of a wrong one */
};

struct ref_name {
	int uop;                  /* -1: there */
	unsigned latency;
	bool loaded;
	unsigned group;
};

struct ref_store {
	struct ref_access access;
	/* For memory renaming: the operand (NULL: not one of these), with
	 * what has been pushed at its time; how many registers had been
	 * written; the register that is stored. */
	const struct x86_memory *operand;
	int64_t pushed;
	unsigned writes;
	bool general;
	struct ref_name value;
	bool masked;
	bool modifies;
	int address_uop, data_uop; /* -1: not issued */
	uint64_t retired, committed;
};

struct ref_slot {
	unsigned instruction, first, uops, loads;
	bool last;
};

struct reference {
	struct x86_core_figures figure;
	struct x86_core_memory memory;
	uint64_t now;
	unsigned count;
	struct ref_instruction *instruction;

	struct ref_uop *uop;
	unsigned uops, uop_room;
	struct ref_store *store;
	unsigned stores, store_room;
	struct ref_slot *slot;
	unsigned slots, slots_retired, slot_room;

	/* Front end. */
	uint64_t block, predecode_free, decode_free;
	bool block_known, microcode;
	enum ref_source source;
	bool to_cache;

	/* Uop cache: lines; the one that is open; what the decoders have
	 * delivered of one window. */
	struct ref_line {
		uint64_t first, end, used; /* used 0: gone */
	} line[20000];
	unsigned lines;
	uint64_t clock, open_first, open_end;
	struct ref_unit {
		uint64_t first, end;
		unsigned uops;
		bool branch, unconditional, microcode;
	} unit[64];
	unsigned units;
	bool branches;            /* any have been decoded */

	/* Loop buffer: where iterations ended (the instruction behind), and
	 * whether by a branch back; the iteration that is held. */
	unsigned mark, mark_before;
	bool mark_branch;
	unsigned loop_first, loop_count, loop_at, loop_turn;

	/* Renamer. */
	struct ref_name map[X86_PLACE_COUNT];
	bool high[4];
	bool group_vector[100000];
	unsigned groups;
	uint64_t *elimination;    /* cycles of all eliminations */
	bool *elimination_vector;
	unsigned eliminations;
	int stack;
	unsigned top, turn;
	bool drain;
	struct x86_uop sync, merge[4];
	unsigned before[16];      /* uops bound to a port at the start */

	uint64_t port_free[16], unit_free[18], commit_free;
	unsigned trust[4096];     /* counters of loads, by address */
	/* Writes of general registers, and the last one of each. */
	unsigned writes, written[16];
	int64_t pushed;           /* added to rsp by all renamed instructions */
};

void ref_predecode(struct reference *r);
void ref_front(struct reference *r);
bool ref_taken(const struct ref_instruction *i);
/* The first instruction that has not been decoded (or predecoded). */
unsigned ref_first_not(const struct reference *r, bool decoded);
/* Whether the queue before the renamer has so many free slots. */
bool ref_room(const struct reference *r, unsigned slots);
/* Whether instructions a and b become one. */
bool ref_fusible(const struct ref_instruction *a,
		 const struct ref_instruction *b);
/* All of instruction n is in the queue; with `pair` the next one, too. */
void ref_delivered(struct reference *r, unsigned n, bool pair);
/* Uop cache. */
bool ref_cache_holds(const struct reference *r, uint64_t address);
bool ref_cache_open(struct reference *r, uint64_t address);
void ref_cache_fill(struct reference *r, unsigned n, bool pair);
/* Loop buffer. */
void ref_loop_note(struct reference *r, unsigned n, bool pair);
void ref_rename(struct reference *r);
/* Slots of the queue between decoders and renamer that are taken. */
unsigned ref_queue_used(const struct reference *r);
/* Which slot of the queue an issue slot belongs to. */
unsigned ref_queue_slot(const struct ref_instruction *i, unsigned issue_slot);
/* A load learns of the older stores. */
void ref_find_store(struct reference *r, struct ref_uop *load,
		    const struct ref_access *access);
const struct ref_access *ref_load_access(const struct reference *r,
					 const struct ref_uop *uop);

#endif
