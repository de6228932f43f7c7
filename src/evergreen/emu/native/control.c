/* What CF instructions do to lanes and the stack as native code, and those
 * without an ALU clause.
 *
 * An effect that makes another mask the active one does so at the end of its
 * action, or where that goes elsewhere: until then the mask is in rax. */
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

/* --- Effects -------------------------------------------------------------- */

/* An instruction's action under way. Each effect returns whether the code of
 * the action ends with it. */
struct act {
	struct flow *f;
	const struct evg_stack *stack; /* so far */
	enum evg_lanes lanes;          /* active so far */
	bool clause;                   /* behind an ALU clause */
	bool has_stack;                /* NATIVE_STACK is loaded */
	bool has_mask;   /* rax has what becomes the active mask */
	bool has_leaving; /* rax has the lanes that leave a loop */
};

static void load_stack(struct act *act)
{
	if (!act->has_stack)
		flow_load_stack(act->f);
	act->has_stack = true;
}

static void load_saved(struct act *act, const struct evg_stack *frame)
{
	load_stack(act);
	general(act->f->code, GENERAL_LOAD, NATIVE_RAX, flow_frame_mask(frame));
	act->has_mask = true;
}

static bool out(struct act *act, enum evg_lanes lanes)
{
	flow_pop(act->f, lanes, act->stack, act->f->cf->pops,
		 act->f->cf->cf->inst.address);
	return true;
}

static bool emit_JUMP(struct act *act)
{
	if (act->lanes != EVG_LANES_NONE && act->f->cf->condition)
		return false;
	return out(act, act->lanes);
}

static bool emit_SKIP(struct act *act)
{
	struct flow *f = act->f;
	uint32_t next = f->labels.next;
	size_t some;

	if (!act->has_mask)
		return emit_JUMP(act);
	flow_compare_none(f);
	some = general_jump(f->code, NATIVE_NOT_EQUAL);
	f->labels.next = UINT32_MAX; /* more code follows */
	out(act, EVG_LANES_NONE);
	native_fill(f->code, some, f->code->used);
	f->labels.next = next;
	return false;
}

/* There is native code of loops without trips only. */
static bool emit_TRIPS(struct act *act)
{
	(void)act;
	return false;
}

static bool push(struct act *act, enum evg_frame_kind kind, unsigned elements)
{
	struct flow *f = act->f;

	act->stack = native_push(f->plan, act->stack, kind, elements);
	if (act->clause) /* it was done before */
		return false;
	load_stack(act);
	flow_store_active(f, flow_frame_mask(act->stack));
	if (kind == EVG_FRAME_LOOP)
		general_store_number(f->code, true, flow_continued(act->stack),
				     0);
	return false;
}

static bool emit_PUSH(struct act *act)
{
	bool whole_quad = act->f->cf->cf->inst.whole_quad_mode;

	return push(act, EVG_FRAME_PUSH, whole_quad ? EVG_STACK_ENTRY : 1);
}

static bool emit_ENTER(struct act *act)
{
	return push(act, EVG_FRAME_LOOP, EVG_STACK_ENTRY);
}

/* All active lanes meet the condition: native_can(). */
static bool emit_KEEP(struct act *act)
{
	(void)act;
	return false;
}

static bool emit_SWAP(struct act *act)
{
	load_saved(act, act->stack);
	if (act->lanes != EVG_LANES_NONE)
		general(act->f->code, GENERAL_XOR, NATIVE_RAX, flow_active());
	return false;
}

static bool emit_POP(struct act *act)
{
	unsigned pops = act->f->cf->pops;

	if (pops)
		load_saved(act, native_pop(act->stack, pops - 1));
	act->stack = native_pop(act->stack, pops);
	return false;
}

static bool emit_AGAIN(struct act *act)
{
	struct flow *f = act->f;
	struct flow_target again = {f->cf->cf->inst.address, 0, act->stack};
	uint32_t next = f->labels.next;
	size_t none = 0;

	f->labels.next = UINT32_MAX; /* more code follows */
	load_stack(act);
	general(f->code, GENERAL_LOAD, NATIVE_RAX, flow_continued(act->stack));
	flow_compare_none(f);
	if (act->lanes != EVG_LANES_NONE) {
		flow_go(f, NATIVE_EQUAL, again, act->lanes);
		general(f->code, GENERAL_OR, NATIVE_RAX, flow_active());
	} else {
		none = general_jump(f->code, NATIVE_EQUAL);
	}
	general_store_number(f->code, true, flow_continued(act->stack), 0);
	flow_activate(f, act->lanes, again, again);
	if (act->lanes != EVG_LANES_NONE)
		return true;
	native_fill(f->code, none, f->code->used);
	f->labels.next = next;
	return false;
}

static bool emit_END(struct act *act)
{
	if (!act->f->cf->pops) /* else POP loads one below */
		load_saved(act, act->stack);
	act->stack = act->stack->below;
	return false;
}

/* Whether there are any; they are in rax then. */
static bool load_leaving(struct act *act)
{
	struct flow *f = act->f;

	if (!act->clause && act->lanes == EVG_LANES_NONE)
		return false;
	if (act->has_leaving)
		return true;
	act->has_leaving = true;
	if (!act->clause) {
		general(f->code, GENERAL_LOAD, NATIVE_RAX, flow_active());
		return true;
	}
	general(f->code, GENERAL_LOAD, NATIVE_RAX,
		flow_field(NATIVE_OFFSET(progress.clause_entry)));
	if (act->lanes != EVG_LANES_NONE) /* active is part of it */
		general(f->code, GENERAL_XOR, NATIVE_RAX, flow_active());
	return true;
}

static bool emit_WAIT(struct act *act)
{
	if (!load_leaving(act))
		return false;
	load_stack(act);
	general(act->f->code, GENERAL_OR_TO, NATIVE_RAX,
		flow_continued(native_loop(act->stack)));
	return false;
}

static bool emit_LEAVE(struct act *act)
{
	const struct evg_stack *loop = native_loop(act->stack);

	if (loop != act->stack && load_leaving(act)) {
		load_stack(act);
		general_not(act->f->code, NATIVE_RAX);
		for (const struct evg_stack *above = act->stack; above != loop;
		     above = above->below)
			general(act->f->code, GENERAL_AND_TO, NATIVE_RAX,
				flow_frame_mask(above));
	}
	if (!act->clause)
		act->lanes = EVG_LANES_NONE;
	return false;
}

/* --- Actions -------------------------------------------------------------- */

#define TAKE_EMIT(id)                                                          \
	case EVG_EFFECT_##id:                                                  \
		return emit_##id(act);
#define TAKE_CALL(id)

static bool take_effect(struct act *act, enum evg_effect effect)
{
	switch (effect) {
#define EFFECT(id, needs, leaves, goes, native) TAKE_##native(id)
#include "evergreen/isa/control.def"
	default: /* no part of native code: native_can() */
		return true;
	}
}

/* From the effects on, behind an ALU clause or without one. */
static void take_effects(struct flow *f, bool clause)
{
	const uint8_t *effect = evg_action_info[f->cf->action].effects;
	struct act act = {
	    .f = f,
	    .stack = f->stack,
	    .lanes = f->lanes,
	    .clause = clause,
	};

	for (; *effect; effect++) {
		if (clause && evg_effect_info[*effect].goes != EVG_GOES_ON)
			continue;
		if (take_effect(&act, *effect))
			return;
	}
	if (act.has_mask)
		flow_activate(f, f->lanes, flow_after(f, act.stack),
			      flow_after(f, act.stack));
	else
		flow_go(f, NATIVE_ALWAYS, flow_after(f, act.stack), act.lanes);
}

void flow_begin_clause(struct flow *f)
{
	enum evg_action action = f->cf->action;
	struct act act = {.f = f, .stack = f->stack, .lanes = f->lanes};

	if (evg_action_does(action, EVG_EFFECT_PUSH))
		emit_PUSH(&act);
	if (evg_action_does(action, EVG_EFFECT_LEAVE))
		flow_store_active(
		    f, flow_field(NATIVE_OFFSET(progress.clause_entry)));
}

void flow_end_clause(struct flow *f)
{
	take_effects(f, true);
}

void flow_no_clause(struct flow *f)
{
	if (f->cf->fetch_count || f->cf->store) {
		fetch_or_store(f);
		return;
	}
	flow_count(f, f->cf->counter, 1);
	take_effects(f, false);
}
