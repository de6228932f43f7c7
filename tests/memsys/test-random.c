/* Random accesses over generated hierarchies, mixed of cores and compute units,
 * tracked and not, written back and through, with tiny structures; what must
 * hold is in tester.h. */
#include "memsys/tester.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "unit/harness.h"

enum {
	ENTRIES = 8,
	/* Prefetchers go on beyond the words, each level by at most twice as
	 * far again; so for page tables, which have 32 entries. */
	PAGE_TABLE = 81 * TESTER_WORDS * 4,
	ALL_BYTES = PAGE_TABLE + 81 * 32 * 8,
};

/* --- Generated hierarchies ------------------------------------------------ */

/* Tiny and eager. */
static void put_prefetcher(struct tester *tester, FILE *stream)
{
	static const char *const types[] = {"Stride", "GHB_PC_CS", "GHB_PC_DC"};

	if (tester_next(tester, 2))
		return;
	fprintf(stream,
		"EnablePrefetcher = t\nPrefetcherType = %s\n"
		"PrefetcherGHBSize = %u\nPrefetcherITSize = %u\n"
		"PrefetcherLookupDepth = %u\nPrefetcherDegree = %u\n"
		"PrefetcherQueueSize = %u\nPrefetcherCrossPage = %c\n",
		types[tester_next(tester, 3)], 1 + tester_next(tester, 16),
		1 + tester_next(tester, 4), 1 + tester_next(tester, 2),
		1 + tester_next(tester, 2), 1 + tester_next(tester, 3),
		tester_next(tester, 2) ? 't' : 'f');
}

static void put_geometry(struct tester *tester, FILE *stream, const char *name,
			 unsigned block, bool coherent)
{
	static const char *const policies[] = {"LRU", "FIFO", "Random", "PLRU"};
	unsigned policy = tester_next(tester, 4);

	fprintf(stream,
		"[CacheGeometry %s]\nSets = %u\nAssoc = %u\nBlockSize = %u\n"
		"Latency = %u\nDirectoryLatency = %u\nPolicy = %s\nMSHR = %u\n"
		"Ports = %u\nCoherent = %c\nWriteBufferSize = %u\n"
		"WriteCombineDelay = %u\nWritePolicy = %s\n"
		"WriteAllocate = %c\n",
		name, 1u << tester_next(tester, 3),
		policy == 3 ? 1u << tester_next(tester, 3)
			    : 1 + tester_next(tester, 3),
		block, 1 + tester_next(tester, 12), tester_next(tester, 4),
		policies[policy], 1 + tester_next(tester, 4),
		1 + tester_next(tester, 2), coherent ? 't' : 'f',
		1 + tester_next(tester, 3), tester_next(tester, 5),
		tester_next(tester, 3) ? "WriteBack" : "WriteThrough",
		tester_next(tester, 3) ? 't' : 'f');
	if (!policy && tester_next(tester, 2))
		fputs("Victim = t\n", stream);
	put_prefetcher(tester, stream);
}

static void put_low(FILE *stream, const char *prefix, unsigned count)
{
	fprintf(stream, "LowModules =");
	for (unsigned i = 0; i < count; i++)
		fprintf(stream, " %s%u", prefix, i);
	fprintf(stream, "\n");
}

/* Of one level, or with one below them all. */
static bool put_tlb_geometries(struct tester *tester, FILE *stream)
{
	unsigned page = 64u << tester_next(tester, 4);
	bool shared = tester_next(tester, 2);

	for (int level = 0; level < 1 + shared; level++)
		fprintf(
		    stream,
		    "[TLBGeometry %s]\nSets = %u\nAssoc = %u\n"
		    "PageSize = %u\nLatency = %u\nParallel = %c\n"
		    "Ports = %u\nMSHR = %u\nQueueSize = %u\n",
		    level ? "second" : "first", 1u << tester_next(tester, 2),
		    1 + tester_next(tester, 3), page, tester_next(tester, 4),
		    page >= 256 && tester_next(tester, 2) ? 't' : 'f',
		    1 + tester_next(tester, 2), 1 + tester_next(tester, 3),
		    1 + tester_next(tester, 6));
	return shared;
}

static void put_walk(struct tester *tester, FILE *stream, unsigned entries)
{
	fprintf(stream, "WalkLatency = %u\nWalkers = %u\n",
		tester_next(tester, 30), 1 + tester_next(tester, 2));
	if (tester_next(tester, 2))
		fprintf(stream,
			"WalkModule = a%u\nWalkLevels = 1\nPageTable = %u\n",
			tester_next(tester, entries), PAGE_TABLE);
}

/* The entry's section is being written. */
static void put_tlb(struct tester *tester, FILE *stream, unsigned entry,
		    unsigned entries, bool shared)
{
	fprintf(stream, "TLB = t%u\n[TLB t%u]\nGeometry = first\n", entry,
		entry);
	if (shared)
		fprintf(stream, "LowTLB = second\nLowLatency = %u\n",
			tester_next(tester, 12));
	else
		put_walk(tester, stream, entries);
}

/* --- Shapes ---------------------------------------------------------------
 *
 *	a0  a1  a2  a3    entries, each with a cache
 *	  b0      b1      none, one or two levels of caches that two share,
 *	      d0          and that four share
 *	c0    c1          none, one or two slices of a last level
 *	m0    m1          one or two main memories
 */

struct shape {
	unsigned entries, depth, slices, memories, small, large;
	bool tlbs, shared_tlb;
	bool external;  /* network n2 is one of the network configuration */
	unsigned nodes; /* of it that are in use */
};

/* HighNetwork or LowNetwork. */
static void put_side(struct shape *shape, FILE *stream, const char *side,
		     unsigned network)
{
	fprintf(stream, "%sNetwork = n%u\n", side, network);
	if (network == 2 && shape->external)
		fprintf(stream, "%sNetworkNode = n%u\n", side, shape->nodes++);
}

/* The modules below the private levels. */
static void put_base(struct shape *shape, FILE *stream)
{
	put_side(shape, stream, "Low", shape->slices ? 1 : 2);
	put_low(stream, shape->slices ? "c" : "m",
		shape->slices ? shape->slices : shape->memories);
}

static void put_middle(struct shape *shape, FILE *stream, unsigned entry,
		       bool texture)
{
	if (shape->depth >= 1 && entry % 2 == 0) {
		fprintf(stream,
			"[Module b%u]\nType = Cache\nGeometry = %s\n"
			"HighNetwork = n0\n",
			entry / 2, texture ? "texture-mid" : "mid");
		if (shape->depth == 1)
			put_base(shape, stream);
		else
			fprintf(stream, "LowNetwork = n3\nLowModules = d%u\n",
				entry / 4);
	}
	if (shape->depth >= 2 && entry % 4 == 0) {
		fprintf(stream,
			"[Module d%u]\nType = Cache\nGeometry = outer\n"
			"HighNetwork = n3\n",
			entry / 4);
		put_base(shape, stream);
	}
}

static void put_entries(struct tester *tester, struct shape *shape,
			FILE *stream)
{
	static const char *const kinds[] = {"cpu", "cu", "texture"};
	unsigned kind = 0;

	for (unsigned i = 0; i < shape->entries; i++) {
		/* Pairs are of one kind, for they may share a middle. */
		if (i % 2 == 0)
			kind = tester_next(tester, 3);
		fprintf(stream, "[Module a%u]\nType = Cache\nGeometry = %s\n",
			i, kinds[kind]);
		if (shape->depth)
			fprintf(stream, "LowNetwork = n0\nLowModules = b%u\n",
				i / 2);
		else
			put_base(shape, stream);
		put_middle(shape, stream, i, kind == 2);
		if (kind)
			fprintf(stream,
				"[Entry e%u]\nArch = Evergreen\n"
				"ComputeUnit = %u\nModule = a%u\n",
				i, i, i);
		else
			fprintf(stream,
				"[Entry e%u]\nArch = x86\nCore = %u\n"
				"Thread = 0\nModule = a%u\n",
				i, i, i);
		if (shape->tlbs && (!i || tester_next(tester, 3)))
			put_tlb(tester, stream, i, shape->entries,
				shape->shared_tlb);
	}
	if (shape->shared_tlb) {
		fprintf(stream, "[TLB second]\nGeometry = second\n");
		put_walk(tester, stream, shape->entries);
	}
}

static void put_last(struct tester *tester, struct shape *shape, FILE *stream)
{
	bool devices = tester_next(tester, 3) == 0;

	for (unsigned i = 0; i < shape->slices; i++) {
		fprintf(stream,
			"[Module c%u]\nType = Cache\nGeometry = last\n"
			"HighNetwork = n1\n"
			"AddressRange = ADDR DIV 256 MOD %u EQ %u\n",
			i, shape->slices, i);
		put_side(shape, stream, "Low", 2);
		put_low(stream, "m", shape->memories);
	}
	if (devices)
		fprintf(stream,
			"[DRAM devices]\nSchedulingPolicy = %s\n"
			"RequestQueueDepth = %u\nWriteHigh = 2\n"
			"WriteLow = 1\n",
			tester_next(tester, 2) ? "FCFS" : "FR-FCFS",
			2 + tester_next(tester, 8));
	for (unsigned i = 0; i < shape->memories; i++) {
		fprintf(stream,
			"[Module m%u]\nType = MainMemory\n"
			"BlockSize = %u\nLatency = %u\nDirectorySize = 2\n"
			"DirectoryAssoc = %u\nAtomicLatency = %u\n"
			"AddressRange = ADDR DIV 256 MOD %u EQ %u\n",
			i, shape->large, tester_next(tester, 60),
			1 + tester_next(tester, 2), tester_next(tester, 20),
			shape->memories, i);
		put_side(shape, stream, "High", 2);
		if (devices)
			fprintf(stream, "DRAM = devices\n");
		else
			fprintf(stream, "Bandwidth = %u\n",
				tester_next(tester, 9));
	}
}

static void put_network(struct tester *tester, const struct shape *shape,
			FILE *stream, const char *prefix, unsigned number)
{
	fprintf(stream,
		"[Network%sn%u]\nDefaultInputBufferSize = %u\n"
		"DefaultOutputBufferSize = %u\nDefaultBandwidth = %u\n"
		"DefaultLatency = %u\n",
		prefix, number, shape->large + 8 + tester_next(tester, 40),
		shape->large + 8 + tester_next(tester, 40),
		4 + tester_next(tester, 80), tester_next(tester, 4));
	if (*prefix == ' ' && tester_next(tester, 3) == 0)
		fputs("Links = Direct\n", stream);
}

/* The memory configuration; *net is the network configuration. */
static char *generate(struct tester *tester, char **net)
{
	static const char *const topologies[] = {
	    "Bus\nColumns = 16\nLanes = 2",
	    "Crossbar\nColumns = 16",
	    "Ring\nColumns = 16\nVC = 2",
	    "Mesh\nColumns = 4\nRows = 4\nVC = 4",
	    "Torus\nColumns = 4\nRows = 4\nVC = 4",
	};
	struct shape shape = {.small = 16u << tester_next(tester, 2)};
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(net, &size);

	shape.large = shape.small << tester_next(tester, 3);
	shape.entries = 1 + tester_next(tester, ENTRIES);
	shape.depth = tester_next(tester, 3);
	shape.slices =
	    tester_next(tester, 4) ? 1u << tester_next(tester, 2) : 0;
	shape.memories = 1u << tester_next(tester, 2);
	shape.tlbs = tester_next(tester, 2);
	shape.external = tester_next(tester, 3) == 0;
	tester->words = 64u << tester_next(tester, 4);
	if (shape.external) {
		put_network(tester, &shape, stream, ".", 2);
		fprintf(
		    stream, "Topology = %s\n",
		    topologies[tester_next(tester, ARRAY_SIZE(topologies))]);
	}
	fclose(stream);
	stream = open_memstream(&text, &size);
	fprintf(stream, "[General]\nFrequency = 850\nPeerTransfers = %c\n",
		tester_next(tester, 2) ? 't' : 'f');
	put_geometry(tester, stream, "cpu", shape.small, true);
	put_geometry(tester, stream, "cu",
		     tester_next(tester, 2) && shape.large > shape.small
			 ? 2 * shape.small
			 : shape.small,
		     true);
	put_geometry(tester, stream, "texture", shape.small, false);
	put_geometry(tester, stream, "mid", shape.large, true);
	put_geometry(tester, stream, "texture-mid", shape.large,
		     tester_next(tester, 2));
	put_geometry(tester, stream, "outer", shape.large, true);
	put_geometry(tester, stream, "last", shape.large, true);
	if (shape.tlbs)
		shape.shared_tlb = put_tlb_geometries(tester, stream);
	for (unsigned i = 0; i < 4; i++)
		if (i != 2 || !shape.external)
			put_network(tester, &shape, stream, " ", i);
	put_entries(tester, &shape, stream);
	put_last(tester, &shape, stream);
	fclose(stream);
	return text;
}

/* --- Runs ----------------------------------------------------------------- */

static char *write_file(const char *text)
{
	char *path = xstrdup("/tmp/m2s-test-XXXXXX");
	FILE *stream = fdopen(mkstemp(path), "w");

	fputs(text, stream);
	fclose(stream);
	return path;
}

static uint64_t run(uint64_t seed, unsigned accesses)
{
	struct tester *tester = tester_create(seed);
	char *net = NULL, *mem = generate(tester, &net);
	char *mem_path = write_file(mem), *net_path = write_file(net);

	tester->bytes = ALL_BYTES;
	tester_start(tester, mem_path, *net ? net_path : NULL, mem);
	remove(mem_path);
	remove(net_path);
	tester_run(tester, accesses);
	free(mem_path);
	free(net_path);
	free(mem);
	free(net);
	return tester_free(tester);
}

/* M2S_TEST_SEEDS=first-last, for more of them, or one of them. */
static void test_data(void)
{
	const char *text = getenv("M2S_TEST_SEEDS");
	unsigned first = 1, last = 500;

	if (text && sscanf(text, "%u-%u", &first, &last) == 1)
		last = first;
	for (unsigned seed = first; seed <= last; seed++)
		run(seed, 3000);
}

static void test_repeat(void)
{
	for (unsigned seed = 1; seed <= 20; seed++)
		CU_ASSERT_EQUAL(run(seed, 2000), run(seed, 2000));
	CU_ASSERT_NOT_EQUAL(run(1, 2000), run(2, 2000));
}

int main(void)
{
	static CU_TestInfo tests[] = {
	    {"data, copies and counters agree", test_data},
	    {"the same seed gives the same run", test_repeat},
	    CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
	    {"random", NULL, NULL, NULL, NULL, tests},
	    CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
