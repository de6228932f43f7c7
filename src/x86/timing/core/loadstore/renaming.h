/* Memory renaming: a load that names its memory as an older store did gets the
 * register whose value the store takes, before any address is known. Internal to
 * x86/timing/core. */
#ifndef M2S_X86_TIMING_CORE_RENAMING_H
#define M2S_X86_TIMING_CORE_RENAMING_H

#include "x86/timing/core/state.h"

/* A uop of a store is renamed. */
void core_renaming_store(struct x86_core *core, const struct core_flow *flow,
			 const struct x86_uop *what, struct core_store *store,
			 struct core_value data);
/* The youngest older store that names its memory as this load does: its number,
 * + 1; 0: none. */
uint64_t core_renaming_find(struct x86_core *core, const struct core_flow *flow,
			    const struct x86_uop *what);
/* A register has got a value. */
static inline void core_renaming_written(struct x86_core *core, unsigned place)
{
	if (place < CORE_GENERAL)
		core->names.written[place] = core->store_tail;
}
/* What stores have named is no longer known. */
static inline void core_renaming_forget(struct x86_core *core)
{
	for (unsigned i = 0; i < CORE_GENERAL; i++)
		core->names.written[i] = core->store_tail;
}

#endif
