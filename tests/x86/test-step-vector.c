/* Descriptions of x87, MMX, SSE and AVX instructions against what their
 * execution does: random operands, and states full of corner cases. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "step-sets.h"
#include "unit/harness.h"
#include "vector-case.h"

static void check_rows(bool wide)
{
	const char *cases_text = getenv("M2S_TEST_CASES");
	unsigned cases = cases_text ? (unsigned)atoi(cases_text) : 3;
	struct sets *sets = sets_create(wide ? X86_MODE_64 : X86_MODE_32);
	struct machine *m = malloc(sizeof *m);

	for (unsigned i = 0; i < row_count; i++) {
		uint64_t seed = (uint64_t)i * 1000003;
		struct subject s;

		for (unsigned k = 0, done = 0; k < 10 * cases && done < cases;
		     k++) {
			uint8_t code[512];
			size_t size;

			if (!row_make(&rows[i], wide, &seed, &s))
				continue;
			row_make_state(&rows[i], &s, wide, &seed, m);
			size = row_surround(&s, wide, code);
			/* Behind the loads. */
			sets_check(sets, rows[i].name, code, size,
				   (size_t)((uint8_t *)memmem(
						    code, size, s.code,
						    s.size) - code),
				   s.size, m);
			done++;
		}
	}
	printf("# %u instructions checked\n", sets_checked(sets));
	CU_ASSERT(sets_checked(sets) > 1000);
	CU_ASSERT_EQUAL(sets_differences(sets), 0);
	free(m);
	sets_free(sets);
}

static void test_rows_64(void)
{
	check_rows(true);
}

static void test_rows_32(void)
{
	check_rows(false);
}

static CU_TestInfo tests[] = {
	{ "64-bit instructions", test_rows_64 },
	{ "32-bit instructions", test_rows_32 },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "x86 step, vector sets", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
