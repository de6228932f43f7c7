/* Random accesses over generated hierarchies with tiny structures: every access
 * completes, everything drains, no counter contradicts another, and when all is
 * quiet the copies obey the protocol. The same seed gives the same figures. */
#include "memsys/module-checks.h"
#include "base/memory.h"
#include "unit/clock-domain.h"
#include "unit/harness.h"
#include "unit/random.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ENTRIES = 8, BLOCKS = 48 };

struct tester {
	struct event_queue *events;
	struct memsys *memsys;
	struct stats *stats;
	struct clock_domain *clock;
	struct clock_component *component;
	struct module *entry[MAX_ENTRIES];
	unsigned entries, kinds;
	unsigned left, started, finished, in_flight[MAX_ENTRIES];
	unsigned flight_limit;
	uint64_t state, checksum;
	uint8_t *open; /* by tag: started and not finished */
};

static uint32_t next(struct tester *tester, uint32_t limit)
{
	return (uint32_t)random_draw(&tester->state) % limit;
}

static void done(void *owner, uint64_t tag)
{
	struct tester *tester = owner;

	CU_ASSERT_EQUAL(tester->open[tag], 1);
	tester->open[tag] = 0;
	tester->finished++;
	tester->in_flight[tag % tester->entries]--;
	tester->checksum = tester->checksum * 31 + tag +
			   event_queue_now(tester->events);
	clock_wake(tester->component);
}

/* One attempt per entry and cycle. */
static bool tick(void *owner)
{
	static const enum memsys_access_kind kinds[] = {
		MEMSYS_LOAD,     MEMSYS_STORE,  MEMSYS_LOAD,
		MEMSYS_NC_STORE, MEMSYS_ATOMIC, MEMSYS_PREFETCH,
	};
	struct tester *tester = owner;

	for (unsigned i = 0; i < tester->entries && tester->left; i++) {
		struct module *module = tester->entry[i];
		unsigned block = module_block_size(module);
		uint64_t address = (uint64_t)next(tester, BLOCKS) * block;
		unsigned offset = next(tester, block / 4) * 4;
		uint64_t tag = (uint64_t)tester->started * tester->entries + i;
		enum memsys_access_kind kind =
			kinds[next(tester, tester->kinds)];

		if (tester->in_flight[i] == tester->flight_limit)
			continue;
		if (!module_access(module, kind, address + offset, 4, done,
				   tester, tag, NULL))
			continue;
		tester->open[tag] = 1;
		tester->in_flight[i]++;
		tester->started++;
		tester->left--;
	}
	return tester->left;
}

/* A tree: entries -> (first level) -> (second level) -> memory modules. */
static char *generate(struct tester *tester, bool coherent)
{
	static const char *const policies[] = { "LRU", "FIFO", "Random" };
	unsigned l2 = 1u << next(tester, 2), mm = 1u << next(tester, 2);
	unsigned small = 16u << next(tester, 2);
	unsigned large = small << next(tester, 2);
	bool middle = next(tester, 2); /* a private second level */
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	tester->entries = 1 + next(tester, MAX_ENTRIES);
	fprintf(stream, "[General]\nFrequency = 850\n");
	for (int level = 1; level <= 3; level++)
		fprintf(stream,
			"[CacheGeometry g%d]\nSets = %u\nAssoc = %u\n"
			"BlockSize = %u\nLatency = %u\nDirectoryLatency = %u\n"
			"Policy = %s\nMSHR = %u\nPorts = %u\nCoherent = %c\n"
			"WriteBufferSize = %u\nWriteCombineDelay = %u\n",
			level, 1u << next(tester, 3), 1 + next(tester, 3),
			level < 3 ? small : large, 1 + next(tester, 12),
			next(tester, 4), policies[next(tester, 3)],
			1 + next(tester, 4), 1 + next(tester, 2),
			coherent ? 't' : 'f', 1 + next(tester, 3),
			next(tester, 5));
	for (int i = 0; i < 3; i++)
		fprintf(stream,
			"[Network n%d]\nDefaultInputBufferSize = %u\n"
			"DefaultOutputBufferSize = %u\nDefaultBandwidth = %u\n"
			"DefaultLatency = %u\n",
			i, large + 8 + next(tester, 40),
			large + 8 + next(tester, 40), 4 + next(tester, 80),
			next(tester, 4));
	for (unsigned i = 0; i < tester->entries; i++) {
		fprintf(stream,
			"[Module a%u]\nType = Cache\nGeometry = g1\n"
			"LowNetwork = %s\nLowModules =", i,
			middle ? "n0" : "n1");
		if (middle)
			fprintf(stream, " b%u", i / 2);
		for (unsigned j = 0; j < l2 && !middle; j++)
			fprintf(stream, " c%u", j);
		if (middle && i % 2 == 0) {
			fprintf(stream,
				"\n[Module b%u]\nType = Cache\n"
				"Geometry = g2\nHighNetwork = n0\n"
				"LowNetwork = n1\nLowModules =", i / 2);
			for (unsigned j = 0; j < l2; j++)
				fprintf(stream, " c%u", j);
		}
		fprintf(stream,
			"\n[Entry e%u]\nArch = Evergreen\nComputeUnit = %u\n"
			"Module = a%u\n", i, i, i);
	}
	for (unsigned i = 0; i < l2; i++) {
		fprintf(stream,
			"[Module c%u]\nType = Cache\nGeometry = g3\n"
			"HighNetwork = n1\nLowNetwork = n2\n"
			"AddressRange = ADDR DIV 128 MOD %u EQ %u\n"
			"LowModules =", i, l2, i);
		for (unsigned j = 0; j < mm; j++)
			fprintf(stream, " m%u", j);
		fprintf(stream, "\n");
	}
	for (unsigned i = 0; i < mm; i++)
		fprintf(stream,
			"[Module m%u]\nType = MainMemory\nHighNetwork = n2\n"
			"BlockSize = %u\nLatency = %u\nDirectorySize = 2\n"
			"DirectoryAssoc = %u\nBandwidth = %u\n"
			"AtomicLatency = %u\n"
			"AddressRange = ADDR DIV 128 MOD %u EQ %u\n", i, large,
			next(tester, 60), 1 + next(tester, 2), next(tester, 9),
			next(tester, 20), mm, i);
	fclose(stream);
	return text;
}

/* --- What must hold ------------------------------------------------------ */

/* What the caches of a level asked for is what those below were asked. */
static void check_levels(const struct memsys *memsys)
{
	for (size_t i = 0; i < memsys->module_count; i++) {
		const struct module *low = memsys->modules[i];
		uint64_t reads = 0, writes = 0, write_backs = 0;
		bool alone = true;

		for (size_t j = 0; j < memsys->module_count; j++) {
			const struct module *module = memsys->modules[j];

			for (size_t k = 0; k < module->low_count; k++) {
				if (module->low[k] != low)
					continue;
				alone &= module->low_count == 1;
				reads += module->count.class[CLASS_READ]
						 .misses +
					 module->count.prefetches;
				writes += module->count.class[CLASS_WRITE]
						  .misses;
				write_backs += module->count.write_backs;
			}
		}
		if (!alone || low->upper_count == 0)
			continue;
		CU_ASSERT_EQUAL(low->count.class[CLASS_READ].accesses, reads);
		CU_ASSERT_EQUAL(low->count.class[CLASS_WRITE].accesses,
				writes);
		CU_ASSERT_EQUAL(low->count.write_backs_received, write_backs);
	}
}

/* Inclusion, and one writer or many readers, for one block of a cache. */
static void check_copy(const struct memsys *memsys,
		       const struct module *module, uint64_t block,
		       enum cache_state state)
{
	const struct module *low = module_low(module, block);
	int number = low->upper_number[module->index];
	int32_t line;
	uint32_t sub, end;

	if (low->cache) {
		line = cache_find(low->cache, block & low->block_mask);
		CU_ASSERT_TRUE_FATAL(line >= 0);
		sub = (uint32_t)(block & ~low->block_mask) /
		      low->directory->sub_size;
		end = sub + module->block_size / low->directory->sub_size;
		CU_ASSERT_TRUE(directory_has(low->directory, line, sub, end,
					     number));
		if (state >= CACHE_EXCLUSIVE) {
			CU_ASSERT_TRUE(directory_owns(low->directory, line,
						      sub, end, number));
			CU_ASSERT_TRUE(low->cache->states[line] >=
				       CACHE_EXCLUSIVE);
		}
	}
	if (state < CACHE_EXCLUSIVE)
		return;
	for (size_t i = 0; i < memsys->module_count; i++) {
		const struct module *other = memsys->modules[i];

		/* Entries that are neighbours below the same module. */
		if (other == module || other->kind != MODULE_CACHE ||
		    other->low_network != module->low_network)
			continue;
		CU_ASSERT_TRUE(cache_find(other->cache,
					  block & other->block_mask) < 0);
	}
}

static void check_copies(const struct memsys *memsys)
{
	for (size_t i = 0; i < memsys->module_count; i++) {
		const struct module *module = memsys->modules[i];
		uint32_t lines;

		if (module->kind != MODULE_CACHE)
			continue;
		lines = module->cache->geometry.sets *
			module->cache->geometry.ways;
		for (uint32_t line = 0; line < lines; line++)
			if (module->cache->states[line] != CACHE_INVALID)
				check_copy(memsys, module,
					   module->cache->blocks[line],
					   module->cache->states[line]);
	}
}

/* --- Runs ---------------------------------------------------------------- */

static uint64_t run(uint64_t seed, bool coherent, unsigned kinds,
		    unsigned accesses)
{
	struct tester tester = { .state = seed * 77 + 5, .kinds = kinds };
	struct memsys_options options = { .mem_config = NULL };
	struct error error = { "" };
	char *text, path[] = "/tmp/m2s-test-XXXXXX";
	FILE *stream;
	uint64_t checksum;

	tester.events = event_queue_create();
	next(&tester, 2);
	text = generate(&tester, coherent);
	stream = fdopen(mkstemp(path), "w");
	fputs(text, stream);
	fclose(stream);
	options.mem_config = path;
	options.compute_units = tester.entries;
	tester.memsys = memsys_create(tester.events, &options, &error);
	remove(path);
	if (!tester.memsys) {
		fprintf(stderr, "seed %llu: %s\n%s",
			(unsigned long long)seed, error.text, text);
		CU_FAIL_FATAL("the generated configuration is refused");
	}
	for (unsigned i = 0; i < tester.entries; i++)
		tester.entry[i] = memsys_entry(tester.memsys, MEMSYS_EVERGREEN,
					       i, 0);
	tester.left = accesses;
	tester.flight_limit = 1 + next(&tester, 12);
	tester.open = xcalloc((size_t)(accesses + 1) * tester.entries, 1);
	tester.clock = clock_domain_create(tester.events, "test", 850);
	tester.component = clock_component_create(tester.clock, tick, &tester);
	clock_wake(tester.component);
	for (unsigned step = 0; step < 10000000; step++)
		if (!event_queue_step(tester.events))
			break;
	if (tester.finished != accesses) {
		fprintf(stderr, "seed %llu: %u of %u accesses finished\n%s",
			(unsigned long long)seed, tester.finished, accesses,
			text);
		CU_FAIL_FATAL("accesses hang");
	}
	CU_ASSERT_FALSE(event_queue_step(tester.events));
	CU_ASSERT_EQUAL(memsys_pending(tester.memsys), 0);
	for (size_t i = 0; i < tester.memsys->internal.count; i++)
		CU_ASSERT_EQUAL(network_pending(
					tester.memsys->internal.networks[i]),
				0);
	for (size_t i = 0; i < tester.memsys->module_count; i++) {
		check_module_empty(tester.memsys->modules[i]);
		check_module_counts(tester.memsys->modules[i]);
		checksum = tester.memsys->modules[i]
				   ->count.class[CLASS_ALL]
				   .hits;
		tester.checksum = tester.checksum * 31 + checksum;
	}
	if (coherent)
		check_levels(tester.memsys);
	if (coherent && kinds <= 3)
		check_copies(tester.memsys);
	checksum = tester.checksum + event_queue_now(tester.events);
	memsys_free(tester.memsys);
	clock_domain_free(tester.clock);
	event_queue_free(tester.events);
	free(tester.open);
	free(text);
	return checksum;
}

static unsigned seeds(void)
{
	const char *text = getenv("M2S_TEST_SEEDS");

	return text ? (unsigned)atoi(text) : 200;
}

static void test_coherent(void)
{
	for (unsigned seed = 1; seed <= seeds(); seed++)
		run(seed, true, 3, 3000);
}

static void test_mixed(void)
{
	for (unsigned seed = 1; seed <= seeds(); seed++)
		run(seed, true, 6, 3000);
}

static void test_untracked(void)
{
	for (unsigned seed = 1; seed <= seeds(); seed++)
		run(seed, false, 6, 3000);
}

static void test_repeat(void)
{
	uint64_t first = run(11, true, 6, 5000);

	CU_ASSERT_EQUAL(run(11, true, 6, 5000), first);
	CU_ASSERT_NOT_EQUAL(run(12, true, 6, 5000), first);
	CU_ASSERT_EQUAL(run(13, false, 6, 5000), run(13, false, 6, 5000));
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "loads and stores of tracked caches", test_coherent },
		{ "every kind of access, tracked caches", test_mixed },
		{ "every kind of access, untracked caches", test_untracked },
		{ "the same seed gives the same figures", test_repeat },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "hierarchy", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
