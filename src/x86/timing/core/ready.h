/* The ready uops of the ports. Internal to x86/timing/core. */
#ifndef M2S_X86_TIMING_CORE_READY_H
#define M2S_X86_TIMING_CORE_READY_H

#include "x86/timing/core/state.h"

static inline void core_set_ready(struct x86_core *core, unsigned index)
{
	unsigned port = core->uop[index].port;

	core->ready[port][index / 64] |= UINT64_C(1) << index % 64;
	core->ready_words[port] |= (uint8_t)(1u << index / 64);
	core->ready_ports |= 1u << port;
}

/* A uop has started or is dropped. The port stays in ready_ports until its
 * next cycle. */
static inline void core_not_ready(struct x86_core *core, unsigned index)
{
	unsigned port = core->uop[index].port;
	uint64_t *word = &core->ready[port][index / 64];

	*word &= ~(UINT64_C(1) << index % 64);
	core->ready_words[port] &= (uint8_t)~((unsigned)!*word << index / 64);
}

#endif
