/* Load and store queues. Internal to x86/timing/core. */
#ifndef M2S_X86_TIMING_CORE_LOADSTORE_H
#define M2S_X86_TIMING_CORE_LOADSTORE_H

#include "x86/timing/core/state.h"

/* Finds the older store on which a renamed load depends. Returns the number, + 1,
 * of the one whose register it gets by memory renaming; 0: none. */
uint64_t core_load_renamed(struct x86_core *core, unsigned index,
		       const struct core_access *access);
/* A load is dispatched in this cycle. */
void core_load_started(struct x86_core *core, unsigned index);
/* Loads that have waited for addresses of stores go to the cache in this cycle:
 * core->begins. */
void core_loads_held(struct x86_core *core);
/* What the load of a memory operand accesses. */
static inline const struct core_access *
core_load_of(const struct core_flow *flow, unsigned memory)
{
	static const struct core_access none;

	if (!flow->load_count)
		return &none;
	return &flow->load[memory < flow->load_count &&
					   flow->load[memory].size
				   ? memory : 0];
}
static inline const struct core_access *
core_load_access(const struct core_flow *flow, const struct core_uop *uop)
{
	return core_load_of(flow, uop->what->memory);
}
/* Whether an access crosses the end of a line. */
static inline bool core_splits(const struct x86_core *core,
			       const struct core_access *access)
{
	uint64_t line = core->figure.line, last;

	if (!access->size)
		return false;
	last = access->address + access->size - 1;
	/* Nearly always a power of two: no division. */
	return line & (line - 1) ? access->address / line != last / line
				 : (access->address ^ last) >= line;
}
/* The older stores on which a load depends. */
struct core_dependence {
	/* Number in the store queue, + 1, of the one that has the load's data, or
	 * that cannot be forwarded; 0: none */
	uint64_t store;
	bool forwarded;
	bool modifies;       /* by an instruction that has loaded it, too */
	/* likewise, of a store whose address looks the same */
	uint64_t alias;
};
struct core_dependence core_load_depends(const struct x86_core *core,
					 const struct core_flow *flow,
					 const struct core_access *access);
/* Of a memo: what has come of an action that begins with `word`. */
uint64_t core_dependence_word(const struct x86_core *core, uint64_t word,
			      const struct core_flow *flow,
			      const struct core_access *access,
			      const struct core_dependence *found);
uint64_t core_new_store_word(struct x86_core *core, uint64_t word);
uint64_t core_commit_word(struct x86_core *core);
/* The oldest store leaves the queue. */
void core_store_leaves(struct x86_core *core);
/* The stores of an instruction have retired. */
void core_stores_retire(struct x86_core *core, struct core_flow *flow,
			uint64_t number);
/* The table of addresses is made anew from the queue. */
void core_stores_count_anew(struct x86_core *core);
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
