/* Random ALU clauses, scheduled anew and run beside what they were: registers
 * that are live behind them and local memory must be the same in every lane. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "codegen/costs.h"
#include "evergreen/emu/fixture.h"
#include "evergreen/isa/ports.h"
#include "opencl-rt/codegen/clause.h"
#include "unit/harness.h"

enum {
	REGISTERS = 13,
	ARRAY = 8,       /* R8 to R11 are indexed */
	GIVEN = 12,      /* R12.xy are addresses, R12.zw indices */
	PLAIN = 8,       /* R0 to R7 are not */
	GROUPS = 24,
	UNITS = 128,
	LOCAL = 256,     /* bytes */
	CLAUSES = 3000,
};

static const struct evg_source unused;

/* --- Random clauses ------------------------------------------------------- */

struct generator {
	bool indexed, predicated, local; /* what the clause may have */
	bool written[REGISTERS][4];      /* by this group */
	bool scatters, popped;
	bool index_ready, predicate_ready;
	unsigned readable;               /* slots whose PV or PS there is */
	unsigned queued;                 /* values that wait in queue A */
};

static bool chance(unsigned of)
{
	return random_bits() % of == 0;
}

static struct evg_source random_source(struct generator *g,
				       struct evg_alu_group *group)
{
	unsigned slot = random_bits() % EVG_SLOT_COUNT;

	switch (random_bits() % 12) {
	case 0:
		return group_literal(group, random_bits() % 6);
	case 1:
		return selector(EVG_SELECT_KCACHE0 + 3, random_bits() % 4);
	case 2:
		return selector(EVG_SELECT_1_INT, 0);
	case 3:
	case 4:
	case 5:
		if (!(g->readable >> slot & 1))
			break;
		return slot == EVG_T ? selector(EVG_SELECT_PS, 0)
				     : selector(EVG_SELECT_PV, slot);
	case 6:
		if (g->index_ready)
			return relative_gpr(ARRAY, random_bits() % 4);
		break;
	case 7:
		if (!g->queued || g->popped)
			break;
		g->popped = true;
		g->queued--;
		return selector(EVG_SELECT_LDS_OQ_A_POP, 0);
	default:
		break;
	}
	return gpr(random_bits() % PLAIN, random_bits() % 4);
}

/* A register that no other slot of the group writes, or none. */
static void random_dest(struct generator *g, struct evg_alu_inst *inst)
{
	unsigned r = random_bits() % PLAIN, c = inst->dest_channel;

	if (g->index_ready && !g->scatters && chance(8)) {
		g->scatters = true;
		inst->dest_gpr = ARRAY;
		inst->dest_relative = true;
		return;
	}
	while (g->written[r][c])
		r = (r + 1) % PLAIN;
	g->written[r][c] = true;
	inst->dest_gpr = (uint8_t)r;
	if (!evg_alu_info[inst->op].op3)
		inst->write_mask = !chance(5);
}

static void random_slot(struct generator *g, struct evg_alu_group *group,
			unsigned slot)
{
	static const enum evg_alu_op vector_ops[] = {
		EVG_ALU_ADD_INT, EVG_ALU_SUB_INT, EVG_ALU_XOR_INT, EVG_ALU_MOV,
		EVG_ALU_CNDE_INT, EVG_ALU_BFE_UINT, EVG_ALU_MUL_IEEE,
		EVG_ALU_MULADD_IEEE, EVG_ALU_SETGT_INT,
	};
	static const enum evg_alu_op t_ops[] = {
		EVG_ALU_MULLO_INT, EVG_ALU_INT_TO_FLT, EVG_ALU_ADD_INT,
	};
	enum evg_alu_op op =
		slot == EVG_T ? t_ops[random_bits() % ARRAY_SIZE(t_ops)]
			      : vector_ops[random_bits() %
					   ARRAY_SIZE(vector_ops)];
	struct evg_source s[3] = { unused, unused, unused };
	unsigned channel = slot == EVG_T ? random_bits() % 4 : slot;
	struct evg_alu_inst *inst;

	/* Where its own vector slot is free, t cannot have it. */
	if (slot == EVG_T && evg_alu_info[op].slots != EVG_SLOTS_T &&
	    !(group->slot_mask >> channel & 1))
		op = EVG_ALU_MULLO_INT;
	for (unsigned k = 0; k < evg_alu_info[op].source_count; k++)
		s[k] = random_source(g, group);
	inst = group_add(group, slot, op, 0, channel, s[0], s[1], s[2]);
	random_dest(g, inst);
	if (g->predicate_ready && chance(4))
		inst->predicate_select = (uint8_t)(2 + random_bits() % 2);
}

/* Four slots that work together. */
static void random_dot(struct generator *g, struct evg_alu_group *group)
{
	for (unsigned slot = EVG_X; slot <= EVG_W; slot++) {
		struct evg_source a = random_source(g, group);
		struct evg_source b = random_source(g, group);

		random_dest(g, group_add(group, slot, EVG_ALU_DOT4_IEEE, 0,
					 slot, a, b, unused));
	}
}

static struct evg_alu_group local_group(struct generator *g)
{
	static const enum evg_lds_op ops[] = {
		EVG_LDS_READ_RET, EVG_LDS_READ_RET, EVG_LDS_READ_RET,
		EVG_LDS_WRITE, EVG_LDS_ADD,
	};
	enum evg_lds_op op = ops[random_bits() % ARRAY_SIZE(ops)];
	struct evg_alu_group group =
		group_lds(op, gpr(GIVEN, random_bits() % 2),
			  gpr(random_bits() % PLAIN, random_bits() % 4),
			  unused);

	g->queued += evg_lds_info[op].returns;
	return group;
}

static struct evg_alu_group random_group(struct generator *g)
{
	struct evg_alu_group group = group_begin();
	unsigned first = EVG_X;

	memset(g->written, 0, sizeof g->written);
	g->scatters = g->popped = false;
	if (g->local && chance(3)) {
		g->readable = 0;
		return local_group(g);
	}
	if (g->predicated && chance(6)) {
		g->readable = 0;
		g->predicate_ready = true;
		return group_predicate(gpr(random_bits() % PLAIN, 0), false,
				       true);
	}
	if (g->indexed && chance(6)) {
		g->readable = 0;
		g->index_ready = true;
		group_add(&group, EVG_X, EVG_ALU_MOVA_INT, 0, 0,
			  gpr(GIVEN, 2 + random_bits() % 2), unused, unused)
			->write_mask = false;
		return group;
	}
	if (chance(8)) {
		random_dot(g, &group);
		first = EVG_T;
	}
	for (unsigned s = first; s < EVG_SLOT_COUNT; s++)
		if (chance(2) || (!group.inst_count && s == EVG_T))
			random_slot(g, &group, s);
	g->readable = 0;
	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++)
		if (group.slot_mask >> s & 1 &&
		    !group.inst[s].predicate_select &&
		    !group.inst[s].dest_relative)
			g->readable |= 1u << s;
	return group;
}

/* What waits in the queue at the end is taken. */
static struct evg_alu_group pop_group(struct generator *g)
{
	struct evg_alu_group group =
		group_of(EVG_ALU_MOV, random_bits() % PLAIN, g->queued % 4,
			 selector(EVG_SELECT_LDS_OQ_A_POP, 0), unused, unused);

	g->queued--;
	return group;
}

static unsigned add_group(struct codegen_group *groups, unsigned count,
			  struct evg_alu_group *group, unsigned *units)
{
	unsigned size = group->inst_count + group->literal_count / 2u;

	/* The fixture marks the last of a group when it puts it in a clause. */
	if (!evg_ports_assign(group))
		return count;
	groups[count] = (struct codegen_group){ .group = *group };
	*units += size;
	return count + 1;
}

static unsigned random_clause(struct codegen_group *groups)
{
	struct generator g = { .indexed = chance(4), .predicated = chance(4),
			       .local = chance(2) };
	unsigned count = 0, units = 0;

	while (count < GROUPS && units < UNITS - 30) {
		struct generator before = g;
		struct evg_alu_group group = random_group(&g);
		unsigned after = add_group(groups, count, &group, &units);

		if (after == count)
			g = before;
		count = after;
	}
	while (g.queued && units < UNITS - 2) {
		struct evg_alu_group group = pop_group(&g);

		count = add_group(groups, count, &group, &units);
	}
	return count;
}

/* --- Runs ----------------------------------------------------------------- */

struct outcome {
	uint32_t registers[REGISTERS][4][EVG_WAVEFRONT_SIZE];
	uint8_t local[LOCAL];
};

static uint32_t start_of(unsigned r, unsigned c, unsigned lane)
{
	uint32_t value = r * 977 + c * 131 + lane * 7919;

	value = value * 2654435761u ^ value >> 7;
	if (r == GIVEN)
		return c < 2 ? value % LOCAL & ~3u : value % 4;
	return value % 5 ? value % 9 : value;
}

static bool run(const struct codegen_group *groups, unsigned count,
		struct outcome *outcome)
{
	struct evg_alu_group plain[2 * UNITS];
	struct assembler as;
	struct evg_program *program;
	struct evg_memory *memory = evg_memory_create(1 << 20, NULL);
	struct evg_launch launch;
	struct evg_ndrange *ndrange;
	struct evg_work_group *group;
	struct evg_wavefront *wavefront;
	unsigned mode;
	bool ended;

	for (unsigned i = 0; i < count; i++)
		plain[i] = groups[i].group;
	asm_begin(&as);
	as.registers = REGISTERS;
	asm_alu(&as, EVG_CF_ALU, plain, count);
	program = asm_program(&as);
	launch = launch_of(program, memory, EVG_WAVEFRONT_SIZE,
			   EVG_WAVEFRONT_SIZE);
	launch.local_memory = LOCAL;
	ndrange = level_ndrange(&launch, 0);
	group = evg_work_group_create(ndrange, 0);
	wavefront = evg_work_group_wavefront(group, 0);
	for (unsigned r = 0; r < REGISTERS; r++)
		for (unsigned c = 0; c < 4; c++)
			for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE;
			     lane++)
				register_row(wavefront, r, c)[lane] =
					start_of(r, c, lane);
	for (unsigned i = 0; i < LOCAL; i++)
		group->local[i] = (uint8_t)(i * 37);
	mode = evg_float_mode_begin();
	ended = evg_wavefront_run(wavefront) == EVG_RUN_ENDED;
	evg_float_mode_end(mode);
	for (unsigned r = 0; r < REGISTERS; r++)
		for (unsigned c = 0; c < 4; c++)
			memcpy(outcome->registers[r][c],
			       register_row(wavefront, r, c), EVG_ROW_BYTES);
	memcpy(outcome->local, group->local, LOCAL);
	evg_work_group_free(group);
	evg_ndrange_free(ndrange);
	evg_memory_free(memory);
	program_free(program);
	return ended;
}

static bool same(const struct outcome *before, const struct outcome *after,
		 const struct codegen_registers *live)
{
	for (unsigned r = 0; r < REGISTERS; r++)
		for (unsigned c = 0; c < 4; c++)
			if (codegen_has(live, r, c) &&
			    memcmp(before->registers[r][c],
				   after->registers[r][c], EVG_ROW_BYTES)) {
				printf("# R%u.%c\n", r, "xyzw"[c]);
				return false;
			}
	return !memcmp(before->local, after->local, LOCAL);
}

static void print_groups(const struct codegen_group *groups, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		char text[2048];

		evg_alu_group_format(text, sizeof text, &groups[i].group, i);
		printf("#%s", text);
	}
}

static bool fits(const struct codegen_group *groups, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		uint32_t words[2 * (EVG_SLOT_COUNT + 2)];
		struct error error;

		if (!evg_ports_fit(&groups[i].group) ||
		    evg_alu_group_encode(words, &groups[i].group, &error) < 0)
			return false;
	}
	return true;
}

/* Of all clauses. */
enum { CHANGED, KEPT, BEFORE, AFTER, UNITS_AFTER, FOUND, BOUND, CHAIN, COSTS };

static void note_costs(struct cost *costs, const struct codegen_clause *clause,
		       const struct codegen_result *result)
{
	bool changed = !result->kept;

	costs[changed ? CHANGED : KEPT].sum++;
	costs[BEFORE].sum += clause->count;
	costs[AFTER].sum += changed ? result->count : clause->count;
	costs[UNITS_AFTER].sum +=
		changed ? codegen_units(result->groups, result->count)
			: codegen_units(clause->groups, clause->count);
	costs[FOUND].sum += result->found;
	costs[BOUND].sum += result->bound;
	costs[CHAIN].sum += result->chain;
}

static bool check_clause(struct cost *costs)
{
	static struct outcome before, after;
	struct codegen_group groups[2 * UNITS];
	struct codegen_registers live = { { 0 } };
	struct codegen_clause clause = { .groups = groups, .live = &live,
					 .registers = REGISTERS,
					 .units = UNITS };
	struct codegen_result result;
	bool good = true;

	clause.count = random_clause(groups);
	for (unsigned r = 0; r < REGISTERS; r++)
		for (unsigned c = 0; c < 4; c++)
			if (r >= ARRAY || chance(2))
				codegen_add(&live, r, c);
	result = codegen_schedule(&clause);
	note_costs(costs, &clause, &result);
	if (!result.kept) {
		good = run(groups, clause.count, &before) &&
		       fits(result.groups, result.count) &&
		       run(result.groups, result.count, &after) &&
		       same(&before, &after, &live) &&
		       result.count >= result.bound;
		if (!good) {
			print_groups(groups, clause.count);
			printf("# became\n");
			print_groups(result.groups, result.count);
		}
	}
	free(result.groups);
	return good;
}

static void test_random(void)
{
	struct cost costs[COSTS] = {
		[CHANGED] = { "clauses that became shorter", 0 },
		[KEPT] = { "clauses that were kept", 0 },
		[BEFORE] = { "groups before", 0 },
		[AFTER] = { "groups behind", 0 },
		[UNITS_AFTER] = { "units behind", 0 },
		[FOUND] = { "groups of the shortest schedules", 0 },
		[BOUND] = { "groups at least", 0 },
		[CHAIN] = { "groups of the longest chains", 0 },
	};
	bool good = true;

	random_seed(19);
	for (unsigned i = 0; i < CLAUSES && good; i++) {
		good = check_clause(costs);
		if (!good)
			printf("# clause %u\n", i);
	}
	CU_ASSERT_TRUE(good);
	/* Most random clauses can be packed better than they come. */
	CU_ASSERT_TRUE(costs[CHANGED].sum > costs[KEPT].sum);
	CU_ASSERT_TRUE(costs_are_recorded("schedule.txt", costs, COSTS));
}

/* --- Clauses that stay as they are ---------------------------------------- */

/* Why a clause of one group is kept, which cannot become shorter. */
static const char *kept(struct evg_alu_group group)
{
	struct codegen_group groups[] = { { .group = group } };
	struct codegen_registers live = { { 0 } };
	const struct codegen_clause clause = {
		.groups = groups, .live = &live, .count = 1,
		.registers = REGISTERS, .units = UNITS,
	};
	struct codegen_result result;

	if (!evg_ports_assign(&groups[0].group))
		return "no ports";
	codegen_add(&live, 0, 0);
	result = codegen_schedule(&clause);
	free(result.groups);
	return result.kept ? result.kept : "";
}

static const char short_enough[] = "no shorter schedule";

static const char *kept_operation(enum evg_alu_op op)
{
	return kept(group_of(op, 0, 0, gpr(1, 0), gpr(2, 0), gpr(3, 0)));
}

static const char *kept_source(unsigned select, unsigned channel)
{
	return kept(group_of(EVG_ALU_ADD_INT, 0, 0, selector(select, channel),
			     gpr(2, 0), unused));
}

static void test_kept_operations(void)
{
	static const char sum[] = "a sum along its slots";
	static const char mode[] = "an instruction that sets a mode";

	CU_ASSERT_STRING_EQUAL(kept_operation(EVG_ALU_ADD_INT), short_enough);
	CU_ASSERT_STRING_EQUAL(kept_operation(EVG_ALU_BCNT_ACCUM_PREV_INT),
			       sum);
	CU_ASSERT_STRING_EQUAL(
		kept_operation(EVG_ALU_MBCNT_32LO_ACCUM_PREV_INT), sum);
	CU_ASSERT_STRING_EQUAL(kept_operation(EVG_ALU_SAD_ACCUM_PREV_UINT),
			       sum);
	CU_ASSERT_STRING_EQUAL(kept_operation(EVG_ALU_SET_MODE), mode);
	CU_ASSERT_STRING_EQUAL(kept_operation(EVG_ALU_SET_LDS_SIZE), mode);
	CU_ASSERT_STRING_EQUAL(kept_operation(EVG_ALU_SET_CF_IDX0), mode);
	CU_ASSERT_STRING_EQUAL(kept_operation(EVG_ALU_SET_CF_IDX1), mode);
}

static void test_kept_sources(void)
{
	static const char place[] = "a source that depends on its place";
	static const char none[] = "a PV or PS that no group gives";
	static const unsigned known[] = {
		EVG_SELECT_KCACHE0, EVG_SELECT_KCACHE1 + 31,
		EVG_SELECT_KCACHE2, EVG_SELECT_KCACHE3 + 31,
		EVG_SELECT_1_DOUBLE_LOW, EVG_SELECT_HALF,
	};
	static const unsigned unknown[] = {
		EVG_SELECT_TIME_LO, EVG_SELECT_LOOP_INDEX,
		EVG_SELECT_PRIM_MASK_LO, EVG_SELECT_KCACHE1 + 32,
		EVG_SELECT_PARAM,
	};
	struct evg_source indexed = selector(EVG_SELECT_KCACHE0, 0);
	struct evg_alu_group group;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		CU_ASSERT_STRING_EQUAL(kept_source(known[i], 1), short_enough);
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
		CU_ASSERT_STRING_EQUAL(kept_source(unknown[i], 0), place);
	for (unsigned c = 0; c < 4; c++)
		CU_ASSERT_STRING_EQUAL(kept_source(EVG_SELECT_PV, c), none);
	CU_ASSERT_STRING_EQUAL(kept_source(EVG_SELECT_PS, 0), none);
	indexed.relative = true;
	CU_ASSERT_STRING_EQUAL(
		kept(group_of(EVG_ALU_ADD_INT, 0, 0, indexed, gpr(2, 0),
			      unused)),
		"an index of something else than registers");
	group = group_of(EVG_ALU_ADD_INT, 0, 0, relative_gpr(ARRAY, 0),
			 gpr(2, 0), unused);
	group.inst[EVG_X].index_mode = EVG_INDEX_LOOP;
	CU_ASSERT_STRING_EQUAL(kept(group), "an index other than AR");
	for (unsigned queue = 0; queue < 2; queue++) {
		struct evg_source taken =
			selector(EVG_SELECT_LDS_OQ_A_POP + queue, 0);

		CU_ASSERT_STRING_EQUAL(
			kept(group_of(EVG_ALU_ADD_INT, 0, 0, taken, taken,
				      unused)),
			"a queue that is read twice in a group");
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "random clauses compute what they did", test_random },
		{ "operations that depend on their place stay",
		  test_kept_operations },
		{ "sources that depend on their place stay",
		  test_kept_sources },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = {
		{ "schedule", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
