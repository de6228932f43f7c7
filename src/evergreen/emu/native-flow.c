/* Control flow as native code: see chain.h. Each CF instruction does here what
 * it does in wavefront.c and control.c, with the stack and whether lanes are
 * active already known. */
#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/emu/count.h"
#include "evergreen/emu/native-labels.h"
#include "evergreen/emu/native.h"
#include "evergreen/emu/plan.h"

enum {
	BYTES_PER_PART = 1200,  /* of a CF instruction, most often */
	/* What an execution adds to the upper dword of its counter. */
	ONE_EXECUTION = 1 << (EVG_COUNT_SHIFT - 32),
};

struct flow {
	struct native *native;
	struct native_code *code;
	struct evg_plan *plan;
	const struct evg_stack **stacks; /* by address, as the next ones */
	uint32_t *parts;      /* 0: native code cannot execute it */
	bool *looped;         /* something leads back to it */
	uint64_t *longest;    /* instructions from it on, going forward */
	struct native_labels labels;
	size_t activate;      /* a subroutine: rax becomes the active mask */
	/* What is being compiled. */
	uint32_t address;
	const struct evg_cf_plan *cf;
	const struct evg_stack *stack; /* there */
	enum evg_lanes lanes;
};

/* Where to go on: at an instruction with a stack. */
struct target {
	uint32_t address, part;
	const struct evg_stack *stack;
};

/* --- Pieces --------------------------------------------------------------- */

static struct native_place field(int32_t offset)
{
	return native_memory(NATIVE_WAVEFRONT, offset);
}

static struct native_place active(void)
{
	return field(NATIVE_OFFSET(mask));
}

/* A member of the topmost frame of a stack. */
static struct native_place frame_field(const struct evg_stack *stack,
				       size_t offset)
{
	return native_memory(NATIVE_STACK,
			     (int32_t)((stack->depth - 1) *
					       sizeof(struct evg_frame) +
				       offset));
}

static struct native_place frame_mask(const struct evg_stack *stack)
{
	return frame_field(stack, offsetof(struct evg_frame, mask));
}

static struct native_place continued(const struct evg_stack *loop)
{
	return frame_field(loop, offsetof(struct evg_frame, continued));
}

static struct target after(const struct flow *f, const struct evg_stack *stack)
{
	return (struct target){f->cf->next, 0, stack};
}

static void go(struct flow *f, enum native_condition condition,
	       struct target target, enum evg_lanes lanes)
{
	const struct evg_chain_exit exit = {
		.stack = target.stack,
		.pc = target.address,
		.empty = lanes == EVG_LANES_NONE,
	};

	if (target.part ||
	    (f->parts[target.address] &&
	     f->stacks[target.address] == target.stack))
		native_jump(&f->labels, condition,
			    native_label(&f->labels, target.address,
					 target.part, lanes));
	else
		native_jump(&f->labels, condition,
			    native_exit_label(&f->labels, &exit));
}

/* The instruction faults, in its clause at `position`. */
static void fault_unless_equal(struct flow *f, uint32_t position)
{
	const struct evg_chain_exit exit = {
		.stack = f->stack,
		.pc = f->address,
		.position = position,
		.fault = true,
	};

	native_jump(&f->labels, NATIVE_NOT_EQUAL,
		    native_exit_label(&f->labels, &exit));
}

static void count(struct flow *f, uint32_t counter, uint32_t instructions)
{
	struct native_place place =
		native_memory(NATIVE_COUNTS, (int32_t)(8 * counter));

	if (f->lanes == EVG_LANES_NONE) {
		place.displacement += 4;
		general_number(f->code, false, GENERAL_ADD_NUMBER, place,
			       ONE_EXECUTION);
		general_number(f->code, false, GENERAL_ADD_NUMBER,
			       field(NATIVE_OFFSET(counted) + 4),
			       (int32_t)instructions);
		return;
	}
	general(f->code, GENERAL_LOAD, NATIVE_RAX,
		field(NATIVE_OFFSET(count_one)));
	general(f->code, GENERAL_ADD_TO, NATIVE_RAX, place);
	general_number(f->code, true, GENERAL_ADD_NUMBER,
		       field(NATIVE_OFFSET(counted)), (int32_t)instructions);
}

/* rdi and what else it takes are set but for the wavefront. */
static void call(struct flow *f, void (*function)(void))
{
	/* vzeroupper; mov rdi, rbx */
	NATIVE_BYTES(f->code, 0xc5, 0xf8, 0x77, 0x48, 0x89, 0xdf);
	general_call_function(f->code, function);
}

/* --- Active masks --------------------------------------------------------- */

static void compile_activate(struct flow *f)
{
	f->activate = f->code->used;
	/* mov rsi, rax; sub rsp, 8 */
	NATIVE_BYTES(f->code, 0x48, 0x89, 0xc6, 0x48, 0x83, 0xec, 0x08);
	call(f, (void (*)(void))evg_chain_set_active);
	/* add rsp, 8; test al, al; ret */
	NATIVE_BYTES(f->code, 0x48, 0x83, 0xc4, 0x08, 0x84, 0xc0, 0xc3);
}

static void compare_all(struct flow *f)
{
	general_number(f->code, true, GENERAL_COMPARE_NUMBER,
		       native_reg(NATIVE_RAX), -1);
}

static void compare_none(struct flow *f)
{
	general(f->code, GENERAL_TEST, NATIVE_RAX, native_reg(NATIVE_RAX));
}

/* rax, which is neither 0 nor the last mask, becomes the active mask. */
static void activate_other(struct flow *f, struct target target)
{
	native_fill(f->code, general_call(f->code), f->activate);
	go(f, NATIVE_NOT_EQUAL, target, EVG_LANES_ALL);
	go(f, NATIVE_ALWAYS, target, EVG_LANES_SOME);
}

/* rax becomes the active mask, and it goes on at `target`, or `empty` without a
 * lane; `lanes` are active before. */
static void activate(struct flow *f, enum evg_lanes lanes, struct target target,
		     struct target empty)
{
	size_t other;

	if (lanes == EVG_LANES_ALL) {
		compare_all(f);
		go(f, NATIVE_EQUAL, target, EVG_LANES_ALL);
		compare_none(f);
		go(f, NATIVE_EQUAL, empty, EVG_LANES_NONE);
		activate_other(f, target);
		return;
	}
	if (lanes == EVG_LANES_SOME) {
		general(f->code, GENERAL_COMPARE, NATIVE_RAX, active());
		go(f, NATIVE_EQUAL, target, EVG_LANES_SOME);
		compare_none(f);
		go(f, NATIVE_EQUAL, empty, EVG_LANES_NONE);
		activate_other(f, target);
		return;
	}
	compare_none(f);
	go(f, NATIVE_EQUAL, empty, EVG_LANES_NONE);
	general(f->code, GENERAL_COMPARE, NATIVE_RAX, active());
	other = general_jump(f->code, NATIVE_NOT_EQUAL);
	compare_all(f);
	go(f, NATIVE_EQUAL, target, EVG_LANES_ALL);
	go(f, NATIVE_NOT_EQUAL, target, EVG_LANES_SOME);
	native_fill(f->code, other, f->code->used);
	activate_other(f, target);
}

/* Takes `number` saved masks off `stack`, and goes on at an address. */
static void pop(struct flow *f, enum evg_lanes lanes,
		const struct evg_stack *stack, unsigned number,
		uint32_t address)
{
	struct target target = {address, 0, native_pop(stack, number)};

	if (!number) {
		go(f, NATIVE_ALWAYS, target, lanes);
		return;
	}
	general(f->code, GENERAL_LOAD, NATIVE_RAX,
		frame_mask(native_pop(stack, number - 1)));
	activate(f, lanes, target, target);
}

/* Stores the active mask. */
static void store_active(struct flow *f, struct native_place place)
{
	if (f->lanes != EVG_LANES_SOME) {
		general_store_number(f->code, true, place,
				     f->lanes == EVG_LANES_ALL ? -1 : 0);
		return;
	}
	general(f->code, GENERAL_LOAD, NATIVE_RAX, active());
	general(f->code, GENERAL_STORE, NATIVE_RAX, place);
}

static const struct evg_stack *push(struct flow *f, enum evg_frame_kind kind,
				    unsigned elements)
{
	const struct evg_stack *stack =
		native_push(f->plan, f->stack, kind, elements);

	store_active(f, frame_mask(stack));
	if (kind == EVG_FRAME_LOOP)
		general_store_number(f->code, true, continued(stack), 0);
	return stack;
}

/* Lanes in rax leave the innermost loop's body. */
static void leave(struct flow *f, bool continues)
{
	const struct evg_stack *loop = native_loop(f->stack);

	if (continues)
		general(f->code, GENERAL_OR_TO, NATIVE_RAX, continued(loop));
	if (loop == f->stack)
		return;
	general_not(f->code, NATIVE_RAX);
	for (const struct evg_stack *above = f->stack; above != loop;
	     above = above->below)
		general(f->code, GENERAL_AND_TO, NATIVE_RAX, frame_mask(above));
}

/* --- ALU clauses ---------------------------------------------------------- */

static bool has_calls(const struct flow *f, const struct evg_segment *segment)
{
	const struct evg_uop *uop = f->cf->alu->uops + segment->first_uop;

	for (uint32_t i = 0; i < segment->uop_count; i++)
		if (!native_has(f->native, &uop[i]))
			return true;
	return false;
}

/* The masks of the predicate. Whole rows of them are of use only to AVX2 and
 * to the interpreter's functions. */
static void set_predicate(struct flow *f, bool wants_rows)
{
	int32_t mask = NATIVE_OFFSET(mask), row = NATIVE_OFFSET(expanded);
	size_t changed, same;

	general(f->code, GENERAL_LOAD, NATIVE_RAX, active());
	general(f->code, GENERAL_LOAD, NATIVE_RDX,
		field(NATIVE_OFFSET(predicate)));
	general(f->code, GENERAL_AND, NATIVE_RDX, native_reg(NATIVE_RAX));
	general(f->code, GENERAL_XOR, NATIVE_RAX, native_reg(NATIVE_RDX));
	general(f->code, GENERAL_STORE, NATIVE_RAX,
		field(mask + 8 * EVG_MASK_PREDICATE_0));
	general(f->code, GENERAL_STORE, NATIVE_RDX,
		field(mask + 8 * EVG_MASK_PREDICATE_1));
	if (!wants_rows)
		return;
	general(f->code, GENERAL_COMPARE, NATIVE_RAX,
		field(row + 8 * EVG_MASK_PREDICATE_0));
	changed = general_jump(f->code, NATIVE_NOT_EQUAL);
	general(f->code, GENERAL_COMPARE, NATIVE_RDX,
		field(row + 8 * EVG_MASK_PREDICATE_1));
	same = general_jump(f->code, NATIVE_EQUAL);
	native_fill(f->code, changed, f->code->used);
	call(f, (void (*)(void))evg_chain_set_predicate);
	native_fill(f->code, same, f->code->used);
}

static void begin_clause(struct flow *f)
{
	enum evg_cf_op op = f->cf->cf->inst.op;

	if (f->cf->pushes)
		push(f, EVG_FRAME_PUSH,
		     f->cf->cf->inst.whole_quad_mode ? EVG_STACK_ENTRY : 1);
	if (op == EVG_CF_ALU_BREAK || op == EVG_CF_ALU_CONTINUE)
		store_active(f, field(NATIVE_OFFSET(clause_entry)));
}

static bool updates(const struct evg_segment *segment)
{
	return segment->update_predicate || segment->update_execute_mask;
}

static void begin_segment(struct flow *f, uint32_t part)
{
	const struct evg_clause_plan *alu = f->cf->alu;
	bool calls = false;

	if (!alu->uses_predicate)
		return;
	if (part && !updates(&alu->segments[part - 1]))
		return;
	for (uint32_t i = 0; i < alu->segment_count; i++)
		calls |= has_calls(f, &alu->segments[i]);
	set_predicate(f, calls || !f->code->evex);
}

/* The interpreter's functions may fault, and note traffic. */
static void call_segment(struct flow *f, const struct evg_segment *segment)
{
	const uint8_t *place = segment->native[f->lanes == EVG_LANES_ALL];
	bool calls = has_calls(f, segment);
	size_t skip;

	if (!segment->uop_count)
		return;
	if (calls)
		general(f->code, GENERAL_STORE, NATIVE_R12,
			field(NATIVE_OFFSET(instructions)));
	native_fill(f->code, general_call(f->code),
		    (size_t)(place - f->code->bytes));
	if (!calls)
		return;
	general_number(f->code, true, GENERAL_COMPARE_NUMBER,
		       field(NATIVE_OFFSET(traffic)), 0);
	skip = general_jump(f->code, NATIVE_EQUAL);
	call(f, (void (*)(void))evg_chain_take_traffic);
	native_fill(f->code, skip, f->code->used);
	general_number(f->code, false, GENERAL_COMPARE_NUMBER,
		       field(NATIVE_OFFSET(fault.kind)), 0);
	fault_unless_equal(f, segment->first_group + 1);
}

/* What its last group does to masks, and on to the next part. */
static void end_segment(struct flow *f, uint32_t part)
{
	const struct evg_segment *segment = &f->cf->alu->segments[part];
	struct target next = {f->address, part + 1, f->stack};
	bool is_active = segment->predicate_mask == EVG_MASK_ACTIVE;

	if (!updates(segment))
		return;
	general(f->code, GENERAL_LOAD, NATIVE_RAX,
		field(NATIVE_OFFSET(pending)));
	if (segment->update_predicate || !is_active)
		general(f->code, GENERAL_LOAD, NATIVE_RCX,
			field(NATIVE_OFFSET(mask) +
			      8 * segment->predicate_mask));
	if (segment->update_predicate) {
		struct native_place predicate =
			field(NATIVE_OFFSET(predicate));

		general(f->code, GENERAL_LOAD, NATIVE_RDX, predicate);
		general(f->code, GENERAL_XOR, NATIVE_RDX,
			native_reg(NATIVE_RAX));
		general(f->code, GENERAL_AND, NATIVE_RDX,
			native_reg(NATIVE_RCX));
		general(f->code, GENERAL_XOR_TO, NATIVE_RDX, predicate);
	}
	if (!segment->update_execute_mask)
		return;
	if (!is_active) { /* the others stay */
		general_not(f->code, NATIVE_RCX);
		general(f->code, GENERAL_OR, NATIVE_RAX,
			native_reg(NATIVE_RCX));
	}
	if (f->lanes != EVG_LANES_ALL)
		general(f->code, GENERAL_AND, NATIVE_RAX, active());
	activate(f, f->lanes, next, next);
}

static void end_clause(struct flow *f)
{
	const struct evg_stack *stack = f->stack;
	enum evg_cf_op op = f->cf->cf->inst.op;

	switch (op) {
	case EVG_CF_ALU_POP_AFTER:
	case EVG_CF_ALU_POP2_AFTER:
		pop(f, f->lanes, stack, op == EVG_CF_ALU_POP_AFTER ? 1 : 2,
		    f->cf->next);
		return;
	case EVG_CF_ALU_ELSE_AFTER:
		general(f->code, GENERAL_LOAD, NATIVE_RAX, frame_mask(stack));
		if (f->lanes != EVG_LANES_NONE)
			general(f->code, GENERAL_XOR, NATIVE_RAX, active());
		activate(f, f->lanes, after(f, stack), after(f, stack));
		return;
	case EVG_CF_ALU_BREAK:
	case EVG_CF_ALU_CONTINUE:
		general(f->code, GENERAL_LOAD, NATIVE_RAX,
			field(NATIVE_OFFSET(clause_entry)));
		if (f->lanes != EVG_LANES_NONE) /* active is part of it */
			general(f->code, GENERAL_XOR, NATIVE_RAX, active());
		leave(f, op == EVG_CF_ALU_CONTINUE);
		break;
	case EVG_CF_ALU_PUSH_BEFORE:
		stack = native_push(f->plan, stack, EVG_FRAME_PUSH,
				    f->cf->cf->inst.whole_quad_mode
					    ? EVG_STACK_ENTRY
					    : 1);
		break;
	default:
		break;
	}
	go(f, NATIVE_ALWAYS, after(f, stack), f->lanes);
}

static void clause_part(struct flow *f, uint32_t part)
{
	const struct evg_clause_plan *alu = f->cf->alu;
	const struct evg_segment *segment = &alu->segments[part];

	if (!part)
		begin_clause(f);
	if (part == alu->segment_count) {
		end_clause(f);
		return;
	}
	if (f->lanes != EVG_LANES_NONE)
		begin_segment(f, part);
	count(f, segment->counter, segment->instruction_count);
	if (f->lanes == EVG_LANES_NONE)
		return;
	call_segment(f, segment);
	end_segment(f, part);
}

/* --- Other CF instructions ------------------------------------------------ */

static void fetch_or_store(struct flow *f)
{
	const struct evg_cf_plan *cf = f->cf;

	if (f->lanes == EVG_LANES_NONE) {
		for (uint32_t i = 0; i < cf->fetch_count; i++)
			count(f, cf->fetches[i].counter, 1 + !i);
		if (!cf->fetch_count)
			count(f, cf->counter, 1);
	} else {
		if (!cf->fetch_count)
			count(f, cf->counter, 1);
		general_load_number(f->code, NATIVE_RSI,
				    (uint64_t)(uintptr_t)cf);
		call(f, cf->fetch_count ? (void (*)(void))evg_chain_fetch
					: (void (*)(void))evg_chain_store);
		NATIVE_BYTES(f->code, 0x84, 0xc0); /* test al, al */
		fault_unless_equal(f, EVG_CHAIN_POSITION);
	}
	go(f, NATIVE_ALWAYS, after(f, f->stack), f->lanes);
}

static void loop_end(struct flow *f)
{
	const struct evg_cf_inst *inst = &f->cf->cf->inst;
	struct target again = {inst->address, 0, f->stack};
	uint32_t next = f->labels.next;
	size_t none = 0;

	f->labels.next = UINT32_MAX; /* more code follows */

	general(f->code, GENERAL_LOAD, NATIVE_RAX, continued(f->stack));
	compare_none(f);
	if (f->lanes != EVG_LANES_NONE) {
		go(f, NATIVE_EQUAL, again, f->lanes);
		general(f->code, GENERAL_OR, NATIVE_RAX, active());
	} else {
		none = general_jump(f->code, NATIVE_EQUAL);
	}
	general_store_number(f->code, true, continued(f->stack), 0);
	activate(f, f->lanes, again, again);
	if (f->lanes != EVG_LANES_NONE)
		return;
	/* All lanes have left: the mask before the loop, or one below. */
	native_fill(f->code, none, f->code->used);
	f->labels.next = next;
	if (inst->pop_count) {
		pop(f, f->lanes, f->stack->below, inst->pop_count, f->cf->next);
		return;
	}
	general(f->code, GENERAL_LOAD, NATIVE_RAX, frame_mask(f->stack));
	activate(f, f->lanes, after(f, f->stack->below),
		 after(f, f->stack->below));
}

/* ELSE: without a lane it jumps. */
static void invert(struct flow *f)
{
	const struct evg_cf_inst *inst = &f->cf->cf->inst;
	uint32_t next = f->labels.next;
	size_t some;

	general(f->code, GENERAL_LOAD, NATIVE_RAX, frame_mask(f->stack));
	if (f->lanes != EVG_LANES_NONE)
		general(f->code, GENERAL_XOR, NATIVE_RAX, active());
	compare_none(f);
	some = general_jump(f->code, NATIVE_NOT_EQUAL);
	f->labels.next = UINT32_MAX; /* more code follows */
	pop(f, EVG_LANES_NONE, f->stack, inst->pop_count, inst->address);
	native_fill(f->code, some, f->code->used);
	f->labels.next = next;
	activate(f, f->lanes, after(f, f->stack), after(f, f->stack));
}

static void leave_loop(struct flow *f)
{
	if (f->lanes != EVG_LANES_NONE) {
		general(f->code, GENERAL_LOAD, NATIVE_RAX, active());
		leave(f, f->cf->cf->inst.op == EVG_CF_LOOP_CONTINUE);
	}
	go(f, NATIVE_ALWAYS, after(f, f->stack), EVG_LANES_NONE);
}

static void no_clause(struct flow *f)
{
	const struct evg_cf_inst *inst = &f->cf->cf->inst;
	bool taken = f->lanes == EVG_LANES_NONE || !f->cf->condition;
	const struct evg_stack *stack = f->stack;

	if (f->cf->fetch_count || f->cf->store) {
		fetch_or_store(f);
		return;
	}
	count(f, f->cf->counter, 1);
	switch (inst->op) {
	case EVG_CF_ELSE:
		invert(f);
		return;
	case EVG_CF_POP:
		pop(f, f->lanes, stack, inst->pop_count, f->cf->next);
		return;
	case EVG_CF_LOOP_END:
		loop_end(f);
		return;
	case EVG_CF_LOOP_BREAK:
	case EVG_CF_LOOP_CONTINUE:
		leave_loop(f);
		return;
	case EVG_CF_JUMP:
	case EVG_CF_PUSH:
	case EVG_CF_LOOP_START_DX10:
		if (taken) {
			pop(f, f->lanes, stack, inst->pop_count, inst->address);
			return;
		}
		if (inst->op == EVG_CF_PUSH)
			stack = push(f, EVG_FRAME_PUSH,
				     inst->whole_quad_mode ? EVG_STACK_ENTRY
							   : 1);
		if (inst->op == EVG_CF_LOOP_START_DX10)
			stack = push(f, EVG_FRAME_LOOP, EVG_STACK_ENTRY);
		break;
	default: /* NOP, WAIT_ACK */
		break;
	}
	go(f, NATIVE_ALWAYS, after(f, stack), f->lanes);
}

/* --- All of them ---------------------------------------------------------- */

/* Whether there are so many instructions left that it may go on. */
static void check_limit(struct flow *f)
{
	const struct evg_chain_exit exit = {
		.stack = f->stack,
		.pc = f->address,
		.empty = f->lanes == EVG_LANES_NONE,
	};

	/* lea rax, [r12 + longest] */
	NATIVE_BYTES(f->code, 0x49, 0x8d, 0x84, 0x24);
	native_dword(f->code, (uint32_t)f->longest[f->address]);
	general(f->code, GENERAL_COMPARE, NATIVE_RAX,
		field(NATIVE_OFFSET(chain_limit)));
	native_jump(&f->labels, NATIVE_ABOVE,
		    native_exit_label(&f->labels, &exit));
}

static uint32_t part_label(const struct flow *f, uint32_t part)
{
	return native_label(&f->labels, f->address, part, f->lanes);
}

static void compile_cf(struct flow *f, uint32_t next_address)
{
	uint32_t parts = f->parts[f->address];

	for (uint32_t part = 0; part < parts; part++) {
		native_bind(&f->labels, part_label(f, part));
		if (!part && f->looped[f->address])
			check_limit(f);
		f->labels.next =
			part + 1 < parts ? part_label(f, part + 1)
			: next_address < f->plan->cf_count
				? native_label(&f->labels, next_address, 0,
					       f->lanes)
				: UINT32_MAX;
		/* add r12, instructions */
		if (!part)
			general_number(f->code, true, GENERAL_ADD_NUMBER,
				       native_reg(NATIVE_R12),
				       (int32_t)f->cf->instruction_count);
		if (f->cf->alu)
			clause_part(f, part);
		else
			no_clause(f);
	}
}

static void compile_all(struct flow *f)
{
	const struct evg_plan *plan = f->plan;

	compile_activate(f);
	for (int lanes = 0; lanes < EVG_LANES_KINDS; lanes++) {
		f->lanes = (enum evg_lanes)lanes;
		for (uint32_t i = 0; i < plan->cf_count; i++) {
			uint32_t next = i + 1;

			if (!f->parts[i])
				continue;
			while (next < plan->cf_count && !f->parts[next])
				next++;
			f->address = i;
			f->cf = &plan->cf[i];
			f->stack = f->stacks[i];
			compile_cf(f, next);
		}
	}
	native_labels_end(&f->labels);
}

/* Whether the CF instruction's address names another one. */
static bool jumps(enum evg_cf_op op)
{
	return op == EVG_CF_JUMP || op == EVG_CF_ELSE || op == EVG_CF_PUSH ||
	       op == EVG_CF_LOOP_START_DX10 || op == EVG_CF_LOOP_END;
}

/* False: there is nothing to compile. */
static bool survey(struct flow *f)
{
	struct evg_plan *plan = f->plan;
	bool some = false;

	native_stacks(plan, f->stacks);
	for (uint32_t i = plan->cf_count; i--;) {
		const struct evg_cf_plan *cf = &plan->cf[i];
		uint64_t then = 0;

		if (!cf->cf || !native_can(plan, cf, f->stacks[i]))
			continue;
		some = true;
		f->parts[i] = cf->alu ? cf->alu->segment_count + 1 : 1;
		if (cf->next < plan->cf_count)
			then = f->longest[cf->next];
		if (jumps(cf->cf->inst.op)) {
			uint32_t address = cf->cf->inst.address;

			if (address >= plan->cf_count)
				return false;
			f->looped[address] |= address <= i;
			if (address > i && f->longest[address] > then)
				then = f->longest[address];
		}
		f->longest[i] = then + cf->instruction_count;
	}
	return some && f->longest[0] <= INT32_MAX;
}

static void set_chains(struct flow *f)
{
	struct evg_native_code *native = f->plan->native;

	native->exits = f->labels.exits;
	native->exit_count = f->labels.exit_count;
	f->labels.exits = NULL;
	for (uint32_t i = 0; i < f->plan->cf_count; i++) {
		struct evg_chain *chain;

		if (!f->parts[i])
			continue;
		chain = plan_allocate(f->plan, sizeof *chain);
		chain->stack = f->stacks[i];
		chain->longest = f->longest[i];
		for (int lanes = 0; lanes < EVG_LANES_KINDS; lanes++) {
			uint32_t label = native_label(&f->labels, i, 0,
						      (enum evg_lanes)lanes);

			chain->code[lanes] =
				f->code->bytes + f->labels.place[label];
		}
		f->plan->cf[i].chain = chain;
	}
}

void native_flow(struct native *native, struct evg_plan *plan)
{
	size_t count = plan->cf_count, start = native->code.used;
	struct flow f = {
		.native = native,
		.code = &native->code,
		.plan = plan,
		.stacks = xcalloc(count + 1, sizeof *f.stacks),
		.parts = xcalloc(count + 1, sizeof *f.parts),
		.looped = xcalloc(count + 1, sizeof *f.looped),
		.longest = xcalloc(count + 1, sizeof *f.longest),
	};

	if (survey(&f)) {
		native_labels_begin(&f.labels, f.code, f.parts, plan->cf_count);
		compile_all(&f);
		if (native_code_is_full(f.code))
			f.code->used = start;
		else
			set_chains(&f);
	}
	native_labels_free(&f.labels);
	free(f.stacks);
	free(f.parts);
	free(f.looped);
	free(f.longest);
}

size_t native_flow_size(const struct evg_plan *plan)
{
	size_t parts = 0;

	for (uint32_t i = 0; i < plan->cf_count; i++)
		parts += 2 + (plan->cf[i].alu ? plan->cf[i].alu->segment_count
					      : 0);
	return parts * BYTES_PER_PART;
}
