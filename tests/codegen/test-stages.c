/* The verifiers behind the code generator's stages: each refuses what is wrong,
 * by name, and accepts the same without the fault. */
#include <string.h>

#include "opencl-rt/codegen/fit/fit.h"
#include "opencl-rt/codegen/stage/stage.h"
#include "unit/harness.h"

static struct machine machine;

static struct machine_source reg(int number)
{
	return (struct machine_source){ .reg = number };
}

static struct machine_source zero(void)
{
	return (struct machine_source){ .reg = MACHINE_NONE,
					.select = EVG_SELECT_0 };
}

/* result = a + b */
static struct machine_inst *add(int result, int a, int b)
{
	struct machine_inst *inst = machine_add(&machine, MACHINE_ALU);

	inst->op = EVG_ALU_ADD_INT;
	inst->dest[inst->dest_count++] = result;
	inst->source[inst->source_count++] = reg(a);
	inst->source[inst->source_count++] = reg(b);
	return inst;
}

static struct machine_inst *test(enum machine_kind kind, int value)
{
	struct machine_inst *inst = machine_add(&machine, kind);

	inst->op = EVG_ALU_PRED_SETNE_INT;
	inst->source[inst->source_count++] = reg(value);
	inst->source[inst->source_count++] = zero();
	return inst;
}

static void local_read(int address)
{
	struct machine_inst *inst = machine_add(&machine, MACHINE_ALU);

	inst->op = EVG_ALU_LDS_IDX_OP;
	inst->lds_op = EVG_LDS_READ_RET;
	inst->source[inst->source_count++] = reg(address);
}

static void take(int result)
{
	struct machine_inst *inst = machine_add(&machine, MACHINE_ALU);

	inst->op = EVG_ALU_MOV;
	inst->dest[inst->dest_count++] = result;
	inst->source[inst->source_count++] = (struct machine_source){
		.reg = MACHINE_NONE, .select = EVG_SELECT_LDS_OQ_A_POP };
}

/* Without it, what computes the value need not be right. */
static void keep(int value)
{
	struct machine_inst *inst = machine_add(&machine, MACHINE_STORE);

	inst->source[inst->source_count++] = reg(value);
}

/* Registers 0 and 1 are there from the start, in R0.x and R0.y; the others have
 * places of their own. */
static void start(void)
{
	machine_free(&machine);
	machine.hardware_registers = 8;
	for (int r = 0; r < 8; r++) {
		struct machine_register *made =
			&machine.registers[machine_register(&machine)];

		made = &machine.registers[r];
		made->given = r < 2;
		made->number = (uint8_t)(r < 2 ? 0 : r);
		made->channel = (int8_t)(r == 1);
	}
}

/* The fault that is found, "" for none. */
static const char *fault(void)
{
	unsigned place;
	const char *why = stage_verify(&machine, &place);

	if (!why)
		why = stage_verify_places(&machine, &place);
	return why ? why : "";
}

static void test_values(void)
{
	start();
	add(2, 0, 1);
	add(3, 2, 0);
	CU_ASSERT_STRING_EQUAL(fault(), "");
	add(4, 5, 0);
	CU_ASSERT_STRING_EQUAL(fault(), "a value that nothing has computed");
	/* In a loop an earlier turn may have computed it. */
	start();
	add(5, 0, 1);
	machine_add(&machine, MACHINE_LOOP);
	add(4, 5, 0);
	test(MACHINE_BREAK, 4);
	add(5, 4, 4);
	machine_add(&machine, MACHINE_END_LOOP);
	CU_ASSERT_STRING_EQUAL(fault(), "");
}

static void test_operands(void)
{
	start();
	add(2, 0, 1)->source_count = 1;
	CU_ASSERT_STRING_EQUAL(fault(), "another number of operands than the "
					"operation has");
	start();
	add(99, 0, 1);
	CU_ASSERT_STRING_EQUAL(fault(), "a result that is no register");
	start();
	add(2, 8, 1);
	CU_ASSERT_STRING_EQUAL(fault(), "an operand that is no register");
	start();
	add(2, 0, 1)->dest_count = 2;
	CU_ASSERT_STRING_EQUAL(fault(), "more results than the operation has");
	start();
	add(2, 0, 1)->source_count = MACHINE_SOURCES + 1;
	CU_ASSERT_STRING_EQUAL(fault(), "too many operands");
	start();
	add(2, 0, 1)->dest_count = MACHINE_DWORDS + 1;
	CU_ASSERT_STRING_EQUAL(fault(), "too many operands");
	start();
	local_read(0);
	machine.insts[0].dest[machine.insts[0].dest_count++] = 2;
	CU_ASSERT_STRING_EQUAL(fault(), "a result beside the queue");
}

static struct machine_inst *fetch(int first, int second)
{
	struct machine_inst *inst = machine_add(&machine, MACHINE_FETCH);

	inst->unit = 4;
	inst->source[inst->source_count++] = reg(0);
	inst->dest[inst->dest_count++] = first;
	inst->dest[inst->dest_count++] = second;
	return inst;
}

static void test_memory(void)
{
	start();
	fetch(2, 3)->dest_count = 0;
	CU_ASSERT_STRING_EQUAL(fault(), "a fetch from or to nowhere");
	start();
	fetch(2, 3)->source_count = 0;
	CU_ASSERT_STRING_EQUAL(fault(), "a fetch from or to nowhere");
	start();
	keep(0);
	machine.insts[0].source_count = 0;
	CU_ASSERT_STRING_EQUAL(fault(), "a store of nothing");
	machine.insts[0].waits = true;
	CU_ASSERT_STRING_EQUAL(fault(), "");
	machine.insts[0].dest_count = 1;
	CU_ASSERT_STRING_EQUAL(fault(), "a store's result");
}

static void test_flow_operands(void)
{
	start();
	test(MACHINE_IF, 0)->op = EVG_ALU_ADD_INT;
	CU_ASSERT_STRING_EQUAL(fault(), "a branch by what is no test");
	start();
	machine_add(&machine, MACHINE_LOOP);
	test(MACHINE_BREAK, 0)->op = EVG_ALU_ADD_INT;
	CU_ASSERT_STRING_EQUAL(fault(),
			       "a way out of a loop by what is no test");
	start();
	test(MACHINE_LOOP, 0);
	CU_ASSERT_STRING_EQUAL(fault(), "operands of control flow");
}

static void test_nesting(void)
{
	start();
	test(MACHINE_IF, 0);
	machine_add(&machine, MACHINE_ELSE);
	machine_add(&machine, MACHINE_END_IF);
	CU_ASSERT_STRING_EQUAL(fault(), "");
	machine_add(&machine, MACHINE_END_IF);
	CU_ASSERT_STRING_EQUAL(fault(), "an end without its beginning");
	start();
	test(MACHINE_IF, 0);
	CU_ASSERT_STRING_EQUAL(fault(), "control flow without an end");
	start();
	test(MACHINE_BREAK, 0);
	CU_ASSERT_STRING_EQUAL(fault(), "BREAK outside of loops");
	start();
	machine_add(&machine, MACHINE_ELSE);
	CU_ASSERT_STRING_EQUAL(fault(), "ELSE without IF");
	start();
	machine_add(&machine, MACHINE_LOOP);
	machine_add(&machine, MACHINE_ELSE);
	CU_ASSERT_STRING_EQUAL(fault(), "ELSE without IF");
	start();
	machine_add(&machine, MACHINE_LOOP);
	machine_add(&machine, MACHINE_END_IF);
	CU_ASSERT_STRING_EQUAL(fault(), "an end without its beginning");
	start();
	test(MACHINE_IF, 0);
	machine_add(&machine, MACHINE_END_LOOP);
	CU_ASSERT_STRING_EQUAL(fault(), "an end without its beginning");
	start();
	machine_add(&machine, MACHINE_LOOP);
	test(MACHINE_IF, 0);
	machine_add(&machine, MACHINE_BREAK);
	machine_add(&machine, MACHINE_END_IF);
	machine_add(&machine, MACHINE_END_LOOP);
	CU_ASSERT_STRING_EQUAL(fault(), "");
	test(MACHINE_BREAK, 0);
	CU_ASSERT_STRING_EQUAL(fault(), "BREAK outside of loops");
}

static void test_queues(void)
{
	start();
	local_read(0);
	take(2);
	CU_ASSERT_STRING_EQUAL(fault(), "");
	take(3);
	CU_ASSERT_STRING_EQUAL(fault(), "a value is taken from an empty queue");
	start();
	local_read(0);
	CU_ASSERT_STRING_EQUAL(fault(), "a value is left in the queue");
	start();
	local_read(0);
	test(MACHINE_IF, 0);
	take(2);
	machine_add(&machine, MACHINE_END_IF);
	CU_ASSERT_STRING_EQUAL(fault(), "a value is left in the queue");
}

static void test_predicate(void)
{
	start();
	test(MACHINE_ALU, 0);
	add(2, 0, 1)->predicate = 3;
	CU_ASSERT_STRING_EQUAL(fault(), "");
	start();
	add(2, 0, 1)->predicate = 3;
	CU_ASSERT_STRING_EQUAL(fault(), "nothing has set the predicate");
}

static void share(int a, int b)
{
	machine.registers[a].number = machine.registers[b].number;
	machine.registers[a].channel = machine.registers[b].channel;
}

static const char lost[] = "a value is written over that is read later";

static void test_places(void)
{
	start();
	add(2, 0, 1);
	add(3, 0, 2);
	add(4, 3, 3);
	share(3, 2);
	CU_ASSERT_STRING_EQUAL(fault(), "");
	add(5, 2, 2);
	keep(5);
	CU_ASSERT_STRING_EQUAL(fault(), lost);
	/* One side of a branch does not write over the other's. */
	start();
	share(3, 2);
	test(MACHINE_IF, 0);
	add(2, 0, 1);
	add(4, 2, 2);
	machine_add(&machine, MACHINE_ELSE);
	add(3, 0, 1);
	add(4, 3, 3);
	machine_add(&machine, MACHINE_END_IF);
	CU_ASSERT_STRING_EQUAL(fault(), "");
	/* Where it is read behind both, it does. */
	add(5, 2, 2);
	keep(5);
	CU_ASSERT_STRING_EQUAL(fault(), lost);
}

/* Results of one instruction, and operands of memory. */
static void test_own_places(void)
{
	start();
	add(2, 0, 1);
	machine.registers[2].number = 8;
	CU_ASSERT_STRING_EQUAL(fault(), "a result without a place");
	start();
	add(2, 0, 1);
	machine.registers[2].channel = 4;
	CU_ASSERT_STRING_EQUAL(fault(), "a result without a place");
	start();
	machine.registers[1].channel = -1;
	add(2, 0, 1);
	CU_ASSERT_STRING_EQUAL(fault(), "an operand without a place");
	start();
	machine.registers[0].number = 8;
	add(2, 0, 1);
	CU_ASSERT_STRING_EQUAL(fault(), "an operand without a place");
	start();
	fetch(2, 3);
	CU_ASSERT_STRING_EQUAL(fault(), "a fetch to several registers");
	share(3, 2);
	CU_ASSERT_STRING_EQUAL(fault(), "two results in one place");
	machine.registers[3].channel = 2;
	CU_ASSERT_STRING_EQUAL(fault(), "");
	/* The place of a store may be in another register than its data. */
	start();
	fetch(2, 3);
	machine.registers[3].number = 2;
	machine.registers[3].channel = 1;
	add(4, 0, 1);
	keep(4);
	machine.insts[2].source[1] = reg(2);
	machine.insts[2].source[2] = reg(3);
	machine.insts[2].source_count = 3;
	CU_ASSERT_STRING_EQUAL(fault(), "");
	machine.insts[2].source[2] = reg(1);
	CU_ASSERT_STRING_EQUAL(fault(),
			       "operands of memory in several registers");
}

/* What the next turn of a loop reads must stay. */
static void test_loop_places(void)
{
	for (int shared = 0; shared < 2; shared++) {
		start();
		if (shared)
			share(3, 2);
		add(2, 0, 1);
		machine_add(&machine, MACHINE_LOOP);
		add(4, 2, 0);
		test(MACHINE_BREAK, 4);
		add(3, 0, 1);
		add(5, 3, 3);
		machine_add(&machine, MACHINE_END_LOOP);
		CU_ASSERT_STRING_EQUAL(fault(), shared ? lost : "");
	}
	/* What passes and what does not may have one place. */
	start();
	share(3, 2);
	test(MACHINE_ALU, 0);
	add(2, 0, 1)->predicate = 3;
	add(3, 0, 1)->predicate = 2;
	add(4, 2, 2)->predicate = 3;
	add(5, 3, 3)->predicate = 2;
	keep(4);
	keep(5);
	CU_ASSERT_STRING_EQUAL(fault(), "");
	/* With a predicate, the old value of some lanes stays. */
	start();
	share(3, 2);
	add(2, 0, 1);
	test(MACHINE_ALU, 0);
	add(3, 0, 1);
	add(2, 0, 1)->predicate = 3;
	add(4, 2, 2);
	keep(4);
	CU_ASSERT_STRING_EQUAL(fault(), lost);
}

/* The barrier in front of a fetch waits for a read of local memory, and so many
 * others come before the instruction that takes its value that there is no room
 * for it beside what the fetch waits for. */
static void test_order(void)
{
	start();
	for (unsigned k = 0; k < 40; k++)
		add(2, 0, 1);
	local_read(0);
	take(3);
	machine_add(&machine, MACHINE_ALU)->op = EVG_ALU_GROUP_BARRIER;
	fetch(4, 5)->dest_count = 1;
	keep(2);
	keep(3);
	keep(4);
	CU_ASSERT_STRING_EQUAL(fault(), "");
	machine_arrange(&machine);
	CU_ASSERT_STRING_EQUAL(fault(), "");
}

static void copy(int to, int from)
{
	struct machine_inst *inst = machine_add(&machine, MACHINE_ALU);

	inst->op = EVG_ALU_MOV;
	inst->dest[inst->dest_count++] = to;
	inst->source[inst->source_count++] = reg(from);
}

/* A loop in a branch: 3 is this turn's value, 2 the next turn's and that of all
 * who come behind the branch. */
enum loop_kind {
	PLAIN,
	OUTSIDE,     /* 2 is computed before the branch */
	STORED,      /* 2 has its place beside other operands of a store */
	OVERWRITTEN, /* 3 gets another value between the copy and reads of 2 */
};

static void make_loop(enum loop_kind kind)
{
	start();
	if (kind == OUTSIDE)
		add(2, 0, 1);
	test(MACHINE_IF, 0);
	copy(3, 0);
	machine_add(&machine, MACHINE_LOOP);
	add(4, 3, 0);
	if (kind != OUTSIDE)
		add(2, 0, 1);
	add(5, 4, 0);
	copy(3, 2);
	test(MACHINE_BREAK, 5);
	machine_add(&machine, MACHINE_END_LOOP);
	if (kind == OVERWRITTEN)
		add(3, 0, 1);
	machine_add(&machine, MACHINE_END_IF);
	if (kind == STORED)
		keep(2);
	add(6, 2, 0);
	keep(6);
	fit_copy_early(&machine);
}

static int last_read(void)
{
	return machine.insts[machine.inst_count - 2].source[0].reg;
}

static void test_early_copies(void)
{
	make_loop(PLAIN);
	CU_ASSERT_EQUAL(last_read(), 3);
	/* Lanes that never come into the loop have no copy. */
	make_loop(OUTSIDE);
	CU_ASSERT_EQUAL(last_read(), 2);
	make_loop(STORED);
	CU_ASSERT_EQUAL(last_read(), 2);
	make_loop(OVERWRITTEN);
	CU_ASSERT_EQUAL(last_read(), 2);
}

static void test_names(void)
{
	CU_ASSERT(stage_find("registers") == STAGE_REGISTERS);
	CU_ASSERT(stage_find("nowhere") == STAGE_NONE);
	CU_ASSERT_STRING_EQUAL(stage_name(STAGE_REUSE), "reuse");
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "values are computed before they are read", test_values },
		{ "operands and results", test_operands },
		{ "fetches and stores", test_memory },
		{ "operands of control flow", test_flow_operands },
		{ "branches and loops are nested", test_nesting },
		{ "queues of local memory", test_queues },
		{ "the predicate", test_predicate },
		{ "values keep their places", test_places },
		{ "places of results and operands", test_own_places },
		{ "values keep their places in loops", test_loop_places },
		{ "queues are empty before what is fetched early", test_order },
		{ "copies that come early", test_early_copies },
		{ "names of stages", test_names },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = {
		{ "stages", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
