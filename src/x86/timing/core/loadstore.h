/* Load and store queues. Internal to x86/timing/core. */
#ifndef M2S_X86_TIMING_CORE_LOADSTORE_H
#define M2S_X86_TIMING_CORE_LOADSTORE_H

#include "x86/timing/core/state.h"

/* Finds the older store on which a renamed load depends. */
void core_load_renamed(struct x86_core *core, unsigned index,
		       const struct core_access *access);
/* Sends a load to the cache in this cycle. */
void core_load_started(struct x86_core *core, unsigned index);
/* What a load accesses. */
static inline const struct core_access *
core_load_access(const struct core_flow *flow, const struct core_uop *uop)
{
	static const struct core_access none;
	unsigned memory = uop->what->memory;

	if (!flow->load_count)
		return &none;
	return &flow->load[memory < flow->load_count &&
					   flow->load[memory].size
				   ? memory : 0];
}
/* The index in flow->store of a memory operand: references are numbered among
 * stores, operands among all. */
static inline unsigned core_store_which(const struct core_flow *flow,
					unsigned memory)
{
	return memory < flow->store_count && flow->store[memory].size ? memory
								      : 0;
}
/* The number of an instruction's store in the store queue, + 1. The first call
 * takes an entry, for which the queue must have room. */
uint64_t core_store_of(struct x86_core *core, struct core_flow *flow,
		       unsigned memory);
/* Removes the youngest stores, from number `from` on. */
void core_stores_drop(struct x86_core *core, uint64_t from);
/* Whether the store queue has room for `count` more. */
static inline bool core_stores_fit(const struct x86_core *core, unsigned count)
{
	return core->store_tail - core->store_head + count <=
	       core->figure.store_queue;
}

#endif
