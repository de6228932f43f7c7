#include "unit/harness.h"

#include <CUnit/TestRun.h>
#include <stdio.h>

static void test_complete(const CU_pTest test, const CU_pSuite suite,
			  const CU_pFailureRecord failure)
{
	printf("%sok - %s: %s\n", failure ? "not " : "", suite->pName,
	       test->pName);
	for (CU_pFailureRecord f = failure; f; f = f->pNext)
		printf("#   %s:%u: %s\n", f->strFileName, f->uiLineNumber,
		       f->strCondition);
	fflush(stdout);
}

static void suite_failed(const CU_pSuite suite)
{
	printf("not ok - %s: initialization\n", suite->pName);
}

int harness_run(CU_SuiteInfo *suites)
{
	unsigned failed;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (CU_initialize_registry() != CUE_SUCCESS ||
	    CU_register_suites(suites) != CUE_SUCCESS) {
		printf("not ok - CUnit: %s\n", CU_get_error_msg());
		return 1;
	}
	CU_set_test_complete_handler(test_complete);
	CU_set_suite_init_failure_handler(suite_failed);
	CU_run_all_tests();
	failed = CU_get_number_of_failures() +
		 CU_get_number_of_suites_failed();
	CU_cleanup_registry();
	return failed ? 1 : 0;
}
