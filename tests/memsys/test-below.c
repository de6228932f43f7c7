/* Loads that begin below the module at which a processor enters. */
#include "memsys/bench.h"

enum { BLOCK = 64, FIRST = 0x1000, SECOND = 0x2000 };

/* Two first levels, a second one and a memory. */
#define HIERARCHY(coherent)                                                    \
	"[CacheGeometry g]\nSets = 16\nAssoc = 2\nBlockSize = 64\n"            \
	"Latency = 20\nCoherent = " coherent "\n"                              \
	"[Network n]\nDefaultInputBufferSize = 144\n"                          \
	"DefaultOutputBufferSize = 144\nDefaultBandwidth = 72\n"               \
	"[Network m]\nDefaultInputBufferSize = 144\n"                          \
	"DefaultOutputBufferSize = 144\nDefaultBandwidth = 72\n"               \
	"[Module a]\nType = Cache\nGeometry = g\nLowNetwork = n\n"             \
	"LowModules = l2\n"                                                    \
	"[Module b]\nType = Cache\nGeometry = g\nLowNetwork = n\n"             \
	"LowModules = l2\n"                                                    \
	"[Module l2]\nType = Cache\nGeometry = g\nHighNetwork = n\n"           \
	"LowNetwork = m\nLowModules = mm\n"                                    \
	"[Module mm]\nType = MainMemory\nHighNetwork = m\nBlockSize = 64\n"    \
	"Latency = 100\n"                                                      \
	"[Entry a]\nArch = Evergreen\nComputeUnit = 0\nModule = a\n"           \
	"[Entry b]\nArch = Evergreen\nComputeUnit = 1\nModule = b\n"

static void load_below(struct bench *bench, unsigned entry, uint64_t address)
{
	module_load_below(bench->entry[entry], address, BLOCK, bench_note,
			  bench);
}

/* Until all is quiet: the time that it took. */
static picoseconds finish(struct bench *bench)
{
	picoseconds start = event_queue_now(bench->events);

	bench_drain(bench);
	CU_ASSERT_EQUAL(memsys_pending(bench->memsys), 0);
	return event_queue_now(bench->events) - start;
}

static const struct module *module_named(const struct bench *bench,
					 const char *name)
{
	for (size_t i = 0; i < bench->memsys->module_count; i++)
		if (!strcmp(bench->memsys->modules[i]->name, name))
			return bench->memsys->modules[i];
	CU_FAIL_FATAL("no such module");
	return NULL;
}

static uint64_t accesses(const struct bench *bench, const char *name)
{
	return module_named(bench, name)->count.class[CLASS_ALL].accesses;
}

/* The first level sees nothing of it; the second has the block afterwards, and
 * two that miss it at once read the memory once. */
static void test_below(void)
{
	struct bench bench;
	picoseconds cold, warm;

	bench_create(&bench, HIERARCHY("f"));
	load_below(&bench, 0, FIRST);
	load_below(&bench, 1, FIRST);
	CU_ASSERT_EQUAL(bench.finished, 0);
	cold = finish(&bench);
	CU_ASSERT_EQUAL(bench.finished, 2);
	CU_ASSERT_EQUAL(accesses(&bench, "a") + accesses(&bench, "b"), 0);
	CU_ASSERT_EQUAL(accesses(&bench, "l2"), 2);
	CU_ASSERT_EQUAL(accesses(&bench, "mm"), 1);
	CU_ASSERT_EQUAL(module_distance(bench.entry[0], FIRST), 1);
	load_below(&bench, 0, FIRST);
	warm = finish(&bench);
	CU_ASSERT_EQUAL(accesses(&bench, "mm"), 1);
	/* The memory's latency, its access and the ways to it. */
	CU_ASSERT_TRUE(cold > warm + 100 * module_period(bench.entry[0]));
	bench_free(&bench);
}

/* A copy in the first level is not looked for. */
static void test_past(void)
{
	struct bench bench;

	bench_create(&bench, HIERARCHY("f"));
	bench_access(&bench, 0, MEMSYS_LOAD, 0, SECOND, 0);
	CU_ASSERT_EQUAL(module_distance(bench.entry[0], SECOND), 0);
	load_below(&bench, 0, SECOND);
	finish(&bench);
	CU_ASSERT_EQUAL(bench.finished, 2);
	CU_ASSERT_EQUAL(accesses(&bench, "a"), 1);
	CU_ASSERT_EQUAL(accesses(&bench, "l2"), 2);
	CU_ASSERT_EQUAL(module_distance(bench.entry[0], SECOND), 0);
	bench_free(&bench);
}

/* Modules of which a directory knows, and memories, serve it themselves. */
static void test_own(void)
{
	struct bench bench;

	bench_create(&bench, HIERARCHY("t"));
	load_below(&bench, 0, FIRST);
	finish(&bench);
	CU_ASSERT_EQUAL(bench.finished, 1);
	CU_ASSERT_EQUAL(accesses(&bench, "a"), 1);
	CU_ASSERT_EQUAL(module_distance(bench.entry[0], FIRST), 0);
	bench_free(&bench);
	bench_create(&bench, "[Module mm]\nType = MainMemory\nBlockSize = 64\n"
			     "Latency = 100\n[Entry a]\nArch = Evergreen\n"
			     "ComputeUnit = 0\nModule = mm\n");
	load_below(&bench, 0, FIRST);
	CU_ASSERT_TRUE(finish(&bench) >= 100 * module_period(bench.entry[0]));
	CU_ASSERT_EQUAL(bench.finished, 1);
	bench_free(&bench);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "past the first level, from the second", test_below },
		{ "past a copy", test_past },
		{ "of tracked caches and memories", test_own },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "loads below", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
