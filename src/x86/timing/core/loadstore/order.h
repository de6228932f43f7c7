/* Loads and older stores whose addresses are not known yet: a load that starts is
 * predicted to be independent of them, or waits. Internal to x86/timing/core. */
#ifndef M2S_X86_TIMING_CORE_ORDER_H
#define M2S_X86_TIMING_CORE_ORDER_H

#include <string.h>

#include "x86/timing/core/state.h"

/* core_flow.order: what the loads of an instruction have met when they started. */
enum core_order {
	ORDER_KNOWN,         /* all addresses were known */
	ORDER_FREE,          /* it needs none of the stores with unknown ones */
	ORDER_WAITED,        /* it needs one, and has waited */
	ORDER_VIOLATED,      /* it needs one, and has not waited */
};

/* All counters get their first value. */
void core_order_reset(struct x86_core *core);
/* Instructions warm that come before the first cycle: the program has taught all
 * counters by then, and what they have learned is not known. */
static inline void core_order_warm(struct x86_core *core)
{
	if (!core->order_learned)
		memset(core->order, (int)core->figure.order_trust,
		       sizeof core->order);
}
/* Brings core->addressed up to date. */
void core_order_look(struct x86_core *core);
/* A load is renamed: which stores are older. One that has got the register of a
 * store does not wait for their addresses. */
void core_order_renamed(struct x86_core *core, unsigned index, bool stored);
/* Whether the counter of a load lets memory renaming give it the register of a
 * store, which is `right` or not; *word gets what a memo has to know. */
bool core_order_asks(struct x86_core *core, struct core_flow *flow, bool right,
		     uint64_t *word);
/* A load starts that has got the register of a wrong one. */
void core_order_mistaken(struct x86_core *core, unsigned index);
/* A load starts in this cycle, and core->addressed may be out of date. True: it
 * waits, and core_loads_held() will begin it. */
bool core_order_holds(struct x86_core *core, unsigned index,
		      const struct core_access *access);
/* A store's address uop has been dispatched, and loads wait. */
void core_order_addressed(struct x86_core *core);
/* Dropped uops wait no longer. */
void core_order_dropped(struct x86_core *core, const bool *dropped);

/* Whether the counter of an instruction lets its loads pass. */
static inline uint8_t *core_order_counter(struct x86_core *core,
					  const struct core_flow *flow)
{
	return &core->order[flow->address %
			    core->figure.order_counters];
}
static inline bool core_order_passes(struct x86_core *core,
				     const struct core_flow *flow)
{
	return *core_order_counter(core, flow) >= core->figure.order_trust;
}
/* An instruction whose loads have met such stores retires, or clears the
 * machine. */
void core_order_learn(struct x86_core *core, const struct core_flow *flow,
		      bool independent);
void core_order_retired(struct x86_core *core, const struct core_flow *flow);

#endif
