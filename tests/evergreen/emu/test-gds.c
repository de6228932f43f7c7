/* GDS instructions against the LDS operations of the same numbers, lane after
 * lane; append counters; the order of work-groups. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evergreen/emu/fixture.h"
#include "evergreen/emu/lds-reference.h"
#include "evergreen/isa/table.h"
#include "unit/harness.h"

enum { DWORDS = 256, ADDRESS = 2, RESULT = 4, MASK = 15 };

/* Address and operands in R2.xyz; what it returns to R4.xy. */
static struct evg_fetch_inst gds(enum evg_fetch_op op)
{
	return (struct evg_fetch_inst){
		.op = op,
		.source_gpr = ADDRESS,
		.source_select = {0, 1, 2},
		.dest_gpr = RESULT,
		.dest_select = {0, 1, 5, 7},
	};
}

static void gds_clause(struct assembler *as, const struct evg_fetch_inst *inst,
		       unsigned count)
{
	as->cf[asm_fetch(as, inst, count)].op = EVG_CF_GDS;
}

static bool is_gds(int op)
{
	return evg_fetch_info[op].layout == EVG_LAYOUT_GDS &&
	       evg_fetch_info[op].compute;
}

static enum evg_lds_op same_on_lds(enum evg_fetch_op op)
{
	/* Allocation adds and returns what was there. */
	if (op == EVG_FETCH_GDS_ATOMIC_ORDERED_ALLOC)
		return EVG_LDS_ADD_RET;
	return (enum evg_lds_op)evg_lds_find(evg_fetch_info[op].gds_op);
}

static uint32_t some_address(enum evg_lds_op op)
{
	switch (op) {
	case EVG_LDS_BYTE_WRITE:
	case EVG_LDS_BYTE_READ_RET:
	case EVG_LDS_UBYTE_READ_RET:
		return random_bits() % 64;
	case EVG_LDS_SHORT_WRITE:
	case EVG_LDS_SHORT_READ_RET:
	case EVG_LDS_USHORT_READ_RET:
		return random_bits() % 64 & ~1u;
	default:
		return random_bits() % 64 & ~3u;
	}
}

struct trial {
	uint32_t memory[DWORDS];
	uint32_t source[3][EVG_WAVEFRONT_SIZE], mask[EVG_WAVEFRONT_SIZE];
};

static void fill(struct trial *trial, enum evg_lds_op op)
{
	for (unsigned i = 0; i < DWORDS; i++)
		trial->memory[i] = random_bits() % 3 ? random_bits() % 5
						     : random_bits();
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		trial->mask[lane] = random_bits() >> 31;
		trial->source[0][lane] = some_address(op);
		trial->source[1][lane] = random_bits() % 3 ? random_bits() % 5
							   : random_bits();
		trial->source[2][lane] = random_bits();
		if (op == EVG_LDS_READ2_RET || op == EVG_LDS_READWRITE_RET)
			trial->source[1][lane] = some_address(op);
	}
}

/* One wavefront's run: its registers and the GDS afterwards. */
static bool matches(struct evg_ndrange *ndrange, const struct trial *trial,
		    enum evg_lds_op op, bool broadcast)
{
	struct evg_work_group *group = evg_work_group_create(ndrange, 0);
	struct evg_wavefront *wavefront = evg_work_group_wavefront(group, 0);
	struct trial after = *trial;
	uint32_t qa = 0, qb = 0;
	bool good, first = true;

	memcpy(ndrange->gds->memory, trial->memory, sizeof trial->memory);
	for (unsigned k = 0; k < 3; k++)
		memcpy(register_row(wavefront, ADDRESS, k), trial->source[k],
		       EVG_ROW_BYTES);
	memcpy(register_row(wavefront, MASK, 0), trial->mask, EVG_ROW_BYTES);
	good = evg_wavefront_run(wavefront) == EVG_RUN_ENDED;
	for (unsigned lane = 0; good && lane < EVG_WAVEFRONT_SIZE; lane++) {
		uint32_t wanted[4] = {0};

		if (trial->mask[lane]) {
			if (first || !broadcast)
				lds_define(op, after.memory, DWORDS, 0,
					   after.source[0][lane],
					   after.source[1][lane],
					   after.source[2][lane], &qa, &qb);
			first = false;
			wanted[0] = qa;
			wanted[1] = qb;
			wanted[2] = 0x3f800000;
		}
		for (unsigned c = 0; c < 4; c++) {
			uint32_t got =
				register_row(wavefront, RESULT, c)[lane];
			unsigned given = evg_lds_info[op].returns;

			/* Not said: what is read of a value not returned. */
			if (c < 2 && c >= given && trial->mask[lane])
				continue;
			good &= got == wanted[c];
		}
	}
	good &= !memcmp(ndrange->gds->memory, after.memory,
			sizeof after.memory);
	evg_work_group_free(group);
	return good;
}

static void check_operation(enum evg_fetch_op op, bool broadcast)
{
	struct evg_alu_group mask = group_predicate(gpr(MASK, 0), true, false);
	struct evg_memory *memory = evg_memory_create(1 << 20, NULL);
	struct evg_fetch_inst inst = gds(op);
	struct evg_program *program;
	struct evg_ndrange *ndrange;
	struct evg_launch launch;
	struct assembler as;
	bool good = true;

	inst.broadcast_first = broadcast;
	asm_begin(&as);
	asm_alu(&as, EVG_CF_ALU_PUSH_BEFORE, &mask, 1);
	gds_clause(&as, &inst, 1);
	asm_cf(&as, EVG_CF_POP, as.count + 1, 1);
	program = asm_program(&as);
	launch = launch_of(program, memory, 64, 64);
	ndrange = evg_ndrange_create(&launch, NULL);
	for (int round = 0; round < 10; round++) {
		struct trial trial;

		fill(&trial, same_on_lds(op));
		good &= matches(ndrange, &trial, same_on_lds(op), broadcast);
	}
	if (!good)
		printf("# %s\n", evg_fetch_info[op].name);
	CU_ASSERT(good);
	evg_ndrange_free(ndrange);
	evg_memory_free(memory);
	program_free(program);
}

static void test_operations(void)
{
	random_seed(64);
	for (int op = 0; op < EVG_FETCH_COUNT; op++)
		for (int broadcast = 0; is_gds(op) && broadcast < 2;
		     broadcast++)
			check_operation((enum evg_fetch_op)op, broadcast);
}

/* --- Work-groups in order ------------------------------------------------ */

enum { GROUPS = 64, ITEMS = 64 };

/* Each work-item takes a number and stores it at its global id: the same with
 * any number of threads. */
static void run_counted(const struct evg_program *program, unsigned threads,
			uint32_t taken[GROUPS * ITEMS])
{
	struct evg_memory *memory = evg_memory_create(1 << 20, NULL);
	uint32_t address = evg_memory_allocate(
		memory, GROUPS * ITEMS * 4 + 4, false, "out");
	struct evg_launch launch =
		launch_of(program, memory, GROUPS * ITEMS, ITEMS);
	uint32_t arguments[ASM_TAIL / 4] = {[9] = address};
	struct evg_ndrange *ndrange;
	struct error error;

	launch.arguments = (const uint8_t *)arguments;
	ndrange = evg_ndrange_create(&launch, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(ndrange);
	CU_ASSERT_EQUAL(evg_ndrange_run(ndrange, threads, 0, &error), 0);
	memcpy(taken, evg_memory_host(memory, address, GROUPS * ITEMS * 4),
	       GROUPS * ITEMS * 4);
	evg_ndrange_free(ndrange);
	evg_memory_free(memory);
}

/* R2.y = 1 is added; the result goes to out[global id]. */
static struct evg_program *count_program(const struct evg_fetch_inst *inst)
{
	struct evg_source none = selector(EVG_SELECT_0, 0);
	struct evg_alu_group before[3], after[3];
	struct assembler as;

	before[0] = group_of(EVG_ALU_MOV, ADDRESS, 0, none, none, none);
	before[1] = group_of(EVG_ALU_MOV, ADDRESS, 1,
			     selector(EVG_SELECT_1_INT, 0), none, none);
	/* R3.x = (group * 64 + item) + address / 4 */
	after[0] = group_begin();
	group_add(&after[0], EVG_X, EVG_ALU_LSHL_INT, 3, 0, gpr(1, 0),
		  group_literal(&after[0], 6), none);
	after[1] = group_of(EVG_ALU_ADD_INT, 3, 0, gpr(3, 0), gpr(0, 0), none);
	after[2] = group_begin();
	group_add(&after[2], EVG_Y, EVG_ALU_LSHR_INT, 3, 1,
		  selector(EVG_SELECT_KCACHE0 + 2, 1),
		  group_literal(&after[2], 2), none);
	asm_begin(&as);
	asm_alu(&as, EVG_CF_ALU, before, 2);
	gds_clause(&as, inst, 1);
	asm_alu(&as, EVG_CF_ALU, after, 3);
	after[0] = group_of(EVG_ALU_ADD_INT, 3, 0, gpr(3, 0), gpr(3, 1), none);
	asm_alu(&as, EVG_CF_ALU, after, 1);
	asm_store(&as, EVG_RAT_STORE_RAW, RESULT, 3, 1);
	return asm_program(&as);
}

/* The same with an atomic on global memory, behind the results. */
static struct evg_program *atomic_program(void)
{
	struct evg_source none = selector(EVG_SELECT_0, 0);
	struct evg_fetch_inst old = vertex_fetch(RESULT, 3, 0, 13, 160);
	struct evg_alu_group groups[6];
	struct assembler as;

	groups[0] = group_begin();
	group_add(&groups[0], EVG_X, EVG_ALU_LSHL_INT, 3, 0, gpr(1, 0),
		  group_literal(&groups[0], 6), none);
	groups[1] = group_of(EVG_ALU_ADD_INT, 3, 0, gpr(3, 0), gpr(0, 0), none);
	groups[2] = group_begin();
	group_add(&groups[2], EVG_Y, EVG_ALU_LSHR_INT, 3, 1,
		  selector(EVG_SELECT_KCACHE0 + 2, 1),
		  group_literal(&groups[2], 2), none);
	groups[3] = group_begin();
	group_add(&groups[3], EVG_X, EVG_ALU_ADD_INT, 6, 0, gpr(3, 1),
		  group_literal(&groups[3], GROUPS * ITEMS), none);
	groups[4] = group_of(EVG_ALU_ADD_INT, 3, 0, gpr(3, 0), gpr(3, 1), none);
	groups[5] = group_of(EVG_ALU_MOV, 5, 0, selector(EVG_SELECT_1_INT, 0),
			     none, none);
	asm_begin(&as);
	asm_alu(&as, EVG_CF_ALU, groups, 6);
	asm_store(&as, EVG_RAT_ADD_RTN, 5, 6, 15);
	asm_cf(&as, EVG_CF_WAIT_ACK, 0, 0);
	asm_fetch(&as, &old, 1);
	asm_store(&as, EVG_RAT_STORE_RAW, RESULT, 3, 1);
	return asm_program(&as);
}

static void check_order(struct evg_program *program)
{
	static uint32_t taken[GROUPS * ITEMS];
	bool good = true;

	for (unsigned threads = 1; threads <= 4; threads += 3) {
		run_counted(program, threads, taken);
		for (uint32_t i = 0; i < GROUPS * ITEMS; i++)
			good &= taken[i] == i;
	}
	CU_ASSERT(good);
	program_free(program);
}

static void test_order(void)
{
	struct evg_fetch_inst inst = gds(EVG_FETCH_GDS_ADD_RET);

	check_order(count_program(&inst));
	inst.alloc_consume = true;
	inst.uav_id = 11;
	check_order(count_program(&inst));
	inst = gds(EVG_FETCH_GDS_ATOMIC_ORDERED_ALLOC);
	check_order(count_program(&inst));
	check_order(atomic_program());
}

/* --- Errors --------------------------------------------------------------- */

static void refuses(struct evg_fetch_inst inst, uint32_t address,
		    const char *why)
{
	struct evg_memory *memory = evg_memory_create(1 << 20, NULL);
	struct evg_program *program;
	struct evg_ndrange *ndrange;
	struct evg_work_group *group;
	struct evg_wavefront *wavefront;
	struct evg_launch launch;
	struct assembler as;
	struct error error = {""};

	asm_begin(&as);
	gds_clause(&as, &inst, 1);
	program = asm_program(&as);
	launch = launch_of(program, memory, 64, 64);
	ndrange = evg_ndrange_create(&launch, NULL);
	group = evg_work_group_create(ndrange, 0);
	wavefront = evg_work_group_wavefront(group, 0);
	register_row(wavefront, ADDRESS, 0)[5] = address;
	if (evg_wavefront_run(wavefront) == EVG_RUN_FAULT)
		evg_fault_report(wavefront, &error);
	if (!strstr(error.text, why))
		printf("# '%s': %s\n", why, error.text);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, why));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(error.text, evg_fetch_info[inst.op].name));
	evg_work_group_free(group);
	evg_ndrange_free(ndrange);
	evg_memory_free(memory);
	program_free(program);
}

static void test_errors(void)
{
	struct evg_fetch_inst inst = gds(EVG_FETCH_GDS_READ_RET);

	refuses(inst, 65536, "work-item (5, 0, 0): access of 4 bytes at GDS "
			     "address 0x10000");
	refuses(inst, 0xfffffffc, "GDS address 0xfffffffc");
	refuses(inst, 2, "not aligned");
	inst.source_gpr = 100;
	refuses(inst, 0, "beyond the kernel's registers");
	inst = gds(EVG_FETCH_GDS_ADD);
	inst.alloc_consume = true;
	inst.uav_id = 12;
	refuses(inst, 0, "append counter");
	inst = gds(EVG_FETCH_GDS_ADD);
	inst.source_relative_mode = 1;
	refuses(inst, 0, "relative");
	refuses((struct evg_fetch_inst){.op = EVG_FETCH_TF_WRITE}, 0,
		"tessellation");
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"operations", test_operations},
		{"work-groups in order", test_order},
		{"errors", test_errors},
		CU_TEST_INFO_NULL};
	static CU_SuiteInfo suites[] = {
		{"evergreen emu gds", NULL, NULL, NULL, NULL, tests},
		CU_SUITE_INFO_NULL};

	return harness_run(suites);
}
