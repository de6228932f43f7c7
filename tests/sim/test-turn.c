/* Work that gives way in the middle (sim/turn.h). */
#include <string.h>

#include "sim/turn.h"
#include "unit/harness.h"

static struct turn *turn;
static char order[32];

static void add(const char *word)
{
	strcat(order, word);
}

static void work(void *owner)
{
	add(owner);
	turn_give_way(turn);
	add("b");
	turn_give_way(turn);
	add("c");
}

static void test_turns(void)
{
	order[0] = 0;
	turn = turn_create(work, "a");
	CU_ASSERT_PTR_NOT_NULL_FATAL(turn);
	CU_ASSERT_STRING_EQUAL(order, "");
	CU_ASSERT_FALSE(turn_go_on(turn));
	add("1");
	CU_ASSERT_FALSE(turn_go_on(turn));
	add("2");
	CU_ASSERT_TRUE(turn_go_on(turn));
	CU_ASSERT_STRING_EQUAL(order, "a1b2c");
	turn_free(turn);
}

static void test_never(void)
{
	order[0] = 0;
	turn_free(turn_create(work, "a"));
	turn_free(NULL);
	CU_ASSERT_STRING_EQUAL(order, "");
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "caller and work by turns", test_turns },
		{ "work that never begins", test_never },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "turn", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
