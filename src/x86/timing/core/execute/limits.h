/* What only some cores have: pools of units, one queue of loads and stores, files of
 * registers. Internal to x86/timing/core. */
#ifndef M2S_X86_TIMING_CORE_LIMITS_H
#define M2S_X86_TIMING_CORE_LIMITS_H

#include "x86/timing/core/state.h"

/* pools.c: takes a unit of a pool for `cycles`. */
void core_pool_take(struct x86_core *core, unsigned port, unsigned cycles);
/* Takes the port of a uop that starts. */
static inline void core_port_take(struct x86_core *core, unsigned port,
				  unsigned cycles)
{
	if (core->figure.pools.used)
		core_pool_take(core, port, cycles);
	else
		core->ports->port_free[port] = core->now + cycles;
}
/* Whether a uop has an entry of the scheduler: with pools, loads and stores wait
 * in their queue. */
static inline bool core_is_scheduled(const struct x86_core *core,
				     const struct x86_uop *what)
{
	return !core->figure.pools.used || what->kind == X86_UOP_COMPUTE;
}
/* limits.c: whether there is room for the accesses and results of a slot's uops,
 * from `first` up to `end`. */
bool core_limits_fit(const struct x86_core *core, const struct core_flow *flow,
		     unsigned first, unsigned end, unsigned accesses);
/* A slot takes the registers of a uop's results, and gives them back. */
void core_registers_take(struct x86_core *core, struct core_entry *entry,
			 const struct x86_uop *what);
void core_registers_free(struct x86_core *core, const struct core_entry *entry);

#endif
