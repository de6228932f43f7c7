/* What inst.c, ring.c and step.c share. Internal to x86/emu. */
#ifndef M2S_X86_EMU_OBSERVE_H
#define M2S_X86_EMU_OBSERVE_H

#include "x86/emu/block.h"
#include "x86/emu/step.h"

enum {
	/* No instruction makes more references: ENTER with 31 levels makes
	 * 62. Repeated ones pause ... */
	X86_REFERENCES_MAX = 128,
	/* ... after so many. */
	X86_REFERENCES_PAUSE = 96,
};

/* The block of a description. */
static inline struct x86_block *x86_inst_block(const struct x86_inst *inst)
{
	return x86_op_block(inst->op);
}

/* Where the block to be observed at an address may be found quickly. There must
 * have been such a block. */
static inline struct x86_block **x86_recent(struct x86_emulator *emulator,
					    uint64_t rip)
{
	return &emulator->recent[(rip ^ rip >> 12) % X86_RECENT];
}

/* The block to be observed at an address, decoded if need be. NULL and *fault
 * set when the code cannot be fetched. */
struct x86_block *x86_observed_block_at(struct x86_emulator *emulator,
					uint64_t rip, struct x86_fault *fault);

/* Finds room for one record and X86_REFERENCES_MAX references or more, which
 * lie from ring->reference_head to reference_end. */
bool x86_ring_window(struct x86_ring *ring);

/* From now on records are of that generation, which the ring holds. False when
 * too many older ones wait to be consumed. */
bool x86_ring_bind(struct x86_ring *ring, struct x86_generation *generation);

#endif
