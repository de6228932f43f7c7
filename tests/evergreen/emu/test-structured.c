/* Random structured programs on the emulator and in the timing model, against
 * what they mean for one work-item. Arguments: number of programs, first seed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evergreen/emu/program.h"
#include "evergreen/emu/structured.h"
#include "unit/harness.h"

static struct tree_range programs = { .count = 4000, .first_seed = 1 };

/* The host's instruction sets. */
static const struct evg_simd *simd_of(unsigned index)
{
	const struct evg_simd *best = evg_simd_best();

	if (index % 3 == 0 || best == &evg_simd_v2)
		return &evg_simd_v2;
	return index % 3 == 1 ? &evg_simd_v3 : best;
}

static bool agree(const struct tree *tree, const uint32_t *got,
		  uint32_t items, unsigned seed, const char *way)
{
	for (uint32_t i = 0; i < items; i++) {
		struct item item = { .value = i * 0x9e3779b1u };
		uint32_t folded = 0;

		tree_interpret(tree, &item, program_data);
		for (unsigned k = 0; k < STRUCTURED_ARRAY; k++)
			folded ^= item.array[k];
		if (got[4 * i] == item.value && got[4 * i + 1] == folded)
			continue;
		printf("# seed %u %s item %u: %08x %08x, wanted %08x %08x\n",
		       seed, way, i, got[4 * i], got[4 * i + 1], item.value,
		       folded);
		return false;
	}
	return true;
}

static bool run_way(const struct evg_program *program, const struct tree *tree,
		    unsigned seed, enum program_way way)
{
	static const char *const names[] = { "run", "stepped", "timed" };
	static const uint32_t locals[] = { 64, 37, 100, 1 };
	struct program_run run = {
		.way = way,
		.threads = 1 + seed % 2,
		.interpreted = seed / 9 % 2,
		.simd = simd_of(seed / 3),
		.groups = 1 + seed % 2,
		.local = locals[seed % 4],
	};
	uint32_t *got = program_run(program, &run);
	bool good = got && agree(tree, got, run.groups * run.local, seed,
				 names[way]);

	if (!got)
		printf("# seed %u %s: %s\n", seed, names[way],
		       run.error.text);
	free(got);
	return good;
}

static bool run_seed(unsigned seed, uint64_t counts[NODE_KINDS])
{
	char *directives, *body, *functions;
	struct evg_program *program;
	struct error error;
	struct tree tree;
	bool good;

	tree_random(&tree, seed);
	tree_count(&tree, counts);
	tree_write(&tree, &directives, &body, &functions);
	program = program_assemble(directives, body, functions, &error);
	if (!program)
		printf("# seed %u: %s\n", seed, error.text);
	good = program && run_way(program, &tree, seed, PROGRAM_RUN) &&
	       (seed % 4 || run_way(program, &tree, seed, PROGRAM_STEPPED)) &&
	       (seed % 20 || run_way(program, &tree, seed, PROGRAM_TIMED));
	if (!good && getenv("SHOW"))
		printf("%s%s%s", directives, body, functions);
	evg_program_free(program);
	free(directives);
	free(body);
	free(functions);
	tree_free(&tree);
	return good;
}

static void test_structured(void)
{
	uint64_t counts[NODE_KINDS] = { 0 };
	unsigned bad = 0;

	for (unsigned i = 0; i < programs.count && bad < 10; i++)
		bad += !run_seed(programs.first_seed + i, counts);
	CU_ASSERT_EQUAL(bad, 0);
	/* Every kind takes part. */
	for (int kind = 0; kind < NODE_KINDS && programs.count >= 1000; kind++)
		CU_ASSERT(counts[kind] > 100);
}

int main(int argc, char **argv)
{
	static CU_TestInfo tests[] = {
		{ "random structured programs", test_structured },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "evergreen emu structured", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	tree_range_read(&programs, argc, argv);
	return harness_run(suites);
}
