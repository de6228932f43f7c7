/* The seam between the functional emulator and a timing model. Guest
 * instructions are described, executed one by one or in batches, and reported
 * with all memory that they touched. See doc/x86-seam.md.
 *
 * x86_run() and these functions may alternate on a cpu. Blocks for observation
 * are decoded separately from those of x86_run(), which lose no speed. */
#ifndef M2S_X86_EMU_STEP_H
#define M2S_X86_EMU_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "x86/emu/emu.h"
#include "x86/emu/inst.h"

/* ---- Descriptions ---- */

/* The description of the instruction at an address. Code that is not decoded
 * yet is decoded. The description is held for the caller: it is valid until
 * x86_inst_release(), even when its code is overwritten or unmapped, and after
 * the emulator has been freed. NULL when no instruction can be fetched
 * there. */
const struct x86_inst *x86_inst_at(struct x86_emulator *emulator,
				   uint64_t address);
/* Adds or removes a holder. A hold keeps the memory in which the description
 * lies, so holding one description of a block holds all of them. */
void x86_inst_hold(const struct x86_inst *inst);
void x86_inst_release(const struct x86_inst *inst);
/* Whether the emulator has dropped the description because its code was
 * overwritten, remapped or evicted. A timing model with such an instruction in
 * flight starts anew with x86_inst_at(). */
bool x86_inst_stale(const struct x86_inst *inst);

/* ---- What execution tells ---- */

enum x86_direction {
	X86_LOAD = 1,
	X86_STORE = 2,
	/* As one access: locked, or equivalent. */
	X86_MODIFY = X86_LOAD | X86_STORE,
	/* A prefetch names the byte, which is not touched and need not be
	 * mapped. */
	X86_HINT = 4,
};

/* Memory that one instruction touched: `count` consecutive elements of `size`
 * bytes, upwards from `address`. The count is above 1 only for a repeated
 * string instruction that was executed in one go: its iterations. If MOVS
 * reports such a load and such a store, their elements alternated. */
struct x86_reference {
	uint64_t address;   /* segment base included */
	uint32_t count;
	uint16_t size;
	uint16_t direction; /* enum x86_direction */
};

/* What an instruction with X86_DIVIDES divided, as far as a divider's time
 * depends on it. */
enum x86_division {
	/* Hexadecimal digits of the quotient: of an integer all from its
	 * highest set bit on, of a floating-point number those up to its last
	 * set bit; of several the most. 0: the quotient is 0, infinite, not a
	 * number, or has the digits of the dividend. */
	X86_DIVISION_DIGITS = 0x1f,
	/* Integers: nothing remains, and the divisor is not a power of two. */
	X86_DIVISION_EXACT = 0x20,
	/* Integers: the dividend (its magnitude) needs its upper half. */
	X86_DIVISION_WIDE = 0x40,
	/* Then: the divisor has more than 32 bits, and is not a power of
	 * two. */
	X86_DIVISION_LONG = 0x80,
};

/* Whether an instruction with this mnemonic takes square roots. */
bool x86_takes_root(unsigned mnemonic);

/* One executed instruction. */
struct x86_record {
	/* Held by the ring until the record is consumed. */
	const struct x86_inst *inst;
	uint64_t next;      /* address of the next instruction */
	/* Index of its first reference in ring->reference[]. */
	uint32_t first;
	uint16_t references;
	bool taken : 1;     /* the branch was taken */
	/* A part of a repeated string instruction or gather has been executed:
	 * the instruction is its own successor and has not retired. */
	bool unfinished : 1;
	/* Integers: significant bits of the dividend's magnitude, at most those
	 * of the divisor's size; 63 stands for 64, too. */
	uint8_t dividend : 6;
	uint8_t division;   /* with X86_DIVIDES: enum x86_division */
};

/* The ring that receives records. The consumer reads record[tail & mask] while
 * tail != head, and then increments tail. */
struct x86_ring {
	struct x86_record *record;
	struct x86_reference *reference;
	uint64_t head, tail;
	uint64_t mask;      /* records - 1 */
	uint64_t parts;     /* records with `unfinished` that have been appended */
	/* The other members are private to the emulator. */
	uint32_t reference_size;
	/* Room for the next references. */
	uint32_t reference_head, reference_end;
	/* The held generation of descriptions. */
	struct x86_generation *generation;
	struct x86_ring_hold {
		struct x86_generation *generation;
		uint64_t until; /* the tail at which the hold ends */
	} hold[4];
	unsigned holds;
	/* In place of `record`, or NULL. Only an empty ring has room again. */
	struct x86_stretch *stretch;
	const struct x86_reference **mark;
	uint32_t marks;
};

/* `records` is a power of 2. */
struct x86_ring *x86_ring_create(uint32_t records);
/* A ring whose consumer needs no more than memory and branches: x86_observe()
 * appends stretches, in less time. No cpu holds stores for it. What
 * records say of divisions is lost. */
struct x86_ring *x86_ring_create_stretches(uint32_t stretches);
void x86_ring_free(struct x86_ring *ring);

/* ---- Execution ---- */

/* Executes the instruction at rip and appends its record. X86_STOP_QUANTUM: the
 * instruction has retired or, with `unfinished`, a part of it has been
 * executed. X86_STOP_ASKED: the instruction has one of the traits in `before`
 * (X86_SYSTEM_CALL, X86_LOCKED, X86_FENCE, X86_READS_TIME) or would store to
 * decoded code (X86_CODE_STORE), and nothing has happened. The other values
 * mean what they mean for x86_run(); an instruction of a system call, a marker
 * or a trap has retired and its record is there. The ring must have room
 * (x86_ring_room()). */
enum x86_stop x86_step(struct x86_cpu *cpu, struct x86_ring *ring,
		       unsigned before);

/* In `before` of x86_observe(): it returns X86_STOP_QUANTUM behind each branch,
 * so that a wrong path may begin there. */
enum { X86_AFTER_BRANCH = 1 << 16 };

/* In `before` of x86_observe(), of a cpu that holds its stores: other cpus go on
 * beside this one, and the outcome must not depend on how far they are. What
 * threads of the emulator share does not change: x86_observe() returns
 * X86_STOP_ALONE, and the next instruction has not begun, in front of code that
 * is to be decoded and of what x86_run() would execute. X86_SHARED has the traits
 * of instructions that change or read something else that threads share, which
 * the caller adds. Calls for several cpus must still come one at a time. */
enum {
	X86_BESIDE = 1 << 17,
	X86_SHARED = X86_FENCE | X86_SERIALIZING | X86_RANDOM,
};

/* x86_step() for up to `instructions` instructions. X86_STOP_QUANTUM: they have
 * retired, or the ring has no more room. */
enum x86_stop x86_observe(struct x86_cpu *cpu, struct x86_ring *ring,
			  uint64_t instructions, unsigned before);

/* Instructions that were executed one behind another in a block: of the block's
 * outline the `count` ones from number `start` on. Only the last one can be a
 * branch. */
struct x86_stretch {
	const struct x86_outline *outline;
	uint64_t next;      /* address of the instruction after the last one */
	/* The references begin here; those of instruction start + i end at
	 * mark[i]. */
	const struct x86_reference *reference;
	const struct x86_reference *const *mark;
	uint8_t start, count;
	bool taken;         /* the last one's, as in a record */
	bool unfinished;    /* likewise; there is one instruction */
};

/* Memory that lives as long as the outline's block. */
void *x86_outline_allocate(const struct x86_outline *outline, size_t size);

/* Whether the ring has room for any one instruction. */
bool x86_ring_room(struct x86_ring *ring);
/* Drops the youngest records, from number `head` on, which is not before the
 * tail: those of a wrong path. */
void x86_ring_rewind(struct x86_ring *ring, uint64_t head);

/* ---- Stores held back ---- */

/* Of a cpu that has an overlay: as x86_stores_publish() and x86_speculating(),
 * which every x86_run() calls. */
void x86_overlay_publish(struct x86_cpu *cpu, uint64_t count);
unsigned x86_overlay_depth(const struct x86_cpu *cpu);

/* Holds stores of observed instructions back, in their order, until they are
 * published. The cpu's own loads see them. Each reference with X86_STORE is one
 * store. An access with X86_MODIFY publishes all stores before it and writes
 * memory at once. Fences, serializing instructions and x86_run() publish all
 * stores, and so do code that is decoded anew and `hold` = false. A store faults
 * when it is executed. */
void x86_stores_hold(struct x86_cpu *cpu, bool hold);
uint64_t x86_stores_held(const struct x86_cpu *cpu);
/* The number of stores that have been held and then written to memory, since
 * the cpu's start. */
uint64_t x86_stores_published(const struct x86_cpu *cpu);
/* Reads memory as the cpu's loads do: with the stores that it holds. 0, or -1 as
 * space_read(). */
int x86_stores_read(const struct x86_cpu *cpu, uint64_t address, void *buffer,
		    size_t size);
/* Clears the flags of bytes from `address` on that the right path's held stores
 * write. */
void x86_stores_uncover(const struct x86_cpu *cpu, uint64_t address,
			bool *flags, size_t size);
/* Sets the function that is told of each held store when it has been written to
 * memory; NULL: none. The bytes are valid during the call. */
void x86_stores_watch(struct x86_cpu *cpu,
		      void (*published)(void *owner, uint64_t address,
					const void *bytes, size_t size),
		      void *owner);
/* Writes the oldest `count` stores, or all that wait, to memory. On a wrong
 * path: stores of the right path. */
static inline void x86_stores_publish(struct x86_cpu *cpu, uint64_t count)
{
	if (cpu->overlay)
		x86_overlay_publish(cpu, count);
}

/* ---- Wrong paths ---- */

/* Continues at a predicted target that is not the true one. Only this path sees
 * its stores. Whether memory is mapped is tested before an access, and
 * floating-point exceptions are masked. x86_step() and x86_observe() stop
 * (X86_STOP_ASKED) before system calls, locked operations and markers, and
 * where x86_run() would have to execute. A fault is reported as usual, but has
 * no effect on the guest. Returns the path's level, 1 or above: another wrong
 * path may begin inside a wrong path. 0, and nothing has happened, when there
 * are 64 already. */
unsigned x86_speculate_begin(struct x86_cpu *cpu, uint64_t target);
/* Continues at another address on the same path. */
void x86_speculate_redirect(struct x86_cpu *cpu, uint64_t target);
/* Restores registers, flags, counts and held stores to their state when that
 * path began, and ends the paths inside it. */
void x86_speculate_end(struct x86_cpu *cpu, unsigned level);
/* The level; 0: on the right path. */
static inline unsigned x86_speculating(const struct x86_cpu *cpu)
{
	return cpu->overlay ? x86_overlay_depth(cpu) : 0;
}

#endif
