/* Random accesses over generated hierarchies, mixed of cores and compute units,
 * tracked and not, written back and through, with tiny structures. Messages
 * carry data (shadow.h): every load of a tracked cache gets what the last store
 * left, at the very time at which it takes effect. When all is quiet the copies
 * and directories agree, and no counter contradicts another. */
#include "memsys/tlb.h"
#include "base/memory.h"
#include "unit/harness.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_ENTRIES = 8,
	WORDS = 512,
	/* Prefetchers go on beyond the words, each level by at most twice as
	 * far again; so for page tables, which have 32 entries. */
	PAGE_TABLE = 27 * WORDS * 4,
	ALL_BYTES = PAGE_TABLE + 27 * 32 * 8,
};

struct tester {
	struct event_queue *events;
	struct memsys *memsys;
	struct clock_domain *clock;
	struct clock_component *component;
	struct module *entry[MAX_ENTRIES];
	bool texture[MAX_ENTRIES]; /* not tracked: loads and what passes */
	unsigned entries, left, started, finished, wrong, flight_limit;
	unsigned words, in_flight[MAX_ENTRIES];
	uint64_t state, checksum, seed;
	uint8_t *by;               /* the entry, by tag; 255: finished */
	uint32_t latest[WORDS];    /* the last store that took effect */
	bool sweep;                /* loads only, word by word */
};

static uint32_t next(struct tester *tester, uint32_t limit)
{
	tester->state = tester->state * 6364136223846793005ull +
			1442695040888963407ull;
	return (uint32_t)(tester->state >> 33) % limit;
}

/* --- Data ----------------------------------------------------------------- */

/* Words that are stored to without coherence, each by one entry only. */
static bool is_noncoherent(uint64_t word)
{
	return word % 4 == 1 || word % 4 == 3;
}

static unsigned writer(const struct tester *tester, uint64_t word)
{
	return (unsigned)(word + word / 4) % tester->entries;
}

/* Some copy on the way may miss what others wrote to the same block. */
static bool may_be_old(const struct module *module, uint64_t address)
{
	while (module->kind == MODULE_CACHE) {
		int32_t line = cache_find(module->cache,
					  address & module->block_mask);

		if (line >= 0 &&
		    module->cache->states[line] == CACHE_NONCOHERENT)
			return true;
		module = module_low(module, address);
	}
	return false;
}

static void performed(void *owner, const struct module *module,
		      enum memsys_access_kind kind, uint64_t address,
		      uint32_t number)
{
	struct tester *tester = owner;
	uint64_t word = address / 4;

	if (word >= WORDS)
		return; /* a page walk */
	tester->checksum = tester->checksum * 31 + number + word;
	if (kind != MEMSYS_LOAD) {
		tester->latest[word] = number;
		return;
	}
	if (!module->config.coherent || number == tester->latest[word])
		return;
	if (is_noncoherent(word) && module != tester->entry[writer(tester, word)] &&
	    may_be_old(module, address))
		return;
	if (tester->wrong++ < 3)
		fprintf(stderr,
			"seed %llu: %llu ps: %s reads %u at 0x%llx, expected "
			"%u\n", (unsigned long long)tester->seed,
			(unsigned long long)event_queue_now(tester->events),
			module->name, number, (unsigned long long)address,
			tester->latest[word]);
}

static void done(void *owner, uint64_t tag)
{
	struct tester *tester = owner;

	CU_ASSERT_NOT_EQUAL_FATAL(tester->by[tag], 255);
	tester->in_flight[tester->by[tag]]--;
	tester->by[tag] = 255;
	tester->finished++;
	tester->checksum = tester->checksum * 31 + tag +
			   event_queue_now(tester->events);
	clock_wake(tester->component);
}

static enum memsys_access_kind choose(struct tester *tester, unsigned entry,
				      uint64_t word)
{
	unsigned dice = next(tester, 16);

	if (dice == 0)
		return MEMSYS_PREFETCH;
	if (dice < 8 || tester->sweep)
		return MEMSYS_LOAD;
	if (is_noncoherent(word))
		return writer(tester, word) == entry ? MEMSYS_NC_STORE
						     : MEMSYS_LOAD;
	if (tester->texture[entry])
		return dice < 12 ? MEMSYS_ATOMIC : MEMSYS_LOAD;
	return dice == 15 ? MEMSYS_ATOMIC : MEMSYS_STORE;
}

static bool tick(void *owner)
{
	struct tester *tester = owner;

	for (unsigned i = 0; i < tester->entries && tester->left; i++) {
		uint64_t word = tester->sweep ? tester->left % tester->words
					      : next(tester, tester->words);
		uint64_t tag = tester->started + 1;

		if (tester->in_flight[i] >= tester->flight_limit ||
		    !module_access_by(tester->entry[i],
				      choose(tester, i, word), next(tester, 3),
				      word * 4, 4, done, tester, tag, NULL))
			continue;
		tester->by[tag] = (uint8_t)i;
		tester->in_flight[i]++;
		tester->started++;
		tester->left--;
	}
	return tester->left;
}

/* --- Generated hierarchies ------------------------------------------------ */

/* Tiny and eager. */
static void put_prefetcher(struct tester *tester, FILE *stream)
{
	static const char *const types[] = { "Stride", "GHB_PC_CS",
					     "GHB_PC_DC" };

	if (next(tester, 2))
		return;
	fprintf(stream,
		"EnablePrefetcher = t\nPrefetcherType = %s\n"
		"PrefetcherGHBSize = %u\nPrefetcherITSize = %u\n"
		"PrefetcherLookupDepth = %u\nPrefetcherDegree = %u\n"
		"PrefetcherQueueSize = %u\nPrefetcherCrossPage = %c\n",
		types[next(tester, 3)], 1 + next(tester, 16),
		1 + next(tester, 4), 1 + next(tester, 2), 1 + next(tester, 2),
		1 + next(tester, 3), next(tester, 2) ? 't' : 'f');
}

static void put_geometry(struct tester *tester, FILE *stream, const char *name,
			 unsigned block, bool coherent)
{
	static const char *const policies[] = { "LRU", "FIFO", "Random",
						"PLRU" };
	unsigned policy = next(tester, 4);

	fprintf(stream,
		"[CacheGeometry %s]\nSets = %u\nAssoc = %u\nBlockSize = %u\n"
		"Latency = %u\nDirectoryLatency = %u\nPolicy = %s\nMSHR = %u\n"
		"Ports = %u\nCoherent = %c\nWriteBufferSize = %u\n"
		"WriteCombineDelay = %u\nWritePolicy = %s\n"
		"WriteAllocate = %c\n",
		name, 1u << next(tester, 3),
		policy == 3 ? 1u << next(tester, 3) : 1 + next(tester, 3),
		block, 1 + next(tester, 12), next(tester, 4),
		policies[policy], 1 + next(tester, 4),
		1 + next(tester, 2), coherent ? 't' : 'f',
		1 + next(tester, 3), next(tester, 5),
		next(tester, 3) ? "WriteBack" : "WriteThrough",
		next(tester, 3) ? 't' : 'f');
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
	unsigned page = 64u << next(tester, 4);
	bool shared = next(tester, 2);

	for (int level = 0; level < 1 + shared; level++)
		fprintf(stream,
			"[TLBGeometry %s]\nSets = %u\nAssoc = %u\n"
			"PageSize = %u\nLatency = %u\nParallel = %c\n"
			"Ports = %u\nMSHR = %u\nQueueSize = %u\n",
			level ? "second" : "first", 1u << next(tester, 2),
			1 + next(tester, 3), page, next(tester, 4),
			page >= 256 && next(tester, 2) ? 't' : 'f',
			1 + next(tester, 2), 1 + next(tester, 3),
			1 + next(tester, 6));
	return shared;
}

static void put_walk(struct tester *tester, FILE *stream)
{
	fprintf(stream, "WalkLatency = %u\nWalkers = %u\n",
		next(tester, 30), 1 + next(tester, 2));
	if (next(tester, 2))
		fprintf(stream,
			"WalkModule = a%u\nWalkLevels = 1\nPageTable = %u\n",
			next(tester, tester->entries), PAGE_TABLE);
}

/* The entry's section is being written. */
static void put_tlb(struct tester *tester, FILE *stream, unsigned entry,
		    bool shared)
{
	fprintf(stream, "TLB = t%u\n[TLB t%u]\nGeometry = first\n", entry,
		entry);
	if (shared)
		fprintf(stream, "LowTLB = second\nLowLatency = %u\n",
			next(tester, 12));
	else
		put_walk(tester, stream);
}

static char *generate(struct tester *tester)
{
	unsigned small = 16u << next(tester, 2);
	unsigned large = small << next(tester, 3);
	unsigned slices = next(tester, 4) ? 1u << next(tester, 2) : 0;
	unsigned memories = 1u << next(tester, 2);
	bool middle = next(tester, 2), tlbs = next(tester, 2), shared = false;
	const char *base_net = slices ? "n1" : "n2";
	const char *base = slices ? "c" : "m";
	unsigned bases = slices ? slices : memories;
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	tester->entries = 1 + next(tester, MAX_ENTRIES);
	tester->words = 64u << next(tester, 4);
	fprintf(stream, "[General]\nFrequency = 850\nPeerTransfers = %c\n",
		next(tester, 2) ? 't' : 'f');
	put_geometry(tester, stream, "cpu", small, true);
	put_geometry(tester, stream, "cu",
		     next(tester, 2) && large > small ? 2 * small : small,
		     true);
	put_geometry(tester, stream, "texture", small, false);
	put_geometry(tester, stream, "mid", large, true);
	put_geometry(tester, stream, "texture-mid", large, next(tester, 2));
	put_geometry(tester, stream, "last", large, true);
	if (tlbs)
		shared = put_tlb_geometries(tester, stream);
	for (int i = 0; i < 3; i++)
		fprintf(stream,
			"[Network n%d]\nDefaultInputBufferSize = %u\n"
			"DefaultOutputBufferSize = %u\nDefaultBandwidth = %u\n"
			"DefaultLatency = %u\n",
			i, large + 8 + next(tester, 40),
			large + 8 + next(tester, 40), 4 + next(tester, 80),
			next(tester, 4));
	for (unsigned i = 0; i < tester->entries; i++) {
		/* Pairs are of one kind, for they may share a middle. */
		static const char *const kinds[] = { "cpu", "cu", "texture" };
		static unsigned kind;

		if (i % 2 == 0)
			kind = next(tester, 3);
		tester->texture[i] = kind == 2;
		fprintf(stream,
			"[Module a%u]\nType = Cache\nGeometry = %s\n"
			"LowNetwork = %s\n", i, kinds[kind],
			middle ? "n0" : base_net);
		if (middle)
			fprintf(stream, "LowModules = b%u\n", i / 2);
		else
			put_low(stream, base, bases);
		if (middle && i % 2 == 0) {
			fprintf(stream,
				"[Module b%u]\nType = Cache\nGeometry = %s\n"
				"HighNetwork = n0\nLowNetwork = %s\n", i / 2,
				kind == 2 ? "texture-mid" : "mid", base_net);
			put_low(stream, base, bases);
		}
		if (kind)
			fprintf(stream,
				"[Entry e%u]\nArch = Evergreen\n"
				"ComputeUnit = %u\nModule = a%u\n", i, i, i);
		else
			fprintf(stream,
				"[Entry e%u]\nArch = x86\nCore = %u\n"
				"Thread = 0\nModule = a%u\n", i, i, i);
		if (tlbs && (!i || next(tester, 3)))
			put_tlb(tester, stream, i, shared);
	}
	if (shared) {
		fprintf(stream, "[TLB second]\nGeometry = second\n");
		put_walk(tester, stream);
	}
	for (unsigned i = 0; i < slices; i++) {
		fprintf(stream,
			"[Module c%u]\nType = Cache\nGeometry = last\n"
			"HighNetwork = n1\nLowNetwork = n2\n"
			"AddressRange = ADDR DIV 256 MOD %u EQ %u\n", i,
			slices, i);
		put_low(stream, "m", memories);
	}
	for (unsigned i = 0; i < memories; i++)
		fprintf(stream,
			"[Module m%u]\nType = MainMemory\nHighNetwork = n2\n"
			"BlockSize = %u\nLatency = %u\nDirectorySize = 2\n"
			"DirectoryAssoc = %u\nBandwidth = %u\n"
			"AtomicLatency = %u\n"
			"AddressRange = ADDR DIV 256 MOD %u EQ %u\n", i, large,
			next(tester, 60), 1 + next(tester, 2), next(tester, 9),
			next(tester, 20), memories, i);
	fclose(stream);
	return text;
}

/* --- What must hold ------------------------------------------------------- */

static void check_counts(const struct module *module)
{
	const struct class_count *all = &module->count.class[CLASS_ALL];
	struct class_count sum = { 0 };

	for (int i = CLASS_READ; i < CLASS_COUNT; i++) {
		const struct class_count *part = &module->count.class[i];

		CU_ASSERT_EQUAL(part->hits + part->misses, part->accesses);
		CU_ASSERT_EQUAL(part->blocking + part->non_blocking,
				part->accesses);
		sum.accesses += part->accesses;
		sum.hits += part->hits;
		sum.misses += part->misses;
		sum.retries += part->retries;
		sum.blocking += part->blocking;
		sum.coalesced += part->coalesced;
	}
	CU_ASSERT_EQUAL(sum.accesses, all->accesses);
	CU_ASSERT_EQUAL(sum.hits, all->hits);
	CU_ASSERT_EQUAL(sum.misses, all->misses);
	CU_ASSERT_EQUAL(sum.retries, all->retries);
	CU_ASSERT_EQUAL(sum.blocking, all->blocking);
	CU_ASSERT_EQUAL(sum.coalesced, all->coalesced);
}

/* What becomes of prefetches. */
static void check_prefetches(const struct module *module)
{
	const struct module_count *n = &module->count;
	uint64_t unused = 0;
	uint32_t lines;

	CU_ASSERT_EQUAL(prefetch_waiting(module), 0);
	CU_ASSERT_EQUAL(n->prefetch_requests,
			n->prefetches + n->prefetch_aborts +
				n->redundant_prefetches);
	CU_ASSERT_TRUE(n->late_prefetches <= n->useful_prefetches);
	if (module->kind != MODULE_CACHE)
		return;
	lines = module->cache->geometry.sets * module->cache->geometry.ways;
	for (uint32_t i = 0; i < lines; i++)
		unused += module->cache->prefetched[i];
	CU_ASSERT_EQUAL(n->prefetches, n->useful_prefetches +
					       n->useless_prefetches + unused);
}

static void check_tlb(const struct tlb *tlb)
{
	const struct tlb_count *n = &tlb->count;

	CU_ASSERT_EQUAL(n->hits + n->misses, n->accesses);
	CU_ASSERT_EQUAL(n->walks, tlb->low ? 0 : n->misses - n->merged);
	CU_ASSERT_EQUAL(n->walk_accesses, tlb->walk_module ? n->walks : 0);
	CU_ASSERT_EQUAL(tlb->waiting, 0);
	CU_ASSERT_EQUAL(tlb->walking, 0);
	CU_ASSERT_PTR_NULL(tlb->translated.first);
	CU_ASSERT_PTR_NULL(tlb->stalled);
	CU_ASSERT_PTR_NULL(tlb->walk_queue);
	for (uint32_t i = 0; i <= tlb->table_mask; i++)
		CU_ASSERT_PTR_NULL(tlb->table[i]);
}

/* What the caches of a level asked for is what those below were asked. */
static void check_levels(const struct memsys *memsys)
{
	uint64_t sent = 0, received = 0;

	for (size_t i = 0; i < memsys->module_count; i++) {
		const struct module *low = memsys->modules[i];
		uint64_t reads = 0, writes = 0, write_backs = 0;
		bool alone = low->upper_count;

		sent += low->count.peer_sent;
		received += low->count.peer_received;
		for (size_t j = 0; j < memsys->module_count; j++) {
			const struct module *module = memsys->modules[j];
			const struct module_count *n = &module->count;

			for (size_t k = 0; k < module->low_count; k++) {
				if (module->low[k] != low)
					continue;
				alone &= module->low_count == 1;
				reads += n->class[CLASS_READ].misses +
					 n->prefetches;
				writes += n->class[CLASS_WRITE].misses;
				write_backs += n->write_backs;
			}
		}
		if (!alone)
			continue;
		CU_ASSERT_EQUAL(low->count.class[CLASS_READ].accesses, reads);
		CU_ASSERT_EQUAL(low->count.class[CLASS_WRITE].accesses,
				writes);
		CU_ASSERT_EQUAL(low->count.write_backs_received, write_backs);
	}
	CU_ASSERT_EQUAL(sent, received);
}

static void check_empty(const struct module *module)
{
	uint32_t lines;

	CU_ASSERT_EQUAL(module->mshr_used, 0);
	CU_ASSERT_EQUAL(module->writes_pending, 0);
	CU_ASSERT_PTR_NULL(module->stalled.first);
	CU_ASSERT_PTR_NULL(module->placing);
	CU_ASSERT_PTR_NULL(module->up.waiting.first);
	CU_ASSERT_PTR_NULL(module->down.waiting.first);
	for (uint32_t i = 0; i <= module->table_mask; i++)
		CU_ASSERT_PTR_NULL(module->table[i]);
	for (uint32_t i = 0; i <= module->combine_mask; i++)
		CU_ASSERT_PTR_NULL(module->combines[i]);
	if (!module->cache)
		return;
	lines = module->cache->geometry.sets * module->cache->geometry.ways;
	for (uint32_t i = 0; i < lines; i++)
		CU_ASSERT_FALSE(module->cache->locked[i]);
}

/* --- Runs ----------------------------------------------------------------- */

static void drain(struct tester *tester, unsigned accesses, const char *text)
{
	unsigned before = tester->finished;
	struct error error = { "" };

	tester->left = accesses;
	clock_wake(tester->component);
	for (unsigned step = 0; step < 20000000; step++)
		if (!event_queue_step(tester->events))
			break;
	if (tester->finished != before + accesses) {
		fprintf(stderr, "seed %llu: %u of %u accesses finished\n%s",
			(unsigned long long)tester->seed,
			tester->finished - before, accesses, text);
		CU_FAIL_FATAL("accesses hang");
	}
	CU_ASSERT_EQUAL(memsys_pending(tester->memsys), 0);
	for (size_t i = 0; i < tester->memsys->internal.count; i++)
		CU_ASSERT_EQUAL(network_pending(
					tester->memsys->internal.networks[i]),
				0);
	for (size_t i = 0; i < tester->memsys->module_count; i++) {
		check_empty(tester->memsys->modules[i]);
		check_counts(tester->memsys->modules[i]);
		check_prefetches(tester->memsys->modules[i]);
	}
	for (size_t i = 0; i < tester->memsys->tlb_count; i++)
		check_tlb(tester->memsys->tlbs[i]);
	check_levels(tester->memsys);
	if (memsys_check(tester->memsys, &error)) {
		fprintf(stderr, "seed %llu: %s\n%s",
			(unsigned long long)tester->seed, error.text, text);
		CU_FAIL_FATAL("copies contradict each other");
	}
}

static uint64_t run(uint64_t seed, unsigned accesses)
{
	struct tester *tester = xcalloc(1, sizeof *tester);
	struct shadow_observer observer = { tester, performed };
	struct memsys_options options = { .mem_config = NULL };
	struct error error = { "" };
	char *text, path[] = "/tmp/m2s-test-XXXXXX";
	FILE *stream;
	uint64_t checksum;

	tester->state = seed * 77 + 5;
	tester->seed = seed;
	tester->events = event_queue_create();
	next(tester, 2);
	text = generate(tester);
	stream = fdopen(mkstemp(path), "w");
	fputs(text, stream);
	fclose(stream);
	options.mem_config = path;
	tester->memsys = memsys_create(tester->events, &options, &error);
	remove(path);
	if (!tester->memsys) {
		fprintf(stderr, "seed %llu: %s\n%s",
			(unsigned long long)seed, error.text, text);
		CU_FAIL_FATAL("the generated configuration is refused");
	}
	shadow_enable(tester->memsys, ALL_BYTES, &observer);
	for (unsigned i = 0; i < tester->entries; i++) {
		tester->entry[i] = memsys_entry(tester->memsys, MEMSYS_X86, i,
						0);
		if (!tester->entry[i])
			tester->entry[i] = memsys_entry(
				tester->memsys, MEMSYS_EVERGREEN, i, 0);
	}
	tester->flight_limit = 1 + next(tester, 12);
	tester->by = xcalloc(accesses + 2 * WORDS + 2, 1);
	tester->clock = clock_domain_create(tester->events, "test", 850);
	tester->component = clock_component_create(tester->clock, tick,
						   tester);
	drain(tester, accesses, text);
	tester->sweep = true;
	drain(tester, 2 * tester->words, text);
	if (tester->wrong) {
		fprintf(stderr, "%s", text);
		CU_FAIL("a load got old data");
	}
	checksum = tester->checksum + event_queue_now(tester->events);
	memsys_free(tester->memsys);
	clock_domain_free(tester->clock);
	event_queue_free(tester->events);
	free(tester->by);
	free(tester);
	free(text);
	return checksum;
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
		{ "data, copies and counters agree", test_data },
		{ "the same seed gives the same run", test_repeat },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "random", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
