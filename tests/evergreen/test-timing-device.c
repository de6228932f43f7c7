/* The dispatcher and whole launches of the timing model: occupancy, barriers,
 * errors, limits, sums, repeatability. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clc/support.h"
#include "evergreen/timing-machine.h"
#include "evergreen/timing/account.h"
#include "unit/harness.h"

static const struct evg_source unused;

static void add_nops(struct assembler *as, unsigned count)
{
	while (count--)
		asm_cf(as, EVG_CF_NOP, 0, 0);
}

/* --- Occupancy ----------------------------------------------------------- */

/* What a work-group needs, and how many wavefronts a compute unit then
 * takes. The kernel lasts long enough to fill the machine. */
static uint64_t occupancy(struct timing_machine *machine, uint32_t registers,
			  uint32_t local, uint32_t groups)
{
	struct assembler as;

	asm_begin(&as);
	as.registers = registers;
	add_nops(&as, 12);
	CU_ASSERT_EQUAL(machine_launch(machine, &as, groups * local, local),
			0);
	CU_ASSERT_EQUAL(machine_sum(machine, "WorkGroupCount"), groups);
	return machine_figure(machine, "ComputeUnit 0", "PeakWavefronts");
}

/* The guide's table: floor(248 / registers) wavefronts. */
static void test_registers(void)
{
	static const uint8_t wavefronts[][2] = {
		{ 1, 248 }, { 2, 124 }, { 3, 82 }, { 4, 62 }, { 5, 49 },
		{ 6, 41 },  { 7, 35 },  { 8, 31 }, { 9, 27 }, { 10, 24 },
		{ 11, 22 }, { 12, 20 }, { 13, 19 }, { 14, 17 }, { 15, 16 },
		{ 16, 15 }, { 17, 14 }, { 18, 13 }, { 19, 13 }, { 20, 12 },
		{ 22, 11 }, { 24, 10 }, { 27, 9 }, { 31, 8 }, { 35, 7 },
		{ 41, 6 }, { 49, 5 }, { 62, 4 }, { 82, 3 }, { 83, 2 },
		{ 124, 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wavefronts); i++) {
		struct timing_machine machine;

		machine_begin(&machine);
		machine.config.max_work_groups = 1024;
		machine.config.max_wavefronts = 1024;
		CU_ASSERT_EQUAL(occupancy(&machine, wavefronts[i][0], 64, 260),
				wavefronts[i][1]);
		machine_end(&machine);
	}
}

/* RegisterAllocGranularity and RegisterAllocSize. */
static void test_register_allocation(void)
{
	struct timing_machine machine;

	/* 3 x 64 rounded up to 256: as with four registers. */
	machine_begin(&machine);
	machine.config.max_work_groups = machine.config.max_wavefronts = 1024;
	machine.config.register_alloc_size = 256;
	CU_ASSERT_EQUAL(occupancy(&machine, 3, 64, 100), 62);
	machine_end(&machine);
	/* 4 x 3 x 64 = 768 is whole already. */
	machine_begin(&machine);
	machine.config.max_work_groups = machine.config.max_wavefronts = 1024;
	machine.config.register_alloc_size = 256;
	machine.config.register_granularity = EVG_GRANULARITY_WORK_GROUP;
	CU_ASSERT_EQUAL(occupancy(&machine, 3, 256, 30), 80);
	machine_end(&machine);
}

static uint64_t default_occupancy(uint32_t registers, uint32_t local_memory,
				  uint32_t local)
{
	struct timing_machine machine;
	uint64_t result;

	machine_begin(&machine);
	machine.local_memory = local_memory;
	result = occupancy(&machine, registers, local, 40);
	machine_end(&machine);
	return result;
}

static void test_other_limits(void)
{
	/* Eight work-groups; 32 wavefronts. */
	CU_ASSERT_EQUAL(default_occupancy(2, 0, 64), 8);
	CU_ASSERT_EQUAL(default_occupancy(2, 0, 192), 24);
	CU_ASSERT_EQUAL(default_occupancy(2, 0, 256), 32);
	/* Whole work-groups only. */
	CU_ASSERT_EQUAL(default_occupancy(10, 0, 256), 24);
	CU_ASSERT_EQUAL(default_occupancy(16, 0, 256), 12);
	/* The guide's table for local memory. */
	CU_ASSERT_EQUAL(default_occupancy(2, 4096, 256), 32);
	CU_ASSERT_EQUAL(default_occupancy(2, 4680, 256), 28);
	CU_ASSERT_EQUAL(default_occupancy(2, 5460, 256), 24);
	CU_ASSERT_EQUAL(default_occupancy(2, 6552, 256), 20);
	CU_ASSERT_EQUAL(default_occupancy(2, 8192, 256), 16);
	CU_ASSERT_EQUAL(default_occupancy(2, 8193, 256), 12);
	CU_ASSERT_EQUAL(default_occupancy(2, 16384, 256), 8);
	CU_ASSERT_EQUAL(default_occupancy(2, 32768, 256), 4);
}

/* 496 wavefronts in the device, dealt out in turn. */
static void test_device_limit(void)
{
	struct timing_machine machine;
	double most = 0;

	machine_begin(&machine);
	machine.config.compute_units = 20;
	occupancy(&machine, 2, 256, 400);
	CU_ASSERT_EQUAL(machine_figure(&machine, "Device", "PeakWavefronts"),
			496);
	/* 124 work-groups on 20 compute units. */
	for (unsigned i = 0; i < 20; i++) {
		char *section = xasprintf("ComputeUnit %u", i);
		double peak = 0;

		stats_lookup(machine.stats, "evergreen", section,
			     "PeakWavefronts", &peak);
		CU_ASSERT_TRUE(peak >= 24);
		CU_ASSERT_TRUE(peak <= 32);
		most = most < peak ? peak : most;
		free(section);
	}
	CU_ASSERT_TRUE(most >= 28);
	machine_end(&machine);
}

/* Work-group 0 takes long; each unit has room for two. */
static uint64_t retire(int order, uint32_t groups)
{
	struct evg_alu_group condition = group_predicate(gpr(1, 0), true,
							 false);
	struct timing_machine machine;
	struct assembler as;
	uint64_t cycles;
	unsigned jump;

	machine_begin(&machine);
	machine.config.retire_order = order;
	machine.config.compute_units = 2;
	machine.config.max_work_groups = 2;
	condition.inst[EVG_X].op = EVG_ALU_PRED_SETE_INT;
	asm_begin(&as);
	asm_alu(&as, EVG_CF_ALU_PUSH_BEFORE, &condition, 1);
	jump = asm_cf(&as, EVG_CF_JUMP, 0, 1);
	add_nops(&as, 100);
	as.cf[jump].address = asm_cf(&as, EVG_CF_POP, 0, 1) + 1;
	as.cf[as.cf[jump].address - 1].address = as.cf[jump].address;
	add_nops(&as, 5);
	CU_ASSERT_EQUAL(machine_launch(&machine, &as, 64 * groups, 64), 0);
	CU_ASSERT_EQUAL(machine_sum(&machine, "WorkGroupCount"), groups);
	cycles = machine.cycles;
	machine_end(&machine);
	return cycles;
}

/* Who waits for the first work-group: nobody; those of its unit; all. */
static void test_retire_order(void)
{
	uint64_t one = retire(EVG_RETIRE_ANY, 1);
	uint64_t any = retire(EVG_RETIRE_ANY, 24);
	uint64_t unit = retire(EVG_RETIRE_UNIT, 24);
	uint64_t device = retire(EVG_RETIRE_DEVICE, 24);

	printf("# %d alone, %d, %d, %d\n", (int)one, (int)any, (int)unit,
	       (int)device);
	CU_ASSERT(any < one + 200);
	CU_ASSERT_EQUAL(retire(EVG_RETIRE_UNIT, 1), one);
	CU_ASSERT(unit >= any);
	/* The four that fit, then all others. */
	CU_ASSERT(device > one + 1000);
	CU_ASSERT(device > unit);
}

static void refuse(uint32_t registers, uint32_t local_memory,
		   void (*configure)(struct evg_config *), const char *text)
{
	struct timing_machine machine;
	struct assembler as;

	machine_begin(&machine);
	configure(&machine.config);
	machine.local_memory = local_memory;
	asm_begin(&as);
	as.registers = registers;
	CU_ASSERT_EQUAL(machine_launch(&machine, &as, 512, 256), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(machine.error.text, text));
	CU_ASSERT_PTR_NOT_NULL(strstr(machine.error.text, "kernel 'test'"));
	/* The next one may fit. */
	machine.local_memory = 0;
	asm_begin(&as);
	as.registers = 2;
	CU_ASSERT_EQUAL(machine_launch(&machine, &as, 64, 64), 0);
	machine_end(&machine);
}

static void leave(struct evg_config *config)
{
	(void)config;
}

static void less_local(struct evg_config *config)
{
	config->local_size = 16384;
}

static void few_wavefronts(struct evg_config *config)
{
	config->max_wavefronts = 3;
}

static void small_device(struct evg_config *config)
{
	config->max_device_wavefronts = 2;
}

/* 70 registers for 256 work-items are the guide's example. */
static void test_does_not_fit(void)
{
	refuse(70, 0, leave, "[Device] NumRegisters");
	refuse(2, 16385, less_local, "[LocalMemory] Size");
	refuse(2, 0, few_wavefronts, "MaxWavefrontsPerComputeUnit");
	refuse(2, 0, small_device, "[Device] MaxWavefronts)");
}

/* --- Barriers ------------------------------------------------------------ */

static struct evg_alu_group barrier_group(void)
{
	struct evg_alu_group barrier = group_of(EVG_ALU_GROUP_BARRIER, 0, 0,
						unused, unused, unused);

	barrier.inst[0].write_mask = false;
	return barrier;
}

/* Four wavefronts, two places in the ALU engine; barriers at the start, in
 * the middle and at the end of clauses. */
static void test_barriers(void)
{
	struct evg_alu_group groups[7];
	struct timing_machine machine;
	struct assembler as;

	for (unsigned i = 0; i < 7; i++)
		groups[i] = i % 3 == 0 ? barrier_group()
				       : group_of(EVG_ALU_ADD_INT, 4, 0,
						  gpr(4, 0), gpr(4, 0),
						  unused);
	machine_begin(&machine);
	asm_begin(&as);
	as.registers = 8;
	asm_alu(&as, EVG_CF_ALU, groups, 7);
	asm_alu(&as, EVG_CF_ALU, groups, 7);
	CU_ASSERT_EQUAL(machine_launch(&machine, &as, 2560, 256), 0);
	CU_ASSERT_EQUAL(machine_sum(&machine, "ALUEngine.Instructions"),
			10 * 4 * 14);
	machine_end(&machine);
}

/* Only the second wavefront of each group waits; the first ends at once or
 * `nops` steps later. */
static void missing_barrier(unsigned nops)
{
	struct evg_alu_group condition[2] = {
		group_begin(), group_predicate(gpr(2, 0), true, false) };
	struct evg_alu_group barrier = barrier_group();
	struct timing_machine machine;
	struct assembler as;

	group_add(&condition[0], EVG_X, EVG_ALU_AND_INT, 2, 0, gpr(0, 0),
		  group_literal(&condition[0], 64), unused);
	machine_begin(&machine);
	asm_begin(&as);
	asm_alu(&as, EVG_CF_ALU_PUSH_BEFORE, condition, 2);
	asm_cf(&as, EVG_CF_JUMP, 4, 1);
	asm_alu(&as, EVG_CF_ALU, &barrier, 1);
	asm_cf(&as, EVG_CF_POP, 4, 1);
	add_nops(&as, nops);
	CU_ASSERT_EQUAL(machine_launch(&machine, &as, 1280, 128), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(machine.error.text, "GROUP_BARRIER"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(machine.error.text,
		       "wavefront 1 waits and wavefront 0 has"));
	/* The GPU has stopped. */
	asm_begin(&as);
	CU_ASSERT_EQUAL(machine_launch(&machine, &as, 64, 64), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(machine.error.text, "stopped"));
	machine_end(&machine);
}

static void test_missing_barrier(void)
{
	missing_barrier(0);
	missing_barrier(100);
}

/* --- Float mode ---------------------------------------------------------- */

/* A step flushes denormals, and the run leaves the host's mode as it was. */
static void test_denormals(void)
{
	enum { DENORMAL = 0x00400000, ONE = 0x3f800000, MARK = 7 };
	volatile float least = FLT_MIN;
	struct evg_alu_group groups[4];
	struct timing_machine machine;
	struct evg_source source;
	struct assembler as;

	machine_begin(&machine);
	asm_begin(&as);
	for (unsigned i = 0; i < 4; i++)
		groups[i] = group_begin();
	groups[0] = group_of(EVG_ALU_MOV, 2, 0,
			     selector(EVG_SELECT_KCACHE0 +
					      MACHINE_ARGUMENT / 4, 0),
			     unused, unused);
	source = group_literal(&groups[1], 2);
	group_add(&groups[1], EVG_X, EVG_ALU_LSHR_INT, 3, 0, gpr(2, 0),
		  source, unused);
	source = group_literal(&groups[2], DENORMAL);
	group_add(&groups[2], EVG_X, EVG_ALU_MUL_IEEE, 4, 0, source,
		  group_literal(&groups[2], ONE), unused);
	source = group_literal(&groups[3], MARK);
	group_add(&groups[3], EVG_X, EVG_ALU_ADD_INT, 4, 0, gpr(4, 0),
		  source, unused);
	asm_alu(&as, EVG_CF_ALU, groups, 4);
	asm_store(&as, EVG_RAT_STORE_RAW, 4, 3, 1);
	CU_ASSERT_EQUAL(machine_launch(&machine, &as, 64, 64), 0);
	CU_ASSERT_EQUAL(*(const uint32_t *)evg_memory_host(
				machine.memory, machine.data, 4),
			MARK);
	CU_ASSERT(least / 2 > 0);
	machine_end(&machine);
}

/* --- Errors and limits --------------------------------------------------- */

/* Work-group 7 and later store outside every block, while loads and stores
 * of others are on their way. */
static void test_kernel_error(void)
{
	struct evg_alu_group groups[3];
	struct evg_fetch_inst fetch = vertex_fetch(4, 2, 0, 13, 1);
	struct timing_machine machine;
	struct evg_source source;
	struct assembler as;

	machine_begin(&machine);
	machine.config.compute_units = 4;
	asm_begin(&as);
	for (unsigned i = 0; i < 3; i++)
		groups[i] = group_begin();
	source = group_literal(&groups[0], MACHINE_DATA / 7);
	group_add(&groups[0], EVG_T, EVG_ALU_MULLO_INT, 2, 0, gpr(1, 0),
		  source, unused);
	groups[1] = group_of(EVG_ALU_ADD_INT, 2, 0, gpr(2, 0),
			     selector(EVG_SELECT_KCACHE0 +
					      MACHINE_ARGUMENT / 4, 0),
			     unused);
	source = group_literal(&groups[2], 2);
	group_add(&groups[2], EVG_X, EVG_ALU_LSHR_INT, 3, 0, gpr(2, 0),
		  source, unused);
	asm_alu(&as, EVG_CF_ALU, groups, 3);
	asm_store(&as, EVG_RAT_STORE_RAW, 4, 3, 15);
	asm_fetch(&as, &fetch, 1);
	CU_ASSERT_EQUAL(machine_launch(&machine, &as, 6400, 64), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(machine.error.text, "global address"));
	CU_ASSERT_PTR_NOT_NULL(strstr(machine.error.text, "kernel 'test'"));
	/* What was on its way arrives, and does no harm. */
	evg_ndrange_free(machine.ndrange);
	machine.ndrange = NULL;
	while (event_queue_step(machine.events))
		;
	CU_ASSERT_EQUAL(memsys_pending(machine.memsys), 0);
	machine_end(&machine);
}

static bool stop_at_once(void *owner, uint64_t done, uint64_t total)
{
	unsigned *calls = owner;

	CU_ASSERT_TRUE(done < total);
	++*calls;
	return true;
}

static int limited(struct timing_machine *machine, uint32_t groups)
{
	struct assembler as;

	asm_begin(&as);
	add_nops(&as, 100);
	return machine_launch(machine, &as, groups * 64, 64);
}

static void test_limits(void)
{
	struct timing_machine machine;
	unsigned calls = 0;

	/* Counted over all launches. */
	machine_begin(&machine);
	machine.limits.cycles = 10000;
	CU_ASSERT_EQUAL(limited(&machine, 1), 0);
	CU_ASSERT_EQUAL(limited(&machine, 1), 0);
	CU_ASSERT_EQUAL(limited(&machine, 100), 1);
	CU_ASSERT_TRUE(evg_timing_cycles(machine.timing) >= 10000);
	CU_ASSERT_TRUE(evg_timing_cycles(machine.timing) <= 10040);
	/* Whatever was mapped counts, less the three ways to the unit. */
	CU_ASSERT_TRUE(machine_sum(&machine, "Cycles") > 9850);
	CU_ASSERT_EQUAL(limited(&machine, 1), 1);
	CU_ASSERT_EQUAL(machine.cycles, 0);
	machine_end(&machine);

	machine_begin(&machine);
	machine.limits.instructions = 1000;
	CU_ASSERT_EQUAL(limited(&machine, 100), 1);
	CU_ASSERT_EQUAL(evg_timing_instructions(machine.timing), 1000);
	machine_end(&machine);

	machine_begin(&machine);
	machine.limits.progress = stop_at_once;
	machine.limits.owner = &calls;
	CU_ASSERT_EQUAL(limited(&machine, 1000), 1);
	CU_ASSERT_EQUAL(calls, 1);
	machine_end(&machine);
}

/* --- Sums ---------------------------------------------------------------- */

/* A kernel with a branch, groups of several sizes, local memory, loads and
 * stores; and wavefronts that are not full. */
static void run_mixture(struct timing_machine *machine)
{
	struct evg_alu_group groups[6];
	struct evg_fetch_inst fetches[2] = {
		vertex_fetch(5, 2, 0, 34, 1), vertex_fetch(6, 2, 0, 13, 1) };
	struct assembler as;

	machine_begin(machine);
	machine->config.compute_units = 4;
	machine->local_memory = 4096;
	asm_begin(&as);
	for (unsigned i = 0; i < 6; i++)
		groups[i] = group_begin();
	group_add(&groups[0], EVG_X, EVG_ALU_LSHL_INT, 2, 0, gpr(0, 0),
		  group_literal(&groups[0], 4), unused);
	group_add(&groups[0], EVG_Y, EVG_ALU_AND_INT, 2, 1, gpr(0, 0),
		  group_literal(&groups[0], 5), unused);
	for (unsigned slot = EVG_X; slot <= EVG_T; slot++)
		group_add(&groups[1], slot, EVG_ALU_ADD_INT, 4 + slot / 4,
			  slot % 4, gpr(2, 0), gpr(0, 0), unused);
	groups[2] = group_of(EVG_ALU_ADD_INT, 2, 2, gpr(2, 0),
			     selector(EVG_SELECT_KCACHE0 +
					      MACHINE_ARGUMENT / 4, 0),
			     unused);
	groups[3] = group_lds(EVG_LDS_WRITE, gpr(2, 0), gpr(0, 0), unused);
	groups[4] = barrier_group();
	groups[5] = group_predicate(gpr(2, 1), true, false);
	asm_alu(&as, EVG_CF_ALU_PUSH_BEFORE, groups, 6);
	asm_cf(&as, EVG_CF_JUMP, 4, 1);
	asm_alu(&as, EVG_CF_ALU, groups, 2);
	asm_cf(&as, EVG_CF_POP, 4, 1);
	groups[0] = group_of(EVG_ALU_MOV, 2, 0, gpr(2, 2), unused, unused);
	groups[1] = group_begin();
	group_add(&groups[1], EVG_X, EVG_ALU_LSHR_INT, 3, 0, gpr(2, 0),
		  group_literal(&groups[1], 2), unused);
	asm_alu(&as, EVG_CF_ALU, groups, 2);
	asm_fetch(&as, fetches, 2);
	asm_store(&as, EVG_RAT_STORE_RAW, 5, 3, 15);
	CU_ASSERT_EQUAL(machine_launch(machine, &as, 2000, 100), 0);
}

static void test_sums(void)
{
	struct timing_machine machine;
	struct evg_stats expect;
	uint64_t slots = 0, groups = 0;

	run_mixture(&machine);
	evg_ndrange_stats(machine.ndrange, &expect);
	CU_ASSERT_EQUAL(expect.wavefronts, 40);
	CU_ASSERT_EQUAL(expect.work_groups, 20);
#define SAME(name, field) \
	CU_ASSERT_EQUAL(machine_sum(&machine, name), expect.field)
	SAME("WorkGroupCount", work_groups);
	SAME("Instructions", instructions);
	SAME("LaneOperations", lane_operations);
	SAME("CFEngine.Instructions", cf_instructions);
	SAME("CFEngine.ALUClauseTriggers", alu_clauses);
	SAME("CFEngine.TEXClauseTriggers", tex_clauses);
	SAME("CFEngine.GlobalMemWrites", global_writes);
	SAME("ALUEngine.WavefrontCount", alu_clauses);
	SAME("ALUEngine.Instructions", alu_groups);
	SAME("ALUEngine.InstructionSlots", alu_slots);
	SAME("ALUEngine.LocalMemorySlots", lds_instructions);
	SAME("TEXEngine.WavefrontCount", tex_clauses);
	SAME("TEXEngine.Instructions", fetches);
#undef SAME
	CU_ASSERT_EQUAL(expect.instructions,
			expect.cf_instructions + expect.alu_groups +
				expect.fetches);
	for (unsigned i = 0; i < 5; i++) {
		slots += (i + 1) * expect.vliw_slots[i];
		groups += expect.vliw_slots[i];
	}
	CU_ASSERT_EQUAL(slots, expect.alu_slots);
	CU_ASSERT_EQUAL(groups, expect.alu_groups);
	CU_ASSERT_EQUAL(machine_sum(&machine, "ALUEngine.VLIWOccupancy"),
			groups);
	CU_ASSERT_EQUAL(machine_sum(&machine, "LocalMemory.Writes"), 2000);
	CU_ASSERT_EQUAL(machine_figure(&machine, "Device", "Instructions"),
			expect.instructions);
	CU_ASSERT_EQUAL(machine_figure(&machine, "Device", "Cycles"),
			machine.cycles);
	CU_ASSERT_EQUAL(memsys_pending(machine.memsys), 0);
	machine_end(&machine);
}

/* All rows of an engine's account; 0 where a row does not apply. */
static uint64_t account_sum(const struct timing_machine *machine,
			    const char *section, enum account_engine engine)
{
	uint64_t sum = 0;

	for (int i = 0; i < ACCOUNT_REASONS; i++) {
		char *name;

		if (!account_applies(engine, (enum account_reason)i))
			continue;
		name = xasprintf("%s.Account.%s", account_engine_names[engine],
				 account_reason_names[i]);
		sum += machine_figure(machine, section, name);
		free(name);
	}
	return sum;
}

/* Every cycle of every engine belongs to one row, and the rows agree with
 * what the engines count themselves. */
static void test_account(void)
{
	struct timing_machine machine;

	run_mixture(&machine);
	for (int engine = 0; engine < ENGINE_COUNT; engine++) {
		for (unsigned i = 0; i < machine.config.compute_units; i++) {
			char *section = xasprintf("ComputeUnit %u", i);

			CU_ASSERT_EQUAL(account_sum(&machine, section, engine),
					machine.cycles);
			free(section);
		}
		CU_ASSERT_EQUAL(account_sum(&machine, "Device", engine),
				machine.cycles * machine.config.compute_units);
	}
	CU_ASSERT_EQUAL(machine_sum(&machine, "CFEngine.Account.Issued"),
			machine_sum(&machine, "CFEngine.Instructions"));
	CU_ASSERT_EQUAL(machine_sum(&machine, "TEXEngine.Account.Issued"),
			machine_sum(&machine, "TEXEngine.Cycles"));
	CU_ASSERT_EQUAL(machine_sum(&machine, "ALUEngine.Account.Issued") +
				machine_sum(&machine,
					    "ALUEngine.Account.LocalMemory"),
			machine_sum(&machine, "ALUEngine.Cycles"));
	CU_ASSERT_EQUAL(machine_sum(&machine,
				    "ALUEngine.Account.NoWavefront") +
				machine_sum(&machine, "Cycles"),
			machine.cycles * machine.config.compute_units);
	/* The mixture fetches, and its stores outlive it. */
	CU_ASSERT(machine_sum(&machine, "ALUEngine.Account.Data") > 0);
	CU_ASSERT(machine_sum(&machine, "ALUEngine.Account.NoWavefront") > 0);
	machine_end(&machine);
}

static void test_repeats(void)
{
	struct timing_machine machine;
	char *first, *second;

	run_mixture(&machine);
	first = machine_report(&machine);
	machine_end(&machine);
	run_mixture(&machine);
	second = machine_report(&machine);
	machine_end(&machine);
	CU_ASSERT_STRING_EQUAL(first, second);
	CU_ASSERT_TRUE(strlen(first) > 1000);
	free(first);
	free(second);
}

/* Launch after launch on one device. */
static void test_launches(void)
{
	struct timing_machine machine;
	uint64_t cycles;

	machine_begin(&machine);
	CU_ASSERT_EQUAL(limited(&machine, 20), 0);
	cycles = machine.cycles;
	CU_ASSERT_EQUAL(limited(&machine, 20), 0);
	CU_ASSERT_EQUAL(machine.cycles, cycles);
	CU_ASSERT_EQUAL(machine_figure(&machine, "Device", "NDRangeCount"), 2);
	CU_ASSERT_EQUAL(machine_figure(&machine, "Device", "Cycles"),
			2 * cycles);
	machine_end(&machine);
}

/* --- The same results as without timing ---------------------------------- */

static const char source[] =
	"__kernel void busy(__global int *out, __global int *counts,\n"
	"                   __global const int *in, __local int *part)\n"
	"{\n"
	"	int i = get_global_id(0), l = get_local_id(0), sum = 0;\n"
	"	int n = get_local_size(0);\n"
	"	part[l] = in[i];\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	for (int k = 0; k < (l & 7) + 3; k++)\n"
	"		sum += part[(l * 5 + k) % n] * k;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	part[n - 1 - l] = sum;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	if (sum & 1)\n"
	"		atomic_add(&counts[sum & 15], part[l]);\n"
	"	out[i] = part[l] + in[(i * 7) % get_global_size(0)];\n"
	"}\n";

enum { ITEMS = 3000, LOCAL = 200, BYTES = 4 * (2 * ITEMS + 16) };

/* The memory after the kernel; NULL (and the test fails) on an error. */
static uint32_t *run_busy(struct evg_program *program, bool detailed)
{
	const struct evg_kernel *kernel = evg_program_find(program, "busy");
	struct error error = { "" };
	struct evg_memory *memory = evg_memory_create(1 << 20, &error);
	uint32_t data = evg_memory_allocate(memory, BYTES, false, "data");
	uint32_t text = evg_memory_allocate(memory, program->text_size, true,
					    "text");
	uint32_t *words = evg_memory_host(memory, data, BYTES), *result;
	const uint32_t values[] = { data, data + 4 * ITEMS,
				    data + 4 * (ITEMS + 16), 0 };
	uint8_t arguments[1024] = { 0 };
	struct evg_launch launch = {
		.kernel = kernel,
		.memory = memory,
		.text_address = text,
		.work_dim = 1,
		.global_size = { ITEMS, 1, 1 },
		.local_size = { LOCAL, 1, 1 },
		.arguments = arguments,
		.local_memory = 4 * LOCAL,
	};
	struct evg_ndrange *ndrange;
	int status;

	memcpy(evg_memory_host(memory, text, program->text_size),
	       program->text, program->text_size);
	for (uint32_t i = 0; i < ITEMS; i++)
		words[ITEMS + 16 + i] = i * 2654435761u >> 16;
	for (unsigned i = 0; i < 4; i++)
		memcpy(arguments + kernel->arguments[i].offset, &values[i], 4);
	ndrange = evg_ndrange_create(&launch, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(ndrange);
	if (detailed) {
		const struct memsys_options options = { .compute_units = 3 };
		const struct evg_timing_limits limits = { 0 };
		struct event_queue *events = event_queue_create();
		struct memsys *memsys = memsys_create(events, &options,
						      &error);
		struct evg_timing *timing;
		struct evg_config config;

		evg_config_read(&config, NULL, NULL);
		config.compute_units = 3;
		timing = evg_timing_create(&config, events, memsys, &error);
		status = evg_timing_run(timing, ndrange, &limits, &error);
		evg_timing_free(timing);
		memsys_free(memsys);
		event_queue_free(events);
	} else {
		status = evg_ndrange_run(ndrange, 1, 0, &error);
	}
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_STRING_EQUAL(error.text, "");
	evg_ndrange_free(ndrange);
	result = xmalloc(BYTES);
	memcpy(result, words, BYTES);
	evg_memory_free(memory);
	return result;
}

static void test_results(void)
{
	struct clc_result binary = compile_text(source, "");
	struct error error = { "" };
	struct evg_program *program;
	uint32_t *functional, *detailed, any = 0;

	if (binary.status == CLC_NOT_AVAILABLE) {
		printf("# no kernel compiler: %s\n", binary.log);
		clc_result_free(&binary);
		return;
	}
	CU_ASSERT_EQUAL_FATAL(binary.status, CLC_DONE);
	program = evg_program_read("busy", binary.binary, binary.binary_size,
				   &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	functional = run_busy(program, false);
	detailed = run_busy(program, true);
	CU_ASSERT_EQUAL(memcmp(functional, detailed, BYTES), 0);
	for (uint32_t i = 0; i < ITEMS + 16; i++)
		any |= functional[i];
	CU_ASSERT_NOT_EQUAL(any, 0);
	free(functional);
	free(detailed);
	evg_program_free(program);
	clc_result_free(&binary);
}

int main(void)
{
	static CU_TestInfo occupied[] = {
		{ "registers", test_registers },
		{ "register allocation", test_register_allocation },
		{ "work-groups, wavefronts, local memory", test_other_limits },
		{ "device", test_device_limit },
		{ "order of retirement", test_retire_order },
		{ "what never fits", test_does_not_fit },
		CU_TEST_INFO_NULL,
	};
	static CU_TestInfo runs[] = {
		{ "barriers", test_barriers },
		{ "a barrier that not all reach", test_missing_barrier },
		{ "a kernel's error", test_kernel_error },
		{ "limits", test_limits },
		{ "sums", test_sums },
		{ "where the cycles go", test_account },
		{ "repeats exactly", test_repeats },
		{ "several launches", test_launches },
		{ "results of a compiled kernel", test_results },
		{ "denormals", test_denormals },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "occupancy", NULL, NULL, NULL, NULL, occupied },
		{ "timing runs", NULL, NULL, NULL, NULL, runs },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
