/* LDS operations against their definitions, lane after lane; the output
 * queues; errors. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/count/banks.h"
#include "evergreen/emu/fixture.h"
#include "evergreen/emu/lds-reference.h"
#include "unit/harness.h"

enum { LOCAL = 1024, DWORDS = LOCAL / 4, OFFSET = 3 };

struct local {
	uint32_t d[DWORDS];
};

static const struct evg_source unused;

static bool has_offset(enum evg_lds_op op)
{
	return op == EVG_LDS_WRITE_REL || op == EVG_LDS_XCHG_REL_RET ||
	       op == EVG_LDS_WRITE2 || op == EVG_LDS_XCHG2_RET ||
	       op == EVG_LDS_READ_REL_RET;
}

/* Lanes do not meet in operations whose two accesses have no order. */
static uint32_t random_address(enum evg_lds_op op, unsigned lane)
{
	switch (op) {
	case EVG_LDS_BYTE_WRITE:
	case EVG_LDS_BYTE_READ_RET:
	case EVG_LDS_UBYTE_READ_RET:
		return random_bits() % 128;
	case EVG_LDS_SHORT_WRITE:
	case EVG_LDS_SHORT_READ_RET:
	case EVG_LDS_USHORT_READ_RET:
		return random_bits() % 128 & ~1u;
	case EVG_LDS_WRITE_REL:
	case EVG_LDS_WRITE2:
	case EVG_LDS_XCHG2_RET:
	case EVG_LDS_XCHG_REL_RET:
		/* d and far are never another lane's. */
		return 4 * (lane % 3 + 6 * (lane / 3 % 10));
	case EVG_LDS_READWRITE_RET:
		return 4 * (random_bits() % 64);
	default:
		return 4 * (random_bits() % 24);
	}
}

/* Lanes one behind the other, from a dword of local memory on or from before
 * it; those that are not inside are left out. */
static void make_run(uint32_t address[EVG_WAVEFRONT_SIZE],
		     uint32_t mask[EVG_WAVEFRONT_SIZE], bool full)
{
	uint32_t start = full ? random_bits() % (DWORDS - 63)
			      : random_bits() % (DWORDS + 63) - 63;

	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		address[lane] = 4 * (start + lane);
		if (start + lane >= DWORDS)
			mask[lane] = 0;
	}
}

/* What the banks of one address a lane are to be counted as. */
static uint64_t conflicts_of(enum evg_lds_op op,
			     const uint32_t address[EVG_WAVEFRONT_SIZE],
			     const uint32_t mask[EVG_WAVEFRONT_SIZE])
{
	struct evg_step step = {.memory_write = op != EVG_LDS_READ_RET};

	memcpy(step.memory_address, address, sizeof step.memory_address);
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		step.memory_mask |= (uint64_t)!!mask[lane] << lane;
	return evg_bank_cycles(&step, 32, 32).conflicts;
}

/* --- Runs --------------------------------------------------------------- */

static struct evg_program *operation_program(enum evg_lds_op op)
{
	struct evg_alu_group groups[3] = {
		group_lds(op, gpr(1, 0), gpr(2, 0), gpr(3, 0)),
		group_of(EVG_ALU_MOV, 4, 0,
			 selector(EVG_SELECT_LDS_OQ_A_POP, 0), unused, unused),
		group_of(EVG_ALU_MOV, 5, 0,
			 selector(EVG_SELECT_LDS_OQ_B_POP, 0), unused, unused)};
	struct evg_alu_group predicate =
		group_predicate(gpr(15, 0), true, false);
	struct assembler as;

	if (has_offset(op))
		groups[0].inst[0].lds_offset = OFFSET;
	asm_begin(&as);
	asm_alu(&as, EVG_CF_ALU_PUSH_BEFORE, &predicate, 1);
	asm_alu(&as, EVG_CF_ALU_POP_AFTER, groups,
		1u + evg_lds_info[op].returns);
	return asm_program(&as);
}

static bool check_operation(enum evg_lds_op op, const struct evg_simd *simd,
			    unsigned round)
{
	static const struct evg_traffic_model model = { 64, 32, 32, 0 };
	uint32_t few = round % 3 ? 2 : 24;
	bool full = round < 2, is_plain = op == EVG_LDS_READ_RET ||
					  op == EVG_LDS_WRITE;
	struct evg_program *program = operation_program(op);
	struct evg_memory *memory = evg_memory_create(1 << 20, NULL);
	struct evg_launch launch = launch_of(program, memory, 64, 64);
	struct evg_ndrange *ndrange;
	struct evg_work_group *group;
	struct evg_wavefront *wavefront;
	uint32_t source[3][EVG_WAVEFRONT_SIZE], mask[EVG_WAVEFRONT_SIZE];
	uint32_t far_limit = op == EVG_LDS_WRITE2 || op == EVG_LDS_XCHG2_RET;
	struct local before, local;
	struct evg_stats stats;
	unsigned mode;
	bool good = true;

	launch.local_memory = LOCAL;
	ndrange = evg_ndrange_create_for(&launch, simd, NULL);
	if (round % 4 < 2)
		evg_ndrange_count_traffic(ndrange, &model);
	group = evg_work_group_create(ndrange, 0);
	wavefront = evg_work_group_wavefront(group, 0);
	for (unsigned i = 0; i < DWORDS; i++)
		before.d[i] = random_bits() % 3 ? random_bits() % 5
						: random_bits();
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		mask[lane] = full || random_bits() % few == 0;
		source[0][lane] = random_address(op, lane);
		/* Lanes from 30 on repeat addresses: leave them out. */
		if (has_offset(op) && op != EVG_LDS_READ_REL_RET && lane >= 30)
			mask[lane] = 0;
		if (far_limit)
			source[0][lane] %= 4 * 60;
		source[1][lane] = random_bits() % 3 ? random_bits() % 5
						    : random_bits();
		source[2][lane] = random_bits();
		if (op == EVG_LDS_READ2_RET)
			source[1][lane] = 4 * (random_bits() % DWORDS);
		if (op == EVG_LDS_READWRITE_RET)
			source[1][lane] = 4 * (100 + lane);
	}
	if (is_plain && round % 2)
		make_run(source[0], mask, full);
	for (unsigned k = 0; k < 3; k++)
		memcpy(register_row(wavefront, 1 + k, 0), source[k],
		       EVG_ROW_BYTES);
	memcpy(register_row(wavefront, 15, 0), mask, EVG_ROW_BYTES);
	memcpy(group->local, before.d, LOCAL);
	mode = evg_float_mode_begin();
	good = evg_wavefront_run(wavefront) == EVG_RUN_ENDED;
	evg_float_mode_end(mode);
	if (!good) {
		struct error error;

		evg_fault_report(wavefront, &error);
		printf("# %s\n", error.text);
	}
	local = before;
	for (unsigned lane = 0; good && lane < EVG_WAVEFRONT_SIZE; lane++) {
		uint32_t qa, qb, want_a = 0, want_b = 0;

		if (mask[lane]) {
			lds_define(op, local.d, DWORDS, OFFSET,
				   source[0][lane], source[1][lane],
				   source[2][lane], &qa, &qb);
			want_a = evg_lds_info[op].returns > 0 ? qa : 0;
			want_b = evg_lds_info[op].returns > 1 ? qb : 0;
		}
		good = register_row(wavefront, 4, 0)[lane] == want_a &&
		       register_row(wavefront, 5, 0)[lane] == want_b;
		if (!good)
			printf("# %s lane %u: %08x %08x, wanted %08x %08x\n",
			       evg_lds_info[op].name, lane,
			       register_row(wavefront, 4, 0)[lane],
			       register_row(wavefront, 5, 0)[lane], want_a,
			       want_b);
	}
	for (unsigned i = 0; good && i < DWORDS; i++) {
		uint32_t got;

		memcpy(&got, group->local + 4 * i, 4);
		good = got == local.d[i];
		if (!good)
			printf("# %s dword %u: %08x, wanted %08x\n",
			       evg_lds_info[op].name, i, got, local.d[i]);
	}
	evg_ndrange_stats(ndrange, &stats);
	if (good && is_plain && round % 4 < 2 &&
	    stats.bank_conflicts != conflicts_of(op, source[0], mask)) {
		printf("# %s: %u conflicts\n", evg_lds_info[op].name,
		       (unsigned)stats.bank_conflicts);
		good = false;
	}
	evg_work_group_free(group);
	evg_ndrange_free(ndrange);
	evg_memory_free(memory);
	program_free(program);
	return good;
}

static void test_operations(void)
{
	static const struct evg_simd *const levels[] = {
		&evg_simd_v2, &evg_simd_v3, &evg_simd_v4};
	const struct evg_simd *best = evg_simd_best();

	random_seed(16 * 1024);
	for (int op = 0; op < EVG_LDS_COUNT; op++)
		for (int level = 0; evg_lds_info[op].compute && level < 3;
		     level++) {
			for (unsigned round = 0; round < 24; round++)
				CU_ASSERT(check_operation((enum evg_lds_op)op,
							  levels[level],
							  round));
			if (levels[level] == best)
				break;
		}
}

/* --- Queues and errors --------------------------------------------------- */

/* Runs a clause over R1.x = start + factor * lane with local memory that holds 100 + i:
 * what went wrong, or "". */
static const char *run_clause(const struct evg_alu_group *groups,
			      unsigned count, uint32_t start, uint32_t factor,
			      uint32_t result[EVG_WAVEFRONT_SIZE],
			      struct error *error)
{
	struct evg_memory *memory = evg_memory_create(1 << 20, NULL);
	struct evg_program *program;
	struct evg_launch launch;
	struct evg_ndrange *ndrange;
	struct evg_work_group *group;
	struct evg_wavefront *wavefront;
	unsigned mode;
	struct assembler as;

	asm_begin(&as);
	asm_alu(&as, EVG_CF_ALU, groups, count);
	program = asm_program(&as);
	launch = launch_of(program, memory, 64, 64);
	launch.local_memory = LOCAL;
	ndrange = evg_ndrange_create(&launch, error);
	group = evg_work_group_create(ndrange, 0);
	wavefront = evg_work_group_wavefront(group, 0);
	for (uint32_t i = 0; i < DWORDS; i++) {
		uint32_t value = 100 + i;

		memcpy(group->local + 4 * i, &value, 4);
	}
	for (uint32_t lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		register_row(wavefront, 1, 0)[lane] = start + factor * lane;
		register_row(wavefront, 2, 0)[lane] = lane & 1;
	}
	error->text[0] = '\0';
	mode = evg_float_mode_begin();
	if (evg_wavefront_run(wavefront) != EVG_RUN_ENDED)
		evg_fault_report(wavefront, error);
	evg_float_mode_end(mode);
	memcpy(result, register_row(wavefront, 4, 0), EVG_ROW_BYTES);
	evg_work_group_free(group);
	evg_ndrange_free(ndrange);
	evg_memory_free(memory);
	program_free(program);
	return error->text;
}

static struct evg_alu_group pop(unsigned dest, unsigned channel)
{
	return group_of(EVG_ALU_MOV, dest, channel,
			selector(EVG_SELECT_LDS_OQ_A_POP, 0), unused, unused);
}

/* Three reads, then three pops: first in, first out. */
static void test_queue_order(void)
{
	struct evg_source address = gpr(1, 0);
	struct evg_alu_group groups[8];
	uint32_t result[EVG_WAVEFRONT_SIZE];
	struct error error;

	groups[0] = group_lds(EVG_LDS_READ_RET, address, unused, unused);
	groups[1] = group_of(EVG_ALU_ADD_INT, 1, 0, address, address, unused);
	groups[2] = group_lds(EVG_LDS_READ_RET, address, unused, unused);
	groups[3] = pop(4, 0);
	groups[4] = group_lds(EVG_LDS_READ_RET, address, unused, unused);
	groups[5] = pop(5, 0);
	groups[6] = pop(6, 0);
	/* R4 = first - second + 1000 * (third - second) */
	groups[7] = group_of(EVG_ALU_SUB_INT, 4, 0, gpr(4, 0), gpr(5, 0),
			     unused);
	CU_ASSERT_STRING_EQUAL(run_clause(groups, 8, 0, 4, result, &error), "");
	for (uint32_t lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		CU_ASSERT_EQUAL(result[lane], -lane);
}

/* Odd lanes read under a predicate, even ones under its opposite, and each
 * pops its own. */
static void test_queue_predicated(void)
{
	struct evg_alu_group groups[5];
	uint32_t result[EVG_WAVEFRONT_SIZE];
	struct error error;

	groups[0] = group_predicate(gpr(2, 0), false, true);
	groups[1] = group_lds(EVG_LDS_READ_RET, gpr(1, 0), unused, unused);
	groups[1].inst[0].predicate_select = 3;
	groups[2] = group_lds(EVG_LDS_READ_RET, gpr(2, 0), unused, unused);
	groups[2].inst[0].predicate_select = 2;
	groups[3] = pop(4, 0);
	CU_ASSERT_STRING_EQUAL(run_clause(groups, 4, 0, 4, result, &error), "");
	for (uint32_t lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		CU_ASSERT_EQUAL(result[lane], lane % 2 ? 100 + lane : 100);

	/* Even lanes have nothing to pop. */
	groups[2] = pop(4, 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(
		run_clause(groups, 3, 0, 4, result, &error), "queue is empty"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "work-item (0, 0, 0)"));
}

/* LDS_DIRECT_A: thread-relative from dword 5, every second; _B: dword 7. */
static void test_direct(void)
{
	struct evg_alu_group group =
		group_of(EVG_ALU_SUB_INT, 4, 0,
			 selector(EVG_SELECT_LDS_DIRECT_A, 0),
			 selector(EVG_SELECT_LDS_DIRECT_B, 0), unused);
	uint32_t result[EVG_WAVEFRONT_SIZE];
	struct error error;

	group.literal_count = 2;
	group.literal[0] = 5 | 2 << 13 | 1 << 22;
	group.literal[1] = 7 | 3 << 13;
	CU_ASSERT_STRING_EQUAL(run_clause(&group, 1, 0, 4, result, &error), "");
	for (uint32_t lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		CU_ASSERT_EQUAL(result[lane], 105 + 2 * lane - 107);
	group.literal[0] = 5 | 4 << 13 | 1 << 22;
	CU_ASSERT_PTR_NOT_NULL(strstr(run_clause(&group, 1, 0, 4, result, &error),
				      "work-item (63, 0, 0): access of 4 bytes "
				      "at local address 0x404"));
}

static void test_errors(void)
{
	struct evg_alu_group group =
		group_lds(EVG_LDS_READ_RET, gpr(1, 0), unused, unused);
	uint32_t result[EVG_WAVEFRONT_SIZE];
	struct error error;

	run_clause(&group, 1, 0, 20, result, &error);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "work-item (52, 0, 0)"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "local address 0x410"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "1024 bytes"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "LDS_READ_RET"));
	run_clause(&group, 1, 0, 2, result, &error);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "work-item (1, 0, 0)"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "not aligned"));
	group = pop(4, 0);
	run_clause(&group, 1, 0, 4, result, &error);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "empty"));
}

/* Lanes one behind the other, of which the last or the first one is outside. */
static void test_run_errors(void)
{
	static const enum evg_lds_op ops[] = {EVG_LDS_READ_RET, EVG_LDS_WRITE};
	uint32_t result[EVG_WAVEFRONT_SIZE];
	struct error error;

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		struct evg_alu_group group = group_lds(
			ops[i], gpr(1, 0),
			ops[i] == EVG_LDS_WRITE ? gpr(2, 0) : unused, unused);

		CU_ASSERT_STRING_EQUAL(run_clause(&group, 1, LOCAL - 256, 4,
						  result, &error), "");
		run_clause(&group, 1, LOCAL - 252, 4, result, &error);
		CU_ASSERT_PTR_NOT_NULL(strstr(error.text,
					      "work-item (63, 0, 0)"));
		CU_ASSERT_PTR_NOT_NULL(strstr(error.text,
					      "local address 0x400"));
		run_clause(&group, 1, -4u, 4, result, &error);
		CU_ASSERT_PTR_NOT_NULL(strstr(error.text,
					      "work-item (0, 0, 0)"));
	}
}

/* --- Banks -------------------------------------------------------------- */

/* Kinds of addresses: a run, one word, rows, columns, few words, anywhere. */
static uint32_t bank_address(unsigned kind, unsigned lane, uint32_t base)
{
	switch (kind) {
	case 0:
		return base + 4 * lane;
	case 1:
		return base;
	case 2:
		return base + lane / 8 * 132 + lane % 8 * 4;
	case 3:
		return base + lane % 16 * 128;
	case 4:
		return base + random_bits() % 40;
	default:
		return random_bits() % 32768;
	}
}

static uint64_t bank_lanes(void)
{
	uint64_t lanes = (uint64_t)random_bits() << 32 | random_bits();

	switch (random_bits() % 4) {
	case 0:
		return 0;
	case 1:
		return lanes;
	default:
		return ~UINT64_C(0);
	}
}

static void check_banks(evg_bank_function *function)
{
	for (unsigned round = 0; round < 20000; round++) {
		struct evg_step step = {
			.memory_write = random_bits() % 3 == 0,
			.memory_atomic = random_bits() % 5 == 0,
			.memory_mask = bank_lanes(),
			.memory_mask2 = random_bits() % 2 ? bank_lanes() : 0,
		};
		uint32_t banks = random_bits() % 8 ? 32 : 8u << random_bits() % 3;
		uint32_t window = random_bits() % 8 ? 32 : 64;
		unsigned kind = random_bits() % 6, kind2 = random_bits() % 6;
		uint32_t base = random_bits() % 20000;
		uint32_t base2 = base + random_bits() % 3 * 64;
		struct evg_bank_cycles expected, found;

		for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
			step.memory_address[lane] =
				bank_address(kind, lane, base);
			step.memory_address2[lane] =
				bank_address(kind2, lane, base2);
		}
		expected = evg_bank_cycles(&step, banks, window);
		found = function(&step, banks, window);
		CU_ASSERT_EQUAL_FATAL(found.all, expected.all);
		CU_ASSERT_EQUAL_FATAL(found.conflicts, expected.conflicts);
		CU_ASSERT_EQUAL_FATAL(found.requests, expected.requests);
	}
}

static void test_banks(void)
{
	unsigned bytes = evg_simd_best()->vector_bytes;

	random_seed(7);
	check_banks(evg_bank_cycles_v2);
	if (bytes >= 32)
		check_banks(evg_bank_cycles_v3);
	if (bytes >= 64)
		check_banks(evg_bank_cycles_v4);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"operations", test_operations},
		{"banks in vectors", test_banks},
		{"queue order", test_queue_order},
		{"queues of predicated lanes", test_queue_predicated},
		{"direct operands", test_direct},
		{"errors", test_errors},
		{"errors of runs", test_run_errors},
		CU_TEST_INFO_NULL};
	static CU_SuiteInfo suites[] = {
		{"evergreen emu lds", NULL, NULL, NULL, NULL, tests},
		CU_SUITE_INFO_NULL};

	return harness_run(suites);
}
