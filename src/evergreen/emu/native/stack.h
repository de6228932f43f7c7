/* Static analysis of control flow: the stack before each CF instruction, and
 * the instructions that native code can execute. */
#ifndef M2S_EVERGREEN_EMU_NATIVE_STACK_H
#define M2S_EVERGREEN_EMU_NATIVE_STACK_H

#include "evergreen/emu/chain.h"

/* Finds the stacks before all CF instructions that can be reached from the
 * first one, by address; NULL: unknown. `stacks` has room for plan->cf_count.
 * The stacks live as long as the plan. */
void native_stacks(struct evg_plan *plan, const struct evg_stack **stacks);

/* The stack with one more frame; NULL when the kernel has no room for it. */
const struct evg_stack *native_push(struct evg_plan *plan,
				    const struct evg_stack *stack,
				    enum evg_frame_kind kind,
				    unsigned elements);
/* The stack without `count` saved masks; NULL when they are not on top. */
const struct evg_stack *native_pop(const struct evg_stack *stack,
				   unsigned count);
/* The stack whose top is the innermost loop; NULL when there is no loop above
 * the innermost call. */
const struct evg_stack *native_loop(const struct evg_stack *stack);

/* Whether the CF instruction's address names another one where it may go, and
 * native code with it. */
bool native_jumps(const struct evg_cf_plan *cf);

/* Whether native code can execute the CF instruction with that stack. */
bool native_can(struct evg_plan *plan, const struct evg_cf_plan *cf,
		const struct evg_stack *stack);

#endif
