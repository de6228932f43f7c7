/* Whole ND-ranges: ids, barriers, any number of host threads, stepping,
 * limits, launch checks, statistics. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/fixture.h"
#include "evergreen/emu/memory/memory.h"
#include "evergreen/emu/run/pool.h"
#include "unit/harness.h"

static const struct evg_source unused;

/* KC0 constants, by dword in constant buffer 0. */
static struct evg_source constant(unsigned dword)
{
	return selector(EVG_SELECT_KCACHE0 + dword / 4, dword % 4);
}

enum { ARGUMENT = 9, GLOBAL_ID = 2, ADDRESS = 3 };

/* R2.x = global id, R3.x = dword index of argument 0's element of that id. */
static unsigned id_groups(struct evg_alu_group groups[8])
{
	unsigned n = 0;

	groups[n++] = group_of(EVG_ALU_MULLO_INT, GLOBAL_ID, 0, gpr(1, 0),
			       constant(6), unused);
	groups[n++] = group_of(EVG_ALU_ADD_INT, GLOBAL_ID, 0,
			       gpr(GLOBAL_ID, 0), gpr(0, 0), unused);
	groups[n] = group_begin();
	group_add(&groups[n], EVG_Y, EVG_ALU_LSHR_INT, ADDRESS, 1,
		  constant(ARGUMENT), group_literal(&groups[n], 2), unused);
	n++;
	groups[n++] = group_of(EVG_ALU_ADD_INT, ADDRESS, 0, gpr(ADDRESS, 1),
			       gpr(GLOBAL_ID, 0), unused);
	return n;
}

/* A kernel that does some of everything, in a way that does not depend on
 * the order of work-groups: loops (global id & 7) times, exchanges through
 * local memory, adds to a global counter, stores. */
static struct evg_program *busy_program(void)
{
	struct evg_alu_group groups[12], loop[3], add, swap[6], address[4];
	struct assembler as;
	unsigned n, start, end;

	asm_begin(&as);
	n = id_groups(groups);
	groups[n] = group_begin();
	group_add(&groups[n], EVG_X, EVG_ALU_AND_INT, 8, 0, gpr(GLOBAL_ID, 0),
		  group_literal(&groups[n], 7), unused);
	group_add(&groups[n], EVG_Y, EVG_ALU_MOV, 5, 1, gpr(GLOBAL_ID, 0),
		  unused, unused);
	n++;
	asm_alu(&as, EVG_CF_ALU, groups, n);

	start = asm_cf(&as, EVG_CF_LOOP_START_DX10, 0, 0);
	loop[0] = group_predicate(gpr(8, 0), true, false);
	asm_alu(&as, EVG_CF_ALU_BREAK, loop, 1);
	add = group_begin();
	group_add(&add, EVG_X, EVG_ALU_SUB_INT, 8, 0, gpr(8, 0),
		  selector(EVG_SELECT_1_INT, 0), unused);
	group_add(&add, EVG_Y, EVG_ALU_ADD_INT, 5, 1, gpr(5, 1),
		  group_literal(&add, 17), unused);
	asm_alu(&as, EVG_CF_ALU, &add, 1);
	asm_cf(&as, EVG_CF_LOOP_END, start + 1, 0);
	as.cf[start].address = as.count;

	/* LDS[4 * id] = R5.y; barrier; R5.x = LDS[4 * (id ^ 63)] */
	swap[0] = group_begin();
	group_add(&swap[0], EVG_Z, EVG_ALU_LSHL_INT, 6, 2, gpr(0, 0),
		  group_literal(&swap[0], 2), unused);
	swap[1] = group_lds(EVG_LDS_WRITE, gpr(6, 2), gpr(5, 1), unused);
	swap[2] = group_of(EVG_ALU_GROUP_BARRIER, 0, 0, unused, unused, unused);
	swap[2].inst[0].write_mask = false;
	swap[3] = group_begin();
	group_add(&swap[3], EVG_W, EVG_ALU_XOR_INT, 6, 3, gpr(6, 2),
		  group_literal(&swap[3], 63 * 4), unused);
	swap[4] = group_lds(EVG_LDS_READ_RET, gpr(6, 3), unused, unused);
	swap[5] = group_of(EVG_ALU_MOV, 5, 0,
			   selector(EVG_SELECT_LDS_OQ_A_POP, 0), unused,
			   unused);
	asm_alu(&as, EVG_CF_ALU, swap, 6);
	asm_store(&as, EVG_RAT_STORE_RAW, 5, ADDRESS, 1);

	/* Counter in argument 1. */
	address[0] = group_begin();
	group_add(&address[0], EVG_X, EVG_ALU_LSHR_INT, 7, 0,
		  constant(ARGUMENT + 1), group_literal(&address[0], 2),
		  unused);
	asm_alu(&as, EVG_CF_ALU, address, 1);
	asm_store(&as, EVG_RAT_ADD, 5, 7, 15);
	end = asm_cf(&as, EVG_CF_NOP, 0, 0);
	as.cf[end].end_of_program = true;
	return asm_program(&as);
}

static uint32_t busy_own(uint32_t id)
{
	return id + 17 * (id & 7);
}

/* --- A launch with its memory -------------------------------------------- */

struct job {
	struct evg_program *program;
	struct evg_memory *memory;
	struct evg_ndrange *ndrange;
	uint32_t items;
	uint32_t arguments[ASM_TAIL / 4];
	uint32_t *output, *counter;
};

static void job_begin(struct job *job, struct evg_program *program,
		      uint32_t items, uint32_t local)
{
	struct evg_launch launch;
	struct error error;

	memset(job, 0, sizeof *job);
	job->program = program;
	job->items = items;
	job->memory = evg_memory_create(1 << 26, &error);
	job->arguments[ARGUMENT] =
		evg_memory_allocate(job->memory, 4 * items, false, "output");
	job->arguments[ARGUMENT + 1] =
		evg_memory_allocate(job->memory, 4, false, "counter");
	job->output = evg_memory_host(job->memory, job->arguments[ARGUMENT],
				      4 * items);
	job->counter = evg_memory_host(job->memory,
				       job->arguments[ARGUMENT + 1], 4);
	launch = launch_of(program, job->memory, items, local);
	launch.arguments = (const uint8_t *)job->arguments;
	launch.local_memory = 1024;
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

static bool busy_right(const struct job *job)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < job->items; i++) {
		uint32_t wanted = busy_own(i ^ 63);

		sum += wanted;
		if (job->output[i] != wanted) {
			printf("# output %u: %u, wanted %u\n", i,
			       job->output[i], wanted);
			return false;
		}
	}
	return *job->counter == sum;
}

/* Everything that the ND-range counted, in one place. */
struct figures {
	struct evg_stats stats;
	uint64_t divergence[EVG_WAVEFRONT_SIZE + 1];
	uint64_t executions[256], lanes[256];
};

static struct figures *figures_of(const struct evg_ndrange *ndrange)
{
	struct figures *figures = xcalloc(1, sizeof *figures);
	const struct evg_inst_stats *rows;
	size_t count;

	evg_ndrange_stats(ndrange, &figures->stats);
	evg_ndrange_divergence(ndrange, figures->divergence);
	rows = evg_ndrange_inst_stats(ndrange, &count);
	for (size_t i = 0; i < count && i < 256; i++) {
		figures->executions[i] = rows[i].executions;
		figures->lanes[i] = rows[i].active_lanes;
	}
	return figures;
}

/* --- Threads and stepping ------------------------------------------------ */

static void run_stepped(struct evg_ndrange *ndrange)
{
	uint32_t count = evg_ndrange_wavefronts_per_group(ndrange);
	struct evg_step step;
	struct error error;

	for (uint64_t i = 0; i < evg_ndrange_group_count(ndrange); i++) {
		struct evg_work_group *group = evg_work_group_create(ndrange, i);
		bool more = true;

		while (more) {
			uint32_t waiting = 0;

			more = false;
			for (uint32_t k = 0; k < count; k++) {
				struct evg_wavefront *w =
					evg_work_group_wavefront(group, k);

				if (evg_wavefront_waiting(w)) {
					waiting++;
				} else if (!evg_wavefront_ended(w)) {
					CU_ASSERT_EQUAL(evg_wavefront_step(
								w, &step,
								&error),
							0);
				}
				more |= !evg_wavefront_ended(w);
			}
			for (uint32_t k = 0; waiting == count && k < count; k++)
				evg_wavefront_release(
					evg_work_group_wavefront(group, k));
		}
		evg_work_group_free(group);
	}
}

static void test_threads(void)
{
	struct evg_program *program = busy_program();
	struct figures *first = NULL;
	struct error error;

	for (unsigned threads = 0; threads <= 4; threads++) {
		struct figures *figures;
		struct job job;

		job_begin(&job, program, 256 * 50, 256);
		if (threads) {
			CU_ASSERT_EQUAL(evg_ndrange_run(job.ndrange, threads,
							0, &error),
					0);
		} else {
			run_stepped(job.ndrange);
		}
		CU_ASSERT(busy_right(&job));
		figures = figures_of(job.ndrange);
		if (first) {
			CU_ASSERT_EQUAL(memcmp(first, figures, sizeof *first),
					0);
			free(figures);
		} else {
			first = figures;
		}
		job_end(&job);
	}
	CU_ASSERT_EQUAL(first->stats.work_groups, 50);
	CU_ASSERT_EQUAL(first->stats.wavefronts, 200);
	CU_ASSERT_EQUAL(first->stats.work_items, 256 * 50);
	free(first);
	program_free(program);
}

/* An object for work-groups is used again and again: each finds zeros in the
 * registers that the one before has changed, whatever its size is. */
static void test_registers_begin_as_zeros(void)
{
	static const uint32_t sizes[] = {1, 5, 16, 17, 33, 64, 65, 100, 256};
	struct evg_alu_group groups[12];
	struct evg_program *program;
	struct assembler as;
	struct error error;
	unsigned n, end;

	asm_begin(&as);
	n = id_groups(groups);
	groups[n++] = group_of(EVG_ALU_ADD_INT, 5, 0, gpr(5, 0),
			       selector(EVG_SELECT_1_INT, 0), unused);
	asm_alu(&as, EVG_CF_ALU, groups, n);
	asm_store(&as, EVG_RAT_STORE_RAW, 5, ADDRESS, 1);
	end = asm_cf(&as, EVG_CF_NOP, 0, 0);
	as.cf[end].end_of_program = true;
	program = asm_program(&as);
	for (unsigned i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
		uint32_t right = 0;
		struct job job;

		job_begin(&job, program, 20 * sizes[i / 2], sizes[i / 2]);
		if (i % 2)
			run_stepped(job.ndrange);
		else
			CU_ASSERT_EQUAL(evg_ndrange_run(job.ndrange, 1, 0,
							&error),
					0);
		for (uint32_t k = 0; k < job.items; k++)
			right += job.output[k] == 1;
		CU_ASSERT_EQUAL(right, job.items);
		job_end(&job);
	}
	program_free(program);
}

/* Figures against each other, and some by hand. */
static void test_statistics(void)
{
	struct evg_program *program = busy_program();
	struct evg_stats stats;
	struct error error;
	struct job job;
	uint64_t divergence[EVG_WAVEFRONT_SIZE + 1], sum = 0, slots = 0;
	uint64_t groups = 0;
	const struct evg_inst_stats *rows;
	size_t count;

	job_begin(&job, program, 128, 128);
	CU_ASSERT_EQUAL(evg_ndrange_run(job.ndrange, 1, 0, &error), 0);
	evg_ndrange_stats(job.ndrange, &stats);
	evg_ndrange_divergence(job.ndrange, divergence);
	for (int n = 0; n <= EVG_WAVEFRONT_SIZE; n++)
		sum += divergence[n];
	CU_ASSERT_EQUAL(sum, stats.instructions);
	CU_ASSERT_EQUAL(stats.instructions, stats.cf_instructions +
						    stats.alu_groups +
						    stats.fetches);
	for (int n = 0; n < 5; n++) {
		groups += stats.vliw_slots[n];
		slots += stats.vliw_slots[n] * (n + 1);
	}
	CU_ASSERT_EQUAL(groups, stats.alu_groups);
	CU_ASSERT_EQUAL(slots, stats.alu_slots);
	CU_ASSERT_EQUAL(stats.global_writes, 2 * 2);
	CU_ASSERT_EQUAL(stats.lds_instructions, 2 * 2);
	/* Lanes go round 0 to 7 times: 8 tests, 7 bodies... by 2 waves, the
	 * last body's clause with no lane left included. */
	CU_ASSERT_EQUAL(stats.alu_clauses, 2 * (1 + 8 + 8 + 1 + 1));
	rows = evg_ndrange_inst_stats(job.ndrange, &count);
	for (size_t i = 1; i < count; i++)
		CU_ASSERT(rows[i].address >= rows[i - 1].address);
	/* The loop's body: lanes with 7, 6, ... 1 rounds to go. */
	for (size_t i = 0; i < count; i++)
		if (rows[i].group && rows[i].group->inst_count == 2 &&
		    rows[i].group->inst[0].op == EVG_ALU_SUB_INT) {
			CU_ASSERT_EQUAL(rows[i].executions, 2 * 8);
			CU_ASSERT_EQUAL(rows[i].active_lanes, 16 * 28);
		}
	job_end(&job);
	program_free(program);
}

/* --- Ids ---------------------------------------------------------------- */

/* Stores (local z, group y, constant-buffer dword `dword`, local x) of each
 * work-item; returns them for the work-item (x, y, z). */
static void test_ids(void)
{
	struct evg_alu_group groups[12];
	struct evg_memory *memory = evg_memory_create(1 << 20, NULL);
	uint32_t block = evg_memory_allocate(memory, 16 * 96, false, "ids");
	uint32_t arguments[ASM_TAIL / 4] = {0};
	struct evg_launch launch;
	struct evg_ndrange *ndrange;
	struct assembler as;
	struct evg_program *program;
	struct error error;
	uint32_t *out = evg_memory_host(memory, block, 16 * 96);
	unsigned n = 0;

	/* index = ((z * 4 + y) * 8 + x) * 4, of global ids, offset left out:
	 * size 8 x 4 x 3, groups of 4 x 2 x 1 */
	groups[n++] = group_of(EVG_ALU_MULLO_INT, 2, 0, gpr(1, 0), constant(6),
			       unused);
	groups[n++] = group_of(EVG_ALU_MULLO_INT, 2, 1, gpr(1, 1), constant(7),
			       unused);
	groups[n++] = group_of(EVG_ALU_MULLO_INT, 2, 2, gpr(1, 2), constant(8),
			       unused);
	groups[n] = group_begin();
	for (unsigned c = 0; c < 3; c++)
		group_add(&groups[n], c, EVG_ALU_ADD_INT, 2, c, gpr(2, c),
			  gpr(0, c), unused);
	n++;
	groups[n++] = group_of(EVG_ALU_MULLO_INT, 2, 2, gpr(2, 2), constant(4),
			       unused);
	groups[n++] = group_of(EVG_ALU_ADD_INT, 2, 1, gpr(2, 1), gpr(2, 2),
			       unused);
	groups[n++] = group_of(EVG_ALU_MULLO_INT, 2, 1, gpr(2, 1), constant(3),
			       unused);
	groups[n++] = group_of(EVG_ALU_ADD_INT, 2, 0, gpr(2, 0), gpr(2, 1),
			       unused);
	groups[n] = group_begin();
	group_add(&groups[n], EVG_X, EVG_ALU_LSHR_INT, 3, 0,
		  constant(ARGUMENT), group_literal(&groups[n], 2), unused);
	group_add(&groups[n], EVG_Y, EVG_ALU_LSHL_INT, 3, 1, gpr(2, 0),
		  group_literal(&groups[n], 2), unused);
	n++;
	groups[n++] = group_of(EVG_ALU_ADD_INT, 3, 0, gpr(3, 0), gpr(3, 1),
			       unused);
	groups[n] = group_begin();
	group_add(&groups[n], EVG_X, EVG_ALU_MOV, 4, 0, gpr(0, 2), unused,
		  unused);
	group_add(&groups[n], EVG_Y, EVG_ALU_MOV, 4, 1, gpr(1, 1), unused,
		  unused);
	/* Global offset y, behind work_dim in the tail. */
	group_add(&groups[n], EVG_Z, EVG_ALU_MOV, 4, 2,
		  constant(ASM_TAIL / 4 + 2), unused, unused);
	group_add(&groups[n], EVG_W, EVG_ALU_MOV, 4, 3, gpr(0, 0), unused,
		  unused);
	n++;
	asm_begin(&as);
	asm_alu(&as, EVG_CF_ALU, groups, n);
	asm_store(&as, EVG_RAT_STORE_RAW, 4, 3, 15);
	program = asm_program(&as);
	launch = launch_of(program, memory, 8, 4);
	launch.work_dim = 3;
	memcpy(launch.global_size, (uint32_t[]){8, 4, 3}, 12);
	memcpy(launch.local_size, (uint32_t[]){4, 2, 1}, 12);
	memcpy(launch.global_offset, (uint32_t[]){100, 200, 300}, 12);
	arguments[ARGUMENT] = block;
	launch.arguments = (const uint8_t *)arguments;
	ndrange = evg_ndrange_create(&launch, &error);
	CU_ASSERT_EQUAL(evg_ndrange_group_count(ndrange), 12);
	CU_ASSERT_EQUAL(evg_ndrange_wavefronts_per_group(ndrange), 1);
	CU_ASSERT_EQUAL(evg_ndrange_run(ndrange, 2, 0, &error), 0);
	for (uint32_t i = 0; i < 96; i++) {
		uint32_t x = i % 8, y = i / 8 % 4;

		CU_ASSERT_EQUAL(out[4 * i], 0);
		CU_ASSERT_EQUAL(out[4 * i + 1], y / 2);
		CU_ASSERT_EQUAL(out[4 * i + 2], 200);
		CU_ASSERT_EQUAL(out[4 * i + 3], x % 4);
	}
	evg_ndrange_free(ndrange);
	evg_memory_free(memory);
	program_free(program);
}

/* --- Relocated literals -------------------------------------------------- */

static void test_relocation(void)
{
	struct evg_alu_group groups[8];
	struct evg_program *program;
	struct evg_launch launch;
	struct assembler as;
	struct error error;
	uint32_t relocation;
	struct job job;
	unsigned n = id_groups(groups);

	groups[n] = group_begin();
	group_add(&groups[n], EVG_X, EVG_ALU_MOV, 5, 0,
		  group_literal(&groups[n], 0x1234), unused, unused);
	n++;
	asm_begin(&as);
	asm_alu(&as, EVG_CF_ALU, groups, n);
	asm_store(&as, EVG_RAT_STORE_RAW, 5, ADDRESS, 1);
	program = asm_program(&as);
	/* The last literal of the clause. */
	relocation = program->text_size - 8;
	program->relocations = &relocation;
	program->relocation_count = 1;
	job_begin(&job, program, 64, 64);
	for (uint32_t text = 0; text < 0x30000; text += 0x10000) {
		launch = *evg_ndrange_launch(job.ndrange);
		launch.text_address = text;
		evg_ndrange_free(job.ndrange);
		launch.arguments = (const uint8_t *)job.arguments;
		job.ndrange = evg_ndrange_create(&launch, &error);
		CU_ASSERT_EQUAL(evg_ndrange_run(job.ndrange, 1, 0, &error), 0);
		CU_ASSERT_EQUAL(job.output[63], 0x1234 + text);
	}
	job_end(&job);
	program_free(program);
}

/* --- Errors and limits --------------------------------------------------- */

/* Wavefront 0 of each group jumps around the barrier. */
static void test_barrier_not_reached(void)
{
	struct evg_alu_group condition[2] = {
		group_begin(), group_predicate(gpr(2, 0), true, false)};
	struct evg_alu_group barrier = group_of(EVG_ALU_GROUP_BARRIER, 0, 0,
						unused, unused, unused);
	struct evg_program *program;
	struct assembler as;
	struct error error;
	struct job job;

	group_add(&condition[0], EVG_X, EVG_ALU_AND_INT, 2, 0, gpr(0, 0),
		  group_literal(&condition[0], 64), unused);
	barrier.inst[0].write_mask = false;
	asm_begin(&as);
	asm_alu(&as, EVG_CF_ALU_PUSH_BEFORE, condition, 2);
	asm_cf(&as, EVG_CF_JUMP, 4, 1);
	asm_alu(&as, EVG_CF_ALU, &barrier, 1);
	asm_cf(&as, EVG_CF_POP, 4, 1);
	program = asm_program(&as);
	job_begin(&job, program, 256, 128);
	CU_ASSERT_EQUAL(evg_ndrange_run(job.ndrange, 1, 0, &error), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "GROUP_BARRIER"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(error.text, "wavefront 1 waits and wavefront 0 has"));
	job_end(&job);
	program_free(program);
}

/* Every group from 30 on stores outside; the first of them is reported. */
static void test_lowest_error(void)
{
	struct evg_alu_group groups[8];
	struct evg_program *program;
	struct evg_launch launch;
	struct assembler as;
	struct error error;
	struct job job;

	asm_begin(&as);
	asm_alu(&as, EVG_CF_ALU, groups, id_groups(groups));
	asm_store(&as, EVG_RAT_STORE_RAW, 5, ADDRESS, 1);
	program = asm_program(&as);
	job_begin(&job, program, 64 * 30, 64);
	launch = *evg_ndrange_launch(job.ndrange);
	launch.global_size[0] = 64 * 1000;
	evg_ndrange_free(job.ndrange);
	job.ndrange = NULL;
	for (unsigned threads = 1; threads <= 4; threads++) {
		launch.arguments = (const uint8_t *)job.arguments;
		job.ndrange = evg_ndrange_create(&launch, &error);
		CU_ASSERT_EQUAL(
			evg_ndrange_run(job.ndrange, threads, 0, &error), -1);
		/* The block after the output is 256 bytes away. */
		CU_ASSERT_PTR_NOT_NULL(
			strstr(error.text, "work-item (1920, 0, 0)"));
		evg_ndrange_free(job.ndrange);
	}
	job.ndrange = NULL;
	job_end(&job);
	program_free(program);
}

static void test_limit(void)
{
	struct evg_program *program;
	struct assembler as;
	struct error error;
	struct job job;
	struct evg_stats stats;

	asm_begin(&as);
	asm_cf(&as, EVG_CF_LOOP_START_DX10, 2, 0);
	asm_cf(&as, EVG_CF_LOOP_END, 1, 0);
	program = asm_program(&as);
	job_begin(&job, program, 256, 64);
	CU_ASSERT_EQUAL(evg_ndrange_run(job.ndrange, 4, 1000, &error), 1);
	evg_ndrange_stats(job.ndrange, &stats);
	CU_ASSERT_EQUAL(stats.instructions, 1000);
	job_end(&job);
	program_free(program);

	program = busy_program();
	job_begin(&job, program, 256 * 4, 256);
	CU_ASSERT_EQUAL(evg_ndrange_run(job.ndrange, 4, 1 << 20, &error), 0);
	job_end(&job);
	program_free(program);
}

static struct evg_program *endless_program(void)
{
	struct assembler as;

	asm_begin(&as);
	asm_cf(&as, EVG_CF_LOOP_START_DX10, 2, 0);
	asm_cf(&as, EVG_CF_LOOP_END, 1, 0);
	return asm_program(&as);
}

/* The first work-group is the one that is named, by any number of threads. */
static void test_group_limit(void)
{
	struct evg_program *program = endless_program();
	struct error error;
	struct job job;

	for (unsigned threads = 1; threads <= 4; threads++) {
		const struct evg_run_options options = {
			.threads = threads,
			.max_group_instructions = 123456,
		};

		job_begin(&job, program, 256 * 4, 64);
		CU_ASSERT_EQUAL(evg_ndrange_run_options(job.ndrange, &options,
							&error),
				-1);
		CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "kernel 'test'"));
		CU_ASSERT_PTR_NOT_NULL(strstr(error.text,
					      "work-group (0, 0, 0) has not "
					      "ended after 123456"));
		CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "code address"));
		job_end(&job);
	}
	program_free(program);

	program = busy_program();
	for (unsigned threads = 1; threads <= 2; threads++) {
		struct evg_run_options options = {
			.threads = threads,
			/* For each work-group, not for all. */
			.max_group_instructions = 1000,
		};

		job_begin(&job, program, 256 * 40, 256);
		CU_ASSERT_EQUAL(evg_ndrange_run_options(job.ndrange, &options,
							&error),
				0);
		CU_ASSERT(busy_right(&job));
		job_end(&job);
		options.max_group_instructions = 200;
		job_begin(&job, program, 256 * 40, 256);
		CU_ASSERT_EQUAL(evg_ndrange_run_options(job.ndrange, &options,
							&error),
				-1);
		job_end(&job);
	}
	program_free(program);
}

static bool stop_third(void *owner, uint64_t done, uint64_t total)
{
	int *calls = owner;

	CU_ASSERT_EQUAL(done, 0);
	CU_ASSERT_EQUAL(total, 16);
	return ++*calls >= 3;
}

/* Inside a kernel that never ends, on all threads. */
static void test_stop(void)
{
	struct evg_program *program = endless_program();
	struct evg_stats stats;
	struct error error;
	struct job job;

	for (unsigned threads = 1; threads <= 3; threads++) {
		int calls = 0;
		const struct evg_run_options options = {
			.threads = threads,
			.progress = stop_third,
			.owner = &calls,
		};

		job_begin(&job, program, 256 * 4, 64);
		CU_ASSERT_EQUAL(evg_ndrange_run_options(job.ndrange, &options,
							&error),
				1);
		CU_ASSERT_EQUAL(calls, 3);
		evg_ndrange_stats(job.ndrange, &stats);
		CU_ASSERT(stats.instructions > 1000);
		job_end(&job);
	}
	program_free(program);
}

static void test_pool(void)
{
	struct evg_program *program = busy_program();
	struct evg_pool *pool = evg_pool_create(3);
	struct error error;
	struct job job;

	for (uint32_t i = 0; i < 300; i++) {
		const struct evg_run_options options = {
			.threads = 1 + i % 4, .pool = pool};

		job_begin(&job, program, 64 * (1 + i % 5), 64);
		CU_ASSERT_EQUAL(evg_ndrange_run_options(job.ndrange, &options,
							&error),
				0);
		CU_ASSERT(busy_right(&job));
		job_end(&job);
	}
	evg_pool_free(pool);
	program_free(program);
}

static void refused(struct evg_program *program, struct evg_launch launch,
		    const char *why)
{
	struct error error = {""};

	launch.kernel = &program->kernels[0];
	CU_ASSERT_PTR_NULL(evg_ndrange_create(&launch, &error));
	if (!strstr(error.text, why))
		printf("# '%s', wanted '%s'\n", error.text, why);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, why));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "'test'"));
}

static void test_launch_checks(void)
{
	struct evg_program *program = busy_program();
	struct evg_memory *memory = evg_memory_create(1 << 20, NULL);
	struct evg_launch good = launch_of(program, memory, 64, 64), bad;

	bad = good;
	bad.local_size[1] = 5;
	refused(program, bad, "not a multiple");
	bad.global_size[1] = 5;
	refused(program, bad, "at most 256");
	bad = good;
	bad.global_size[2] = 0;
	refused(program, bad, "dimension 2 is 0");
	bad = good;
	bad.work_dim = 4;
	refused(program, bad, "work dimensions");
	bad = good;
	bad.local_memory = 32769;
	refused(program, bad, "local memory");
	program->kernels[0].registers = 125;
	refused(program, good, "registers");
	program->kernels[0].registers = 16;
	program->kernels[0].reqd_work_group_size[0] = 32;
	refused(program, good, "requires a work-group size");
	program->kernels[0].reqd_work_group_size[0] = 0;
	program->kernels[0].code_size = 24;
	refused(program, good, "kernel");
	evg_memory_free(memory);
	program_free(program);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"any number of threads, and stepped", test_threads},
		{"registers begin as zeros", test_registers_begin_as_zeros},
		{"statistics", test_statistics},
		{"ids and the constant buffer", test_ids},
		{"relocated literals", test_relocation},
		{"barrier not reached", test_barrier_not_reached},
		{"lowest error", test_lowest_error},
		{"instruction limit", test_limit},
		{"instruction limit of a work-group", test_group_limit},
		{"stopped", test_stop},
		{"threads that stay", test_pool},
		{"launch checks", test_launch_checks},
		CU_TEST_INFO_NULL};
	static CU_SuiteInfo suites[] = {
		{"evergreen emu run", NULL, NULL, NULL, NULL, tests},
		CU_SUITE_INFO_NULL};

	return harness_run(suites);
}
