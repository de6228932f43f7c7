/* Runs CUnit suites and prints one line per test, for tests/run. */
#ifndef M2S_TESTS_UNIT_HARNESS_H
#define M2S_TESTS_UNIT_HARNESS_H

#include <CUnit/CUnit.h>
#include <CUnit/TestDB.h>

/* "ok - suite: test" or "not ok - suite: test" with each failed assertion
 * below it. Returns the exit status for main. */
int harness_run(CU_SuiteInfo *suites);

#endif
