/* Random machine instructions, interpreted before the first pass and behind each:
 * memory must be the same, so that a wrong pass is named. */
#include <stdio.h>
#include <string.h>

#include "opencl-rt/codegen/passes.h"
#include "opencl-rt/codegen/target.h"
#include "unit/harness.h"
#include "unit/random.h"

enum {
	PROGRAMS = 3000,
	WORDS = 64,
	VARIABLES = 5,
	TURNS = 4,
	MOST_STEPS = 100000,
	VALUES_MAX = 4096,
};

/* --- The interpreter: one lane -------------------------------------------- */

struct lane {
	uint32_t value[VALUES_MAX]; /* by register, or by place */
	uint32_t memory[WORDS];
	bool passed;
};

static unsigned cell(const struct machine *machine, int reg, bool placed)
{
	const struct machine_register *place = &machine->registers[reg];

	return placed ? place->number * 4u + (unsigned)place->channel
		      : (unsigned)reg;
}

static uint32_t read_source(const struct machine *machine,
			    const struct lane *lane,
			    const struct machine_source *source, bool placed)
{
	if (source->reg != MACHINE_NONE)
		return lane->value[cell(machine, source->reg, placed)];
	return source->select == EVG_SELECT_LITERAL ? source->literal
	       : source->select == EVG_SELECT_1_INT ? 1
	       : source->select == EVG_SELECT_M1_INT ? UINT32_MAX
						     : 0;
}

static uint32_t compute(enum evg_alu_op op, const uint32_t *s)
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
	case EVG_ALU_XOR_INT:
		return s[0] ^ s[1];
	case EVG_ALU_LSHL_INT:
		return s[0] << (s[1] & 31);
	case EVG_ALU_LSHR_INT:
		return s[0] >> (s[1] & 31);
	case EVG_ALU_SETE_INT:
		return s[0] == s[1] ? UINT32_MAX : 0;
	case EVG_ALU_SETGT_INT:
		return (int32_t)s[0] > (int32_t)s[1] ? UINT32_MAX : 0;
	case EVG_ALU_SETGE_UINT:
		return s[0] >= s[1] ? UINT32_MAX : 0;
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
		CU_FAIL_FATAL("an operation that the interpreter lacks");
		return 0;
	}
}

/* The instruction that ends the construct around `place`; `stop_at_else`: or the
 * ELSE of it. */
static unsigned find_end(const struct machine *machine, unsigned place,
			 enum machine_kind begin, enum machine_kind end,
			 bool stop_at_else)
{
	unsigned depth = 0;

	for (unsigned i = place + 1; i < machine->inst_count; i++) {
		enum machine_kind kind = machine->insts[i].kind;

		if (!depth && (kind == end ||
			       (stop_at_else && kind == MACHINE_ELSE)))
			return i;
		depth += kind == begin;
		depth -= kind == end;
	}
	return machine->inst_count;
}

static unsigned find_loop(const struct machine *machine, unsigned end)
{
	unsigned depth = 0;

	while (end--) {
		if (machine->insts[end].kind == MACHINE_LOOP && !depth--)
			return end;
		depth += machine->insts[end].kind == MACHINE_END_LOOP;
	}
	return 0;
}

/* The place that comes next. */
static unsigned step(const struct machine *machine, struct lane *lane,
		     unsigned place, bool placed)
{
	const struct machine_inst *inst = &machine->insts[place];
	uint32_t s[MACHINE_SOURCES] = { 0 };

	for (unsigned k = 0; k < inst->source_count; k++)
		s[k] = read_source(machine, lane, &inst->source[k], placed);
	switch (inst->kind) {
	case MACHINE_ALU:
		if (inst->predicate && (inst->predicate == 3) != lane->passed)
			break;
		if (evg_alu_info[inst->op].is_predicate)
			lane->passed = compute(inst->op, s);
		else
			lane->value[cell(machine, inst->dest[0], placed)] =
				compute(inst->op, s);
		break;
	case MACHINE_FETCH:
		for (unsigned k = 0; k < inst->dest_count; k++)
			lane->value[cell(machine, inst->dest[k], placed)] =
				lane->memory[((s[0] + inst->offset) / 4 + k) %
					     WORDS];
		break;
	case MACHINE_STORE:
		for (unsigned k = 1; k < inst->source_count; k++)
			lane->memory[(s[0] + k - 1) % WORDS] = s[k];
		break;
	case MACHINE_IF:
		if (!compute(inst->op, s))
			return find_end(machine, place, MACHINE_IF,
					MACHINE_END_IF, true) + 1;
		break;
	case MACHINE_ELSE:
		return find_end(machine, place, MACHINE_IF, MACHINE_END_IF,
				false) + 1;
	case MACHINE_BREAK:
		if (!inst->source_count || !compute(inst->op, s))
			return find_end(machine, place, MACHINE_LOOP,
					MACHINE_END_LOOP, false) + 1;
		break;
	case MACHINE_END_LOOP:
		return find_loop(machine, place) + 1;
	default:
		break;
	}
	return place + 1;
}

static void interpret(const struct machine *machine, struct lane *lane,
		      bool placed)
{
	unsigned steps = 0;

	CU_ASSERT_FATAL(machine->register_count <= VALUES_MAX);
	memset(lane, 0, sizeof *lane);
	for (unsigned i = 0; i < WORDS; i++)
		lane->memory[i] = i * 0x9e3779b9u;
	for (unsigned i = 0; i < machine->inst_count;) {
		i = step(machine, lane, i, placed);
		CU_ASSERT_FATAL(steps++ < MOST_STEPS);
	}
}

/* --- Random programs ------------------------------------------------------ */

struct maker {
	struct machine *machine;
	uint64_t state;
	int known[VALUES_MAX];   /* registers that have a value here */
	unsigned count;
};

static unsigned draw(struct maker *maker, unsigned count)
{
	return (unsigned)(random_draw(&maker->state) >> 33) % count;
}

static struct machine_source reg(int number)
{
	return (struct machine_source){ .reg = number };
}

static struct machine_source number(uint32_t value)
{
	return (struct machine_source){ .reg = MACHINE_NONE,
					.select = value ? EVG_SELECT_LITERAL
							: EVG_SELECT_0,
					.literal = value };
}

static struct machine_source any(struct maker *maker)
{
	return draw(maker, 4) ? reg(maker->known[draw(maker, maker->count)])
			      : number(draw(maker, 8));
}

static void add(struct maker *maker, enum machine_kind kind, enum evg_alu_op op,
		int result, struct machine_source a, struct machine_source b)
{
	struct machine_inst *inst = machine_add(maker->machine, kind);

	inst->op = op;
	if (result != MACHINE_NONE)
		inst->dest[inst->dest_count++] = result;
	inst->source[inst->source_count++] = a;
	if (op != EVG_ALU_MOV)
		inst->source[inst->source_count++] = b;
}

static int compute_new(struct maker *maker, enum evg_alu_op op,
		       struct machine_source a, struct machine_source b)
{
	int made = machine_register(maker->machine);

	add(maker, MACHINE_ALU, op, made, a, b);
	maker->known[maker->count++] = made;
	return made;
}

/* The address of a dword beside others of the same base. */
static int make_address(struct maker *maker)
{
	int base = compute_new(maker, EVG_ALU_AND_INT,
			       reg(maker->known[draw(maker, 2)]), number(60));

	return compute_new(maker, EVG_ALU_ADD_INT, reg(base),
			   number(4 * (1 + draw(maker, 4))));
}

static void make_fetch(struct maker *maker)
{
	int address = make_address(maker);
	int made = machine_register(maker->machine);
	struct machine_inst *inst = machine_add(maker->machine, MACHINE_FETCH);

	inst->resource = CLC_RESOURCE_GLOBAL;
	inst->unit = 4;
	inst->source[inst->source_count++] = reg(address);
	inst->dest[inst->dest_count++] = made;
	maker->known[maker->count++] = made;
}

static void make_store(struct maker *maker, struct machine_source value)
{
	int index = compute_new(maker, EVG_ALU_LSHR_INT,
				reg(make_address(maker)), number(2));
	int data = machine_register(maker->machine);
	struct machine_inst *inst;

	/* A copy for the store alone, and channels, as selection has them. */
	maker->machine->registers[index].channel = 0;
	maker->machine->registers[data].channel = 0;
	add(maker, MACHINE_ALU, EVG_ALU_MOV, data, value, number(0));
	inst = machine_add(maker->machine, MACHINE_STORE);
	inst->rat_op = EVG_RAT_STORE_RAW;
	inst->source[inst->source_count++] = reg(index);
	inst->source[inst->source_count++] = reg(data);
}

static enum evg_alu_op draw_operation(struct maker *maker)
{
	static const enum evg_alu_op operations[] = {
		EVG_ALU_ADD_INT,   EVG_ALU_SUB_INT,  EVG_ALU_AND_INT,
		EVG_ALU_XOR_INT,   EVG_ALU_LSHL_INT, EVG_ALU_LSHR_INT,
		EVG_ALU_SETE_INT,  EVG_ALU_SETGT_INT, EVG_ALU_SETGE_UINT,
	};

	return operations[draw(maker, 9)];
}

static void make_list(struct maker *maker, unsigned depth);

static void make_branch(struct maker *maker, unsigned depth)
{
	static const enum evg_alu_op comparisons[] = {
		EVG_ALU_SETE_INT, EVG_ALU_SETGT_INT, EVG_ALU_SETGE_UINT,
	};
	int test = compute_new(maker, comparisons[draw(maker, 3)], any(maker),
			       any(maker));
	unsigned before = maker->count;

	add(maker, MACHINE_IF,
	    draw(maker, 2) ? EVG_ALU_PRED_SETNE_INT : EVG_ALU_PRED_SETE_INT,
	    MACHINE_NONE, reg(test), number(0));
	make_list(maker, depth - 1);
	maker->count = before;
	if (draw(maker, 2)) {
		machine_add(maker->machine, MACHINE_ELSE);
		make_list(maker, depth - 1);
	}
	machine_add(maker->machine, MACHINE_END_IF);
	maker->count = before;
}

static void make_loop(struct maker *maker, unsigned depth)
{
	unsigned before = maker->count;
	int counter = machine_register(maker->machine), test;

	add(maker, MACHINE_ALU, EVG_ALU_MOV, counter, number(0), number(0));
	machine_add(maker->machine, MACHINE_LOOP);
	maker->known[maker->count++] = counter;
	test = compute_new(maker, EVG_ALU_SETGT_INT,
			   number(1 + draw(maker, TURNS)), reg(counter));
	add(maker, MACHINE_BREAK, EVG_ALU_PRED_SETNE_INT, MACHINE_NONE,
	    reg(test), number(0));
	make_list(maker, depth - 1);
	add(maker, MACHINE_ALU, EVG_ALU_ADD_INT, counter, reg(counter),
	    number(1));
	machine_add(maker->machine, MACHINE_END_LOOP);
	maker->count = before;
}

static void make_list(struct maker *maker, unsigned depth)
{
	for (unsigned i = 1 + draw(maker, 5); i--;)
		switch (draw(maker, depth ? 8 : 6)) {
		case 0:
			make_fetch(maker);
			break;
		case 1:
			make_store(maker, any(maker));
			break;
		case 2:
		case 3: /* a variable: the first ones */
			add(maker, MACHINE_ALU, draw_operation(maker),
			    maker->known[2 + draw(maker, VARIABLES)],
			    any(maker), any(maker));
			break;
		case 6:
			make_branch(maker, depth);
			break;
		case 7:
			make_loop(maker, depth);
			break;
		default:
			compute_new(maker, draw_operation(maker), any(maker),
				    any(maker));
		}
}

static void make_program(struct machine *machine, uint64_t seed)
{
	static struct maker maker;

	maker = (struct maker){ .machine = machine, .state = seed };
	for (unsigned i = 0; i < 2 + VARIABLES; i++) {
		int made = machine_register(machine);

		maker.known[maker.count++] = made;
		add(&maker, MACHINE_ALU, EVG_ALU_MOV, made,
		    number(draw(&maker, 16)), number(0));
	}
	make_list(&maker, 3);
	make_list(&maker, 3);
	for (unsigned i = 0; i < VARIABLES; i++)
		make_store(&maker, reg(maker.known[2 + i]));
}

/* --- The passes ----------------------------------------------------------- */

/* The machine after a pass must do what it did. */
static bool is_kept(const struct machine *machine, const struct lane *expected,
		    unsigned seed, enum stage stage)
{
	static struct lane found;

	interpret(machine, &found, stage == STAGE_REGISTERS);
	if (!memcmp(expected->memory, found.memory, sizeof found.memory))
		return true;
	printf("# program %u after stage %s\n", seed, stage_name(stage));
	return false;
}

static bool check_program(struct machine *machine, unsigned seed)
{
	static struct lane expected;

	make_program(machine, seed);
	interpret(machine, &expected, false);
	for (size_t i = 0; i < CODEGEN_PASSES; i++) {
		codegen_passes[i].run(machine);
		if (!is_kept(machine, &expected, seed, codegen_passes[i].stage))
			return false;
	}
	machine_arrange(machine);
	return is_kept(machine, &expected, seed, STAGE_ORDER) &&
	       (machine_allocate(machine) ||
		is_kept(machine, &expected, seed, STAGE_REGISTERS));
}

static void test_passes(void)
{
	for (unsigned seed = 0; seed < PROGRAMS; seed++) {
		struct machine machine = { .hardware_registers = 1 };

		CU_ASSERT(check_program(&machine, seed));
		machine_free(&machine);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "each pass keeps what programs compute", test_passes },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = {
		{ "passes", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
