/* Prefetchers: what the algorithms predict, and what a cache makes of it. */
#include "memsys/prefetch/prefetcher.h"
#include "memsys/bench.h"
#include "base/memory.h"

/* --- Algorithms ----------------------------------------------------------- */

static struct prefetcher *make(enum prefetcher_type type, uint32_t history,
			       uint32_t table, uint32_t depth, uint32_t degree)
{
	struct prefetcher_config config = {
		.type = type, .history = history, .table = table,
		.depth = depth, .degree = degree,
	};

	return prefetcher_create(&config);
}

static const enum prefetcher_type stride_types[] = {
	PREFETCHER_STRIDE, PREFETCHER_GHB_PC_CS,
};

/* With depth n, the n-th equal stride is the first that predicts. */
static void test_strides(void)
{
	for (unsigned t = 0; t < ARRAY_SIZE(stride_types); t++)
		for (uint32_t depth = 1; depth <= 4; depth++) {
			struct prefetcher *prefetcher =
				make(stride_types[t], 64, 16, depth, 3);
			uint64_t next[PREFETCHER_DEGREE_MAX];

			for (uint64_t i = 0; i <= depth; i++)
				CU_ASSERT_EQUAL(prefetcher_train(prefetcher, 9,
								 100 - 7 * i,
								 next),
						i == depth ? 3 : 0);
			for (uint64_t i = 0; i < 3; i++)
				CU_ASSERT_EQUAL(next[i],
						100 - 7 * (depth + 1 + i));
			/* The same block again says nothing and breaks
			 * nothing. */
			CU_ASSERT_EQUAL(prefetcher_train(prefetcher, 9,
							 100 - 7 * depth,
							 next), 0);
			CU_ASSERT_EQUAL(prefetcher_train(prefetcher, 9,
							 93 - 7 * depth,
							 next), 3);
			/* Another stride begins from nothing. */
			CU_ASSERT_EQUAL(prefetcher_train(prefetcher, 9,
							 5000, next),
					depth == 1 ? 3 : 0);
			prefetcher_free(prefetcher);
		}
}

/* Streams of several instructions do not disturb each other. */
static void test_localization(void)
{
	static const enum prefetcher_type types[] = {
		PREFETCHER_STRIDE, PREFETCHER_GHB_PC_CS, PREFETCHER_GHB_PC_DC,
	};

	for (unsigned t = 0; t < ARRAY_SIZE(types); t++) {
		struct prefetcher *prefetcher = make(types[t], 64, 64, 2, 1);
		uint64_t next[PREFETCHER_DEGREE_MAX];
		unsigned right = 0, all = 0;

		for (uint64_t i = 0; i < 20; i++)
			for (uint64_t key = 1; key <= 3; key++) {
				uint64_t block = key * 1000 + key * i;

				if (!prefetcher_train(prefetcher, key, block,
						      next))
					continue;
				all++;
				right += next[0] == block + key;
			}
		CU_ASSERT_EQUAL(right, all);
		CU_ASSERT_TRUE(all >= 3 * 16);
		prefetcher_free(prefetcher);
	}
}

/* The pattern +1 +1 +5: after its second round PC/DC knows what comes; equal
 * strides never say so. */
static void test_deltas(void)
{
	static const uint64_t deltas[] = { 1, 1, 5 };
	struct prefetcher *dc = make(PREFETCHER_GHB_PC_DC, 64, 16, 2, 4);
	uint64_t next[PREFETCHER_DEGREE_MAX], block = 40;
	unsigned predicted = 0, wrong = 0;

	for (unsigned i = 0; i < 30; i++) {
		uint64_t expected = block;

		if (prefetcher_train(dc, 1, block, next)) {
			predicted++;
			for (unsigned j = 0; j < 4; j++) {
				expected += deltas[(i + j) % 3];
				wrong += next[j] != expected;
			}
		}
		block += deltas[i % 3];
	}
	/* Two deltas can be found again from the sixth access on. */
	CU_ASSERT_EQUAL(predicted, 25);
	CU_ASSERT_EQUAL(wrong, 0);
	prefetcher_free(dc);
	for (unsigned t = 0; t < ARRAY_SIZE(stride_types); t++) {
		struct prefetcher *other = make(stride_types[t], 64, 16, 2, 1);
		unsigned right = 0;

		block = 40;
		for (unsigned i = 0; i < 30; i++) {
			uint64_t following = block + deltas[i % 3];

			if (prefetcher_train(other, 1, block, next))
				right += next[0] == following;
			block = following;
		}
		/* +1 +1 suggests a third +1, which is always wrong. */
		CU_ASSERT_EQUAL(right, 0);
		prefetcher_free(other);
	}
}

/* Pages of 16 blocks; 0: nothing. */
static uint64_t one_line(enum prefetcher_type type, const uint64_t *blocks,
			 unsigned count)
{
	struct prefetcher_config config = { .type = type, .table = 8,
					    .depth = 1, .degree = 1,
					    .page = 16 };
	struct prefetcher *prefetcher = prefetcher_create(&config);
	uint64_t next[PREFETCHER_DEGREE_MAX];
	unsigned found = 0;

	for (unsigned i = 0; i < count; i++)
		found = prefetcher_train(prefetcher, 1, blocks[i], next);
	prefetcher_free(prefetcher);
	return found ? next[0] : 0;
}

static void test_one_line(void)
{
	static const uint64_t up[] = { 33, 34 }, far[] = { 33, 37 },
			      down[] = { 37, 36 }, other[] = { 31, 32 };

	CU_ASSERT_EQUAL(one_line(PREFETCHER_PAIR, up, 1), 32);
	CU_ASSERT_EQUAL(one_line(PREFETCHER_PAIR, up, 2), 35);
	CU_ASSERT_EQUAL(one_line(PREFETCHER_NEXT_LINE, up, 1), 0);
	CU_ASSERT_EQUAL(one_line(PREFETCHER_NEXT_LINE, up, 2), 35);
	CU_ASSERT_EQUAL(one_line(PREFETCHER_NEXT_LINE, far, 2), 0);
	CU_ASSERT_EQUAL(one_line(PREFETCHER_NEXT_LINE, down, 2), 0);
	CU_ASSERT_EQUAL(one_line(PREFETCHER_NEXT_LINE, other, 2), 0);
	CU_ASSERT_EQUAL(one_line(PREFETCHER_UP_DOWN, up, 2), 35);
	CU_ASSERT_EQUAL(one_line(PREFETCHER_UP_DOWN, far, 2), 38);
	CU_ASSERT_EQUAL(one_line(PREFETCHER_UP_DOWN, down, 2), 35);
	CU_ASSERT_EQUAL(one_line(PREFETCHER_UP_DOWN, other, 2), 0);
	/* a stream without the pair begins with its second step */
	CU_ASSERT_EQUAL(one_line(PREFETCHER_STREAM, up, 1), 0);
	CU_ASSERT_EQUAL(one_line(PREFETCHER_STREAM, up, 2), 35);
	CU_ASSERT_EQUAL(one_line(PREFETCHER_STREAM, down, 2), 35);
	CU_ASSERT_EQUAL(one_line(PREFETCHER_STREAM, far, 2), 0);
}

/* A history of four misses keeps two of each of two instructions: one stride,
 * never two. */
static void test_history(void)
{
	struct prefetcher *small = make(PREFETCHER_GHB_PC_CS, 4, 16, 2, 1);
	struct prefetcher *large = make(PREFETCHER_GHB_PC_CS, 5, 16, 2, 1);
	uint64_t next[PREFETCHER_DEGREE_MAX];
	unsigned small_count = 0, large_count = 0;

	for (uint64_t i = 0; i < 50; i++)
		for (uint64_t key = 1; key <= 2; key++) {
			small_count += prefetcher_train(small, key,
							key * 100 + i, next);
			large_count += prefetcher_train(large, key,
							key * 100 + i, next);
		}
	CU_ASSERT_EQUAL(small_count, 0);
	CU_ASSERT_EQUAL(large_count, 2 * 48);
	prefetcher_free(small);
	prefetcher_free(large);
}

/* A table of one entry: each other instruction takes its place. */
static void test_table(void)
{
	for (unsigned t = 0; t < ARRAY_SIZE(stride_types); t++) {
		struct prefetcher *prefetcher =
			make(stride_types[t], 64, 1, 1, 1);
		uint64_t next[PREFETCHER_DEGREE_MAX];
		unsigned count = 0;

		for (uint64_t i = 0; i < 20; i++)
			for (uint64_t key = 1; key <= 2; key++)
				count += prefetcher_train(prefetcher, key, i,
							  next);
		CU_ASSERT_EQUAL(count, 0);
		for (uint64_t i = 0; i < 20; i++)
			count += prefetcher_train(prefetcher, 7, i, next);
		CU_ASSERT_EQUAL(count, 19);
		prefetcher_free(prefetcher);
	}
}

/* --- In a cache ----------------------------------------------------------- */

/* What the test adds goes into the geometry, and into the module. */
static char *configuration(const char *geometry, const char *module)
{
	return xasprintf(
		"[General]\nFrequency = 1000\n"
		"[CacheGeometry g]\nSets = 16\nAssoc = 4\nBlockSize = 64\n"
		"Latency = 5\nDirectoryLatency = 1\n%s"
		"[CacheGeometry plain]\nSets = 2\nAssoc = 1\nBlockSize = 64\n"
		"Latency = 2\n"
		"[Network n]\nDefaultInputBufferSize = 144\n"
		"DefaultOutputBufferSize = 144\nDefaultBandwidth = 72\n"
		"[Module m]\nType = MainMemory\nHighNetwork = n\n"
		"BlockSize = 64\nLatency = 100\n"
		"[Module a]\nType = Cache\nGeometry = g\nLowNetwork = n\n"
		"LowModules = m\n"
		"[Entry a]\nArch = Evergreen\nComputeUnit = 0\nModule = a\n%s",
		geometry, module);
}

static void create(struct bench *bench, const char *geometry,
		   const char *module)
{
	char *text = configuration(geometry, module);

	bench_create(bench, text);
	free(text);
}

static uint64_t unused(const struct module *module)
{
	uint32_t lines = module->config.sets * module->config.assoc;
	uint64_t count = 0;

	for (uint32_t i = 0; i < lines; i++)
		count += module->cache->prefetched[i];
	return count;
}

/* When all is quiet. */
static void check_counts(const struct module *module)
{
	const struct module_count *n = &module->count;

	CU_ASSERT_EQUAL(prefetch_waiting(module), 0);
	CU_ASSERT_EQUAL(n->prefetch_requests,
			n->prefetches + n->prefetch_aborts +
				n->redundant_prefetches);
	CU_ASSERT_EQUAL(n->prefetches, n->useful_prefetches +
					       n->useless_prefetches +
					       unused(module));
	CU_ASSERT_TRUE(n->late_prefetches <= n->useful_prefetches);
}

/* Loads that wait for each other, in the pattern of deltas; the cycles of
 * all. */
static uint64_t stream(struct bench *bench, const unsigned *deltas,
		       unsigned count, unsigned loads)
{
	uint64_t block = 0, cycles = 0;

	for (unsigned i = 0; i < loads; i++) {
		cycles += bench_access(bench, 0, MEMSYS_LOAD, 0x1000,
				       block * 64, 20);
		block += deltas[i % count];
	}
	bench_drain(bench);
	return cycles;
}

static const struct {
	const char *name, *text;
} kinds[] = {
	{ "none", "" },
	{ "Stride", "EnablePrefetcher = t\nPrefetcherType = Stride\n" },
	{ "GHB_PC_CS", "EnablePrefetcher = t\nPrefetcherType = GHB_PC_CS\n" },
	{ "GHB_PC_DC", "EnablePrefetcher = t\nPrefetcherType = GHB_PC_DC\n" },
	{ "two", "EnablePrefetcher = t\nPrefetcherType = Pair\n"
		 "PrefetcherSecond = NextLine\n" },
};
/* The last one knows nothing of patterns, but of neighbours. */
enum { PATTERN_KINDS = ARRAY_SIZE(kinds) - 1 };

/* Every prefetcher speeds a stream up; no demand access is lost. */
static void test_stream(void)
{
	enum { LOADS = 200 };
	static const unsigned deltas[] = { 1 };
	uint64_t plain = 0;

	for (unsigned kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		struct bench bench;
		const struct module_count *n, *memory;
		uint64_t cycles;

		create(&bench, kinds[kind].text, "");
		n = &bench.entry[0]->count;
		memory = &bench.memsys->modules[0]->count;
		cycles = stream(&bench, deltas, 1, LOADS);
		CU_ASSERT_EQUAL(n->class[CLASS_READ].accesses, LOADS);
		CU_ASSERT_EQUAL(memory->class[CLASS_READ].accesses,
				n->class[CLASS_READ].misses + n->prefetches);
		check_counts(bench.entry[0]);
		if (!kind) {
			plain = cycles;
			CU_ASSERT_EQUAL(n->class[CLASS_READ].misses, LOADS);
			CU_ASSERT_EQUAL(n->prefetch_requests, 0);
		} else {
			CU_ASSERT_TRUE(cycles < plain * 7 / 10);
			CU_ASSERT_TRUE(n->useful_prefetches > LOADS * 9 / 10);
			CU_ASSERT_EQUAL(n->class[CLASS_READ].misses +
						n->useful_prefetches, LOADS);
			CU_ASSERT_EQUAL(n->useless_prefetches, 0);
		}
		if (getenv("M2S_TEST_VERBOSE"))
			printf("# %s: %llu cycles, %llu useful, %llu late\n",
			       kinds[kind].name, (unsigned long long)cycles,
			       (unsigned long long)n->useful_prefetches,
			       (unsigned long long)n->late_prefetches);
		bench_free(&bench);
	}
}

/* Of +1 +1 +5 only delta correlation makes something. */
static void test_pattern(void)
{
	enum { LOADS = 200 };
	static const unsigned deltas[] = { 1, 1, 5 };
	uint64_t cycles[PATTERN_KINDS];

	for (unsigned kind = 0; kind < PATTERN_KINDS; kind++) {
		struct bench bench;
		const struct module_count *n;

		create(&bench, kinds[kind].text, "");
		n = &bench.entry[0]->count;
		cycles[kind] = stream(&bench, deltas, 3, LOADS);
		check_counts(bench.entry[0]);
		if (kind == 3) {
			CU_ASSERT_TRUE(n->useful_prefetches > LOADS * 9 / 10);
			CU_ASSERT_EQUAL(n->useless_prefetches, 0);
		} else {
			CU_ASSERT_EQUAL(n->useful_prefetches, 0);
			CU_ASSERT_EQUAL(n->class[CLASS_READ].misses, LOADS);
		}
		bench_free(&bench);
	}
	CU_ASSERT_TRUE(cycles[1] >= cycles[0]);
	CU_ASSERT_TRUE(cycles[2] >= cycles[0]);
	CU_ASSERT_TRUE(cycles[3] < cycles[0] * 7 / 10);
}

/* Two streams, taken in turn: told apart by their instructions. */
static void test_instructions(void)
{
	for (unsigned known = 0; known < 2; known++) {
		struct bench bench;
		const struct module_count *n;

		create(&bench, kinds[1].text, "");
		n = &bench.entry[0]->count;
		for (uint64_t i = 0; i < 50; i++) {
			bench_access(&bench, 0, MEMSYS_LOAD,
				     known ? 0x400100 : 0, i * 64, 20);
			bench_access(&bench, 0, MEMSYS_LOAD,
				     known ? 0x400180 : 0,
				     0x100000 + i * 128, 20);
		}
		bench_drain(&bench);
		check_counts(bench.entry[0]);
		if (known)
			CU_ASSERT_TRUE(n->useful_prefetches > 90);
		if (!known)
			CU_ASSERT_EQUAL(n->useful_prefetches, 0);
		bench_free(&bench);
	}
}

/* Without an MSHR prefetches are dropped; a prefetch never makes a demand
 * access wait for a port. */
static void test_priority(void)
{
	struct bench bench;
	const struct module_count *n;
	unsigned refused = 0;

	create(&bench, "EnablePrefetcher = t\nPrefetcherType = Stride\n"
	       "MSHR = 1\n", "");
	n = &bench.entry[0]->count;
	for (uint64_t i = 0; i < 20; i++)
		bench_access(&bench, 0, MEMSYS_LOAD, 1, i * 64, 0);
	bench_drain(&bench);
	check_counts(bench.entry[0]);
	CU_ASSERT_TRUE(n->prefetch_aborts > 10);
	bench_free(&bench);

	create(&bench, "EnablePrefetcher = t\nPrefetcherType = Stride\n"
	       "Ports = 1\nPrefetcherDegree = 8\n", "");
	n = &bench.entry[0]->count;
	bench_access(&bench, 0, MEMSYS_LOAD, 2, 0x8000, 20);
	for (uint64_t i = 0; i < 3; i++)
		bench_access(&bench, 0, MEMSYS_LOAD, 1, i * 64, i < 2 ? 20 : 0);
	/* The third miss wants eight blocks; those that have not left yet
	 * wait while each cycle has its load. */
	bench_drain(&bench);
	bench_until(&bench, (event_queue_now(bench.events) / 1000 + 2) * 1000);
	CU_ASSERT_EQUAL(n->prefetches, 8);
	CU_ASSERT_TRUE(bench_start(&bench, 0, MEMSYS_LOAD, 1, 3 * 64, 1));
	for (uint64_t i = 0; i < 30; i++) {
		bench_until(&bench, event_queue_now(bench.events) + 1000);
		refused += !bench_start(&bench, 0, MEMSYS_LOAD, 2, 0x8000, 2);
	}
	/* A use of the first of them wanted one block more. */
	CU_ASSERT_EQUAL(refused, 0);
	CU_ASSERT_EQUAL(n->prefetches, 8);
	CU_ASSERT_EQUAL(prefetch_waiting(bench.entry[0]), 1);
	bench_drain(&bench);
	CU_ASSERT_EQUAL(n->prefetches, 9);
	check_counts(bench.entry[0]);
	bench_free(&bench);
}

/* Blocks that leave unused: replaced in a tiny cache, or taken by another
 * cache's store. */
static void test_useless(void)
{
	struct bench bench;
	const struct module_count *n;

	create(&bench, "EnablePrefetcher = t\nPrefetcherType = Stride\n",
	       "[Module b]\nType = Cache\nGeometry = plain\nLowNetwork = n\n"
	       "LowModules = m\n[Entry b]\nArch = Evergreen\nComputeUnit = 1\n"
	       "Module = b\n");
	n = &bench.entry[0]->count;
	for (uint64_t i = 0; i < 3; i++)
		bench_access(&bench, 0, MEMSYS_LOAD, 1, i * 64, 20);
	bench_drain(&bench);
	CU_ASSERT_EQUAL(n->prefetches, 2);
	CU_ASSERT_EQUAL(unused(bench.entry[0]), 2);
	bench_access(&bench, 1, MEMSYS_STORE, 0, 3 * 64, 20);
	CU_ASSERT_EQUAL(n->useless_prefetches, 1);
	CU_ASSERT_EQUAL(unused(bench.entry[0]), 1);
	/* Five blocks of its set in a cache of four ways. */
	for (uint64_t i = 1; i <= 5; i++)
		bench_access(&bench, 0, MEMSYS_LOAD, i + 9,
			     4 * 64 + i * 1024, 20);
	CU_ASSERT_EQUAL(n->useless_prefetches, 2);
	bench_drain(&bench);
	check_counts(bench.entry[0]);
	bench_free(&bench);
}

/* With PrefetcherCrossPage = f nothing is fetched beyond the page. */
static void test_pages(void)
{
	for (unsigned cross = 0; cross < 2; cross++) {
		struct bench bench;

		create(&bench, cross ? "EnablePrefetcher = t\n"
				     : "EnablePrefetcher = t\n"
				       "PrefetcherCrossPage = f\n", "");
		for (uint64_t i = 61; i < 64; i++)
			bench_access(&bench, 0, MEMSYS_LOAD, 1, i * 64, 20);
		bench_drain(&bench);
		CU_ASSERT_EQUAL(bench.entry[0]->count.prefetches,
				cross ? 2 : 0);
		CU_ASSERT_EQUAL(cache_find(bench.entry[0]->cache, 4096) >= 0,
				cross);
		bench_free(&bench);
	}
}

/* Two slices of 256 bytes in turn below one cache: each sees a stream without
 * gaps, and fetches nothing that belongs to the other. */
static const char slices[] =
	"[General]\nFrequency = 1000\n"
	"[CacheGeometry g]\nSets = 2\nAssoc = 2\nBlockSize = 64\nLatency = 2\n"
	"[CacheGeometry s]\nSets = 64\nAssoc = 4\nBlockSize = 64\nLatency = 9\n"
	"EnablePrefetcher = t\nPrefetcherType = Stride\n"
	"[Network n]\nDefaultInputBufferSize = 144\n"
	"DefaultOutputBufferSize = 144\nDefaultBandwidth = 72\n"
	"[Network o]\nDefaultInputBufferSize = 144\n"
	"DefaultOutputBufferSize = 144\nDefaultBandwidth = 72\n"
	"[Module m]\nType = MainMemory\nHighNetwork = o\nBlockSize = 64\n"
	"Latency = 100\n"
	"[Module s0]\nType = Cache\nGeometry = s\nHighNetwork = n\n"
	"LowNetwork = o\nLowModules = m\n"
	"AddressRange = ADDR DIV 256 MOD 2 EQ 0\n"
	"[Module s1]\nType = Cache\nGeometry = s\nHighNetwork = n\n"
	"LowNetwork = o\nLowModules = m\n"
	"AddressRange = ADDR DIV 256 MOD 2 EQ 1\n"
	"[Module a]\nType = Cache\nGeometry = g\nLowNetwork = n\n"
	"LowModules = s0 s1\n"
	"[Entry a]\nArch = Evergreen\nComputeUnit = 0\nModule = a\n";

static void test_slices(void)
{
	struct bench bench;

	bench_create(&bench, slices);
	for (uint64_t i = 0; i < 100; i++)
		bench_access(&bench, 0, MEMSYS_LOAD, 0x20, i * 64, 20);
	bench_drain(&bench);
	for (unsigned i = 1; i <= 2; i++) {
		const struct module *slice = bench.memsys->modules[i];

		check_counts(slice);
		CU_ASSERT_TRUE(slice->count.useful_prefetches > 40);
		for (uint32_t line = 0; line < 256; line++)
			if (slice->cache->states[line] != CACHE_INVALID)
				CU_ASSERT_EQUAL(slice->cache->blocks[line] /
							256 % 2, i - 1);
	}
	bench_free(&bench);
}

int main(void)
{
	static CU_TestInfo algorithms[] = {
		{ "equal strides", test_strides },
		{ "streams of several instructions", test_localization },
		{ "a pattern of distances", test_deltas },
		{ "pairs and next lines", test_one_line },
		{ "size of the history", test_history },
		{ "size of the table", test_table },
		CU_TEST_INFO_NULL,
	};
	static CU_TestInfo caches[] = {
		{ "a stream gets faster", test_stream },
		{ "a pattern that only delta correlation finds",
		  test_pattern },
		{ "streams are told apart by instruction",
		  test_instructions },
		{ "demand accesses come first", test_priority },
		{ "useless prefetches are counted", test_useless },
		{ "page borders", test_pages },
		{ "interleaved modules", test_slices },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "prefetcher", NULL, NULL, NULL, NULL, algorithms },
		{ "prefetch", NULL, NULL, NULL, NULL, caches },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
