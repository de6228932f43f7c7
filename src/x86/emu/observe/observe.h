/* What inst.c, ring.c and step.c share. Internal to x86/emu. */
#ifndef M2S_X86_EMU_OBSERVE_H
#define M2S_X86_EMU_OBSERVE_H

#include "x86/emu/access.h"
#include "x86/emu/block.h"
#include "x86/emu/step.h"

enum {
	/* No instruction makes more references: ENTER with 31 levels makes 62.
	 * Repeated instructions pause ... */
	X86_REFERENCES_MAX = 128,
	/* ... after this number of references. */
	X86_REFERENCES_PAUSE = 96,
};

/* The block that a description belongs to. */
static inline struct x86_block *x86_inst_block(const struct x86_inst *inst)
{
	return x86_op_block(inst->op);
}

/* Changes whenever blocks are dropped. */
static inline uint64_t x86_drops(const struct x86_emulator *emulator)
{
	return emulator->counts.invalidations + emulator->epoch;
}

/* The slot of emulator->recent that may hold the block to be observed at an
 * address. The array exists once such a block has been looked for. */
static inline struct x86_block **x86_recent(struct x86_emulator *emulator,
					    uint64_t rip)
{
	return &emulator->recent[(rip ^ rip >> 12) % X86_RECENT];
}

/* The block to be observed at an address. Code that is not decoded yet is
 * decoded. NULL and *fault set when the code cannot be fetched. */
struct x86_block *x86_observed_block_at(struct x86_emulator *emulator,
					uint64_t rip, struct x86_fault *fault);

/* Whether the code at rip is decoded and unchanged, and can be observed without a
 * store being published before (x86_overlay_before_code()). */
bool x86_observed_at_hand(const struct x86_cpu *cpu);

/* Finds room for one record and at least X86_REFERENCES_MAX references. The
 * room for references lies from ring->reference_head to reference_end. */
bool x86_ring_window(struct x86_ring *ring);

/* Makes later records belong to a generation, which the ring holds. False when
 * too many older generations wait to be consumed. */
bool x86_ring_bind(struct x86_ring *ring, struct x86_generation *generation);

/* Makes references of the accesses that Zydis knows. `done` is the number of
 * iterations of a repeated instruction. */
void x86_refer_to(struct x86_cpu *cpu, const struct x86_inst *inst,
		  const struct x86_access *list, size_t count, uint64_t done);

#endif
