/* Small random clauses, scheduled by the code generator, beside the least
 * number of groups that an exhaustive search finds. The search and the rules of
 * a group share nothing with the generator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "codegen/costs.h"
#include "codegen/optimum/meaning.h"
#include "codegen/optimum/search.h"
#include "evergreen/emu/fixture.h"
#include "evergreen/isa/ports.h"
#include "opencl-rt/codegen/clause.h"
#include "unit/harness.h"

enum {
	CLAUSES = 3000,
	GROUPS = 20000,
	WORST = 5, /* groups more than the least: the last of the table */
};

/* All clauses together. The stated ratio of scheduled to least groups is in
 * hundredths. */
enum { RATIO_MAX = 101 };

struct tally {
	unsigned clauses, unknown, kept;
	unsigned scheduled, least; /* groups of all that are known */
	unsigned bound;            /* their lower bounds */
	unsigned more[WORST + 1];  /* clauses with so many groups more */
};

/* --- One clause ----------------------------------------------------------- */

struct question {
	unsigned groups;
	enum search_answer answer;
};

static bool ask(const struct graph *variant, void *context)
{
	struct question *question = context;
	enum search_answer answer = search_fits(variant, question->groups);

	if (answer != SEARCH_NO)
		question->answer = answer;
	return answer != SEARCH_YES;
}

/* Whether fewer groups than `found` do: the least number, or 0 when the search
 * takes too long. */
static unsigned least_groups(const struct graph *graph, unsigned found)
{
	while (found > 1) {
		struct question question = {found - 1, SEARCH_NO};

		graph_variants(graph, ask, &question);
		if (question.answer == SEARCH_UNKNOWN)
			return 0;
		if (question.answer == SEARCH_NO)
			break;
		found--;
	}
	return found;
}

static bool fits_in(const struct graph *graph, unsigned groups)
{
	struct question question = {groups, SEARCH_NO};

	graph_variants(graph, ask, &question);
	return question.answer != SEARCH_NO;
}

static bool same_meaning(const struct evg_alu_group *before,
			 unsigned before_count,
			 const struct evg_alu_group *after,
			 unsigned after_count,
			 const struct codegen_registers *live)
{
	static struct meaning first, second;

	meaning_of(&first, before, before_count);
	meaning_of(&second, after, after_count);
	for (unsigned r = 0; r < EVG_REGISTERS; r++)
		for (unsigned c = 0; c < 4; c++)
			if (codegen_has(live, r, c) &&
			    first.registers[r][c] != second.registers[r][c])
				return false;
	return first.memory == second.memory && first.lanes == second.lanes;
}

static void print_groups(const struct evg_alu_group *groups, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		char text[2048];

		evg_alu_group_format(text, sizeof text, &groups[i], i);
		printf("%s", text);
	}
}

static const char *broken_rule(const struct evg_alu_group *groups,
			       unsigned count)
{
	struct rules_walk walk = { 0 };
	const char *why = NULL;

	for (unsigned i = 0; i < count && !why; i++)
		why = rules_step(&walk, &groups[i]);
	return why ? why : rules_end(&walk);
}

static void find_live(const struct graph *graph, struct codegen_registers *live)
{
	for (unsigned i = 0; i < graph->count; i++)
		if (graph->op[i].has_result && graph->op[i].live)
			codegen_add(live, graph->op[i].gpr,
				    graph->op[i].channel);
}

static bool check_clause(struct tally *tally)
{
	struct graph graph;
	struct evg_alu_group groups[GRAPH_OPS], made[2 * GRAPH_OPS];
	struct codegen_group given[GRAPH_OPS] = {0};
	struct codegen_registers live = {{0}};
	struct codegen_clause clause = {.groups = given,
					.live = &live,
					.registers = GRAPH_REGISTERS,
					.units = EVG_CLAUSE_UNITS};
	struct codegen_result result;
	const char *why = NULL;
	unsigned least;

	graph_draw(&graph, groups);
	clause.count = graph.count;
	for (unsigned i = 0; i < graph.count; i++)
		given[i].group = groups[i];
	find_live(&graph, &live);
	why = broken_rule(groups, graph.count);
	result = codegen_schedule(&clause);
	if (why) {
		result.count = 0;
	} else if (result.kept) {
		tally->kept++;
		result.count = graph.count;
		memcpy(made, groups, sizeof groups);
	} else {
		for (unsigned i = 0; i < result.count; i++)
			made[i] = result.groups[i].group;
		why = broken_rule(made, result.count);
		if (!why && !same_meaning(groups, graph.count, made,
					  result.count, &live))
			why = "another meaning";
		if (!why && !fits_in(&graph, result.count))
			why = "fewer groups than the search finds possible";
	}
	least = why ? 0 : least_groups(&graph, result.count);
	if (least && result.bound > least)
		why = "a bound that is too high";
	tally->bound += least ? result.bound : 0;
	free(result.groups);
	tally->clauses++;
	if (!why && !least)
		tally->unknown++;
	if (least) {
		unsigned more = result.count - least;

		tally->scheduled += result.count;
		tally->least += least;
		tally->more[more < WORST ? more : WORST]++;
	}
	if (why ||
	    (getenv("M2S_TEST_VERBOSE") && least && result.count > least)) {
		printf("# clause %u: %s: %u groups became %u, least %u (%s)\n",
		       tally->clauses, why ? why : "not the least", graph.count,
		       result.count, least,
		       result.kept ? result.kept : "scheduled");
		print_groups(groups, graph.count);
		printf("# became\n");
		print_groups(made, result.count);
	}
	return !why;
}

static void test_optimum(void)
{
	struct tally tally = {0};
	bool good = true;

	random_seed(1900);
	for (unsigned i = 0; i < CLAUSES && good; i++)
		good = check_clause(&tally);
	CU_ASSERT_TRUE(good);
	printf("# %u clauses, %u too long to search, %u left as they were\n",
	       tally.clauses, tally.unknown, tally.kept);
	printf("# %u groups, least %u: %.4f, bound %u; clauses with 0, 1, 2, "
	       "... more:", tally.scheduled, tally.least,
	       (double)tally.scheduled / tally.least, tally.bound);
	for (unsigned i = 0; i <= WORST; i++)
		printf(" %u", tally.more[i]);
	printf("\n");
	CU_ASSERT_TRUE(tally.unknown * 50 <= tally.clauses);
	CU_ASSERT_TRUE(100 * tally.scheduled <= RATIO_MAX * tally.least);
	const struct cost costs[] = {
		{ "clauses that were kept", tally.kept },
		{ "groups behind", tally.scheduled },
		{ "groups of the shortest possible", tally.least },
		{ "groups at least", tally.bound },
	};
	CU_ASSERT_TRUE(costs_are_recorded("optimum.txt", costs,
					  ARRAY_SIZE(costs)));
}

/* --- Ports ---------------------------------------------------------------- */

static struct evg_alu_group random_reads(struct group_reads *reads)
{
	static const enum evg_alu_op ops[] = { EVG_ALU_MOV, EVG_ALU_ADD_INT,
					       EVG_ALU_MULADD_IEEE };
	struct evg_alu_group group = group_begin();

	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		enum evg_alu_op op = ops[random_bits() % ARRAY_SIZE(ops)];
		unsigned count = evg_alu_info[op].source_count;
		struct evg_source text[3] = { { 0 } };

		for (unsigned k = 0; k < count; k++) {
			unsigned kind = random_bits() % 8, number = 0;
			unsigned channel = random_bits() % 4;
			struct read *read = &reads->slot[slot][k];

			if (kind < 5) {
				number = random_bits() % 4;
				read->kind = READ_REGISTER;
			} else if (kind == 5) {
				number = EVG_SELECT_KCACHE0 + random_bits() % 2;
				read->kind = READ_FILE;
			} else {
				number = kind == 6 ? EVG_SELECT_1_INT
						   : EVG_SELECT_PV;
				read->kind = kind == 6 ? READ_INLINE
						       : READ_FORWARDED;
			}
			text[k] = selector(number, channel);
			read->number = number;
			read->channel = (uint8_t)channel;
		}
		group_add(&group, slot, op, slot, slot % 4, text[0], text[1],
			  text[2])
			->bank_swizzle =
			(uint8_t)(random_bits() % (slot == EVG_T ? 4 : 6));
	}
	return group;
}

/* The verifier's rules of ports and those by which groups are made. */
static void test_ports(void)
{
	unsigned counts[2][2] = { { 0 } };

	random_seed(1901);
	for (unsigned i = 0; i < GROUPS; i++) {
		struct group_reads reads = { 0 };
		struct evg_alu_group group = random_reads(&reads);
		uint8_t swizzles[EVG_SLOT_COUNT];
		bool fit = evg_ports_fit(&group), serve, some;

		for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
			swizzles[slot] = group.inst[slot].bank_swizzle;
		serve = rules_serve_with(&reads, swizzles);
		some = rules_serve(&reads);
		CU_ASSERT_EQUAL(serve, fit);
		CU_ASSERT_EQUAL(some, evg_ports_assign(&group));
		counts[0][serve]++;
		counts[1][some]++;
	}
	printf("# of %u groups %u have their ports, %u could have\n", GROUPS,
	       counts[0][1], counts[1][1]);
	CU_ASSERT_TRUE(counts[0][1] > 100 && counts[1][0] > 100);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "schedules are nearly as short as the shortest",
		  test_optimum },
		{ "two accounts of the read ports agree", test_ports },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = {
		{ "optimum", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
