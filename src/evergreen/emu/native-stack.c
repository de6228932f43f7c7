#include "evergreen/emu/native-stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/mode.h"
#include "evergreen/emu/plan.h"

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

static void follow_clause(struct finder *finder, const struct evg_cf_plan *cf,
			  const struct evg_stack *stack)
{
	switch (cf->cf->inst.op) {
	case EVG_CF_ALU_PUSH_BEFORE:
		stack = native_push(
		    finder->plan, stack, EVG_FRAME_PUSH,
		    cf->cf->inst.whole_quad_mode ? EVG_STACK_ENTRY : 1);
		break;
	case EVG_CF_ALU_POP_AFTER:
		stack = native_pop(stack, 1);
		break;
	case EVG_CF_ALU_POP2_AFTER:
		stack = native_pop(stack, 2);
		break;
	default:
		break;
	}
	reach(finder, cf->next, stack);
}

static void follow(struct finder *finder, const struct evg_cf_plan *cf,
		   const struct evg_stack *stack)
{
	const struct evg_cf_inst *inst = &cf->cf->inst;
	const struct evg_stack *popped = native_pop(stack, inst->pop_count);
	struct evg_plan *plan = finder->plan;
	struct evg_stack frame = {.kind = EVG_FRAME_LOOP,
				  .elements = EVG_STACK_ENTRY};

	if (cf->ends || cf->trap)
		return;
	switch (inst->op) {
	case EVG_CF_PUSH:
		reach(finder, cf->next,
		      native_push(plan, stack, EVG_FRAME_PUSH,
				  inst->whole_quad_mode ? EVG_STACK_ENTRY : 1));
		reach(finder, inst->address, popped);
		break;
	case EVG_CF_JUMP:
	case EVG_CF_ELSE:
		reach(finder, cf->next, stack);
		reach(finder, inst->address, popped);
		break;
	case EVG_CF_POP:
		reach(finder, cf->next, popped);
		break;
	case EVG_CF_LOOP_START:
	case EVG_CF_LOOP_START_DX10:
	case EVG_CF_LOOP_START_NO_AL:
		frame.counted = cf->constant != NULL;
		frame.sets_loop_index = inst->op == EVG_CF_LOOP_START;
		reach(finder, cf->next, extend(plan, stack, frame));
		reach(finder, inst->address, popped);
		break;
	case EVG_CF_LOOP_END:
		if (is_loop(stack))
			reach(finder, cf->next,
			      native_pop(stack->below, inst->pop_count));
		break;
	case EVG_CF_CALL:
		frame = (struct evg_stack){.kind = EVG_FRAME_CALL,
					   .elements = 1,
					   .calls = (uint8_t)inst->count};
		reach(finder, cf->next, stack);
		reach(finder, inst->address, extend(plan, stack, frame));
		break;
	default:
		follow_clause(finder, cf, stack);
	}
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

static bool can_clause(struct evg_plan *plan, const struct evg_cf_plan *cf,
		       const struct evg_stack *stack)
{
	const struct evg_clause_plan *alu = cf->alu;
	unsigned elements = cf->cf->inst.whole_quad_mode ? EVG_STACK_ENTRY : 1;

	if (alu->has_barrier || alu->uses_bank_index || sets_mode(alu))
		return false;
	for (uint32_t i = 0; i < alu->segment_count; i++)
		if (!alu->segments[i].native[0] || !alu->segments[i].native[1])
			return false;
	switch (cf->cf->inst.op) {
	case EVG_CF_ALU:
		return true;
	case EVG_CF_ALU_PUSH_BEFORE:
		return native_push(plan, stack, EVG_FRAME_PUSH, elements);
	case EVG_CF_ALU_POP_AFTER:
	case EVG_CF_ALU_ELSE_AFTER:
		return native_pop(stack, 1);
	case EVG_CF_ALU_POP2_AFTER:
		return native_pop(stack, 2);
	case EVG_CF_ALU_BREAK:
	case EVG_CF_ALU_CONTINUE:
		return native_loop(stack);
	default:
		return false;
	}
}

bool native_can(struct evg_plan *plan, const struct evg_cf_plan *cf,
		const struct evg_stack *stack)
{
	const struct evg_cf_inst *inst = &cf->cf->inst;
	unsigned elements = inst->whole_quad_mode ? EVG_STACK_ENTRY : 1;

	if (!stack || cf->ends || cf->trap)
		return false;
	if (cf->alu)
		return can_clause(plan, cf, stack);
	if (inst->op == EVG_CF_JUMP)
		return native_pop(stack, inst->pop_count);
	if (!cf->condition)
		return false;
	if (cf->fetch_count || cf->store)
		return true;
	switch (inst->op) {
	case EVG_CF_PUSH:
		return native_push(plan, stack, EVG_FRAME_PUSH, elements) &&
		       native_pop(stack, inst->pop_count);
	case EVG_CF_ELSE:
		return native_pop(stack, 1) &&
		       native_pop(stack, inst->pop_count);
	case EVG_CF_POP:
		return native_pop(stack, inst->pop_count);
	case EVG_CF_LOOP_START_DX10:
		return native_push(plan, stack, EVG_FRAME_LOOP,
				   EVG_STACK_ENTRY) &&
		       native_pop(stack, inst->pop_count);
	case EVG_CF_LOOP_END:
		return is_loop(stack) && !stack->counted &&
		       !stack->sets_loop_index &&
		       native_pop(stack->below, inst->pop_count);
	case EVG_CF_LOOP_BREAK:
	case EVG_CF_LOOP_CONTINUE:
		return native_loop(stack);
	case EVG_CF_NOP:
	case EVG_CF_WAIT_ACK:
		return true;
	default:
		return false;
	}
}
