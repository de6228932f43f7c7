/* What the diagnosis of a launch says, for launches whose figures are made up:
 * which resource it names, and that it quotes the figures. */
#include <stdio.h>
#include <string.h>

#include "report/diagnosis.h"
#include "unit/harness.h"

enum { UNITS = 4, CYCLES = 1000, CHANNELS = 8 };

/* Memory channels busy for `memory` % of the time; nothing else known. */
static struct launch_timing launch(unsigned memory)
{
	struct launch_timing timing = {
		.cycles = CYCLES,
		.megahertz = 1000,
		.traffic = {
			.channels = CHANNELS,
			.read_bytes = 60000,
			.written_bytes = 40000,
			.moved_bytes = 100000,
			.busy = (picoseconds)CYCLES * 1000 * CHANNELS *
				memory / 100,
		},
	};

	return timing;
}

/* So many % of the engine's cycles. */
static void spend(struct launch_timing *timing, enum account_engine engine,
		  enum account_reason reason, unsigned percent)
{
	timing->account.cycles[engine][reason] +=
		(uint64_t)UNITS * CYCLES * percent / 100;
}

static void check(const struct launch_timing *timing, const char *head,
		  const char *figure)
{
	struct evg_stats stats = { .alu_groups = 100, .alu_slots = 350 };
	char text[512];

	diagnosis_describe(timing, &stats, text, sizeof text);
	if (strncmp(text, head, strlen(head)) || !strstr(text, figure)) {
		printf("# %s\n", text);
		CU_FAIL("another diagnosis");
	}
}

static void test_memory(void)
{
	struct launch_timing timing = launch(85);

	spend(&timing, ENGINE_ALU, ACCOUNT_ISSUED, 10);
	spend(&timing, ENGINE_ALU, ACCOUNT_DATA, 90);
	/* 100,000 bytes in 1,000 ns. */
	check(&timing, "bound by memory bandwidth", "100.0 GB/s");
	check(&timing, "bound by memory bandwidth", "85 %");
}

static void test_engines(void)
{
	struct launch_timing timing = launch(10);

	spend(&timing, ENGINE_ALU, ACCOUNT_ISSUED, 70);
	spend(&timing, ENGINE_ALU, ACCOUNT_CONFLICT, 20);
	spend(&timing, ENGINE_ALU, ACCOUNT_DATA, 10);
	check(&timing, "bound by the ALU engines", "3.50 of 5");

	timing = launch(10);
	spend(&timing, ENGINE_ALU, ACCOUNT_ISSUED, 15);
	spend(&timing, ENGINE_ALU, ACCOUNT_CONFLICT, 65);
	spend(&timing, ENGINE_ALU, ACCOUNT_BARRIER, 20);
	check(&timing, "bound by bank conflicts", "65 %");

	timing = launch(10);
	spend(&timing, ENGINE_ALU, ACCOUNT_ISSUED, 15);
	spend(&timing, ENGINE_ALU, ACCOUNT_DATA, 85);
	spend(&timing, ENGINE_TEX, ACCOUNT_ISSUED, 95);
	spend(&timing, ENGINE_TEX, ACCOUNT_DATA, 5);
	check(&timing, "bound by the TEX engines", "95 %");
}

static void test_latency(void)
{
	struct launch_timing timing = launch(10);

	spend(&timing, ENGINE_ALU, ACCOUNT_ISSUED, 25);
	spend(&timing, ENGINE_ALU, ACCOUNT_DATA, 45);
	spend(&timing, ENGINE_ALU, ACCOUNT_CF, 30);
	check(&timing, "bound by latency", "45 % of the time for fetched");

	timing = launch(0);
	spend(&timing, ENGINE_ALU, ACCOUNT_ISSUED, 48);
	spend(&timing, ENGINE_ALU, ACCOUNT_DEPENDENCE, 52);
	check(&timing, "bound by latency", "second wavefront");

	timing = launch(0);
	spend(&timing, ENGINE_ALU, ACCOUNT_ISSUED, 10);
	spend(&timing, ENGINE_ALU, ACCOUNT_EMPTY, 90);
	check(&timing, "too little parallelism", "90 %");
}

/* Wavefronts wait at barriers, and the engine for the one that does not. */
static void test_barriers(void)
{
	struct launch_timing timing = launch(0);

	spend(&timing, ENGINE_ALU, ACCOUNT_ISSUED, 45);
	spend(&timing, ENGINE_ALU, ACCOUNT_DEPENDENCE, 55);
	timing.account.spent[ACCOUNT_BARRIER] = 70;
	timing.account.spent[ACCOUNT_ALU] = 30;
	check(&timing, "bound by barriers", "70 %");
	CU_ASSERT_EQUAL(launch_timing_wavefront_share(&timing, ACCOUNT_ALU),
			30);
}

/* Nobody is there any more, but what they wrote is under way. */
static void test_tail(void)
{
	struct launch_timing timing = launch(10);

	spend(&timing, ENGINE_ALU, ACCOUNT_ISSUED, 5);
	spend(&timing, ENGINE_ALU, ACCOUNT_EMPTY, 95);
	timing.tail_cycles = CYCLES * 9 / 10;
	check(&timing, "bound by stores or atomics", "90 %");
}

/* A kernel of a microsecond behind a launch of 225. */
static void test_launch(void)
{
	struct launch_timing timing = launch(85);

	timing.launch = 225e-6;
	check(&timing, "bound by memory bandwidth",
	      "The launch takes 225 us, this 1 us");
	timing.launch = 0.5e-6;
	check(&timing, "bound by memory bandwidth", "ALU engines issue in 0 %");
}

/* Departures less arrivals: two wavefronts, one of which is still there. */
static void test_places(void)
{
	struct account account = { 0 }, sum = { 0 };

	account_open(&account, 100);
	account_move(&account, 100, ACCOUNT_EMPTY, ACCOUNT_CF);
	account_move(&account, 110, ACCOUNT_EMPTY, ACCOUNT_CF);
	account_move(&account, 130, ACCOUNT_CF, ACCOUNT_BARRIER);
	account_move(&account, 150, ACCOUNT_BARRIER, ACCOUNT_EMPTY);
	account_settle(&account, 160);
	account_add(&sum, &account);
	CU_ASSERT_EQUAL(sum.spent[ACCOUNT_CF], 30 + 50);
	CU_ASSERT_EQUAL(sum.spent[ACCOUNT_BARRIER], 20);
	CU_ASSERT_EQUAL(account_wavefront_total(&sum), 100);
}

/* One launch is the difference of two states. */
static void test_difference(void)
{
	struct launch_timing before = launch(50), after;

	spend(&before, ENGINE_ALU, ACCOUNT_ISSUED, 100);
	after = before;
	after.cycles += CYCLES;
	after.traffic.busy += (picoseconds)CYCLES * 1000 * CHANNELS;
	spend(&after, ENGINE_ALU, ACCOUNT_DATA, 100);
	launch_timing_subtract(&after, &before);
	CU_ASSERT_EQUAL(after.cycles, CYCLES);
	CU_ASSERT_EQUAL(account_total(&after.account, ENGINE_ALU),
			UNITS * CYCLES);
	check(&after, "bound by memory bandwidth", "100 %");
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "memory", test_memory },
		{ "engines", test_engines },
		{ "latency and parallelism", test_latency },
		{ "barriers", test_barriers },
		{ "stores that outlive the wavefronts", test_tail },
		{ "launches that take longer than kernels", test_launch },
		{ "time of wavefronts by place", test_places },
		{ "one launch of several", test_difference },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "diagnosis", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
