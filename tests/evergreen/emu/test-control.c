/* Control flow: random structured programs (nested if and else, loops with
 * break and continue, calls with early returns) on a wavefront, against an
 * interpreter of one work-item. And a few cases by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/fixture.h"
#include "unit/harness.h"

/* R2.x is the program's value, R6.x a scratch register, R(8 + depth).x the
 * counter of the loop at that depth. */
enum { VALUE = 2, SCRATCH = 6, COUNTER = 8, MAX_DEPTH = 5, FUNCTIONS = 2 };

static const struct evg_source unused;

/* --- Programs as trees --------------------------------------------------- */

enum node_kind {
	NODE_OP,       /* value = value * factor + term */
	NODE_IF,       /* on value & term */
	NODE_LOOP,     /* counter = value & term; while (--counter >= 0) */
	NODE_BREAK,
	NODE_CONTINUE,
	NODE_CALL,
	NODE_RETURN,
};

struct node {
	enum node_kind kind;
	uint32_t factor, term;
	unsigned depth;       /* loop: which counter */
	unsigned style;       /* which of several codings */
	struct node *yes, *no; /* bodies */
	struct node *next;
};

struct tree {
	struct node *main, *function[FUNCTIONS];
};

static struct node *new_node(enum node_kind kind)
{
	struct node *node = xcalloc(1, sizeof *node);

	node->kind = kind;
	node->factor = random_bits() | 1;
	node->term = random_bits();
	node->style = random_bits();
	return node;
}

static void free_nodes(struct node *node)
{
	while (node) {
		struct node *next = node->next;

		free_nodes(node->yes);
		free_nodes(node->no);
		free(node);
		node = next;
	}
}

static struct node *random_body(unsigned depth, unsigned loops, int function);

static struct node *random_node(unsigned depth, unsigned loops, int function)
{
	struct node *node;

	switch (depth < MAX_DEPTH ? random_bits() % 9 : 0) {
	case 1:
	case 2:
	case 3:
		node = new_node(NODE_IF);
		node->term = 1u << random_bits() % 32;
		node->yes = random_body(depth + 1, loops, function);
		if (random_bits() % 2)
			node->no = random_body(depth + 1, loops, function);
		return node;
	case 4:
	case 5:
		if (loops == 3)
			return new_node(NODE_OP);
		node = new_node(NODE_LOOP);
		node->term = 3;
		node->depth = loops + (function >= 0 ? 4 : 0);
		node->yes = random_body(depth + 1, loops + 1, function);
		return node;
	case 6:
		if (function >= 0)
			return new_node(NODE_OP);
		node = new_node(NODE_CALL);
		node->term = random_bits() % FUNCTIONS;
		return node;
	default:
		return new_node(NODE_OP);
	}
}

/* Break, continue and return stand last in the body of an if. */
static struct node *random_exit(unsigned loops, int function)
{
	unsigned dice = random_bits() % 6;

	if (dice == 0 && loops)
		return new_node(NODE_BREAK);
	if (dice == 1 && loops)
		return new_node(NODE_CONTINUE);
	if (dice == 2 && function >= 0 && !loops)
		return new_node(NODE_RETURN);
	return NULL;
}

static struct node *random_body(unsigned depth, unsigned loops, int function)
{
	struct node *first = new_node(NODE_OP), **last = &first->next;
	unsigned count = random_bits() % 3 + (depth == 0 ? 3 : 0);

	while (count--) {
		*last = random_node(depth, loops, function);
		last = &(*last)->next;
	}
	if (depth > 1)
		*last = random_exit(loops, function);
	return first;
}

/* --- The reference ------------------------------------------------------ */

enum way { GO_ON, BREAK, CONTINUE, RETURN };

static enum way interpret(const struct tree *tree, const struct node *node,
			  uint32_t *value)
{
	for (; node; node = node->next) {
		enum way way = GO_ON;
		uint32_t counter;

		switch (node->kind) {
		case NODE_OP:
			*value = *value * node->factor + node->term;
			break;
		case NODE_IF:
			way = interpret(tree,
					*value & node->term ? node->yes
							    : node->no,
					value);
			break;
		case NODE_LOOP:
			for (counter = *value & node->term; counter; counter--) {
				way = interpret(tree, node->yes, value);
				if (way == BREAK || way == RETURN)
					break;
			}
			if (way != RETURN)
				way = GO_ON;
			break;
		case NODE_BREAK:
			return BREAK;
		case NODE_CONTINUE:
			return CONTINUE;
		case NODE_CALL:
			interpret(tree, tree->function[node->term], value);
			break;
		case NODE_RETURN:
			return RETURN;
		}
		if (way != GO_ON)
			return way;
	}
	return GO_ON;
}

/* --- Code --------------------------------------------------------------- */

struct emitter {
	struct assembler as;
	unsigned calls[64], called[64], call_count;
};

/* R6.x = source & mask, then the execute mask keeps lanes where it is not
 * zero (or, inverted, zero). */
static void condition(struct emitter *e, enum evg_cf_op op,
		      struct evg_source source, uint32_t mask, bool inverted)
{
	struct evg_alu_group groups[2] = {
		group_begin(), group_predicate(gpr(SCRATCH, 0), true, false)};

	group_add(&groups[0], EVG_X, EVG_ALU_AND_INT, SCRATCH, 0, source,
		  group_literal(&groups[0], mask), unused);
	if (inverted)
		groups[1].inst[0].op = EVG_ALU_PRED_SETE_INT;
	asm_alu(&e->as, op, groups, 2);
}

static void emit_op(struct emitter *e, enum evg_cf_op op,
		    const struct node *node)
{
	struct evg_alu_group groups[2] = {group_begin(), group_begin()};

	group_add(&groups[0], EVG_T, EVG_ALU_MULLO_INT, VALUE, 0, gpr(VALUE, 0),
		  group_literal(&groups[0], node->factor), unused);
	group_add(&groups[1], EVG_X, EVG_ALU_ADD_INT, VALUE, 0, gpr(VALUE, 0),
		  group_literal(&groups[1], node->term), unused);
	asm_alu(&e->as, op, groups, 2);
}

static void emit(struct emitter *e, const struct node *node);

static void emit_if(struct emitter *e, const struct node *node)
{
	struct assembler *as = &e->as;
	unsigned jump, other = 0, push = as->count;

	if (node->style & 1) {
		/* Without a lane nothing is pushed, and the whole skipped. */
		asm_cf(as, EVG_CF_PUSH, 0, 0);
		condition(e, EVG_CF_ALU, gpr(VALUE, 0), node->term, false);
	} else {
		condition(e, EVG_CF_ALU_PUSH_BEFORE, gpr(VALUE, 0), node->term,
			  false);
	}
	/* The jump is a shortcut for when no lane is left. */
	jump = node->style & 2 ? asm_cf(as, EVG_CF_JUMP, 0, 0) : 0;
	emit(e, node->yes);
	if (node->no) {
		other = asm_cf(as, EVG_CF_ELSE, 0, 1);
		if (jump)
			as->cf[jump].address = other;
		emit(e, node->no);
	} else if (jump) {
		as->cf[jump].pop_count = 1;
	}
	asm_cf(as, EVG_CF_POP, as->count + 1, 1);
	if (node->style & 1)
		as->cf[push].address = as->count;
	if (other)
		as->cf[other].address = as->count;
	else if (jump)
		as->cf[jump].address = as->count;
}

static void emit_loop(struct emitter *e, const struct node *node)
{
	struct assembler *as = &e->as;
	unsigned counter = COUNTER + node->depth, loop, leave = 0;
	struct evg_source c = gpr(counter, 0);
	struct evg_alu_group set = group_begin(), down = group_begin();

	group_add(&set, EVG_X, EVG_ALU_AND_INT, counter, 0, gpr(VALUE, 0),
		  group_literal(&set, node->term), unused);
	asm_alu(as, EVG_CF_ALU, &set, 1);
	loop = asm_cf(as, EVG_CF_LOOP_START_DX10, 0, 0);
	if (node->style & 1) {
		condition(e, EVG_CF_ALU_BREAK, c, 0xffffffff, false);
	} else {
		/* As LLVM has it. */
		unsigned jump;

		condition(e, EVG_CF_ALU_PUSH_BEFORE, c, 0xffffffff, true);
		jump = asm_cf(as, EVG_CF_JUMP, 0, 1);
		leave = asm_cf(as, EVG_CF_LOOP_BREAK, 0, 0);
		asm_cf(as, EVG_CF_POP, as->count + 1, 1);
		as->cf[jump].address = as->count;
	}
	group_add(&down, EVG_X, EVG_ALU_SUB_INT, counter, 0, c,
		  selector(EVG_SELECT_1_INT, 0), unused);
	asm_alu(as, EVG_CF_ALU, &down, 1);
	emit(e, node->yes);
	asm_cf(as, EVG_CF_LOOP_END, loop + 1, 0);
	as->cf[loop].address = as->count;
	if (leave)
		as->cf[leave].address = as->count - 1;
}

static void emit(struct emitter *e, const struct node *node)
{
	struct assembler *as = &e->as;

	for (; node; node = node->next)
		switch (node->kind) {
		case NODE_OP:
			emit_op(e, EVG_CF_ALU, node);
			break;
		case NODE_IF:
			emit_if(e, node);
			break;
		case NODE_LOOP:
			emit_loop(e, node);
			break;
		case NODE_BREAK:
			asm_cf(as, EVG_CF_LOOP_BREAK, as->count + 1, 0);
			break;
		case NODE_CONTINUE:
			asm_cf(as, EVG_CF_LOOP_CONTINUE, as->count + 1, 0);
			break;
		case NODE_CALL:
			e->called[e->call_count] = node->term;
			e->calls[e->call_count++] =
				asm_cf(as, EVG_CF_CALL, 0, 0);
			break;
		case NODE_RETURN:
			asm_cf(as, EVG_CF_RET, 0, 0);
			break;
		}
}

static struct evg_program *tree_program(const struct tree *tree)
{
	struct emitter *e = xcalloc(1, sizeof *e);
	unsigned address[FUNCTIONS], end;
	struct evg_program *program;

	asm_begin(&e->as);
	e->as.registers = 20;
	emit(e, tree->main);
	end = asm_cf(&e->as, EVG_CF_NOP, 0, 0);
	e->as.cf[end].end_of_program = true;
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		address[i] = e->as.count;
		emit(e, tree->function[i]);
		asm_cf(&e->as, EVG_CF_RET, 0, 0);
	}
	for (unsigned i = 0; i < e->call_count; i++)
		e->as.cf[e->calls[i]].address = address[e->called[i]];
	program = asm_program(&e->as);
	free(e);
	return program;
}

/* --- Random programs ----------------------------------------------------- */

static unsigned count_calls(const struct node *node)
{
	unsigned count = 0;

	for (; node; node = node->next)
		count += (node->kind == NODE_CALL) + count_calls(node->yes) +
			 count_calls(node->no);
	return count;
}

static unsigned count_nodes(const struct node *node)
{
	unsigned count = 0;

	for (; node; node = node->next)
		count += 1 + count_nodes(node->yes) + count_nodes(node->no);
	return count;
}

static bool run_tree(const struct tree *tree, unsigned seed)
{
	struct evg_program *program = tree_program(tree);
	struct evg_memory *memory = evg_memory_create(1 << 20, NULL);
	uint32_t local = seed % 4 ? 64 : 37;
	struct evg_launch launch = launch_of(program, memory, local, local);
	struct error error = {""};
	struct evg_ndrange *ndrange = evg_ndrange_create(&launch, &error);
	struct evg_work_group *group;
	struct evg_wavefront *wavefront;
	bool good;

	if (!ndrange) {
		printf("# seed %u: %s\n", seed, error.text);
		return false;
	}
	group = evg_work_group_create(ndrange, 0);
	wavefront = evg_work_group_wavefront(group, 0);
	for (uint32_t lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		register_row(wavefront, VALUE, 0)[lane] = lane * 2654435761u;
	group->budget = 1 << 24;
	good = evg_wavefront_run(wavefront) == EVG_RUN_ENDED;
	if (!good) {
		evg_fault_report(wavefront, &error);
		printf("# seed %u: %s\n", seed, error.text);
	}
	for (uint32_t lane = 0; good && lane < local; lane++) {
		uint32_t value = lane * 2654435761u;
		uint32_t got = register_row(wavefront, VALUE, 0)[lane];

		interpret(tree, tree->main, &value);
		good = got == value;
		if (!good)
			printf("# seed %u lane %u: %08x, wanted %08x\n", seed,
			       lane, got, value);
	}
	good =
	    good &&
	    wavefront->masks.lanes[EVG_MASK_ACTIVE] == wavefront->masks.valid &&
	    !wavefront->stack.depth;
	evg_work_group_free(group);
	evg_ndrange_free(ndrange);
	evg_memory_free(memory);
	program_free(program);
	return good;
}

static void test_random_programs(void)
{
	unsigned ran = 0;

	for (unsigned seed = 1; seed <= 400; seed++) {
		struct tree tree;
		unsigned nodes;

		random_seed(seed);
		tree.main = random_body(0, 0, -1);
		nodes = count_nodes(tree.main);
		for (int i = 0; i < FUNCTIONS; i++) {
			tree.function[i] = random_body(1, 0, i);
			nodes += count_nodes(tree.function[i]);
		}
		/* Room in the assembler: at most eight CF words a node. */
		if (nodes * 8 < ASM_MAX_CF && count_calls(tree.main) < 64) {
			ran++;
			CU_ASSERT(run_tree(&tree, seed));
		}
		free_nodes(tree.main);
		for (int i = 0; i < FUNCTIONS; i++)
			free_nodes(tree.function[i]);
	}
	CU_ASSERT(ran > 300);
}

/* --- By hand ------------------------------------------------------------- */

/* Runs one wavefront; what went wrong, or "". */
static const char *run_one(struct assembler *as, struct error *error,
			   uint32_t result[EVG_WAVEFRONT_SIZE])
{
	struct evg_program *program = asm_program(as);
	struct evg_memory *memory = evg_memory_create(1 << 20, NULL);
	struct evg_launch launch = launch_of(program, memory, 64, 64);
	struct evg_ndrange *ndrange = evg_ndrange_create(&launch, error);
	struct evg_work_group *group = evg_work_group_create(ndrange, 0);
	struct evg_wavefront *wavefront = evg_work_group_wavefront(group, 0);
	struct evg_step step;

	error->text[0] = '\0';
	while (!evg_wavefront_ended(wavefront) &&
	       !evg_wavefront_step(wavefront, &step, error))
		;
	if (result)
		memcpy(result, register_row(wavefront, VALUE, 0),
		       EVG_ROW_BYTES);
	evg_work_group_free(group);
	evg_ndrange_free(ndrange);
	evg_memory_free(memory);
	program_free(program);
	return error->text;
}

static void test_stack_errors(void)
{
	struct assembler as;
	struct error error;

	asm_begin(&as);
	asm_cf(&as, EVG_CF_POP, 1, 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(run_one(&as, &error, NULL), "underflow"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "kernel 'test'"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "POP"));

	asm_begin(&as);
	asm_cf(&as, EVG_CF_LOOP_BREAK, 1, 0);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(run_one(&as, &error, NULL), "outside any loop"));

	asm_begin(&as);
	for (unsigned i = 0; i <= 8 * EVG_STACK_ENTRY; i++)
		asm_cf(&as, EVG_CF_PUSH, i + 1, 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(run_one(&as, &error, NULL),
				      "overflows: the kernel declares 8"));

	asm_begin(&as);
	asm_cf(&as, EVG_CF_RET, 0, 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(run_one(&as, &error, NULL), "CALL"));
}

/* ALU_ELSE_AFTER, ALU_POP2_AFTER, ALU_BREAK. */
static void test_clause_variants(void)
{
	struct evg_alu_group odd[2] = {
		group_begin(), group_predicate(gpr(SCRATCH, 0), true, false)};
	struct evg_alu_group ten, hundred, thousand;
	uint32_t result[EVG_WAVEFRONT_SIZE];
	struct assembler as;
	struct error error;

	group_add(&odd[0], EVG_X, EVG_ALU_AND_INT, SCRATCH, 0, gpr(0, 0),
		  selector(EVG_SELECT_1_INT, 0), unused);
	ten = group_begin();
	group_add(&ten, EVG_X, EVG_ALU_ADD_INT, VALUE, 0, gpr(VALUE, 0),
		  group_literal(&ten, 10), unused);
	hundred = group_begin();
	group_add(&hundred, EVG_X, EVG_ALU_ADD_INT, VALUE, 0, gpr(VALUE, 0),
		  group_literal(&hundred, 100), unused);
	thousand = group_begin();
	group_add(&thousand, EVG_X, EVG_ALU_ADD_INT, VALUE, 0, gpr(VALUE, 0),
		  group_literal(&thousand, 1000), unused);

	asm_begin(&as);
	asm_cf(&as, EVG_CF_PUSH, 1, 0);
	asm_alu(&as, EVG_CF_ALU_PUSH_BEFORE, odd, 2);
	asm_alu(&as, EVG_CF_ALU_ELSE_AFTER, &ten, 1);   /* odd lanes */
	asm_alu(&as, EVG_CF_ALU_POP2_AFTER, &hundred, 1); /* even lanes */
	asm_alu(&as, EVG_CF_ALU, &thousand, 1);         /* all */
	CU_ASSERT_STRING_EQUAL(run_one(&as, &error, result), "");
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		CU_ASSERT_EQUAL(result[lane], lane % 2 ? 1010 : 1100);

	/* Even lanes leave by ALU_BREAK, odd ones by LOOP_BREAK. */
	asm_begin(&as);
	asm_cf(&as, EVG_CF_LOOP_START_DX10, 4, 0);
	asm_alu(&as, EVG_CF_ALU_BREAK, odd, 2);
	asm_cf(&as, EVG_CF_LOOP_BREAK, 3, 0);
	asm_cf(&as, EVG_CF_LOOP_END, 1, 0);
	asm_alu(&as, EVG_CF_ALU, &thousand, 1);
	CU_ASSERT_STRING_EQUAL(run_one(&as, &error, result), "");
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		CU_ASSERT_EQUAL(result[lane], 1000);
}

/* ALU_CONTINUE: lanes whose test fails skip the rest of each round. */
static void test_alu_continue(void)
{
	struct evg_alu_group down = group_begin(), more[2], odd[2], add;
	uint32_t result[EVG_WAVEFRONT_SIZE];
	struct assembler as;
	struct error error;

	/* R8 = R8 - 1; stay while R8 != -4: three rounds. */
	group_add(&down, EVG_X, EVG_ALU_SUB_INT, COUNTER, 0, gpr(COUNTER, 0),
		  selector(EVG_SELECT_1_INT, 0), unused);
	more[0] = group_begin();
	group_add(&more[0], EVG_X, EVG_ALU_ADD_INT, SCRATCH, 0,
		  gpr(COUNTER, 0), group_literal(&more[0], 4), unused);
	more[1] = group_predicate(gpr(SCRATCH, 0), true, false);
	odd[0] = group_begin();
	group_add(&odd[0], EVG_X, EVG_ALU_AND_INT, SCRATCH, 0, gpr(0, 0),
		  selector(EVG_SELECT_1_INT, 0), unused);
	odd[1] = group_predicate(gpr(SCRATCH, 0), true, false);
	add = group_begin();
	group_add(&add, EVG_X, EVG_ALU_ADD_INT, VALUE, 0, gpr(VALUE, 0),
		  group_literal(&add, 7), unused);
	asm_begin(&as);
	asm_cf(&as, EVG_CF_LOOP_START_DX10, 6, 0);
	asm_alu(&as, EVG_CF_ALU, &down, 1);
	asm_alu(&as, EVG_CF_ALU_BREAK, more, 2);
	asm_alu(&as, EVG_CF_ALU_CONTINUE, odd, 2);
	asm_alu(&as, EVG_CF_ALU, &add, 1);
	asm_cf(&as, EVG_CF_LOOP_END, 1, 0);
	CU_ASSERT_STRING_EQUAL(run_one(&as, &error, result), "");
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		CU_ASSERT_EQUAL(result[lane], lane % 2 ? 21 : 0);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"random structured programs", test_random_programs},
		{"stack errors", test_stack_errors},
		{"clause variants", test_clause_variants},
		{"ALU_CONTINUE", test_alu_continue},
		CU_TEST_INFO_NULL};
	static CU_SuiteInfo suites[] = {
		{"evergreen emu control", NULL, NULL, NULL, NULL, tests},
		CU_SUITE_INFO_NULL};

	return harness_run(suites);
}
