/* Pools of functional units, as Multi2Sim has in place of ports. */
#ifndef M2S_X86_TIMING_UOPS_POOLS_H
#define M2S_X86_TIMING_UOPS_POOLS_H

#include <stdint.h>

enum x86_pool {
#define POOL(id, name, count, latency, issue) X86_POOL_##id,
#include "x86/timing/uops/pools.def"
#undef POOL
	X86_POOLS,
	/* Loads and the data of stores: they need no unit, and go to the
	 * cache. */
	X86_POOL_CACHE = X86_POOLS,
	X86_POOLS_ALL,
};

enum {
	X86_POOL_UNITS = 16,   /* most units of a pool */
	X86_CLASSIC_UOPS = 12, /* most uops of an instruction */
};

/* Pool n is port n of the core. */
struct x86_pools {
	uint32_t used;      /* 0: the core has ports */
	struct x86_pool_figures {
		uint32_t count;   /* units */
		uint32_t latency; /* OpLat: cycles until the result */
		/* IssueLat: cycles until the unit takes the next uop */
		uint32_t issue;
	} pool[X86_POOLS];
};

#endif
