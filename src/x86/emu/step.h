/* The seam between the functional emulator and whoever simulates time: guest
 * instructions described, executed one by one or in batches, and told with
 * all that they touched. See doc/x86-seam.md.
 *
 * x86_run() and these may alternate on a cpu. Blocks for observation are
 * decoded apart from x86_run()'s, which are as fast as without them. */
#ifndef M2S_X86_EMU_STEP_H
#define M2S_X86_EMU_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "x86/emu/emu.h"
#include "x86/emu/inst.h"

/* ---- Descriptions ---- */

/* The instruction at an address, decoded if need be, held for the caller:
 * valid, even when its code is written over or unmapped and after the emulator
 * has gone, until x86_inst_release(). NULL when no instruction can be fetched
 * there. */
const struct x86_inst *x86_inst_at(struct x86_emulator *emulator,
				   uint64_t address);
/* One more holder, and one less. Held is the memory that the description is in,
 * so holding any one of a block holds all. */
void x86_inst_hold(const struct x86_inst *inst);
void x86_inst_release(const struct x86_inst *inst);
/* Whether the emulator has dropped the description: its code has been written
 * over, remapped or pushed out. A timing model that has such an instruction in
 * flight begins anew with x86_inst_at(). */
bool x86_inst_stale(const struct x86_inst *inst);

/* ---- What execution tells ---- */

enum x86_direction {
	X86_LOAD = 1,
	X86_STORE = 2,
	X86_MODIFY = X86_LOAD | X86_STORE, /* at once: locked, or as if */
};

/* Memory that one instruction touched: `count` elements of `size` bytes, one
 * behind the other upwards from `address`; the count is above 1 only where a
 * repeated string instruction was executed in one go: its iterations. Where
 * MOVS tells a load and a store so, they took turns. */
struct x86_reference {
	uint64_t address;   /* with the segment's base */
	uint32_t count;
	uint16_t size;
	uint16_t direction; /* enum x86_direction */
};

/* One executed instruction. */
struct x86_record {
	const struct x86_inst *inst; /* held by the ring until it is consumed */
	uint64_t next;      /* where execution goes on */
	uint32_t first;     /* its references: ring->reference[first ...] */
	uint16_t references;
	bool taken;         /* a branch that was */
	bool unfinished;    /* a repeated string instruction or a gather, of
	                     * which a part has been executed: it is its own
	                     * successor, and has not retired */
};

/* Where records go. The consumer reads record[tail & mask] while tail != head,
 * and then counts up the tail. */
struct x86_ring {
	struct x86_record *record;
	struct x86_reference *reference;
	uint64_t head, tail;
	uint64_t mask;      /* records - 1 */
	/* The rest is the emulator's own. */
	uint32_t reference_size;
	uint32_t reference_head, reference_end; /* room for the next ones */
	struct x86_generation *generation; /* of descriptions, held */
	struct x86_ring_hold {
		struct x86_generation *generation;
		uint64_t until; /* the tail at which it is let go */
	} hold[4];
	unsigned holds;
};

/* `records` is a power of 2. */
struct x86_ring *x86_ring_create(uint32_t records);
void x86_ring_free(struct x86_ring *ring);

/* ---- Execution ---- */

/* Executes the instruction at rip and appends its record. X86_STOP_QUANTUM
 * says that it has retired, or, with `unfinished`, a part of it has been
 * executed; X86_STOP_ASKED that it has one of the traits in `before`
 * (X86_SYSTEM_CALL, X86_LOCKED, X86_FENCE, X86_READS_TIME) or would store to
 * code that has been decoded (X86_CODE_STORE), and nothing has happened. The
 * others mean what they mean from x86_run(); the instruction of a system call,
 * a marker or a trap has retired and its record is there. The ring must have
 * room (x86_ring_room()). */
enum x86_stop x86_step(struct x86_cpu *cpu, struct x86_ring *ring,
		       unsigned before);

/* The same for up to `instructions`: X86_STOP_QUANTUM when they have retired or
 * the ring has no more room. */
enum x86_stop x86_observe(struct x86_cpu *cpu, struct x86_ring *ring,
			  uint64_t instructions, unsigned before);

/* Whether there is room for another instruction whatever it does. */
bool x86_ring_room(struct x86_ring *ring);

#endif
