/* Random machine instructions, interpreted before the first pass and behind each:
 * memory must be the same, so that a wrong pass is named. */
#include <stdio.h>

#include "codegen/costs.h"
#include "codegen/passes/lane.h"
#include "codegen/passes/make.h"
#include "opencl-rt/codegen/fit/fit.h"
#include "opencl-rt/codegen/passes.h"
#include "unit/harness.h"

enum { PROGRAMS = 3000, LANES = 4, FEW_REGISTERS = 5 };

/* Of all programs: instructions behind each pass, and what follows. */
enum {
	MERGED = CODEGEN_PASSES, /* instructions, where registers are few */
	FIT,                     /* programs */
	SPILLED,                 /* instructions of these */
	ALLOCATED,               /* registers */
	ALLOCATED_EARLY,         /* where registers are few */
	RUNS,                    /* of instructions of one kind */
	COSTS,
};

static struct cost costs[COSTS] = {
	[MERGED] = { "instructions behind merge", 0 },
	[FIT] = { "programs that fit in few registers", 0 },
	[SPILLED] = { "instructions behind spill", 0 },
	[ALLOCATED] = { "registers", 0 },
	[ALLOCATED_EARLY] = { "registers where they are few", 0 },
	[RUNS] = { "runs behind order", 0 },
};

static void note_runs(const struct machine *machine)
{
	for (unsigned i = 1; i < machine->inst_count; i++)
		costs[RUNS].sum += machine->insts[i].kind !=
				   machine->insts[i - 1].kind;
}

static bool say(unsigned seed, const char *stage, const char *what)
{
	printf("# program %u after stage %s: %s\n", seed, stage, what);
	return false;
}

/* The machine must be well formed, and do in each lane what it did. */
static bool is_kept(const struct machine *machine, const struct lane *expected,
		    unsigned seed, const char *stage, bool placed)
{
	static struct lane found;
	unsigned place;
	const char *fault = stage_verify(machine, &place);

	for (unsigned i = 0; i < LANES && !fault; i++) {
		fault = lane_run(&found, machine, i, placed);
		if (!fault && !lane_same(&expected[i], &found))
			fault = "other results";
	}
	return !fault || say(seed, stage, fault);
}

/* Those with few registers move values to memory and back. */
static bool check_places(const struct machine *from,
			 const struct lane *expected, unsigned seed, bool few)
{
	const char *stage = few ? "spill" : stage_name(STAGE_REGISTERS);
	struct machine machine;
	bool same = true, fits;

	machine_copy(&machine, from);
	if (few) {
		fit_copy_early(&machine);
		fit_merge(&machine, seed % 2);
		same = is_kept(&machine, expected, seed, "merge", false);
		costs[MERGED].sum += machine.inst_count;
		machine.most_registers = FEW_REGISTERS;
	}
	/* Some programs have too many values at once. */
	fits = same && !(few ? machine_spill(&machine)
			     : machine_allocate(&machine));
	if (fits) {
		same = is_kept(&machine, expected, seed, stage, true);
		costs[few ? ALLOCATED_EARLY : ALLOCATED].sum +=
			machine.hardware_registers;
	}
	if (fits && few) {
		costs[FIT].sum++;
		costs[SPILLED].sum += machine.inst_count;
	}
	machine_free(&machine);
	return same;
}

static bool check_program(struct machine *machine, unsigned seed)
{
	static struct lane expected[LANES];

	make_program(machine, seed);
	for (unsigned i = 0; i < LANES; i++) {
		const char *fault = lane_run(&expected[i], machine, i, false);

		if (fault)
			return say(seed, stage_name(STAGE_SELECT), fault);
	}
	for (size_t i = 0; i < CODEGEN_PASSES; i++) {
		codegen_passes[i].run(machine);
		costs[i].sum += machine->inst_count;
		if (!is_kept(machine, expected, seed,
			     stage_name(codegen_passes[i].stage), false))
			return false;
	}
	if (!check_places(machine, expected, seed, true))
		return false;
	machine_arrange(machine);
	note_runs(machine);
	return is_kept(machine, expected, seed, stage_name(STAGE_ORDER),
		       false) &&
	       check_places(machine, expected, seed, false);
}

static void test_passes(void)
{
	for (size_t i = 0; i < CODEGEN_PASSES; i++)
		costs[i].name = stage_name(codegen_passes[i].stage);
	for (unsigned seed = 0; seed < PROGRAMS; seed++) {
		struct machine machine = { .hardware_registers = 1 };

		CU_ASSERT(check_program(&machine, seed));
		machine_free(&machine);
	}
	CU_ASSERT_TRUE(costs_are_recorded("passes.txt", costs, COSTS));
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
