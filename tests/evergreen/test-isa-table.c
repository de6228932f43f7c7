/* The instruction tables checked against themselves and against what the
 * codes mean: rows cannot overlap, and an ALU code's range gives the slots. */
#include <string.h>

#include "evergreen/isa/inst.h"
#include "evergreen/isa/table.h"
#include "unit/harness.h"

/* As many rows as the reference lists; a row lost shows here. */
static void test_counts(void)
{
	CU_ASSERT_EQUAL(EVG_CF_COUNT, 64);
	CU_ASSERT_EQUAL(EVG_ALU_COUNT, 198);
	CU_ASSERT_EQUAL(EVG_LDS_COUNT, 47);
	CU_ASSERT_EQUAL(EVG_RAT_COUNT, 42);
	CU_ASSERT_EQUAL(EVG_FETCH_COUNT, 87);
}

/* The rows that are marked for compute kernels are those of the reference. */
static void test_compute_rows(void)
{
	unsigned listed = 0, marked = 0;

#define COMPUTE_CF(id, number)                                                 \
	CU_ASSERT_EQUAL(evg_cf_info[EVG_CF_##id].code, number);                \
	CU_ASSERT(evg_cf_info[EVG_CF_##id].compute);                           \
	listed++;
#define COMPUTE_ALU(id, is_op3, number, sources)                               \
	CU_ASSERT_EQUAL(evg_alu_info[EVG_ALU_##id].op3, is_op3);               \
	CU_ASSERT_EQUAL(evg_alu_info[EVG_ALU_##id].code, number);              \
	CU_ASSERT_EQUAL(evg_alu_info[EVG_ALU_##id].source_count, sources);     \
	CU_ASSERT(evg_alu_info[EVG_ALU_##id].compute);                         \
	listed++;
#define COMPUTE_LDS(id, number, sources)                                       \
	CU_ASSERT_EQUAL(evg_lds_info[EVG_LDS_##id].code, number);              \
	CU_ASSERT_EQUAL(evg_lds_info[EVG_LDS_##id].source_count, sources);     \
	CU_ASSERT(evg_lds_info[EVG_LDS_##id].compute);                         \
	listed++;
#define COMPUTE_RAT(id, number)                                                \
	CU_ASSERT_EQUAL(evg_rat_info[EVG_RAT_##id].code, number);              \
	CU_ASSERT(evg_rat_info[EVG_RAT_##id].compute);                         \
	listed++;
#define COMPUTE_FETCH(id, number, modifier, operation)                         \
	CU_ASSERT_EQUAL(evg_fetch_info[EVG_FETCH_##id].code, number);          \
	CU_ASSERT_EQUAL(evg_fetch_info[EVG_FETCH_##id].mod, modifier);         \
	CU_ASSERT_EQUAL(evg_fetch_info[EVG_FETCH_##id].gds_op, operation);     \
	CU_ASSERT(evg_fetch_info[EVG_FETCH_##id].compute);                     \
	listed++;
#include "evergreen/compute-rows.def"
	for (int i = 0; i < EVG_CF_COUNT; i++)
		marked += evg_cf_info[i].compute;
	for (int i = 0; i < EVG_ALU_COUNT; i++)
		marked += evg_alu_info[i].compute;
	for (int i = 0; i < EVG_LDS_COUNT; i++)
		marked += evg_lds_info[i].compute;
	for (int i = 0; i < EVG_RAT_COUNT; i++)
		marked += evg_rat_info[i].compute;
	for (int i = 0; i < EVG_FETCH_COUNT; i++)
		marked += evg_fetch_info[i].compute;
	CU_ASSERT_EQUAL(listed, 311);
	CU_ASSERT_EQUAL(marked, listed);
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length >= tail && !strcmp(text + length - tail, end);
}

/* A code leads to its row: so no two rows of an encoding share one. */
static void test_codes(void)
{
	for (int i = 0; i < EVG_CF_COUNT; i++) {
		const struct evg_cf_info *info = &evg_cf_info[i];
		bool is_alu = info->format == EVG_CF_ALU_WORD ||
			      info->format == EVG_CF_ALU_EXTENDED_WORD;

		CU_ASSERT_EQUAL(evg_cf_find(is_alu, info->code), i);
		if (is_alu) {
			CU_ASSERT(info->code >= 8 && info->code <= 15);
		} else if (info->format == EVG_CF_WORD ||
			   info->format == EVG_CF_GWS) {
			CU_ASSERT(info->code < 32);
		} else {
			CU_ASSERT(info->code >= 64 && info->code <= 92);
		}
	}
	for (int i = 0; i < EVG_ALU_COUNT; i++)
		CU_ASSERT_EQUAL(evg_alu_find(evg_alu_info[i].op3,
					     evg_alu_info[i].code),
				i);
	for (int i = 0; i < EVG_LDS_COUNT; i++)
		CU_ASSERT_EQUAL(evg_lds_find(evg_lds_info[i].code), i);
	for (int i = 0; i < EVG_RAT_COUNT; i++)
		CU_ASSERT_EQUAL(evg_rat_find(evg_rat_info[i].code), i);
	for (int i = 0; i < EVG_FETCH_COUNT; i++) {
		const struct evg_fetch_info *info = &evg_fetch_info[i];
		unsigned mod = info->mod == EVG_MOD_ANY ? 3
							: (unsigned)info->mod;

		CU_ASSERT_EQUAL(evg_fetch_find(info->layout, info->code, mod,
					       info->gds_op),
				i);
	}
}

static void test_unknown_codes(void)
{
	CU_ASSERT_EQUAL(evg_cf_find(false, 12), -1);
	CU_ASSERT_EQUAL(evg_cf_find(false, 255), -1);
	CU_ASSERT_EQUAL(evg_cf_find(true, 0), -1);
	CU_ASSERT_EQUAL(evg_cf_find(false, 1000), -1);
	CU_ASSERT_EQUAL(evg_alu_find(false, 7), -1);
	CU_ASSERT_EQUAL(evg_alu_find(false, 27), -1);
	CU_ASSERT_EQUAL(evg_alu_find(true, 8), -1);
	CU_ASSERT_EQUAL(evg_lds_find(20), -1);
	CU_ASSERT_EQUAL(evg_rat_find(33), -1);
	CU_ASSERT_EQUAL(evg_rat_find(64), -1);
	CU_ASSERT_EQUAL(evg_fetch_find(EVG_LAYOUT_TEX, 15, 0, 0), -1);
}

/* The vector and pair sets of EVG_SLOTS_*. */
static bool is_vector(unsigned slots)
{
	return slots == EVG_SLOTS_VECTOR || slots == EVG_SLOTS_PAIR ||
	       slots == EVG_SLOTS_FOUR || slots == EVG_SLOTS_X;
}

static void test_alu_ranges(void)
{
	for (int i = 0; i < EVG_ALU_COUNT; i++) {
		const struct evg_alu_info *info = &evg_alu_info[i];

		if (info->op3) {
			CU_ASSERT(info->code >= 4 && info->code <= 31);
			if (info->code < 20) {
				CU_ASSERT(is_vector(info->slots));
			} else {
				CU_ASSERT_EQUAL(info->slots,
						info->code == 31
							? EVG_SLOTS_T
							: EVG_SLOTS_ANY);
			}
			CU_ASSERT_EQUAL(info->source_count, 3);
		} else {
			CU_ASSERT(info->code < 256);
			if (info->code >= 160) {
				CU_ASSERT(is_vector(info->slots));
			} else {
				CU_ASSERT_EQUAL(info->slots,
						info->code >= 128
							? EVG_SLOTS_T
							: EVG_SLOTS_ANY);
			}
			CU_ASSERT(info->source_count <= 2);
		}
		CU_ASSERT_EQUAL(info->is_predicate,
				!strncmp(info->name, "PRED_SET", 8));
		if (i && info->op3 == info[-1].op3) {
			CU_ASSERT(info->code > info[-1].code);
		}
	}
	CU_ASSERT_EQUAL(evg_alu_info[EVG_ALU_LDS_IDX_OP].slots, EVG_SLOTS_X);
}

/* Those of doubles, and no other, have the number of bits in their names. */
static void test_doubles(void)
{
	for (int i = 0; i < EVG_ALU_COUNT; i++) {
		const struct evg_alu_info *info = &evg_alu_info[i];

		CU_ASSERT_EQUAL(info->takes_doubles,
				ends_with(info->name, "_64") ||
					!strncmp(info->name, "FLT64_", 6));
		if (info->gives_double)
			CU_ASSERT_PTR_NOT_NULL(strstr(info->name, "64"));
	}
	CU_ASSERT(evg_alu_info[EVG_ALU_FLT32_TO_FLT64].gives_double);
	CU_ASSERT(!evg_alu_info[EVG_ALU_FREXP_64].gives_double);
}

/* A CF instruction whose ADDR is an instruction is one that branches. */
static void test_targets(void)
{
	int targets = 0;

	for (int i = 0; i < EVG_CF_COUNT; i++) {
		if (!evg_cf_has_target((enum evg_cf_op)i))
			continue;
		targets++;
		CU_ASSERT_EQUAL(evg_cf_info[i].format, EVG_CF_WORD);
		CU_ASSERT(!evg_cf_has_fetch_clause((enum evg_cf_op)i));
	}
	CU_ASSERT_EQUAL(targets, 11);
	CU_ASSERT(!evg_cf_has_target(EVG_CF_POP));
}

static void test_returns(void)
{
	for (int i = 0; i < EVG_RAT_COUNT; i++)
		CU_ASSERT_EQUAL(evg_rat_info[i].returns,
				ends_with(evg_rat_info[i].name, "_RTN"));
	for (int i = 0; i < EVG_LDS_COUNT; i++) {
		CU_ASSERT_EQUAL(evg_lds_info[i].returns != 0,
				ends_with(evg_lds_info[i].name, "_RET"));
		CU_ASSERT(evg_lds_info[i].source_count >= 1 &&
			  evg_lds_info[i].source_count <= 3);
	}
	CU_ASSERT_EQUAL(evg_lds_info[EVG_LDS_READ2_RET].returns, 2);
}

/* GDS rows are the LDS operations of the same codes. */
static void test_gds_names(void)
{
	for (int i = 0; i < EVG_FETCH_COUNT; i++) {
		const struct evg_fetch_info *info = &evg_fetch_info[i];
		int lds;

		if (info->layout != EVG_LAYOUT_GDS || i == EVG_FETCH_TF_WRITE)
			continue;
		lds = evg_lds_find(info->gds_op);
		CU_ASSERT_FATAL(lds >= 0);
		CU_ASSERT(!strncmp(info->name, "GDS_", 4));
		CU_ASSERT(!strncmp(info->name + 4, evg_lds_info[lds].name,
				   strlen(info->name) - 4));
	}
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"every row of the reference", test_counts},
		{"the rows of compute kernels", test_compute_rows},
		{"codes lead to their rows", test_codes},
		{"codes without a row", test_unknown_codes},
		{"ALU code ranges give the slots", test_alu_ranges},
		{"operations on doubles", test_doubles},
		{"CF instructions with a target", test_targets},
		{"returning operations", test_returns},
		{"GDS rows mirror LDS rows", test_gds_names},
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{"evergreen isa table", NULL, NULL, NULL, NULL, tests},
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
