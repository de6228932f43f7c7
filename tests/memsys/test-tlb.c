/* TLBs: times that can be worked out by hand, reach, misses that are merged,
 * levels, page walks through the hierarchy, limits; and that nothing changes
 * where there are none. */
#include "memsys/tlb/tlb.h"
#include "memsys/bench.h"
#include "base/memory.h"

#define PAGE 4096ull

/* A cache over a memory, for one compute unit; `entry` goes into its section,
 * `more` comes last. A load that hits takes 5 cycles, one that misses 112:
 * look-up 1, network 3, memory 100, network 3, answer 5. */
#define HIERARCHY                                                              \
	"[General]\nFrequency = 1000\n"                                        \
	"[CacheGeometry g]\nSets = 16\nAssoc = 64\nBlockSize = 64\n"          \
	"Latency = 5\nDirectoryLatency = 1\nPorts = 8\nMSHR = 32\n"           \
	"[Network n]\nDefaultInputBufferSize = 1440\n"                         \
	"DefaultOutputBufferSize = 1440\nDefaultBandwidth = 72\n"              \
	"[Module m]\nType = MainMemory\nHighNetwork = n\n"                     \
	"BlockSize = 64\nLatency = 100\n"

static char *configuration(const char *entry, const char *more)
{
	return xasprintf(HIERARCHY
			 "[Module a0]\nType = Cache\nGeometry = g\n"
			 "LowNetwork = n\nLowModules = m\n"
			 "[Entry e0]\nArch = Evergreen\nComputeUnit = 0\n"
			 "Module = a0\n%s%s", entry, more);
}

static void create(struct bench *bench, const char *more)
{
	char *text = configuration("TLB = t0\n", more);

	bench_create(bench, text);
	free(text);
}

/* Compute units with a TLB each, and one below these. */
static void create_levels(struct bench *bench, unsigned count,
			  unsigned low_latency, const char *last)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	fputs(HIERARCHY
	      "[TLBGeometry first]\nAssoc = 2\nLatency = 1\nMSHR = 4\n"
	      "[TLBGeometry second]\nSets = 16\nAssoc = 4\nLatency = 7\n"
	      "Ports = 1\nMSHR = 2\n", stream);
	for (unsigned i = 0; i < count; i++)
		fprintf(stream,
			"[Module a%u]\nType = Cache\nGeometry = g\n"
			"LowNetwork = n\nLowModules = m\n"
			"[Entry e%u]\nArch = Evergreen\nComputeUnit = %u\n"
			"Module = a%u\nTLB = t%u\n"
			"[TLB t%u]\nGeometry = first\nLowTLB = l2\n"
			"LowLatency = %u\n", i, i, i, i, i, i, low_latency);
	fprintf(stream, "[TLB l2]\nGeometry = second\n%s", last);
	fclose(stream);
	bench_create(bench, text);
	free(text);
}

static const struct tlb *tlb(const struct bench *bench, const char *name)
{
	for (size_t i = 0; i < bench->memsys->tlb_count; i++)
		if (!strcmp(bench->memsys->tlbs[i]->name, name))
			return bench->memsys->tlbs[i];
	CU_FAIL_FATAL("no such TLB");
	return NULL;
}

/* What must hold when all is quiet. */
static void check(struct bench *bench)
{
	bench_drain(bench);
	for (size_t i = 0; i < bench->memsys->tlb_count; i++) {
		const struct tlb *low = bench->memsys->tlbs[i];
		const struct tlb_count *n = &low->count;
		uint64_t asked = 0;

		CU_ASSERT_EQUAL(n->hits + n->misses, n->accesses);
		CU_ASSERT_EQUAL(n->walks,
				low->low ? 0 : n->misses - n->merged);
		CU_ASSERT_EQUAL(n->walk_accesses,
				low->walk_module
					? n->walks * low->config.walk_levels
					: 0);
		CU_ASSERT_EQUAL(low->waiting, 0);
		CU_ASSERT_EQUAL(low->walking, 0);
		CU_ASSERT_PTR_NULL(low->translated.first);
		CU_ASSERT_PTR_NULL(low->stalled);
		CU_ASSERT_PTR_NULL(low->walk_queue);
		for (uint32_t j = 0; j <= low->table_mask; j++)
			CU_ASSERT_PTR_NULL(low->table[j]);
		for (size_t j = 0; j < bench->memsys->tlb_count; j++) {
			const struct tlb *upper = bench->memsys->tlbs[j];

			if (upper->low == low)
				asked += upper->count.misses -
					 upper->count.merged;
		}
		if (low->entry && low->walk_module != low->entry)
			asked = low->entry->count.class[CLASS_ALL].accesses;
		if (low->walk_module != low->entry || !low->entry)
			CU_ASSERT_EQUAL(n->accesses, asked);
	}
}

static uint64_t load(struct bench *bench, unsigned entry, uint64_t address)
{
	return bench_access(bench, entry, MEMSYS_LOAD, 0, address, 20);
}

/* --- One level ------------------------------------------------------------ */

static void test_latency(void)
{
	static const struct {
		const char *text;
		uint64_t miss, hit;
	} cases[] = {
		/* The look-up hides behind that of the cache. */
		{ "Latency = 1\n", 1 + 50, 0 },
		/* Three of its cycles do not. */
		{ "Latency = 4\n", 4 + 50, 3 },
		{ "Latency = 4\nParallel = f\n", 4 + 50, 4 },
		{ "Latency = 0\nParallel = f\n", 50, 0 },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		char *more = xasprintf("[TLB t0]\nGeometry = tg\n"
				       "WalkLatency = 50\n"
				       "[TLBGeometry tg]\n%s", cases[i].text);
		struct bench bench;

		create(&bench, more);
		free(more);
		CU_ASSERT_EQUAL(load(&bench, 0, PAGE), 112 + cases[i].miss);
		CU_ASSERT_EQUAL(load(&bench, 0, PAGE), 5 + cases[i].hit);
		CU_ASSERT_EQUAL(load(&bench, 0, PAGE + 64),
				112 + cases[i].hit);
		CU_ASSERT_EQUAL(load(&bench, 0, 2 * PAGE),
				112 + cases[i].miss);
		CU_ASSERT_EQUAL(tlb(&bench, "t0")->count.walk_cycles, 100);
		CU_ASSERT_EQUAL(tlb(&bench, "t0")->count.miss_cycles,
				2 * cases[i].miss);
		check(&bench);
		bench_free(&bench);
	}
}

/* Rounds over some pages: those that it can hold miss once; one more, and
 * with LRU all miss always. */
static uint64_t rounds(const char *geometry, unsigned pages)
{
	char *more = xasprintf("[TLB t0]\nGeometry = tg\nWalkLatency = 9\n"
			       "[TLBGeometry tg]\n%s", geometry);
	struct bench bench;
	uint64_t misses;

	create(&bench, more);
	free(more);
	for (unsigned i = 0; i < 10 * pages; i++)
		load(&bench, 0, i % pages * PAGE + i % 64 * 64);
	misses = tlb(&bench, "t0")->count.misses;
	CU_ASSERT_EQUAL(tlb(&bench, "t0")->count.accesses, 10 * pages);
	check(&bench);
	bench_free(&bench);
	return misses;
}

static void test_reach(void)
{
	CU_ASSERT_EQUAL(rounds("Assoc = 4\n", 4), 4);
	CU_ASSERT_EQUAL(rounds("Assoc = 4\n", 5), 50);
	CU_ASSERT_EQUAL(rounds("Assoc = 4\nPolicy = FIFO\n", 5), 50);
	CU_ASSERT_TRUE(rounds("Assoc = 4\nPolicy = Random\n", 5) < 45);
	CU_ASSERT_EQUAL(rounds("Assoc = 4\nPolicy = PLRU\n", 4), 4);
	/* Four sets of one page: page 4 shares a set with page 0. */
	CU_ASSERT_EQUAL(rounds("Sets = 4\nAssoc = 1\n", 4), 4);
	CU_ASSERT_EQUAL(rounds("Sets = 4\nAssoc = 1\n", 5), 3 + 20);
	/* Pages twice as large reach twice as far. */
	CU_ASSERT_EQUAL(rounds("Assoc = 4\nPageSize = 8192\n", 8), 4);
	CU_ASSERT_EQUAL(rounds("Assoc = 4\nPageSize = 8192\n", 9), 10 * 5);
}

/* While a page is walked for, another page's accesses go on, and those to the
 * same page wait for the one walk. */
static void test_under_miss(void)
{
	struct bench bench;
	const struct tlb_count *n;

	create(&bench, "[TLB t0]\nGeometry = tg\nWalkLatency = 200\n"
	       "[TLBGeometry tg]\nPorts = 8\n");
	n = &tlb(&bench, "t0")->count;
	load(&bench, 0, PAGE);
	bench_until(&bench, 1000000);
	for (unsigned i = 0; i < 4; i++)
		CU_ASSERT_TRUE(bench_start(&bench, 0, MEMSYS_LOAD, 0,
					   8 * PAGE + i * 64, 10 + i));
	CU_ASSERT_TRUE(bench_start(&bench, 0, MEMSYS_LOAD, 0, PAGE, 1));
	bench_drain(&bench);
	CU_ASSERT_EQUAL(bench.done[1], 1005000);
	for (unsigned i = 0; i < 4; i++)
		CU_ASSERT_TRUE(bench.done[10 + i] >= 1000000 + 313000 &&
			       bench.done[10 + i] < 1000000 + 323000);
	CU_ASSERT_EQUAL(n->walks, 2);
	CU_ASSERT_EQUAL(n->merged, 3);
	CU_ASSERT_EQUAL(n->misses, 5);
	CU_ASSERT_EQUAL(n->hits, 1);
	check(&bench);
	bench_free(&bench);
}

/* Missing pages beyond the MSHRs, and accesses beyond the queue, are refused
 * and come again. Stores and atomics go the same way. */
static void test_limits(void)
{
	static const enum memsys_access_kind kinds[] = {
		MEMSYS_LOAD, MEMSYS_STORE, MEMSYS_NC_STORE, MEMSYS_ATOMIC,
	};
	struct bench bench;
	const struct tlb_count *n;
	unsigned started = 0;

	create(&bench, "[TLB t0]\nGeometry = tg\nWalkLatency = 40\n"
	       "[TLBGeometry tg]\nMSHR = 2\nQueueSize = 3\nPorts = 2\n");
	n = &tlb(&bench, "t0")->count;
	CU_ASSERT_TRUE(bench_start(&bench, 0, MEMSYS_LOAD, 0, 0, 1));
	CU_ASSERT_TRUE(bench_start(&bench, 0, MEMSYS_LOAD, 0, PAGE, 2));
	/* No port. */
	CU_ASSERT_FALSE(bench_start(&bench, 0, MEMSYS_LOAD, 0, PAGE, 3));
	bench_until(&bench, 1000);
	/* No MSHR. */
	CU_ASSERT_FALSE(bench_start(&bench, 0, MEMSYS_LOAD, 0, 2 * PAGE, 3));
	CU_ASSERT_TRUE(bench_start(&bench, 0, MEMSYS_LOAD, 0, PAGE + 64, 3));
	/* No room. */
	CU_ASSERT_FALSE(bench_start(&bench, 0, MEMSYS_LOAD, 0, PAGE, 4));
	CU_ASSERT_EQUAL(n->retries, 3);
	CU_ASSERT_EQUAL(n->accesses, 3);
	CU_ASSERT_EQUAL(memsys_pending(bench.memsys), 3);
	bench_drain(&bench);
	CU_ASSERT_EQUAL(bench.finished, 3);
	for (unsigned cycle = 0; started < 200; cycle++) {
		bench_until(&bench, 1000000 + cycle * 1000);
		started += bench_start(&bench, 0, kinds[started / 3 % 4], 0,
				       started * 37 % 90 * 1024,
				       started % BENCH_TAGS);
	}
	bench_drain(&bench);
	CU_ASSERT_EQUAL(bench.finished, 203);
	check(&bench);
	bench_free(&bench);
}

/* --- Walks ---------------------------------------------------------------- */

/* A walk of three levels, through the cache of the compute unit itself: three
 * loads in a row, at first from memory. Neighbours share blocks of tables. */
static void test_walk_module(void)
{
	struct bench bench;
	const struct tlb_count *n;

	create(&bench, "[TLB t0]\nGeometry = tg\nWalkLevels = 3\n"
	       "WalkLatency = 4\nWalkModule = a0\n[TLBGeometry tg]\n");
	n = &tlb(&bench, "t0")->count;
	CU_ASSERT_EQUAL(load(&bench, 0, PAGE), 1 + 4 + 3 * 112 + 112);
	CU_ASSERT_EQUAL(n->walk_cycles, 4 + 3 * 112);
	/* The tables' blocks hold eight entries each. */
	CU_ASSERT_EQUAL(load(&bench, 0, 2 * PAGE), 1 + 4 + 3 * 5 + 112);
	CU_ASSERT_EQUAL(load(&bench, 0, 8 * PAGE), 1 + 4 + 2 * 5 + 112 + 112);
	CU_ASSERT_EQUAL(n->walk_accesses, 9);
	CU_ASSERT_EQUAL(bench.entry[0]->count.class[CLASS_READ].accesses,
			9 + 3);
	check(&bench);
	bench_free(&bench);
}

static void test_table_addresses(void)
{
	struct bench bench;
	const struct tlb *t;

	create(&bench, "[TLB t0]\nGeometry = tg\nWalkLatency = 1\n"
	       "PageTable = 0x10000000\n[TLBGeometry tg]\n");
	t = tlb(&bench, "t0");
	/* Level 3 has an entry for each page, level 2 for each 512. */
	CU_ASSERT_EQUAL(tlb_table_address(t, 5 * PAGE, 3),
			0x10000000 + (3ull << 40) + 5 * 8);
	CU_ASSERT_EQUAL(tlb_table_address(t, 1025 * PAGE, 2),
			0x10000000 + (2ull << 40) + 2 * 8);
	CU_ASSERT_EQUAL(tlb_table_address(t, 1025 * PAGE, 0), 0x10000000);
	CU_ASSERT_EQUAL(tlb_table_address(t, 3ull << 39, 0),
			0x10000000 + 3 * 8);
	bench_free(&bench);
}

/* Four pages at once with one walker, two, and four. */
static void test_walkers(void)
{
	for (unsigned walkers = 1; walkers <= 4; walkers *= 2) {
		char *more = xasprintf("[TLB t0]\nGeometry = tg\n"
				       "WalkLatency = 100\nWalkers = %u\n"
				       "[TLBGeometry tg]\nMSHR = 4\n",
				       walkers);
		picoseconds last = 0;
		struct bench bench;

		create(&bench, more);
		free(more);
		for (unsigned i = 0; i < 4; i++)
			CU_ASSERT_TRUE(bench_start(&bench, 0, MEMSYS_LOAD, 0,
						   i * PAGE, i));
		bench_drain(&bench);
		for (unsigned i = 0; i < 4; i++)
			if (bench.done[i] > last)
				last = bench.done[i];
		last /= 1000;
		CU_ASSERT_TRUE(last >= 1 + 4 / walkers * 100 + 112);
		CU_ASSERT_TRUE(last <= 1 + 4 / walkers * 100 + 112 + 8);
		CU_ASSERT_EQUAL(tlb(&bench, "t0")->count.walk_cycles, 400);
		check(&bench);
		bench_free(&bench);
	}
}

/* --- Levels --------------------------------------------------------------- */

static void test_levels(void)
{
	struct bench bench;
	const struct tlb_count *n;

	create_levels(&bench, 2, 10, "WalkLatency = 60\n");
	n = &tlb(&bench, "l2")->count;
	/* 1, 10 down, 7, walk 60, 10 back. */
	CU_ASSERT_EQUAL(load(&bench, 0, PAGE), 1 + 10 + 7 + 60 + 10 + 112);
	/* The other unit finds the page on the second level. */
	CU_ASSERT_EQUAL(load(&bench, 1, PAGE + 64), 1 + 10 + 7 + 10 + 112);
	CU_ASSERT_EQUAL(n->walks, 1);
	/* The first level has two places. */
	load(&bench, 0, 2 * PAGE);
	load(&bench, 0, 3 * PAGE);
	CU_ASSERT_EQUAL(load(&bench, 0, PAGE), 1 + 10 + 7 + 10 + 5);
	CU_ASSERT_EQUAL(n->walks, 3);
	CU_ASSERT_EQUAL(n->accesses, 5);
	CU_ASSERT_EQUAL(n->hits, 2);
	check(&bench);
	bench_free(&bench);
}

/* Four units miss the same page at once: one walk. Then each its own pages,
 * more than the second level has MSHRs for. */
static void test_shared(void)
{
	struct bench bench;
	const struct tlb_count *n;

	create_levels(&bench, 4, 3, "WalkLatency = 60\nWalkers = 2\n");
	n = &tlb(&bench, "l2")->count;
	for (unsigned i = 0; i < 4; i++)
		CU_ASSERT_TRUE(bench_start(&bench, i, MEMSYS_LOAD, 0, PAGE,
					   i));
	bench_drain(&bench);
	CU_ASSERT_EQUAL(bench.finished, 4);
	CU_ASSERT_EQUAL(n->walks, 1);
	CU_ASSERT_EQUAL(n->merged, 3);
	for (unsigned i = 0; i < 16; i++)
		CU_ASSERT_TRUE(bench_start(&bench, i % 4, MEMSYS_LOAD, 0,
					   (2 + i) * PAGE, i));
	bench_drain(&bench);
	CU_ASSERT_EQUAL(bench.finished, 20);
	CU_ASSERT_EQUAL(n->walks, 17);
	CU_ASSERT_TRUE(n->retries >= 14);
	check(&bench);
	bench_free(&bench);
}

/* --- Files ---------------------------------------------------------------- */

static const struct {
	const char *entry, *more, *message;
} wrong[] = {
	{ "TLB = t1\n", "[TLB t0]\nGeometry = tg\nWalkLatency = 1\n",
	  "[Entry e0] TLB = t1: no such TLB (did you mean 't0'?)" },
	{ "TLB = t0\n", "[TLB t0]\nGeometry = tg\n",
	  "[TLB t0]: expected LowTLB, WalkModule or WalkLatency" },
	{ "TLB = t0\n", "[TLB t0]\nGeometry = gt\nWalkLatency = 1\n",
	  "[TLB t0] Geometry = gt: no such TLB geometry" },
	{ "TLB = t0\n", "[TLB t0]\nWalkLatency = 1\n",
	  "[TLB t0]: Geometry is missing" },
	{ "TLB = t0\n", "[TLB t0]\nGeometry = tg\nWalkModule = b\n",
	  "[TLB t0] WalkModule = b: no such module" },
	{ "TLB = t0\n", "[TLB t0]\nGeometry = tg\nLowTLB = t1\nWalkers = 2\n"
	  "[TLB t1]\nGeometry = tg\nWalkLatency = 1\n",
	  "[TLB t0] Walkers = 2: cannot be given together with LowTLB: only "
	  "the last level walks page tables" },
	{ "TLB = t0\n", "[TLB t0]\nGeometry = tg\nLowTLB = t1\n"
	  "[TLB t1]\nGeometry = tg\nLowTLB = t2\n"
	  "[TLB t2]\nGeometry = tg\nLowTLB = t1\n",
	  "[TLB t1] LowTLB = t2: TLB 't2' is also above this TLB" },
	{ "TLB = t0\n", "[TLB t0]\nGeometry = tg\nLowTLB = t0\n",
	  "[TLB t0] LowTLB = t0: 't0' serves the accesses of module 'a0', and "
	  "cannot be a lower level as well" },
	{ "TLB = t0\n", "[TLB t0]\nGeometry = tg\nWalkLatency = 1\n"
	  "[TLB t1]\nGeometry = tg\nWalkLatency = 1\n",
	  "[TLB t1]: no [ Entry ] and no TLB uses this TLB: name it in an "
	  "Entry (TLB, DataTLB or InstTLB) or as LowTLB" },
	{ "TLB = t0\n", "[TLB t0]\nGeometry = tg\nLowTLB = t1\n"
	  "[TLB t1]\nGeometry = big\nWalkLatency = 1\n"
	  "[TLBGeometry big]\nPageSize = 65536\n",
	  "[TLB t0] LowTLB = t1: the lower TLB has pages of 65536 bytes, this "
	  "TLB has pages of 4096 bytes" },
	{ "TLB = t0\n", "[TLB t0]\nGeometry = small\nWalkLatency = 1\n"
	  "[TLBGeometry small]\nPageSize = 512\n",
	  "[Entry e0] TLB = t0: a cache that is looked up in parallel with "
	  "the translation can have at most one page of 512 bytes per way; "
	  "'a0' has 1024 bytes: use Parallel = f" },
	{ "", "[Entry e1]\nArch = Evergreen\nComputeUnit = 1\nModule = a0\n"
	  "TLB = t0\n[TLB t0]\nGeometry = tg\nWalkLatency = 1\n",
	  "[Entry e1]: [Entry e0] enters module 'a0', too, and has none: all "
	  "accesses to a module must use the same TLB" },
	{ "TLB = t0\n", "[TLB t0]\nGeometry = tg\nWalkLatency = 1\n"
	  "LowLatency = 3\n",
	  "[TLB t0] LowLatency = 3: can be given only together with LowTLB" },
};

static void test_wrong(void)
{
	for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
		char *head = configuration(wrong[i].entry, "");
		char path[] = "/tmp/m2s-test-XXXXXX";
		struct memsys_options options = { .mem_config = path };
		struct event_queue *events = event_queue_create();
		struct error error = { "" };
		FILE *stream = fdopen(mkstemp(path), "w");
		const char *text = error.text;

		fprintf(stream, "%s[TLBGeometry tg]\n%s", head, wrong[i].more);
		fclose(stream);
		CU_ASSERT_PTR_NULL(memsys_create(events, &options, &error));
		remove(path);
		/* After "path:line: ". */
		for (unsigned colons = 0; *text && colons < 2; text++)
			colons += *text == ':';
		text += *text == ' ';
		CU_ASSERT_STRING_EQUAL(text, wrong[i].message);
		if (strcmp(text, wrong[i].message))
			fprintf(stderr, "# found:    %s\n# expected: %s\n",
				text, wrong[i].message);
		event_queue_free(events);
		free(head);
	}
}

/* One TLB for the data and one for the instructions of a core. */
static void test_core(void)
{
	struct bench bench;

	bench_create(&bench,
		"[General]\nFrequency = 1000\n"
		"[CacheGeometry g]\nSets = 16\n"
		"[Network n]\nDefaultInputBufferSize = 288\n"
		"DefaultOutputBufferSize = 288\nDefaultBandwidth = 72\n"
		"[Module m]\nType = MainMemory\nHighNetwork = n\n"
		"BlockSize = 256\nLatency = 100\n"
		"[Module d]\nType = Cache\nGeometry = g\nLowNetwork = n\n"
		"LowModules = m\n"
		"[Module i]\nType = Cache\nGeometry = g\nLowNetwork = n\n"
		"LowModules = m\n"
		"[TLBGeometry t]\n"
		"[TLB dtlb]\nGeometry = t\nWalkModule = d\n"
		"[TLB itlb]\nGeometry = t\nWalkModule = d\n"
		"[Entry e]\nArch = x86\nCore = 0\nThread = 0\n"
		"DataModule = d\nInstModule = i\nDataTLB = dtlb\n"
		"InstTLB = itlb\n"
		"[Entry f]\nArch = x86\nCore = 0\nThread = 1\n"
		"DataModule = d\nInstModule = i\nDataTLB = dtlb\n"
		"InstTLB = itlb\n");
	bench.entry[0] = memsys_entry(bench.memsys, MEMSYS_X86, 0, 1);
	bench.entry[1] = memsys_instruction_entry(bench.memsys, MEMSYS_X86, 0,
						  0);
	load(&bench, 0, PAGE);
	load(&bench, 1, 7 * PAGE);
	load(&bench, 1, 7 * PAGE);
	CU_ASSERT_EQUAL(tlb(&bench, "dtlb")->count.accesses, 1);
	CU_ASSERT_EQUAL(tlb(&bench, "itlb")->count.accesses, 2);
	CU_ASSERT_EQUAL(tlb(&bench, "itlb")->count.walk_accesses, 4);
	CU_ASSERT_EQUAL(bench.entry[0]->count.class[CLASS_ALL].accesses, 9);
	check(&bench);
	bench_free(&bench);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "times of hits and misses", test_latency },
		{ "reach", test_reach },
		{ "hits under misses, merged misses", test_under_miss },
		{ "limits", test_limits },
		{ "walks through a module", test_walk_module },
		{ "addresses of page-table entries", test_table_addresses },
		{ "walkers", test_walkers },
		{ "two levels", test_levels },
		{ "a second level that is shared", test_shared },
		{ "wrong files", test_wrong },
		{ "data and instructions of a core", test_core },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "tlb", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
