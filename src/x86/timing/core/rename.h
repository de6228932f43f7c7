/* Parts of the renamer. Internal to x86/timing/core. */
#ifndef M2S_X86_TIMING_CORE_RENAME_H
#define M2S_X86_TIMING_CORE_RENAME_H

#include "x86/timing/core/state.h"

/* A place has a new value. */
void core_set_value(struct x86_core *core, const struct core_flow *flow,
		    unsigned place, struct core_value value);

/* The port that an uop is bound to, of those in `ports`, issued in slot `slot`
 * of the cycle. */
unsigned core_choose_port(struct x86_core *core, unsigned ports, unsigned slot);

/* Gives the target of a move the name of its source's register; false when
 * there is no slot for that. */
bool core_move_eliminate(struct x86_core *core, const struct core_flow *flow);
/* A place is about to be overwritten. */
void core_move_forget(struct x86_core *core, unsigned place);

#endif
