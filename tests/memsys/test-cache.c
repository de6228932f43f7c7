/* Cache tags and policies, and single modules whose timing can be worked out
 * by hand. */
#include "memsys/bench.h"

#include "base/memory.h"

/* --- Tags ---------------------------------------------------------------- */

static struct cache *small(enum cache_policy_id policy)
{
	struct cache_geometry geometry = {
		.sets = 2, .ways = 2, .block_size = 64, .policy = policy,
		.interleave = { 1, 1 }, .seed = 3,
	};

	return cache_create(&geometry);
}

/* Blocks 0, 128, 256 share set 0. */
static void test_lru(void)
{
	struct cache *cache = small(CACHE_POLICY_LRU);

	cache_bring(cache, 0);
	cache_bring(cache, 128);
	cache_bring(cache, 0);
	cache_bring(cache, 256);
	CU_ASSERT_TRUE(cache_find(cache, 0) >= 0);
	CU_ASSERT_TRUE(cache_find(cache, 128) < 0);
	CU_ASSERT_TRUE(cache_find(cache, 256) >= 0);
	/* The other set is another matter. */
	cache_bring(cache, 64);
	cache_bring(cache, 192);
	CU_ASSERT_TRUE(cache_find(cache, 0) >= 0);
	cache_free(cache);
}

static void test_fifo(void)
{
	struct cache *cache = small(CACHE_POLICY_FIFO);

	cache_bring(cache, 0);
	cache_bring(cache, 128);
	cache_bring(cache, 0);
	cache_bring(cache, 256);
	CU_ASSERT_TRUE(cache_find(cache, 0) < 0);
	CU_ASSERT_TRUE(cache_find(cache, 128) >= 0);
	cache_free(cache);
}

static void test_random_policy(void)
{
	struct cache *cache = small(CACHE_POLICY_RANDOM);
	unsigned first = 0;

	cache_bring(cache, 0);
	cache_bring(cache, 128);
	for (int i = 0; i < 1000; i++)
		first += cache_victim(cache, 256) ==
			 (int32_t)cache_set_line(cache, 0);
	CU_ASSERT_TRUE(first > 400 && first < 600);
	cache_free(cache);
}

static void test_locked(void)
{
	struct cache *cache = small(CACHE_POLICY_LRU);
	int32_t line;

	cache_bring(cache, 0);
	cache_bring(cache, 128);
	line = cache_find(cache, 0);
	cache_lock(cache, line);
	CU_ASSERT_EQUAL(cache_victim(cache, 256), cache_find(cache, 128));
	cache_lock(cache, cache_find(cache, 128));
	CU_ASSERT_EQUAL(cache_victim(cache, 256), -1);
	/* An empty line comes first. */
	cache_unlock(cache, line);
	cache_invalidate(cache, line);
	CU_ASSERT_EQUAL(cache_victim(cache, 256), line);
	CU_ASSERT_EQUAL(cache_find(cache, 0), -1);
	cache_free(cache);
}

/* A slice of eight gets every eighth 256 bytes: its 16 blocks in a row must
 * use all of its sets. */
static void test_interleave(void)
{
	static const struct cache_interleave interleaves[] = {
		{ 256, 8 }, { 256, 3 }, { 192, 5 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(interleaves); i++) {
		uint64_t divide = interleaves[i].divide;
		uint64_t modulo = interleaves[i].modulo;
		struct cache_geometry geometry = {
			.sets = 16, .ways = 1, .block_size = 64,
			.interleave = interleaves[i],
		};
		struct cache *cache = cache_create(&geometry);
		uint32_t seen = 0, blocks = 0;

		for (uint64_t address = 0; blocks < 16; address += 64)
			if (address / divide % modulo == 2) {
				seen |= 1u << cache_set_line(cache, address);
				blocks++;
			}
		CU_ASSERT_EQUAL(seen, 0xffff);
		cache_free(cache);
	}
}

/* --- One cache over one memory ------------------------------------------- */

#define PLAIN(more)                                                            \
	"[General]\nFrequency = 1000\nPeerTransfers = f\n"                    \
	"[CacheGeometry g]\nSets = 4\nAssoc = 2\nBlockSize = 64\n"             \
	"Latency = 5\nDirectoryLatency = 2\nMSHR = 2\nPorts = 1\n"             \
	"WriteBufferSize = 2\nWriteCombineDelay = 10\n" more                   \
	"[Network n]\nDefaultInputBufferSize = 144\n"                         \
	"DefaultOutputBufferSize = 144\nDefaultBandwidth = 72\n"              \
	"[Module m]\nType = MainMemory\nHighNetwork = n\nBlockSize = 64\n"    \
	"Latency = 50\nBandwidth = 8\nAtomicLatency = 30\n"                   \
	"[Module a]\nType = Cache\nGeometry = g\nLowNetwork = n\n"            \
	"LowModules = m\n"                                                    \
	"[Entry a]\nArch = Evergreen\nComputeUnit = 0\nModule = a\n"

static const char plain[] = PLAIN("");
/* Non-coherent stores go through the write buffer. */
static const char passing[] = PLAIN("Coherent = f\n");

static const char second[] =
	"[Module b]\nType = Cache\nGeometry = g\nLowNetwork = n\n"
	"LowModules = m\n"
	"[Entry b]\nArch = Evergreen\nComputeUnit = 1\nModule = b\n";

static bool start(struct bench *bench, unsigned entry,
		  enum memsys_access_kind kind, uint64_t address,
		  unsigned size, uint64_t tag)
{
	return module_access(bench->entry[entry], kind, address, size,
			     bench_note, bench, tag, NULL);
}

/* Runs one access alone; returns its cycles. */
static uint64_t alone(struct bench *bench, unsigned entry,
		      enum memsys_access_kind kind, uint64_t address,
		      unsigned size)
{
	picoseconds now, period = bench->entry[entry]->period;

	bench_drain(bench);
	/* Off to a fresh clock edge. */
	now = event_queue_now(bench->events);
	bench_until(bench, (now / period + 2) * period);
	now = event_queue_now(bench->events);
	CU_ASSERT_TRUE(start(bench, entry, kind, address, size, 0));
	bench_drain(bench);
	return (bench->done[0] - now) / period;
}

/* Look-up 2, header on two links and through the switch 3, transfer of 64
 * bytes 8, memory 50, block on its way up 3, answer 5. */
static void test_latency(void)
{
	struct bench bench;

	bench_create(&bench, passing);
	CU_ASSERT_EQUAL(alone(&bench, 0, MEMSYS_LOAD, 0x1000, 4),
			2 + 3 + 8 + 50 + 3 + 5);
	CU_ASSERT_EQUAL(alone(&bench, 0, MEMSYS_LOAD, 0x1020, 4), 5);
	/* Held alone, so a store needs nothing more. */
	CU_ASSERT_EQUAL(alone(&bench, 0, MEMSYS_STORE, 0x1004, 4), 5);
	/* A store of part of a block waits 10 cycles for the rest; 4 bytes
	 * take half a cycle on the channel, the network moves at the next
	 * edge, look-up of the memory's directory 1. */
	CU_ASSERT_EQUAL(alone(&bench, 0, MEMSYS_NC_STORE, 0x2000, 4),
			10 + 3 + 1 + 1 + 3);
	/* A whole block does not wait. */
	CU_ASSERT_EQUAL(alone(&bench, 0, MEMSYS_NC_STORE, 0x2000, 64),
			2 + 3 + 8 + 1 + 3);
	/* The modified copy goes home first, one cycle ahead and 8 on the
	 * channel; read half a cycle, unit 30, memory 50. */
	CU_ASSERT_EQUAL(alone(&bench, 0, MEMSYS_ATOMIC, 0x1000, 4),
			2 + 3 + 8 + 1 + 30 + 50 + 3);
	CU_ASSERT_EQUAL(alone(&bench, 0, MEMSYS_LOAD, 0x1000, 4), 71);
	bench_free(&bench);
}

/* The same with a link from each module to the other: a hop less. Where two
 * caches send to the memory, a multiplexer and its link. */
static void test_direct_links(void)
{
	static const char network[] = "[Network n]\n";
	char text[sizeof plain + 32], *at;
	struct bench bench;

	strcpy(text, plain);
	at = strstr(text, network);
	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	at += sizeof network - 1;
	memmove(at + 15, at, strlen(at) + 1);
	memcpy(at, "Links = Direct\n", 15);
	bench_create(&bench, text);
	CU_ASSERT_EQUAL(alone(&bench, 0, MEMSYS_LOAD, 0x1000, 4),
			2 + 1 + 8 + 50 + 1 + 5);
	bench_free(&bench);
	bench_create_more(&bench, text, second);
	CU_ASSERT_EQUAL(alone(&bench, 1, MEMSYS_LOAD, 0x1000, 4),
			2 + 3 + 8 + 50 + 1 + 5);
	/* Held by the other alone: asked, and it answers. */
	CU_ASSERT_TRUE(alone(&bench, 0, MEMSYS_STORE, 0x1000, 4) > 60);
	bench_free(&bench);
}

/* Two misses fit the MSHRs; a third is refused, a fourth to one of the two
 * blocks is merged. */
static void test_mshr(void)
{
	struct bench bench;
	bool coalesced = true;
	const struct module_count *count;

	bench_create(&bench, plain);
	count = &bench.entry[0]->count;
	CU_ASSERT_TRUE(start(&bench, 0, MEMSYS_LOAD, 0x0, 4, 0));
	/* One port: the same cycle is taken. */
	CU_ASSERT_FALSE(start(&bench, 0, MEMSYS_LOAD, 0x40, 4, 1));
	bench_until(&bench, 1000);
	CU_ASSERT_TRUE(start(&bench, 0, MEMSYS_LOAD, 0x40, 4, 1));
	bench_until(&bench, 2000);
	CU_ASSERT_FALSE(start(&bench, 0, MEMSYS_LOAD, 0x80, 4, 2));
	CU_ASSERT_EQUAL(memsys_pending(bench.memsys), 2);
	CU_ASSERT_TRUE(module_access(bench.entry[0], MEMSYS_LOAD, 0x20, 4,
				     bench_note, &bench, 3, &coalesced));
	CU_ASSERT_TRUE(coalesced);
	bench_drain(&bench);
	CU_ASSERT_EQUAL(bench.finished, 3);
	/* Merged: done together. */
	CU_ASSERT_EQUAL(bench.done[0], 71000);
	CU_ASSERT_EQUAL(bench.done[3], 71000);
	/* Behind the first on the channel. */
	CU_ASSERT_EQUAL(bench.done[1], 79000);
	CU_ASSERT_EQUAL(count->class[CLASS_READ].accesses, 3);
	CU_ASSERT_EQUAL(count->class[CLASS_READ].hits, 1);
	CU_ASSERT_EQUAL(count->class[CLASS_READ].misses, 2);
	CU_ASSERT_EQUAL(count->class[CLASS_READ].retries, 2);
	CU_ASSERT_EQUAL(count->class[CLASS_READ].coalesced, 1);
	bench_free(&bench);
}

/* Eight stores of 8 bytes, one per cycle, become one message of 64. When only
 * seven come, they leave when the first has waited 10 cycles. */
static void test_combine(void)
{
	struct bench bench;
	const struct module_count *memory;

	bench_create(&bench, passing);
	memory = &bench.memsys->modules[0]->count;
	for (unsigned i = 0; i < 15; i++) {
		bench_until(&bench, i * 1000);
		CU_ASSERT_TRUE(start(&bench, 0, MEMSYS_NC_STORE, 8 * i, 8, i));
	}
	bench_drain(&bench);
	CU_ASSERT_EQUAL(bench.finished, 15);
	CU_ASSERT_EQUAL(memory->class[CLASS_NC_WRITE].accesses, 2);
	CU_ASSERT_EQUAL(memory->written_bytes, 15 * 8);
	CU_ASSERT_EQUAL(bench.entry[0]->count.class[CLASS_NC_WRITE].coalesced,
			13);
	/* Complete in cycle 7, look-up 2, network 3, channel 8, directory 1,
	 * network 3. */
	CU_ASSERT_EQUAL(bench.done[0], 24000);
	CU_ASSERT_EQUAL(bench.done[7], 24000);
	/* Waits from cycle 8 to 18; 56 bytes take 7 cycles on the channel. */
	CU_ASSERT_EQUAL(bench.done[8], 32000);
	CU_ASSERT_EQUAL(bench.done[14], 32000);
	bench_free(&bench);
}

/* The write buffer has two entries. */
static void test_write_buffer(void)
{
	struct bench bench;

	bench_create(&bench, passing);
	CU_ASSERT_TRUE(start(&bench, 0, MEMSYS_NC_STORE, 0x0, 64, 0));
	bench_until(&bench, 1000);
	CU_ASSERT_TRUE(start(&bench, 0, MEMSYS_ATOMIC, 0x40, 4, 1));
	bench_until(&bench, 2000);
	CU_ASSERT_FALSE(start(&bench, 0, MEMSYS_NC_STORE, 0x80, 64, 2));
	CU_ASSERT_FALSE(start(&bench, 0, MEMSYS_ATOMIC, 0x80, 4, 2));
	/* Loads are not affected. */
	CU_ASSERT_TRUE(start(&bench, 0, MEMSYS_LOAD, 0x80, 4, 3));
	bench_drain(&bench);
	CU_ASSERT_EQUAL(bench.finished, 3);
	bench_free(&bench);
}

/* Atomics to one word follow each other, to two words they overlap. */
static void test_atomics(void)
{
	struct bench bench;

	bench_create_more(&bench, plain, second);
	CU_ASSERT_TRUE(start(&bench, 0, MEMSYS_ATOMIC, 0x40, 4, 0));
	CU_ASSERT_TRUE(start(&bench, 1, MEMSYS_ATOMIC, 0x40, 4, 1));
	bench_drain(&bench);
	CU_ASSERT_EQUAL(bench.done[1] - bench.done[0], 30000);
	bench_until(&bench, 1000000);
	CU_ASSERT_TRUE(start(&bench, 0, MEMSYS_ATOMIC, 0x40, 4, 0));
	CU_ASSERT_TRUE(start(&bench, 1, MEMSYS_ATOMIC, 0x44, 4, 1));
	bench_drain(&bench);
	CU_ASSERT_TRUE(bench.done[1] - bench.done[0] < 5000);
	bench_free(&bench);
}

/* Two caches: a store takes the block from the other; a load makes the owner
 * share it; a modified block goes home when it is replaced. */
static void test_protocol(void)
{
	struct bench bench;
	struct module *a, *b;
	uint64_t lone;

	bench_create_more(&bench, plain, second);
	a = bench.entry[0];
	b = bench.entry[1];
	lone = alone(&bench, 0, MEMSYS_STORE, 0x0, 4);
	CU_ASSERT_EQUAL(a->cache->states[cache_find(a->cache, 0)],
			CACHE_MODIFIED);
	/* Down to the memory, up to the owner and back with the block. */
	CU_ASSERT_TRUE(alone(&bench, 1, MEMSYS_LOAD, 0x0, 4) > lone + 6);
	CU_ASSERT_EQUAL(a->cache->states[cache_find(a->cache, 0)],
			CACHE_SHARED);
	CU_ASSERT_EQUAL(b->cache->states[cache_find(b->cache, 0)],
			CACHE_SHARED);
	CU_ASSERT_EQUAL(a->count.probes, 1);
	alone(&bench, 1, MEMSYS_STORE, 0x0, 4);
	CU_ASSERT_EQUAL(cache_find(a->cache, 0), -1);
	CU_ASSERT_EQUAL(b->cache->states[cache_find(b->cache, 0)],
			CACHE_MODIFIED);
	CU_ASSERT_EQUAL(a->count.probes, 2);
	/* Set 0 of b has two ways. */
	alone(&bench, 1, MEMSYS_LOAD, 0x100, 4);
	alone(&bench, 1, MEMSYS_LOAD, 0x200, 4);
	CU_ASSERT_EQUAL(cache_find(b->cache, 0), -1);
	CU_ASSERT_EQUAL(b->count.evictions, 1);
	CU_ASSERT_EQUAL(b->count.write_backs, 1);
	CU_ASSERT_EQUAL(bench.memsys->modules[0]->count.write_backs_received,
			1);
	/* At the memory: read 0 (store), 0 (load), 0 (upgrade), 0x100, 0x200;
	 * written by the probed owner and by the write-back. */
	CU_ASSERT_EQUAL(bench.memsys->modules[0]->count.read_bytes, 5 * 64);
	CU_ASSERT_EQUAL(bench.memsys->modules[0]->count.written_bytes,
			2 * 64);
	bench_free(&bench);
}

static void test_prefetch(void)
{
	struct bench bench;
	const struct module_count *count;

	bench_create(&bench, plain);
	count = &bench.entry[0]->count;
	alone(&bench, 0, MEMSYS_PREFETCH, 0x0, 4);
	CU_ASSERT_EQUAL(alone(&bench, 0, MEMSYS_LOAD, 0x0, 4), 5);
	CU_ASSERT_EQUAL(count->prefetches, 1);
	CU_ASSERT_EQUAL(count->class[CLASS_ALL].accesses, 1);
	/* Prefetched for nothing: set 0 gets two other blocks. */
	alone(&bench, 0, MEMSYS_PREFETCH, 0x100, 4);
	alone(&bench, 0, MEMSYS_LOAD, 0x200, 4);
	CU_ASSERT_EQUAL(count->useless_prefetches, 0);
	alone(&bench, 0, MEMSYS_LOAD, 0x300, 4);
	CU_ASSERT_EQUAL(count->useless_prefetches, 1);
	bench_free(&bench);
}

/* --- The built-in device ------------------------------------------------- */

static void test_hd5870(void)
{
	struct memsys_options options = { .compute_units = 20 };
	struct error error = { "" };
	struct bench bench = { .events = event_queue_create() };

	bench.memsys = memsys_create(bench.events, &options, &error);
	CU_ASSERT_STRING_EQUAL(error.text, "");
	CU_ASSERT_PTR_NOT_NULL_FATAL(bench.memsys);
	bench.entry[0] = memsys_entry(bench.memsys, MEMSYS_EVERGREEN, 0, 0);
	bench.entry[1] = memsys_entry(bench.memsys, MEMSYS_EVERGREEN, 19, 0);
	CU_ASSERT_PTR_NULL(memsys_entry(bench.memsys, MEMSYS_EVERGREEN, 20,
					0));
	CU_ASSERT_PTR_NULL(memsys_entry(bench.memsys, MEMSYS_X86, 0, 0));
	/* As the head of the file says. */
	CU_ASSERT_EQUAL(alone(&bench, 0, MEMSYS_LOAD, 0x12340, 4), 439);
	CU_ASSERT_EQUAL(alone(&bench, 1, MEMSYS_LOAD, 0x12340, 4), 227);
	CU_ASSERT_EQUAL(alone(&bench, 0, MEMSYS_LOAD, 0x12340, 4), 60);
	bench_free(&bench);
}

int main(void)
{
	static CU_TestInfo tags[] = {
		{ "LRU evicts the oldest use", test_lru },
		{ "FIFO evicts the oldest block", test_fifo },
		{ "Random evicts either", test_random_policy },
		{ "locked and empty lines", test_locked },
		{ "interleaved modules use all sets", test_interleave },
		CU_TEST_INFO_NULL,
	};
	static CU_TestInfo modules[] = {
		{ "latencies are the sums of their parts", test_latency },
		{ "direct links", test_direct_links },
		{ "MSHRs fill up, accesses merge", test_mshr },
		{ "stores to one block combine", test_combine },
		{ "the write buffer fills up", test_write_buffer },
		{ "atomics to one word follow each other", test_atomics },
		{ "copies move between two caches", test_protocol },
		{ "prefetches are counted", test_prefetch },
		{ "the HD 5870's unloaded latencies", test_hd5870 },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "cache", NULL, NULL, NULL, NULL, tags },
		{ "module", NULL, NULL, NULL, NULL, modules },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
