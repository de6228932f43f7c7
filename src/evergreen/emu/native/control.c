/* CF instructions other than ALU clauses as native code. */
#include "evergreen/emu/native/flow.h"

static void fetch_or_store(struct flow *f)
{
	const struct evg_cf_plan *cf = f->cf;

	if (f->lanes == EVG_LANES_NONE) {
		for (uint32_t i = 0; i < cf->fetch_count; i++)
			flow_count(f, cf->fetches[i].counter, 1 + !i);
		if (!cf->fetch_count)
			flow_count(f, cf->counter, 1);
	} else {
		if (!cf->fetch_count)
			flow_count(f, cf->counter, 1);
		general_load_number(f->code, NATIVE_RSI,
				    (uint64_t)(uintptr_t)cf);
		if (cf->fetch_count)
			flow_call_counting(f, (void (*)(void))evg_chain_fetch);
		else
			flow_call(f, (void (*)(void))evg_chain_store);
		NATIVE_BYTES(f->code, 0x84, 0xc0); /* test al, al */
		flow_fault_unless_equal(f, EVG_CHAIN_POSITION);
	}
	flow_go(f, NATIVE_ALWAYS, flow_after(f, f->stack), f->lanes);
}

static void loop_end(struct flow *f)
{
	const struct evg_cf_inst *inst = &f->cf->cf->inst;
	struct flow_target again = {inst->address, 0, f->stack};
	uint32_t next = f->labels.next;
	size_t none = 0;

	f->labels.next = UINT32_MAX; /* more code follows */

	flow_load_stack(f);
	general(f->code, GENERAL_LOAD, NATIVE_RAX, flow_continued(f->stack));
	flow_compare_none(f);
	if (f->lanes != EVG_LANES_NONE) {
		flow_go(f, NATIVE_EQUAL, again, f->lanes);
		general(f->code, GENERAL_OR, NATIVE_RAX, flow_active());
	} else {
		none = general_jump(f->code, NATIVE_EQUAL);
	}
	general_store_number(f->code, true, flow_continued(f->stack), 0);
	flow_activate(f, f->lanes, again, again);
	if (f->lanes != EVG_LANES_NONE)
		return;
	/* All lanes have left: the mask before the loop, or one below. */
	native_fill(f->code, none, f->code->used);
	f->labels.next = next;
	if (inst->pop_count) {
		flow_pop(f, f->lanes, f->stack->below, inst->pop_count,
			 f->cf->next);
		return;
	}
	general(f->code, GENERAL_LOAD, NATIVE_RAX, flow_frame_mask(f->stack));
	flow_activate(f, f->lanes, flow_after(f, f->stack->below),
		      flow_after(f, f->stack->below));
}

/* ELSE: without a lane it jumps. */
static void invert(struct flow *f)
{
	const struct evg_cf_inst *inst = &f->cf->cf->inst;
	uint32_t next = f->labels.next;
	size_t some;

	flow_load_stack(f);
	general(f->code, GENERAL_LOAD, NATIVE_RAX, flow_frame_mask(f->stack));
	if (f->lanes != EVG_LANES_NONE)
		general(f->code, GENERAL_XOR, NATIVE_RAX, flow_active());
	flow_compare_none(f);
	some = general_jump(f->code, NATIVE_NOT_EQUAL);
	f->labels.next = UINT32_MAX; /* more code follows */
	flow_pop(f, EVG_LANES_NONE, f->stack, inst->pop_count, inst->address);
	native_fill(f->code, some, f->code->used);
	f->labels.next = next;
	flow_activate(f, f->lanes, flow_after(f, f->stack),
		      flow_after(f, f->stack));
}

static void leave_loop(struct flow *f)
{
	if (f->lanes != EVG_LANES_NONE) {
		general(f->code, GENERAL_LOAD, NATIVE_RAX, flow_active());
		flow_leave(f, f->cf->action == EVG_ACTION_CONTINUE);
	}
	flow_go(f, NATIVE_ALWAYS, flow_after(f, f->stack), EVG_LANES_NONE);
}

void flow_no_clause(struct flow *f)
{
	const struct evg_cf_inst *inst = &f->cf->cf->inst;
	bool taken = f->lanes == EVG_LANES_NONE || !f->cf->condition;
	const struct evg_stack *stack = f->stack;

	if (f->cf->fetch_count || f->cf->store) {
		fetch_or_store(f);
		return;
	}
	flow_count(f, f->cf->counter, 1);
	switch (f->cf->action) {
	case EVG_ACTION_INVERT:
		invert(f);
		return;
	case EVG_ACTION_POP:
		flow_pop(f, f->lanes, stack, inst->pop_count, f->cf->next);
		return;
	case EVG_ACTION_REPEAT:
		loop_end(f);
		return;
	case EVG_ACTION_BREAK:
	case EVG_ACTION_CONTINUE:
		leave_loop(f);
		return;
	case EVG_ACTION_TEST:
	case EVG_ACTION_PUSH:
	case EVG_ACTION_LOOP:
		if (taken) {
			flow_pop(f, f->lanes, stack, inst->pop_count,
				 inst->address);
			return;
		}
		if (f->cf->action == EVG_ACTION_PUSH)
			stack = flow_push(
			    f, EVG_FRAME_PUSH,
			    inst->whole_quad_mode ? EVG_STACK_ENTRY : 1);
		if (f->cf->action == EVG_ACTION_LOOP)
			stack = flow_push(f, EVG_FRAME_LOOP, EVG_STACK_ENTRY);
		break;
	default:
		break;
	}
	flow_go(f, NATIVE_ALWAYS, flow_after(f, stack), f->lanes);
}
