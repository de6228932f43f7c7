/* What is known of control flow before it runs: the stack before each CF
 * instruction, and which instructions native code can execute. */
#ifndef M2S_EVERGREEN_EMU_NATIVE_STACK_H
#define M2S_EVERGREEN_EMU_NATIVE_STACK_H

#include "evergreen/emu/chain.h"

/* Finds the stacks before all CF instructions that can be reached from the
 * first one, by address; NULL: not that we know. `stacks` has room for
 * plan->cf_count. They live as long as the plan. */
void native_stacks(struct evg_plan *plan, const struct evg_stack **stacks);

/* One more frame, or NULL when the kernel has no room for it. */
const struct evg_stack *native_push(struct evg_plan *plan,
				    const struct evg_stack *stack,
				    enum evg_frame_kind kind,
				    unsigned elements);
/* Without `count` saved masks, or NULL when these are not on top. */
const struct evg_stack *native_pop(const struct evg_stack *stack,
				   unsigned count);
/* The innermost loop, down to which there is no call; or NULL. */
const struct evg_stack *native_loop(const struct evg_stack *stack);

/* Whether the CF instruction's address names another one where it may go, and
 * native code with it. */
bool native_jumps(const struct evg_cf_plan *cf);

/* Whether native code can execute the CF instruction with that stack. */
bool native_can(struct evg_plan *plan, const struct evg_cf_plan *cf,
		const struct evg_stack *stack);

#endif
