#include "evergreen/emu/native/stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/isa/action.h"
#include "evergreen/emu/mode.h"
#include "evergreen/emu/plan/plan.h"

/* --- Stacks --------------------------------------------------------------- */

/* `frame` on top: the one that is already there, or a new one. */
static const struct evg_stack *extend(struct evg_plan *plan,
				      const struct evg_stack *stack,
				      struct evg_stack frame)
{
	struct evg_stack *below = (struct evg_stack *)stack, *above;

	frame.below = stack;
	frame.depth = stack->depth + 1;
	frame.used = stack->used + frame.elements;
	if (frame.used > plan->stack_elements)
		return NULL;
	for (above = below->above; above; above = above->next)
		if (above->kind == frame.kind &&
		    above->elements == frame.elements &&
		    above->calls == frame.calls &&
		    above->counted == frame.counted &&
		    above->sets_loop_index == frame.sets_loop_index)
			return above;
	above = plan_allocate(plan, sizeof *above);
	*above = frame;
	above->next = below->above;
	below->above = above;
	return above;
}

const struct evg_stack *native_push(struct evg_plan *plan,
				    const struct evg_stack *stack,
				    enum evg_frame_kind kind, unsigned elements)
{
	return extend(
	    plan, stack,
	    (struct evg_stack){.kind = kind, .elements = (uint8_t)elements});
}

const struct evg_stack *native_pop(const struct evg_stack *stack,
				   unsigned count)
{
	for (; stack && count; count--)
		stack = stack->below && stack->kind == EVG_FRAME_PUSH
			    ? stack->below
			    : NULL;
	return stack;
}

const struct evg_stack *native_loop(const struct evg_stack *stack)
{
	for (; stack->below && stack->kind != EVG_FRAME_CALL;
	     stack = stack->below)
		if (stack->kind == EVG_FRAME_LOOP)
			return stack;
	return NULL;
}

static bool is_loop(const struct evg_stack *stack)
{
	return stack->below && stack->kind == EVG_FRAME_LOOP;
}

/* --- Where CF instructions lead ------------------------------------------- */

struct finder {
	struct evg_plan *plan;
	const struct evg_stack **stacks;
	uint32_t *todo, todo_count; /* addresses, each once */
};

/* The first way to an instruction counts. */
static void reach(struct finder *finder, uint32_t address,
		  const struct evg_stack *stack)
{
	if (!stack || address >= finder->plan->cf_count ||
	    !finder->plan->cf[address].cf || finder->stacks[address])
		return;
	finder->stacks[address] = stack;
	finder->todo[finder->todo_count++] = address;
}

/* The stack behind the instruction, when control goes on there; NULL when the
 * stack before is none that it can do with. */
static const struct evg_stack *stack_after(struct evg_plan *plan,
					   const struct evg_cf_plan *cf,
					   const struct evg_stack *stack)
{
	struct evg_stack loop = {
	    .kind = EVG_FRAME_LOOP,
	    .elements = EVG_STACK_ENTRY,
	    .counted = cf->loop != EVG_LOOP_ENDLESS,
	    .sets_loop_index = cf->loop == EVG_LOOP_INDEXED,
	};

	switch (evg_action_info[cf->action].leaves) {
	case EVG_LEAVES_MASK:
		return native_push(
		    plan, stack, EVG_FRAME_PUSH,
		    cf->cf->inst.whole_quad_mode ? EVG_STACK_ENTRY : 1);
	case EVG_LEAVES_LOOP:
		return extend(plan, stack, loop);
	case EVG_LEAVES_POPPED:
		return native_pop(stack, cf->pops);
	case EVG_LEAVES_BELOW:
		return is_loop(stack) ? native_pop(stack->below, cf->pops)
				      : NULL;
	default:
		return stack;
	}
}

static void follow(struct finder *finder, const struct evg_cf_plan *cf,
		   const struct evg_stack *stack)
{
	const struct evg_cf_inst *inst = &cf->cf->inst;
	struct evg_stack call = {.kind = EVG_FRAME_CALL,
				 .elements = 1,
				 .calls = (uint8_t)inst->count};

	if (cf->ends || cf->trap)
		return;
	reach(finder, cf->next, stack_after(finder->plan, cf, stack));
	if (cf->alu)
		return;
	if (evg_action_info[cf->action].jumps)
		reach(finder, inst->address, native_pop(stack, cf->pops));
	if (cf->action == EVG_ACTION_CALL)
		reach(finder, inst->address,
		      extend(finder->plan, stack, call));
}

void native_stacks(struct evg_plan *plan, const struct evg_stack **stacks)
{
	struct finder finder = {.plan = plan, .stacks = stacks};

	finder.todo = xcalloc(plan->cf_count + 1, sizeof *finder.todo);
	memset(stacks, 0, plan->cf_count * sizeof *stacks);
	reach(&finder, 0, plan_allocate(plan, sizeof(struct evg_stack)));
	while (finder.todo_count) {
		uint32_t address = finder.todo[--finder.todo_count];

		follow(&finder, &plan->cf[address], stacks[address]);
	}
	free(finder.todo);
}

/* --- What native code can do ---------------------------------------------- */

/* Chains run in the default float mode. */
static bool sets_mode(const struct evg_clause_plan *alu)
{
	for (uint32_t i = 0; i < alu->group_count; i++)
		for (uint32_t k = 0; k < alu->groups[i].uop_count; k++)
			if (alu->uops[alu->groups[i].first_uop + k].body[0] ==
			    evg_run_set_mode)
				return true;
	return false;
}

static bool can_clause(const struct evg_clause_plan *alu)
{
	if (alu->has_barrier || alu->uses_bank_index || sets_mode(alu))
		return false;
	for (uint32_t i = 0; i < alu->segment_count; i++)
		if (!alu->segments[i].native[0] || !alu->segments[i].native[1])
			return false;
	return true;
}

/* Whether the stack is what the action needs, in native code. */
static bool suffices(const struct evg_stack *stack, enum evg_needs needs)
{
	switch (needs) {
	case EVG_NEEDS_MASK:
		return native_pop(stack, 1);
	case EVG_NEEDS_LOOP:
		return is_loop(stack) && !stack->counted &&
		       !stack->sets_loop_index;
	case EVG_NEEDS_IN_LOOP:
		return native_loop(stack);
	default:
		return true;
	}
}

bool native_can(struct evg_plan *plan, const struct evg_cf_plan *cf,
		const struct evg_stack *stack)
{
	const struct evg_action_info *action = &evg_action_info[cf->action];

	if (!stack || cf->ends || cf->trap || cf->constant || !action->native)
		return false;
	if (cf->alu ? !can_clause(cf->alu)
		    : !cf->condition && cf->action != EVG_ACTION_TEST)
		return false;
	return suffices(stack, action->needs) && stack_after(plan, cf, stack) &&
	       (cf->alu || !action->jumps || native_pop(stack, cf->pops));
}
