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
static void reach_instruction(struct finder *finder, uint32_t address,
			      const struct evg_stack *stack)
{
	if (!stack || address >= finder->plan->cf_count ||
	    !finder->plan->cf[address].cf || finder->stacks[address])
		return;
	finder->stacks[address] = stack;
	finder->todo[finder->todo_count++] = address;
}

static unsigned push_elements(const struct evg_cf_plan *cf)
{
	return cf->cf->inst.whole_quad_mode ? EVG_STACK_ENTRY : 1;
}

/* The stack behind an effect, when control goes on there; NULL when it does not
 * fit. */
static const struct evg_stack *stack_after(struct evg_plan *plan,
					   const struct evg_cf_plan *cf,
					   const struct evg_effect_info *effect,
					   const struct evg_stack *stack)
{
	struct evg_stack loop = {
	    .kind = EVG_FRAME_LOOP,
	    .elements = EVG_STACK_ENTRY,
	    .counted = cf->loop != EVG_LOOP_ENDLESS,
	    .sets_loop_index = cf->loop == EVG_LOOP_INDEXED,
	};

	switch (effect->leaves) {
	case EVG_LEAVES_MASK:
		return native_push(plan, stack, EVG_FRAME_PUSH,
				   push_elements(cf));
	case EVG_LEAVES_LOOP:
		return extend(plan, stack, loop);
	case EVG_LEAVES_POPPED:
		return native_pop(stack, cf->pops);
	case EVG_LEAVES_BELOW:
		return stack->below;
	default:
		return stack;
	}
}

/* Whether the stack is what the effect needs. */
static bool suffices(const struct evg_stack *stack,
		     const struct evg_effect_info *effect)
{
	switch (effect->needs) {
	case EVG_NEEDS_MASK:
		return native_pop(stack, 1);
	case EVG_NEEDS_LOOP:
		return is_loop(stack);
	case EVG_NEEDS_IN_LOOP:
		return native_loop(stack);
	default:
		return true;
	}
}

/* The stack at ADDR, when an effect goes there; NULL also when it does not. */
static const struct evg_stack *stack_there(struct evg_plan *plan,
					   const struct evg_cf_plan *cf,
					   const struct evg_effect_info *effect,
					   const struct evg_stack *stack)
{
	struct evg_stack call = {.kind = EVG_FRAME_CALL,
				 .elements = 1,
				 .calls = (uint8_t)cf->cf->inst.count};

	switch (effect->goes) {
	case EVG_GOES_OUT:
		return native_pop(stack, cf->pops);
	case EVG_GOES_BACK:
		return stack;
	case EVG_GOES_CALL:
		return extend(plan, stack, call);
	default:
		return NULL;
	}
}

/* The effects of an instruction on a known stack. */
struct ways {
	bool known; /* all stacks on its ways are */
	const struct evg_stack *next, *there; /* behind it; at ADDR */
};

static struct ways find_ways(struct evg_plan *plan,
			     const struct evg_cf_plan *cf,
			     const struct evg_stack *stack)
{
	const uint8_t *effects = evg_action_info[cf->action].effects;
	struct ways ways = {.known = true};

	for (; *effects && stack; effects++) {
		const struct evg_effect_info *effect =
		    &evg_effect_info[*effects];

		if (!suffices(stack, effect)) {
			stack = NULL;
			break;
		}
		if (!cf->alu && effect->goes != EVG_GOES_ON) {
			ways.there = stack_there(plan, cf, effect, stack);
			ways.known &= ways.there != NULL;
		}
		stack = stack_after(plan, cf, effect, stack);
	}
	ways.next = stack;
	ways.known &= stack != NULL;
	return ways;
}

static void follow_ways(struct finder *finder, const struct evg_cf_plan *cf,
			const struct evg_stack *stack)
{
	struct ways ways;

	if (cf->ends || cf->trap)
		return;
	ways = find_ways(finder->plan, cf, stack);
	reach_instruction(finder, cf->next, ways.next);
	reach_instruction(finder, cf->cf->inst.address, ways.there);
}

void native_stacks(struct evg_plan *plan, const struct evg_stack **stacks)
{
	struct finder finder = {.plan = plan, .stacks = stacks};

	finder.todo = xcalloc(plan->cf_count + 1, sizeof *finder.todo);
	memset(stacks, 0, plan->cf_count * sizeof *stacks);
	reach_instruction(&finder, 0,
			  plan_allocate(plan, sizeof(struct evg_stack)));
	while (finder.todo_count) {
		uint32_t address = finder.todo[--finder.todo_count];

		follow_ways(&finder, &plan->cf[address], stacks[address]);
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

bool native_jumps(const struct evg_cf_plan *cf)
{
	const uint8_t *effect = evg_action_info[cf->action].effects;
	bool jumps = false;

	for (; !cf->alu && *effect; effect++)
		jumps |= evg_effect_info[*effect].goes == EVG_GOES_OUT ||
			 evg_effect_info[*effect].goes == EVG_GOES_BACK;
	return jumps;
}

/* Whether there is native code of all that the action does. Without a lane that
 * meets the condition that is a jump, and nothing else. */
static bool can_act(const struct evg_cf_plan *cf, const struct evg_stack *stack)
{
	const struct evg_action_info *action = &evg_action_info[cf->action];
	const uint8_t *effect = action->effects;

	if (cf->constant)
		return false;
	if (!cf->alu && !cf->condition && *effect != EVG_EFFECT_JUMP)
		return false;
	if (evg_action_does(cf->action, EVG_EFFECT_AGAIN) &&
	    (stack->counted || stack->sets_loop_index))
		return false;
	for (; *effect; effect++)
		if (!evg_effect_info[*effect].native)
			return false;
	return cf->action != EVG_ACTION_NONE;
}

bool native_can(struct evg_plan *plan, const struct evg_cf_plan *cf,
		const struct evg_stack *stack)
{
	if (!stack || cf->ends || cf->trap)
		return false;
	return can_act(cf, stack) && (!cf->alu || can_clause(cf->alu)) &&
	       find_ways(plan, cf, stack).known;
}
