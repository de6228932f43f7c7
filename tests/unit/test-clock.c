/* Times of clocks against arithmetic of 128 bits. */
#include "base/clock-rate.h"
#include "unit/harness.h"
#include "unit/random.h"

__extension__ typedef unsigned __int128 wide;

static uint64_t start_of(wide cycle, uint32_t megahertz)
{
	return (uint64_t)(cycle * 1000000 / megahertz);
}

static uint64_t seed = 1;

/* Of any length in bits. */
static uint64_t any(unsigned bits)
{
	return random_draw(&seed) >> (64 - bits + random_draw(&seed) % bits);
}

static void test_times(void)
{
	for (unsigned i = 0; i < 300000; i++) {
		uint32_t megahertz = 1 + (uint32_t)any(12);
		uint64_t time = any(50), cycles = any(31), at;
		struct clock_rate rate = clock_rate_of(megahertz);
		uint64_t cycle = (uint64_t)(((wide)(time + 1) * megahertz - 1) /
					    1000000);

		CU_ASSERT_EQUAL_FATAL(clock_cycle_start(cycle, megahertz),
				      start_of(cycle, megahertz));
		CU_ASSERT_EQUAL_FATAL(clock_cycle_of(time, megahertz),
				      start_of(cycle, megahertz));
		CU_ASSERT_EQUAL_FATAL(
			clock_after(time, cycles, megahertz),
			start_of((wide)cycle + cycles, megahertz) + time -
				start_of(cycle, megahertz));
		CU_ASSERT_EQUAL_FATAL(clock_rate_after(&rate, time, cycles),
				      clock_after(time, cycles, megahertz));
		CU_ASSERT_EQUAL_FATAL(clock_rate_start(&rate, cycle),
				      start_of(cycle, megahertz));
		CU_ASSERT_EQUAL_FATAL(clock_rate_cycle_of(&rate, time),
				      start_of(cycle, megahertz));
		at = clock_cycle_at(time, megahertz);
		CU_ASSERT_EQUAL_FATAL(clock_rate_at(&rate, time), at);
		CU_ASSERT_TRUE_FATAL(start_of(at, megahertz) >= time);
		CU_ASSERT_TRUE_FATAL(!at || start_of(at - 1, megahertz) < time);
	}
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "times of cycles", test_times },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "clock", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
