#include "codegen/passes/lane.h"

#include <string.h>

enum { MOST_STEPS = 1000000 };

struct run {
	struct lane *lane;
	const struct machine *machine;
	bool placed;
	const char *fault;
};

static uint32_t *value_of(const struct run *run, int reg)
{
	const struct machine_register *place = &run->machine->registers[reg];

	return &run->lane->value[run->placed ? place->number * 4u +
						       (unsigned)place->channel
					     : (unsigned)reg];
}

static uint32_t pop(struct run *run, unsigned queue)
{
	struct lane *lane = run->lane;

	if (lane->head[queue] == lane->tail[queue]) {
		run->fault = "an empty queue";
		return 0;
	}
	return lane->queue[queue][lane->head[queue]++ % LANE_QUEUE];
}

static void push(struct lane *lane, unsigned queue, uint32_t index)
{
	lane->queue[queue][lane->tail[queue]++ % LANE_QUEUE] =
		lane->local[index % LANE_WORDS];
}

/* An argument's dword; any number, not the same for two. */
static uint32_t argument(const struct machine_source *source)
{
	return (source->select * 4u + source->channel) * 0xc2b2ae35u;
}

static uint32_t plain_source(struct run *run,
			     const struct machine_source *source)
{
	if (source->reg != MACHINE_NONE)
		return *value_of(run, source->reg);
	switch (source->select) {
	case EVG_SELECT_KCACHE0:
	case EVG_SELECT_KCACHE0 + 1:
		return argument(source);
	case EVG_SELECT_LITERAL:
		return source->literal;
	case EVG_SELECT_1_INT:
		return 1;
	case EVG_SELECT_M1_INT:
		return UINT32_MAX;
	case EVG_SELECT_LDS_OQ_A_POP:
		return pop(run, 0);
	case EVG_SELECT_LDS_OQ_B_POP:
		return pop(run, 1);
	default:
		return 0;
	}
}

static uint32_t read_source(struct run *run,
			    const struct machine_source *source)
{
	uint32_t value = plain_source(run, source);

	if (source->absolute)
		value &= 0x7fffffff;
	return source->negate ? value ^ 0x80000000 : value;
}

/* How floats compare; UNORDERED where one is none. */
enum order { LESS, EQUAL, GREATER, UNORDERED };

static enum order order_of(const uint32_t *s)
{
	float a, b;

	memcpy(&a, &s[0], sizeof a);
	memcpy(&b, &s[1], sizeof b);
	if (a < b)
		return LESS;
	if (a > b)
		return GREATER;
	return a == b ? EQUAL : UNORDERED;
}

static uint32_t compare_floats(struct run *run, enum evg_alu_op op,
			       const uint32_t *s)
{
	switch (op) {
	case EVG_ALU_SETE_DX10:
	case EVG_ALU_PRED_SETE:
		return order_of(s) == EQUAL ? UINT32_MAX : 0;
	case EVG_ALU_SETNE_DX10:
	case EVG_ALU_PRED_SETNE:
		return order_of(s) != EQUAL ? UINT32_MAX : 0;
	case EVG_ALU_SETGT_DX10:
	case EVG_ALU_PRED_SETGT:
		return order_of(s) == GREATER ? UINT32_MAX : 0;
	case EVG_ALU_SETGE_DX10:
	case EVG_ALU_PRED_SETGE:
		return order_of(s) == GREATER || order_of(s) == EQUAL ? UINT32_MAX
								: 0;
	default:
		run->fault = "an operation that the interpreter lacks";
		return 0;
	}
}

static uint32_t compute(struct run *run, enum evg_alu_op op, const uint32_t *s)
{
	switch (op) {
	case EVG_ALU_MOV:
		return s[0];
	case EVG_ALU_ADD_INT:
		return s[0] + s[1];
	case EVG_ALU_SUB_INT:
		return s[0] - s[1];
	case EVG_ALU_AND_INT:
		return s[0] & s[1];
	case EVG_ALU_OR_INT:
		return s[0] | s[1];
	case EVG_ALU_XOR_INT:
		return s[0] ^ s[1];
	case EVG_ALU_BFE_UINT:
		/* Of no bits; and to the end of the number. */
		if (!(s[2] & 31))
			return 0;
		return (uint32_t)((uint64_t)s[0] >> (s[1] & 31) &
				  ((UINT64_C(1) << (s[2] & 31)) - 1));
	case EVG_ALU_BFI_INT:
		return (s[0] & s[1]) | (~s[0] & s[2]);
	case EVG_ALU_NOT_INT:
		return ~s[0];
	case EVG_ALU_LSHL_INT:
		return s[0] << (s[1] & 31);
	case EVG_ALU_LSHR_INT:
		return s[0] >> (s[1] & 31);
	case EVG_ALU_SETE_INT:
		return s[0] == s[1] ? UINT32_MAX : 0;
	case EVG_ALU_SETGT_INT:
		return (int32_t)s[0] > (int32_t)s[1] ? UINT32_MAX : 0;
	case EVG_ALU_SETGT_UINT:
		return s[0] > s[1] ? UINT32_MAX : 0;
	case EVG_ALU_SETGE_UINT:
		return s[0] >= s[1] ? UINT32_MAX : 0;
	case EVG_ALU_SETNE_INT:
		return s[0] != s[1] ? UINT32_MAX : 0;
	case EVG_ALU_SETGE_INT:
		return (int32_t)s[0] >= (int32_t)s[1] ? UINT32_MAX : 0;
	case EVG_ALU_CNDGT_INT:
		return (int32_t)s[0] > 0 ? s[1] : s[2];
	case EVG_ALU_CNDGE_INT:
		return (int32_t)s[0] >= 0 ? s[1] : s[2];
	case EVG_ALU_CNDE_INT:
		return !s[0] ? s[1] : s[2];
	case EVG_ALU_PRED_SETE_INT:
		return s[0] == s[1];
	case EVG_ALU_PRED_SETNE_INT:
		return s[0] != s[1];
	case EVG_ALU_PRED_SETGT_INT:
		return (int32_t)s[0] > (int32_t)s[1];
	case EVG_ALU_PRED_SETGE_INT:
		return (int32_t)s[0] >= (int32_t)s[1];
	case EVG_ALU_PRED_SETGE_UINT:
		return s[0] >= s[1];
	case EVG_ALU_PRED_SETGT_UINT:
		return s[0] > s[1];
	default:
		return compare_floats(run, op, s);
	}
}

/* A sum of pairs, low dwords first. */
static void add_pairs(const struct run *run, const struct machine_inst *inst,
		      const uint32_t *s)
{
	uint64_t sum = (s[0] | (uint64_t)s[1] << 32) +
		       (s[2] | (uint64_t)s[3] << 32);

	*value_of(run, inst->dest[0]) = (uint32_t)sum;
	*value_of(run, inst->dest[1]) = (uint32_t)(sum >> 32);
}

static void access_local(struct run *run, const struct machine_inst *inst,
			 const uint32_t *s)
{
	struct lane *lane = run->lane;
	uint32_t index = s[0] / 4;

	switch (inst->lds_op) {
	case EVG_LDS_READ_RET:
		push(lane, 0, index + inst->offset);
		break;
	case EVG_LDS_READ_REL_RET:
		push(lane, 0, index);
		push(lane, 1, index + inst->offset);
		break;
	case EVG_LDS_WRITE:
		lane->local[(index + inst->offset) % LANE_WORDS] = s[1];
		break;
	default:
		run->fault = "an access that the interpreter lacks";
		break;
	}
}

static void run_alu(struct run *run, const struct machine_inst *inst)
{
	uint32_t s[MACHINE_SOURCES] = { 0 };

	if (inst->predicate && (inst->predicate == 3) != run->lane->passed)
		return;
	for (unsigned k = 0; k < inst->source_count; k++)
		s[k] = read_source(run, &inst->source[k]);
	if (inst->op == EVG_ALU_LDS_IDX_OP)
		access_local(run, inst, s);
	else if (inst->op == EVG_ALU_ADD_64)
		add_pairs(run, inst, s);
	else if (evg_alu_info[inst->op].is_predicate)
		run->lane->passed = compute(run, inst->op, s);
	else
		*value_of(run, inst->dest[0]) = compute(run, inst->op, s);
}

static void run_access(struct run *run, const struct machine_inst *inst)
{
	uint32_t *words = inst->scratch ? run->lane->scratch
					: run->lane->memory;
	uint32_t size = inst->scratch ? LANE_SCRATCH : LANE_WORDS;
	uint32_t at = read_source(run, &inst->source[0]);

	if (inst->kind == MACHINE_FETCH && !inst->scratch)
		at = (at + inst->offset) / 4;
	for (unsigned k = 0; k < inst->dest_count; k++)
		*value_of(run, inst->dest[k]) = words[(at + k) % size];
	for (unsigned k = 1; k < inst->source_count; k++)
		words[(at + k - 1) % size] =
			read_source(run, &inst->source[k]);
}

static bool passes(struct run *run, const struct machine_inst *inst)
{
	uint32_t s[2] = { read_source(run, &inst->source[0]),
			  read_source(run, &inst->source[1]) };

	return compute(run, inst->op, s);
}

/* The instruction behind the end of the construct around `place`; `stop_at_else`:
 * or behind the ELSE of it. */
static unsigned behind_end(const struct machine *machine, unsigned place,
			   enum machine_kind begin, enum machine_kind end,
			   bool stop_at_else)
{
	unsigned depth = 0, i;

	for (i = place + 1; i < machine->inst_count; i++) {
		enum machine_kind kind = machine->insts[i].kind;

		if (!depth && (kind == end ||
			       (stop_at_else && kind == MACHINE_ELSE)))
			break;
		depth += kind == begin;
		depth -= kind == end;
	}
	return i + 1;
}

static unsigned behind_loop_start(const struct machine *machine, unsigned end)
{
	unsigned depth = 0;

	while (end--) {
		if (machine->insts[end].kind == MACHINE_LOOP && !depth--)
			return end + 1;
		depth += machine->insts[end].kind == MACHINE_END_LOOP;
	}
	return 0;
}

/* The place that comes next. */
static unsigned step(struct run *run, unsigned place)
{
	const struct machine *machine = run->machine;
	const struct machine_inst *inst = &machine->insts[place];

	switch (inst->kind) {
	case MACHINE_ALU:
		run_alu(run, inst);
		break;
	case MACHINE_FETCH:
	case MACHINE_STORE:
		run_access(run, inst);
		break;
	case MACHINE_IF:
		if (!passes(run, inst))
			return behind_end(machine, place, MACHINE_IF,
					  MACHINE_END_IF, true);
		break;
	case MACHINE_ELSE:
		return behind_end(machine, place, MACHINE_IF, MACHINE_END_IF,
				  false);
	case MACHINE_BREAK:
		if (!inst->source_count || !passes(run, inst))
			return behind_end(machine, place, MACHINE_LOOP,
					  MACHINE_END_LOOP, false);
		break;
	case MACHINE_END_LOOP:
		return behind_loop_start(machine, place);
	default:
		break;
	}
	return place + 1;
}

const char *lane_run(struct lane *lane, const struct machine *machine,
		     unsigned number, bool placed)
{
	struct run run = { .lane = lane, .machine = machine, .placed = placed };
	unsigned steps = 0;

	if (machine->register_count > LANE_VALUES)
		return "more registers than the interpreter has";
	memset(lane, 0, sizeof *lane);
	for (unsigned i = 0; i < LANE_WORDS; i++) {
		lane->memory[i] = (i + 7 * number) * 0x9e3779b9u;
		lane->local[i] = (i + 3 * number) * 0x85ebca6bu;
	}
	for (int r = 0; r < LANE_GIVEN; r++)
		*value_of(&run, r) = number * (unsigned)(1 + 2 * r);
	for (unsigned i = 0; i < machine->inst_count && !run.fault;) {
		i = step(&run, i);
		if (steps++ == MOST_STEPS)
			run.fault = "no end";
	}
	return run.fault;
}

bool lane_same(const struct lane *a, const struct lane *b)
{
	return !memcmp(a->memory, b->memory, sizeof a->memory) &&
	       !memcmp(a->local, b->local, sizeof a->local);
}
