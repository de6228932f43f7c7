/* The core and the slow reference give the same times for random programs over
 * small structures, cycle for cycle. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "unit/harness.h"
#include "x86/timing/random-program.h"
#include "x86/timing/reference.h"

enum { SEEDS = 1500 };

struct record {
	struct x86_core_retired *times;
	unsigned count;
};

/* What the programs have met. */
static struct {
	uint64_t early, waits, violations, renamed, mistaken;
} seen;

static void note(void *owner, const struct x86_core_retired *what)
{
	struct record *record = owner;

	record->times[record->count++] = *what;
}

/* Feeds the program in parts of `portion`. */
static uint64_t run_core(const struct x86_core_figures *figures,
			 const struct random_program *program,
			 unsigned portion, struct x86_core_retired *times)
{
	struct x86_core *core = x86_core_create(figures, &random_memory);
	struct record record = { .times = times };
	enum x86_core_state state = X86_CORE_HUNGRY;
	unsigned pushed = 0;
	uint64_t cycles;

	x86_core_observe(core, note, &record);
	while (state == X86_CORE_HUNGRY) {
		for (unsigned n = 0; n < portion && pushed < program->length &&
				     x86_core_room(core); n++)
			x86_core_push(core, &program->step[pushed++]);
		state = x86_core_run(core, program->length,
				     pushed == program->length);
	}
	cycles = state == X86_CORE_DONE ? x86_core_cycle(core) : 0;
	if (state == X86_CORE_STUCK)
		x86_core_describe(core, stderr);
	seen.early += x86_core_counts(core)->order_early;
	seen.waits += x86_core_counts(core)->order_waits;
	seen.violations += x86_core_counts(core)->order_violations;
	seen.renamed += x86_core_counts(core)->order_renamed;
	seen.mistaken += x86_core_counts(core)->order_mistaken;
	x86_core_free(core);
	return cycles;
}

static bool same(const struct x86_core_retired *a,
		 const struct x86_core_retired *b)
{
	if (a->predecoded != b->predecoded || a->decoded != b->decoded ||
	    a->issued != b->issued || a->retired != b->retired ||
	    a->fused != b->fused || a->uops != b->uops)
		return false;
	for (unsigned n = 0; n < a->uops && n < 16; n++)
		if (a->uop[n].issued != b->uop[n].issued ||
		    a->uop[n].dispatched != b->uop[n].dispatched ||
		    a->uop[n].done != b->uop[n].done ||
		    a->uop[n].port != b->uop[n].port)
			return false;
	return true;
}

static void show(const char *who, const struct x86_core_retired *t)
{
	printf("# %s: %s predecoded %" PRIu64 ", decoded %" PRIu64
	       ", issued %" PRIu64 ", retired %" PRIu64, who,
	       t->fused ? "fused" : "", t->predecoded, t->decoded, t->issued,
	       t->retired);
	for (unsigned n = 0; n < t->uops && n < 16; n++)
		printf("; p%u %" PRIu64 " %" PRIu64 " %" PRIu64,
		       t->uop[n].port, t->uop[n].issued,
		       t->uop[n].dispatched, t->uop[n].done);
	putchar('\n');
}

/* Whether both agree about the program of a seed. */
static bool agree(uint64_t seed)
{
	static struct x86_core_retired slow[RANDOM_LENGTH],
		fast[RANDOM_LENGTH];
	struct random_program *program = xcalloc(1, sizeof *program);
	struct x86_core_figures figures;
	uint64_t draw = seed, cycles, expected;
	bool equal;

	random_figures(&figures, &draw);
	random_program(program, &draw);
	memset(slow, 0, sizeof slow);
	memset(fast, 0, sizeof fast);
	expected = reference_run(&figures, &random_memory, program->step,
				 program->length, slow);
	cycles = run_core(&figures, program, 1 + (unsigned)(seed % 150), fast);
	equal = expected && cycles == expected;
	if (!equal)
		printf("# seed %" PRIu64 ": %" PRIu64 " cycles, expected %"
		       PRIu64 "\n", seed, cycles, expected);
	for (unsigned n = 0; n < program->length; n++) {
		if (same(&slow[n], &fast[n]))
			continue;
		printf("# seed %" PRIu64 ", instruction %u at %" PRIx64 "\n",
		       seed, n, program->step[n].address);
		show("core", &fast[n]);
		show("reference", &slow[n]);
		equal = false;
		break;
	}
	free(program);
	return equal;
}

static void test_random(void)
{
	const char *one = getenv("SEED");
	unsigned different = 0;

	if (one) {
		CU_ASSERT(agree(strtoull(one, NULL, 0)));
		return;
	}
	for (uint64_t seed = 1; seed <= SEEDS && different < 5; seed++)
		different += !agree(seed);
	CU_ASSERT_EQUAL(different, 0);
	CU_ASSERT(seen.early > 1000);
	CU_ASSERT(seen.waits > 1000);
	CU_ASSERT(seen.violations > 100);
	CU_ASSERT(seen.renamed > 300);
	CU_ASSERT(seen.mistaken > 40);
	CU_ASSERT(seen.renamed > 2 * seen.mistaken);
	if (getenv("SHOW"))
		printf("# %" PRIu64 " early, %" PRIu64 " wait, %" PRIu64
		       " violate, %" PRIu64 " renamed, %" PRIu64 " mistaken\n",
		       seen.early, seen.waits, seen.violations, seen.renamed,
		       seen.mistaken);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "random programs over small structures", test_random },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = {
		{ .pName = "x86 core and slow reference", .pTests = tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
