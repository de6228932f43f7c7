/* Pools of functional units. */
#include "x86/timing/core/execute/limits.h"

void core_pool_take(struct x86_core *core, unsigned port, unsigned cycles)
{
	uint64_t *free = core->ports->pool_free[port], first = UINT64_MAX;
	unsigned count = port < X86_POOLS
				 ? core->figure.pools.pool[port].count
				 : X86_POOL_UNITS;
	bool taken = false;

	for (unsigned i = 0; i < count; i++) {
		if (!taken && free[i] <= core->now) {
			free[i] = core->now + cycles;
			taken = true;
		}
		if (free[i] < first)
			first = free[i];
	}
	core->ports->port_free[port] = first;
}
