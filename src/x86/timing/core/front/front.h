/* Parts of the front end: the sources of uops for the queue before the renamer.
 * Internal to x86/timing/core. */
#ifndef M2S_X86_TIMING_CORE_FRONT_H
#define M2S_X86_TIMING_CORE_FRONT_H

#include "x86/timing/core/state.h"

/* Whether `slots` slots of the queue are free. */
static inline bool core_queue_fits(const struct x86_core *core, unsigned slots)
{
	return core->queue_used + slots <= core->figure.uop_queue;
}

/* Puts `slots` slots of an instruction into the queue. */
static inline void core_deliver(struct x86_core *core, struct core_flow *flow,
				unsigned slots)
{
	flow->delivered = (uint8_t)(flow->delivered + slots);
	flow->decoded_at = (uint32_t)core->now;
	core->queue_used += slots;
	core->progress = true;
}

/* deliver.c: the instruction is complete. With `pair`, the next instruction is
 * fused with it. */
void core_deliver_end(struct x86_core *core, struct core_flow *flow, bool pair);
/* Whether an instruction is fused with the next one. NULL: the next one is not
 * known. */
static inline bool core_fused_with_next(const struct core_flow *flow,
					const struct core_flow *next)
{
	return next && next->form->conditional_jump &&
	       next->address == flow->address + flow->inst->length &&
	       flow->form->fuses_with >> next->form->condition & 1;
}
/* The microcode sequencer takes over from decoders or uop cache, which have
 * delivered the first part. */
void core_microcode_begin(struct x86_core *core, struct core_flow *flow);
void core_microcode(struct x86_core *core);

/* decode.c: the decoders' work of a cycle. */
void core_decode(struct x86_core *core);

/* uopcache.c: whether a line begins at an address. */
bool core_cache_holds(struct x86_core *core, uint64_t address);
/* Opens the line, which then delivers. False when there is no such line. */
bool core_cache_open(struct x86_core *core, uint64_t address);
/* Collects an instruction that the decoders have delivered in lines, from the
 * first branch on: only code behind branches is looked up. */
void core_cache_collect(struct x86_core *core, const struct core_flow *flow,
			bool pair);
static inline void core_cache_fill(struct x86_core *core,
				   const struct core_flow *flow, bool pair)
{
	core->fills |= pair || flow->inst->branch != X86_BRANCH_NONE;
	if (core->fills && core->figure.cache_sets)
		core_cache_collect(core, flow, pair);
}
void core_cache_clear(struct x86_core *core);
/* Of a memo: what comes of asking. */
uint64_t core_cache_open_word(struct x86_core *core, uint64_t address);
uint64_t core_cache_holds_word(const struct x86_core *core, uint64_t address);
void core_cache_fill_word(struct x86_core *core, uint64_t word,
			  uint64_t address);

/* loop.c: notes that an instruction, with a fused one, has been delivered. */
void core_loop_note(struct x86_core *core, struct core_flow *flow,
		    struct core_flow *branch);
/* Whether the loop buffer holds the next instruction. */
static inline bool core_loop_holds(const struct x86_core *core)
{
	return core->flow[core->flow_decoded % CORE_FLOWS].address ==
	       core->body[core->loop_at];
}
/* Empties the buffer. The search for loops begins anew. */
void core_loop_leave(struct x86_core *core);

static inline bool core_taken(const struct core_flow *flow)
{
	return flow->next != flow->address + flow->inst->length;
}

#endif
