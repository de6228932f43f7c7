/* Functional warming: two hierarchies see the same accesses, one with all their
 * events, one by module_warm(). Then the same lines are in the same caches, in
 * the same states and order of use, known to the same directories. */
#include "memsys/coherence.h"
#include "memsys/warm.h"
#include "memsys/bench.h"
#include "base/memory.h"

enum { CORES = 2 };

/* Private first and second levels, a common third one, all small. */
static char *hierarchy_over(const char *second, const char *policy,
			    const char *third)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	fprintf(stream, "[ General ]\nFrequency = 1000\nPageSize = 4096\n");
	fprintf(stream, "[ CacheGeometry l1 ]\nSets = 8\nAssoc = 2\n"
		"BlockSize = 64\nLatency = 1\nPolicy = LRU\nMSHR = 8\n%s",
		policy);
	fprintf(stream, "[ CacheGeometry l2 ]\nSets = 16\nAssoc = 4\n"
		"BlockSize = 64\nLatency = 5\nPolicy = LRU\nMSHR = 32\n%s",
		second);
	fprintf(stream, "[ CacheGeometry l3 ]\nSets = 32\nAssoc = 4\n"
		"BlockSize = 64\nLatency = 20\nPolicy = LRU\nMSHR = 64\n%s",
		third);
	for (int i = 0; i < CORES; i++)
		fprintf(stream,
			"[ Network n%d ]\nDefaultInputBufferSize = 288\n"
			"DefaultOutputBufferSize = 288\n"
			"DefaultBandwidth = 72\n"
			"[ Module l1-%d ]\nType = Cache\nGeometry = l1\n"
			"LowNetwork = n%d\nLowModules = l2-%d\n"
			"[ Module l2-%d ]\nType = Cache\nGeometry = l2\n"
			"HighNetwork = n%d\nLowNetwork = up\n"
			"LowModules = l3\n"
			"[ Entry core-%d ]\nArch = x86\nCore = %d\n"
			"Thread = 0\nModule = l1-%d\n",
			i, i, i, i, i, i, i, i, i);
	for (int i = 0; i < 2; i++)
		fprintf(stream,
			"[ Network %s ]\nDefaultInputBufferSize = 288\n"
			"DefaultOutputBufferSize = 288\n"
			"DefaultBandwidth = 72\n", i ? "down" : "up");
	fprintf(stream, "[ Module l3 ]\nType = Cache\nGeometry = l3\n"
		"HighNetwork = up\nLowNetwork = down\nLowModules = memory\n"
		"[ Module memory ]\nType = MainMemory\nHighNetwork = down\n"
		"BlockSize = 64\nLatency = 100\n");
	fclose(stream);
	return text;
}

static char *hierarchy(const char *second, const char *policy)
{
	return hierarchy_over(second, policy, "");
}

/* The lines of a set in the order of their use; 0 behind the last. */
static void order(const struct cache *cache, uint32_t first, int32_t *lines)
{
	unsigned count = 0;

	for (uint32_t i = first; i < first + cache->geometry.ways; i++) {
		unsigned at = count;

		if (cache->states[i] == CACHE_INVALID)
			continue;
		for (; at && cache->stamps[lines[at - 1]] > cache->stamps[i];
		     at--)
			lines[at] = lines[at - 1];
		lines[at] = (int32_t)i;
		count++;
	}
	lines[count] = -1;
}

static unsigned different_lines(const struct module *a, int32_t i,
				const struct module *b, int32_t k)
{
	unsigned wrong = a->cache->blocks[i] != b->cache->blocks[k] ||
			 a->cache->states[i] != b->cache->states[k] ||
			 a->cache->prefetched[i] != b->cache->prefetched[k];

	for (int number = 0; a->directory && number < (int)a->upper_count;
	     number++)
		wrong += directory_owns(a->directory, i, 0, 1, number) !=
			 directory_owns(b->directory, k, 0, 1, number);
	return wrong;
}

static unsigned differences(const struct module *a, const struct module *b)
{
	unsigned lines = a->cache->geometry.sets * a->cache->geometry.ways;
	unsigned wrong = 0;

	for (uint32_t first = 0; first < lines;
	     first += a->cache->geometry.ways) {
		int32_t in_a[16], in_b[16];
		unsigned i = 0;

		order(a->cache, first, in_a);
		order(b->cache, first, in_b);
		for (; in_a[i] >= 0 && in_b[i] >= 0; i++)
			wrong += different_lines(a, in_a[i], b, in_b[i]);
		wrong += in_a[i] != in_b[i];
	}
	return wrong;
}

static unsigned all_differences(const struct bench *a, const struct bench *b)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < a->memsys->module_count; i++)
		if (a->memsys->modules[i]->cache)
			wrong += differences(a->memsys->modules[i],
					     b->memsys->modules[i]);
	return wrong;
}

/* Lines of one that the other does not have. */
static unsigned missing(const struct bench *a, const struct bench *b)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < a->memsys->module_count; i++) {
		const struct cache *one = a->memsys->modules[i]->cache;
		const struct cache *other = b->memsys->modules[i]->cache;
		unsigned lines = one ? one->geometry.sets * one->geometry.ways
				     : 0;

		for (unsigned k = 0; k < lines; k++)
			wrong += one->states[k] != CACHE_INVALID &&
				 cache_find(other, one->blocks[k]) < 0;
	}
	return wrong;
}

static uint32_t draw(uint64_t *seed, uint32_t limit)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*seed >> 33) % limit);
}

/* Accesses of both cores: some lines often, some streams, some far away. Where not
 * `exact`, most lines must be the same at the end. */
static void compare(const char *text, unsigned accesses, bool exact)
{
	struct bench detailed, warmed;
	uint64_t seed = 7, stream[CORES] = { 1 << 20, 1 << 21 };
	unsigned wrong = 0;

	bench_create(&detailed, text);
	bench_create(&warmed, text);
	for (unsigned i = 0; i < accesses && !wrong; i++) {
		unsigned core = draw(&seed, CORES), kind = draw(&seed, 8);
		bool store = draw(&seed, 3) == 0;
		uint64_t address = draw(&seed, 3000) * 8u;
		enum memsys_access_kind what = store ? MEMSYS_STORE
						     : MEMSYS_LOAD;
		struct module *a = memsys_entry(detailed.memsys, MEMSYS_X86,
						core, 0);
		struct module *b = memsys_entry(warmed.memsys, MEMSYS_X86,
						core, 0);

		if (kind == 0)
			address = draw(&seed, 1 << 16) * 8u;
		else if (kind < 3)
			address = stream[core] += 24;
		CU_ASSERT_TRUE(module_access_by(a, what, kind + 1, address, 8,
						bench_note, &detailed, 0,
						NULL));
		bench_drain(&detailed);
		CU_ASSERT_TRUE(module_warm(b, what, kind + 1, address));
		wrong = exact ? all_differences(&detailed, &warmed) : 0;
		if (wrong)
			fprintf(stderr, "# access %u: core %u, kind %d, %llx: "
				"%u differences\n", i, core, what,
				(unsigned long long)address, wrong);
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_TRUE(missing(&detailed, &warmed) <= (exact ? 0 : 10));
	bench_free(&warmed);
	bench_free(&detailed);
}

static void test_plain(void)
{
	char *text = hierarchy("", "");

	compare(text, 20000, true);
	free(text);
}

static void test_victim(void)
{
	char *text = hierarchy_over("", "", "Victim = t\n");

	/* Up to 10 lines may be missing: the order of use differs. Where it first
	 * does is not known yet. */
	compare(text, 20000, false);
	free(text);
}

static void test_prefetchers(void)
{
	char *text = hierarchy("EnablePrefetcher = t\n"
			       "PrefetcherType = Stream\n"
			       "PrefetcherITSize = 8\nPrefetcherDegree = 4\n"
			       "PrefetcherCrossPage = f\n", "");

	compare(text, 20000, true);
	free(text);
	text = hierarchy("", "EnablePrefetcher = t\nPrefetcherType = Stride\n"
			 "PrefetcherITSize = 16\nPrefetcherDegree = 1\n");
	/* By events a prefetched line may come before the one that was asked
	 * for. */
	compare(text, 20000, false);
	free(text);
}

/* Nothing is counted, and no time passes. */
static void test_silence(void)
{
	char *text = hierarchy("", "");
	struct bench bench;

	bench_create(&bench, text);
	for (unsigned i = 0; i < 1000; i++)
		module_warm(memsys_entry(bench.memsys, MEMSYS_X86, i % CORES,
					 0), i % 3 ? MEMSYS_LOAD : MEMSYS_STORE,
			    0, i * 40);
	CU_ASSERT_EQUAL(event_queue_next(bench.events), UINT64_MAX);
	for (size_t i = 0; i < bench.memsys->module_count; i++) {
		static const struct module_count none;

		CU_ASSERT_EQUAL(memcmp(&bench.memsys->modules[i]->count, &none,
				       sizeof none), 0);
	}
	bench_free(&bench);
	free(text);
}

static void test_write_through(void)
{
	char *text = hierarchy("", "WritePolicy = WriteThrough\n");
	struct bench bench;

	bench_create(&bench, text);
	CU_ASSERT_FALSE(module_can_warm(memsys_entry(bench.memsys, MEMSYS_X86,
						     0, 0)));
	bench_free(&bench);
	free(text);
	text = hierarchy("", "");
	bench_create(&bench, text);
	CU_ASSERT_TRUE(module_can_warm(memsys_entry(bench.memsys, MEMSYS_X86,
						    0, 0)));
	bench_free(&bench);
	free(text);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "as by events", test_plain },
		{ "a victim cache", test_victim },
		{ "with prefetchers", test_prefetchers },
		{ "nothing else happens", test_silence },
		{ "caches that write through", test_write_through },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "warming", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
