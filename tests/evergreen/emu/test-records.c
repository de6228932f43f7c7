/* Figures of single wavefronts: a kernel small enough to be counted by hand,
 * the same in every way to run it, and their sums. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/fixture.h"
#include "evergreen/emu/memory/memory.h"
#include "evergreen/emu/count/wavefront-stats.h"
#include "unit/harness.h"

static const struct evg_source unused;

/* Work-groups of a whole wavefront and half of one. */
enum { GROUPS = 5, LOCAL = 96, WAVEFRONTS = 2 * GROUPS, TAKEN = 40 };

/* Argument 0, an address, in KC0. */
static struct evg_source argument(void)
{
	return selector(EVG_SELECT_KCACHE0 + 9 / 4, 9 % 4);
}

/* Work-items 0 to 39 of each work-group take the branch. */
static struct evg_program *branch_program(void)
{
	struct evg_alu_group test[3], body = group_begin();
	struct evg_fetch_inst fetches[2];
	struct assembler as;
	unsigned jump, end;

	asm_begin(&as);
	test[0] = group_begin();
	group_add(&test[0], EVG_X, EVG_ALU_LSHR_INT, 5, 0, argument(),
		  group_literal(&test[0], 2), unused);
	group_add(&test[0], EVG_Y, EVG_ALU_MOV, 7, 1, argument(), unused,
		  unused);
	test[1] = group_begin();
	group_add(&test[1], EVG_X, EVG_ALU_SETGT_INT, 4, 0,
		  group_literal(&test[1], TAKEN), gpr(0, 0), unused);
	test[2] = group_predicate(gpr(4, 0), true, false);
	asm_alu(&as, EVG_CF_ALU_PUSH_BEFORE, test, 3);
	jump = asm_cf(&as, EVG_CF_JUMP, 0, 1);
	for (unsigned slot = EVG_X; slot <= EVG_Z; slot++)
		group_add(&body, slot, EVG_ALU_MOV, 8, slot, gpr(0, 0), unused,
			  unused);
	asm_alu(&as, EVG_CF_ALU_POP_AFTER, &body, 1);
	as.cf[jump].address = as.count;
	fetches[0] = vertex_fetch(6, 7, 1, 13, 1); /* global memory */
	fetches[1] = vertex_fetch(9, 10, 0, 13, 3); /* a kernel parameter */
	asm_fetch(&as, fetches, 2);
	asm_store(&as, EVG_RAT_STORE_RAW, 8, 5, 1);
	end = asm_cf(&as, EVG_CF_NOP, 0, 0);
	as.cf[end].end_of_program = true;
	return asm_program(&as);
}

struct job {
	struct evg_memory *memory;
	struct evg_ndrange *ndrange;
	const struct evg_wavefront_stats *records;
	uint64_t count;
};

static void job_begin(struct job *job, const struct evg_program *program)
{
	uint32_t arguments[ASM_TAIL / 4] = { 0 };
	struct evg_launch launch;
	struct error error;

	job->memory = evg_memory_create(1 << 20, &error);
	launch = launch_of(program, job->memory, GROUPS * LOCAL, LOCAL);
	arguments[9] = evg_memory_allocate(job->memory, 4, false, "output");
	launch.arguments = (const uint8_t *)arguments;
	job->ndrange = evg_ndrange_create(&launch, &error);
	if (!job->ndrange) {
		printf("Bail out! %s\n", error.text);
		exit(1);
	}
}

static void job_end(struct job *job)
{
	evg_ndrange_free(job->ndrange);
	evg_memory_free(job->memory);
}

static void run_stepped(struct evg_ndrange *ndrange)
{
	struct evg_step step;
	struct error error;

	for (uint64_t i = 0; i < GROUPS; i++) {
		struct evg_work_group *group = evg_work_group_create(ndrange, i);

		for (uint32_t k = 0; k < 2; k++) {
			struct evg_wavefront *wavefront =
				evg_work_group_wavefront(group, k);

			while (!evg_wavefront_ended(wavefront) &&
			       !evg_wavefront_step(wavefront, &step, &error))
				;
		}
		evg_work_group_free(group);
	}
}

/* `threads` 0: step by step. Returns what the run returned. */
static int run(struct job *job, const struct evg_program *program,
	       unsigned threads, bool interpreted, uint64_t limit)
{
	const struct evg_run_options options = {
		.threads = threads,
		.interpreted = interpreted,
		.max_instructions = limit,
	};
	struct error error;
	int status = 0;

	job_begin(job, program);
	evg_ndrange_record_wavefronts(job->ndrange);
	if (threads)
		status = evg_ndrange_run_options(job->ndrange, &options,
						 &error);
	else
		run_stepped(job->ndrange);
	job->records = evg_ndrange_wavefront_stats(job->ndrange, &job->count);
	CU_ASSERT_EQUAL_FATAL(job->count, WAVEFRONTS);
	return status;
}

/* Counted by hand. */
static void check_whole(const struct evg_wavefront_stats *record)
{
	const uint64_t slots[5] = { 2, 1, 1 };

	CU_ASSERT(record->started);
	CU_ASSERT_EQUAL(record->n.instructions, 6 + 4 + 2);
	CU_ASSERT_EQUAL(record->n.cf_instructions, 6);
	CU_ASSERT_EQUAL(record->n.alu_clauses, 2);
	CU_ASSERT_EQUAL(record->n.alu_groups, 4);
	CU_ASSERT_EQUAL(record->n.alu_slots, 4 + 3);
	CU_ASSERT(!memcmp(record->n.vliw_slots, slots, sizeof slots));
	CU_ASSERT_EQUAL(record->n.tex_clauses, 1);
	CU_ASSERT_EQUAL(record->n.fetches, 2);
	CU_ASSERT_EQUAL(record->global_reads, 1);
	CU_ASSERT_EQUAL(record->n.global_writes, 1);
	CU_ASSERT_EQUAL(record->n.lane_operations,
			64 * (4 + 2 + 1) + TAKEN * 3);
	CU_ASSERT_EQUAL_FATAL(record->path_count, 2);
	CU_ASSERT_EQUAL(record->paths[0].lanes, (UINT64_C(1) << TAKEN) - 1);
	CU_ASSERT_EQUAL(record->paths[1].lanes, UINT64_MAX << TAKEN);
	CU_ASSERT_NOT_EQUAL(record->paths[0].digest, record->paths[1].digest);
}

/* None of its work-items takes the branch: the clause is left out. */
static void check_half(const struct evg_wavefront_stats *record)
{
	const uint64_t slots[5] = { 2, 1 };

	CU_ASSERT(record->started);
	CU_ASSERT_EQUAL(record->n.instructions, 5 + 3 + 2);
	CU_ASSERT_EQUAL(record->n.cf_instructions, 5);
	CU_ASSERT_EQUAL(record->n.alu_clauses, 1);
	CU_ASSERT_EQUAL(record->n.alu_slots, 4);
	CU_ASSERT(!memcmp(record->n.vliw_slots, slots, sizeof slots));
	CU_ASSERT_EQUAL(record->n.lane_operations, 32 * (4 + 2 + 1));
	CU_ASSERT_EQUAL_FATAL(record->path_count, 1);
	CU_ASSERT_EQUAL(record->paths[0].lanes, UINT32_MAX);
}

static void test_by_hand(void)
{
	struct evg_program *program = branch_program();

	for (unsigned threads = 0; threads <= 4; threads++)
		for (int interpreted = 0; interpreted < 2; interpreted++) {
			struct job job;

			CU_ASSERT_EQUAL(run(&job, program, threads, interpreted,
					    0),
					0);
			for (int i = 0; i < WAVEFRONTS; i += 2) {
				const struct evg_wavefront_stats *pair =
					&job.records[i];

				check_whole(&pair[0]);
				check_half(&pair[1]);
				/* The same paths, in other company. */
				CU_ASSERT_EQUAL(pair[0].paths[1].digest,
						pair[1].paths[0].digest);
				CU_ASSERT_EQUAL(
					pair[0].paths[0].digest,
					job.records[0].paths[0].digest);
			}
			job_end(&job);
		}
	program_free(program);
}

static void check_sums(const struct job *job)
{
	struct evg_stats totals, sum = { 0 };
	uint64_t reads = 0;

	evg_ndrange_stats(job->ndrange, &totals);
	for (uint64_t i = 0; i < job->count; i++) {
		const struct evg_wavefront_stats *record = &job->records[i];

		sum.wavefronts += record->started;
		sum.instructions += record->n.instructions;
		sum.lane_operations += record->n.lane_operations;
		sum.cf_instructions += record->n.cf_instructions;
		sum.alu_clauses += record->n.alu_clauses;
		sum.tex_clauses += record->n.tex_clauses;
		sum.global_writes += record->n.global_writes;
		sum.alu_groups += record->n.alu_groups;
		sum.alu_slots += record->n.alu_slots;
		sum.lds_instructions += record->n.lds_instructions;
		sum.fetches += record->n.fetches;
		for (int k = 0; k < 5; k++)
			sum.vliw_slots[k] += record->n.vliw_slots[k];
		reads += record->global_reads;
	}
	sum.work_groups = totals.work_groups;
	sum.work_items = totals.work_items;
	CU_ASSERT(!memcmp(&sum, &totals, sizeof sum));
	CU_ASSERT_EQUAL(reads, evg_ndrange_global_reads(job->ndrange));
}

static void test_sums(void)
{
	struct evg_program *program = branch_program();
	struct evg_path_counts paths;
	struct job job;

	run(&job, program, 2, false, 0);
	check_sums(&job);
	evg_ndrange_paths(job.ndrange, &paths);
	CU_ASSERT_EQUAL(paths.wavefronts[1], GROUPS);
	CU_ASSERT_EQUAL(paths.wavefronts[2], GROUPS);
	CU_ASSERT_EQUAL(paths.work_items[0], GROUPS * (TAKEN + 32));
	CU_ASSERT_EQUAL(paths.work_items[1], GROUPS * (64 - TAKEN));
	job_end(&job);
	program_free(program);
}

/* The counters begin anew with each work-group and after a limit they have
 * what was executed. */
static void test_limit(void)
{
	struct evg_program *program = branch_program();

	for (uint64_t limit = 1; limit < 60; limit += 7) {
		uint64_t executed = 0;
		struct job job;

		CU_ASSERT_EQUAL(run(&job, program, 1, false, limit), 1);
		check_sums(&job);
		for (uint64_t i = 0; i < job.count; i++)
			executed += job.records[i].n.instructions;
		CU_ASSERT(executed >= limit && executed < limit + 6);
		CU_ASSERT(!job.records[WAVEFRONTS - 1].started);
		job_end(&job);
	}
	program_free(program);
}

static void test_not_asked(void)
{
	struct evg_program *program = branch_program();
	struct evg_stats totals;
	struct error error;
	struct job job;
	uint64_t count;

	job_begin(&job, program);
	CU_ASSERT_EQUAL(evg_ndrange_run(job.ndrange, 1, 0, &error), 0);
	CU_ASSERT_PTR_NULL(evg_ndrange_wavefront_stats(job.ndrange, &count));
	evg_ndrange_stats(job.ndrange, &totals);
	CU_ASSERT_EQUAL(totals.instructions, GROUPS * (12 + 10));
	CU_ASSERT_EQUAL(evg_ndrange_global_reads(job.ndrange), WAVEFRONTS);
	job_end(&job);
	program_free(program);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "counted by hand, in every way", test_by_hand },
		{ "they sum to those of the ND-range", test_sums },
		{ "after a limit", test_limit },
		{ "nobody asked", test_not_asked },
		CU_TEST_INFO_NULL };
	static CU_SuiteInfo suites[] = {
		{ "evergreen wavefront records", NULL, NULL, NULL, NULL,
		  tests },
		CU_SUITE_INFO_NULL };

	return harness_run(suites);
}
