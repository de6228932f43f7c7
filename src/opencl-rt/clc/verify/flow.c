/* Control flow, followed along every way through a kernel with the stack that
 * it builds: what lies on the stack at an instruction must be the same however
 * control came there, loops must begin and end in pairs, and the declared stack
 * must do. The forms are those that m2s-clc knows: a branch is a clause that
 * takes lanes out of a mask that it or a PUSH saved, and a JUMP behind it;
 * ALU_BREAK takes lanes out of the loop that it stands right in. */
#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/isa/action.h"
#include "opencl-rt/clc/verify/internal.h"

static const uint32_t none = UINT32_MAX;

/* One frame for the instruction that pushes it, found by its address. */
struct frame {
	bool loop;
	uint32_t below;    /* address of the frame below, or `none` */
	/* This one and all below. */
	uint32_t loops, pushes;
	uint32_t end;      /* of a loop: its LOOP_END, or `none` */
};

struct flow {
	const struct check *check;
	uint32_t count;      /* addresses */
	bool *seen;
	uint32_t *top;       /* frame on top before the instruction */
	struct frame *frames;
	uint32_t *todo, todo_count;
};

#define fail(flow, ...) error_set((flow)->check->error, __VA_ARGS__)

static const struct evg_code_cf *at(const struct flow *flow, uint32_t address)
{
	return &flow->check->code->cf[address];
}

static int enter_address(struct flow *flow, uint32_t from, uint32_t address,
			 uint32_t top)
{
	if (address >= flow->count || !at(flow, address)->size)
		return fail(flow, "control goes from %u to %u, which is no "
				  "instruction", from, address);
	if (!flow->seen[address]) {
		flow->seen[address] = true;
		flow->top[address] = top;
		flow->todo[flow->todo_count++] = address;
		return 0;
	}
	if (flow->top[address] == top)
		return 0;
	return fail(flow, "the stack at %u is not the same from %u as from "
		    "elsewhere", address, from);
}

/* Targets of branches lie ahead. */
static int enter_ahead(struct flow *flow, const struct evg_code_cf *cf,
		       uint32_t top)
{
	if (cf->inst.address <= cf->address)
		return fail(flow, "%s at %u goes back to %u",
			    evg_cf_info[cf->inst.op].name, cf->address,
			    cf->inst.address);
	return enter_address(flow, cf->address, cf->inst.address, top);
}

/* A loop takes an entry of the stack, a push one element of an entry, and one
 * more if there are any. */
static int check_stack(struct flow *flow, uint32_t address, uint32_t loops,
		       uint32_t pushes)
{
	uint32_t entry = evg_chip_info[flow->check->chip].entry;
	uint32_t size = flow->check->kernel->stack_size;

	if (loops * entry + pushes + !!pushes <= entry * size)
		return 0;
	return fail(flow, "the instruction at %u needs more than the %u entries "
		    "of stack that the kernel declares", address, size);
}

static int push(struct flow *flow, uint32_t address, bool loop, uint32_t *top)
{
	struct frame *frame = &flow->frames[address];

	*frame = (struct frame){ .loop = loop, .below = *top, .end = none };
	if (*top != none) {
		frame->loops = flow->frames[*top].loops;
		frame->pushes = flow->frames[*top].pushes;
	}
	frame->loops += loop;
	frame->pushes += !loop;
	*top = address;
	return check_stack(flow, address, frame->loops, frame->pushes);
}

/* A clause that saves a mask, if only for a moment. Some chips do that wrongly
 * at the ends of the stack's entries. */
static int check_saving(struct flow *flow, const struct evg_code_cf *cf,
			uint32_t top)
{
	const struct evg_chip_info *chip = &evg_chip_info[flow->check->chip];
	uint32_t loops = top == none ? 0 : flow->frames[top].loops;
	uint32_t pushes = top == none ? 0 : flow->frames[top].pushes;
	uint32_t elements = pushes + 2; /* its own, and one for all */

	if (chip->push_fault && elements >= chip->entry)
		return fail(flow, "%s at %u saves a mask as element %u of the "
			    "stack, which %s does wrongly",
			    evg_cf_info[cf->inst.op].name, cf->address,
			    elements, chip->name);
	return check_stack(flow, cf->address, loops, pushes + 1);
}

static int pop(struct flow *flow, uint32_t address, unsigned count,
	       uint32_t *top)
{
	for (; count; count--) {
		if (*top == none || flow->frames[*top].loop)
			return fail(flow, "the instruction at %u pops a mask "
				    "that nothing has pushed", address);
		*top = flow->frames[*top].below;
	}
	return 0;
}

/* The innermost loop around, or `none`. */
static uint32_t loop_around(const struct flow *flow, uint32_t top)
{
	while (top != none && !flow->frames[top].loop)
		top = flow->frames[top].below;
	return top;
}

/* Whether the clause takes lanes out for a branch. */
static bool takes_lanes(const struct flow *flow, const struct evg_code_cf *cf)
{
	for (uint32_t i = 0; cf->clause == EVG_CLAUSE_ALU && i < cf->count;
	     i++) {
		const struct evg_alu_group *group =
			&flow->check->code->groups[cf->first + i].group;

		for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
			if (group->slot_mask >> slot & 1 &&
			    group->inst[slot].update_execute_mask)
				return true;
	}
	return false;
}

/* Whether the instruction before a JUMP takes lanes out. */
static bool is_conditional(const struct flow *flow, uint32_t address)
{
	for (uint32_t size = 1; size <= 2 && size <= address; size++)
		if (at(flow, address - size)->size == size)
			return takes_lanes(flow, at(flow, address - size));
	return false;
}

/* What it does, EVG_EFFECT_*: see evergreen/isa/control.def. */
static const uint8_t *effects_of(const struct evg_code_cf *cf)
{
	return evg_action_info[evg_control[cf->inst.op].action].effects;
}

static bool does(const struct evg_code_cf *cf, enum evg_effect effect)
{
	return evg_cf_does(cf->inst.op, effect);
}

/* Whether it does nothing but to jump without a lane. */
static bool is_jump(const struct evg_code_cf *cf)
{
	const uint8_t *effects = effects_of(cf);

	return effects[0] == EVG_EFFECT_JUMP && !effects[1];
}

static int unneeded(struct flow *flow, const struct evg_code_cf *cf)
{
	return fail(flow, "%s at %u, which no kernel needs",
		    evg_cf_info[cf->inst.op].name, cf->address);
}

static int alu(struct flow *flow, const struct evg_code_cf *cf, uint32_t top)
{
	uint32_t next = cf->address + cf->size;
	bool jumps = next < flow->count && is_jump(at(flow, next));
	bool takes = takes_lanes(flow, cf);

	if ((does(cf, EVG_EFFECT_PUSH) || does(cf, EVG_EFFECT_LEAVE)) &&
	    check_saving(flow, cf, top))
		return -1;
	if (does(cf, EVG_EFFECT_PUSH) && push(flow, cf->address, false, &top))
		return -1;
	if (does(cf, EVG_EFFECT_POP)) {
		if (takes)
			return fail(flow, "the clause of %u takes lanes out of "
				    "the mask that it pops", cf->address);
		if (pop(flow, cf->address, evg_control[cf->inst.op].pops, &top))
			return -1;
	}
	if (does(cf, EVG_EFFECT_LEAVE)) {
		if (top == none || !flow->frames[top].loop)
			return fail(flow, "the clause of %u leaves no loop",
				    cf->address);
		return enter_address(flow, cf->address, next, top);
	}
	if (takes && (top == none || flow->frames[top].loop))
		return fail(flow, "the clause of %u takes lanes out of a mask "
			    "that is not saved", cf->address);
	if (takes && !jumps)
		return fail(flow, "the clause of %u takes lanes out, and no "
			    "JUMP follows", cf->address);
	return enter_address(flow, cf->address, next, top);
}

/* The body of a loop ends where its beginning says. */
static int again(struct flow *flow, const struct evg_code_cf *cf, uint32_t top)
{
	uint32_t next = cf->address + 1;

	if (top == none || !flow->frames[top].loop)
		return fail(flow, "LOOP_END at %u ends no loop", cf->address);
	if (cf->inst.address != top + 1 ||
	    at(flow, top)->inst.address != next)
		return fail(flow, "LOOP_END at %u goes back to %u, and the "
			    "loop that began at %u ends before %u",
			    cf->address, cf->inst.address, top,
			    at(flow, top)->inst.address);
	flow->frames[top].end = cf->address;
	return 0;
}

static int check_program_end(struct flow *flow, const struct evg_code_cf *cf,
		       uint32_t top)
{
	if (cf->inst.op != EVG_CF_NOP &&
	    cf->inst.format != EVG_CF_EXPORT_RAT &&
	    cf->inst.format != EVG_CF_EXPORT_BUF)
		return fail(flow, "the program ends in %s at %u",
			    evg_cf_info[cf->inst.op].name, cf->address);
	if (top != none)
		return fail(flow, "the program ends at %u with masks on the "
			    "stack", cf->address);
	return 0;
}

/* Loops begin and end with the stack that was there before. */
static bool may_pop(const struct evg_code_cf *cf)
{
	bool pops = does(cf, EVG_EFFECT_POP) || does(cf, EVG_EFFECT_JUMP) ||
		    does(cf, EVG_EFFECT_SKIP);

	return pops && !does(cf, EVG_EFFECT_ENTER) && !does(cf, EVG_EFFECT_END);
}

/* Pops and goes to ADDR. */
static int out(struct flow *flow, const struct evg_code_cf *cf, uint32_t top)
{
	return pop(flow, cf->address, cf->inst.pop_count, &top) ||
			       enter_ahead(flow, cf, top)
		       ? -1
		       : 0;
}

static int follow_effect(struct flow *flow, const struct evg_code_cf *cf,
			 enum evg_effect effect, uint32_t *top)
{
	uint32_t address = cf->address;

	switch (effect) {
	case EVG_EFFECT_JUMP:
		if (is_jump(cf) && !is_conditional(flow, address))
			return fail(flow, "JUMP at %u follows no clause that "
					  "takes lanes out", address);
		return out(flow, cf, *top);
	case EVG_EFFECT_SKIP:
		return out(flow, cf, *top);
	case EVG_EFFECT_PUSH:
		return push(flow, address, false, top);
	case EVG_EFFECT_ENTER:
		return push(flow, address, true, top);
	case EVG_EFFECT_SWAP:
		if (*top == none || flow->frames[*top].loop)
			return fail(flow, "ELSE at %u without a branch",
				    address);
		return 0;
	case EVG_EFFECT_POP:
		return pop(flow, address, cf->inst.pop_count, top);
	case EVG_EFFECT_AGAIN:
		return again(flow, cf, *top);
	case EVG_EFFECT_END:
		*top = flow->frames[*top].below;
		return 0;
	case EVG_EFFECT_LEAVE:
		if (loop_around(flow, *top) == none)
			return fail(flow, "%s at %u outside of a loop",
				    evg_cf_info[cf->inst.op].name, address);
		return 0;
	case EVG_EFFECT_TRIPS: /* which loops of these kernels do not count */
	case EVG_EFFECT_KEEP:
	case EVG_EFFECT_WAIT:
		return 0;
	default:
		return unneeded(flow, cf);
	}
}

static int visit_instruction(struct flow *flow, const struct evg_code_cf *cf)
{
	uint32_t address = cf->address, next = address + cf->size;
	uint32_t top = flow->top[address];

	if (cf->inst.end_of_program)
		return check_program_end(flow, cf, top);
	if (cf->inst.condition)
		return fail(flow, "%s at %u depends on a boolean constant",
			    evg_cf_info[cf->inst.op].name, address);
	if (cf->inst.pop_count && !may_pop(cf))
		return fail(flow, "%s at %u pops %u masks",
			    evg_cf_info[cf->inst.op].name, address,
			    cf->inst.pop_count);
	if (!evg_cf_info[cf->inst.op].emitted)
		return unneeded(flow, cf);
	if (cf->clause == EVG_CLAUSE_ALU)
		return alu(flow, cf, top);
	for (const uint8_t *effect = effects_of(cf); *effect; effect++)
		if (follow_effect(flow, cf, (enum evg_effect)*effect, &top))
			return -1;
	return enter_address(flow, address, next, top);
}

/* What only the whole way round shows: every loop has its end, to which its
 * BREAKs and CONTINUEs go. */
static int check_loops(struct flow *flow)
{
	for (uint32_t i = 0; i < flow->count; i++) {
		const struct evg_code_cf *cf = at(flow, i);
		bool leaves = does(cf, EVG_EFFECT_LEAVE);
		uint32_t loop = i;

		if (!flow->seen[i] || (!leaves && !does(cf, EVG_EFFECT_ENTER)))
			continue;
		if (leaves)
			loop = loop_around(flow, flow->top[i]);
		if (flow->frames[loop].end == none)
			return fail(flow, "the loop that begins at %u does not "
				    "end", loop);
		if (leaves && cf->clause != EVG_CLAUSE_ALU &&
		    cf->inst.address != flow->frames[loop].end)
			return fail(flow, "%s at %u goes to %u, but its loop "
				    "ends at %u",
				    evg_cf_info[cf->inst.op].name, i,
				    cf->inst.address, flow->frames[loop].end);
	}
	return 0;
}

int check_flow(const struct check *check)
{
	uint32_t count = check->code->cf_count;
	struct flow flow = {
		.check = check,
		.count = count,
		.seen = xcalloc(count, sizeof *flow.seen),
		.top = xcalloc(count, sizeof *flow.top),
		.frames = xcalloc(count, sizeof *flow.frames),
		.todo = xcalloc(count, sizeof *flow.todo),
	};
	int status = enter_address(&flow, 0, 0, none);

	while (!status && flow.todo_count)
		status = visit_instruction(
		    &flow, at(&flow, flow.todo[--flow.todo_count]));
	if (!status)
		status = check_loops(&flow);
	free(flow.seen);
	free(flow.top);
	free(flow.frames);
	free(flow.todo);
	return status;
}
