/* The renamer's work for each uop. Internal to x86/timing/core. */
#ifndef M2S_X86_TIMING_CORE_ISSUE_H
#define M2S_X86_TIMING_CORE_ISSUE_H

#include "x86/timing/core/rename/rename.h"

/* Takes a slot of the reorder buffer, which must have room. */
static inline struct core_entry *core_new_entry(struct x86_core *core,
						struct core_flow *flow)
{
	struct core_entry *entry =
		&core->entry[core->entry_tail++ % CORE_ENTRIES];

	if (!flow->entered) {
		flow->entered = true;
		flow->first_uop = core->uop_tail;
		flow->issued_at = (uint32_t)core->now;
	}
	*entry = (struct core_entry){
		.flow = (uint32_t)(flow - core->flow),
		.first = (uint16_t)(core->uop_tail % CORE_UOPS),
	};
	core->progress = true;
	return entry;
}

/* Sets the value of a place. */
void core_set_value(struct x86_core *core, const struct core_flow *flow,
		    unsigned place, struct core_value value);
/* Puts a uop into the scheduler. A uop without a port only gives its
 * results. */
void core_issue_uop(struct x86_core *core, struct core_flow *flow,
		    const struct x86_uop *what, unsigned slot,
		    struct core_entry *entry, unsigned ports);
/* Issues an instruction whose template is simple, in slot `slot` of the cycle,
 * in a core that is (core->simple) while no register's high byte has a name of
 * its own. False: no room. */
bool core_issue_simple(struct x86_core *core, struct core_flow *flow,
		       unsigned slot);

#endif
