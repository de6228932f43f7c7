#include "memsys/module-checks.h"
#include "memsys/tester.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "memsys/tlb/tlb.h"
#include "unit/harness.h"
#include "unit/random.h"

uint32_t tester_next(struct tester *tester, uint32_t limit)
{
	return (uint32_t)random_draw(&tester->state) % limit;
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

static uint64_t address_of(const struct tester *tester, uint64_t word)
{
	return word / TESTER_LINE * tester->stride + word % TESTER_LINE * 4;
}

/* TESTER_WORDS: none of them. */
static uint64_t word_at(const struct tester *tester, uint64_t address)
{
	uint64_t line = address / tester->stride;
	uint64_t offset = address % tester->stride / 4;

	return line < TESTER_WORDS / TESTER_LINE && offset < TESTER_LINE
		   ? line * TESTER_LINE + offset
		   : TESTER_WORDS;
}

/* Some copy on the way may miss what others wrote to the same block. */
static bool may_be_old(const struct module *module, uint64_t address)
{
	while (module->kind == MODULE_CACHE) {
		int32_t line =
		    cache_find(module->cache, address & module->block_mask);

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
	uint64_t word = word_at(tester, address);

	if (word >= TESTER_WORDS)
		return; /* a page walk */
	tester->checksum = tester->checksum * 31 + number + word;
	if (kind != MEMSYS_LOAD) {
		tester->latest[word] = number;
		return;
	}
	if (!module->config.coherent || number == tester->latest[word])
		return;
	if (is_noncoherent(word) &&
	    module != tester->entry[writer(tester, word)] &&
	    may_be_old(module, address))
		return;
	if (tester->wrong++ < 3)
		fprintf(stderr,
			"seed %llu: %llu ps: %s reads %u at 0x%llx, expected "
			"%u\n",
			(unsigned long long)tester->seed,
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
	tester->checksum =
	    tester->checksum * 31 + tag + event_queue_now(tester->events);
	clock_wake(tester->component);
}

static enum memsys_access_kind choose(struct tester *tester, unsigned entry,
				      uint64_t word)
{
	unsigned dice = tester_next(tester, 16);

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

static void changed(void *owner)
{
	struct tester_waiter *waiter = owner;

	waiter->waiting = false;
	clock_wake(waiter->tester->component);
}

/* Tries again every cycle, or when it hears that it may help. */
static void refused(struct tester *tester, unsigned entry,
		    struct module *module)
{
	struct tester_waiter *waiter = &tester->waiters[entry];

	waiter->tester = tester;
	waiter->waiter.owner = waiter;
	waiter->waiter.changed = changed;
	waiter->waiting =
	    tester_next(tester, 2) && module_wait(module, &waiter->waiter);
}

static bool tick(void *owner)
{
	struct tester *tester = owner;
	bool awake = false;

	for (unsigned i = 0; i < tester->entries && tester->left; i++) {
		uint64_t word, tag = tester->started + 1;
		struct module *module = tester->entry[i];
		enum memsys_access_kind kind;

		if (tester->waiters[i].waiting)
			continue;
		awake = true;
		if (tester->in_flight[i] >= tester->flight_limit)
			continue;
		word = tester->sweep ? tester->left % tester->words
				     : tester_next(tester, tester->words);
		kind = choose(tester, i, word);
		if (kind == MEMSYS_LOAD && tester_next(tester, 4) == 0)
			module = tester->instructions[i];
		if (!module_access_by(module, kind, tester_next(tester, 3),
				      address_of(tester, word), 4, done, tester,
				      tag, NULL)) {
			refused(tester, i, module);
			continue;
		}
		tester->by[tag] = (uint8_t)i;
		tester->in_flight[i]++;
		tester->started++;
		tester->left--;
	}
	return tester->left && awake;
}

/* --- What must hold ------------------------------------------------------- */

/* What becomes of prefetches. */
static void check_prefetches(const struct module *module)
{
	const struct module_count *n = &module->count;
	uint64_t unused = 0;
	uint32_t lines;

	CU_ASSERT_EQUAL(prefetch_waiting(module), 0);
	CU_ASSERT_EQUAL(n->prefetch_requests, n->prefetches +
						  n->prefetch_aborts +
						  n->redundant_prefetches);
	CU_ASSERT_TRUE(n->late_prefetches <= n->useful_prefetches);
	if (module->kind != MODULE_CACHE)
		return;
	lines = module->cache->geometry.sets * module->cache->geometry.ways;
	for (uint32_t i = 0; i < lines; i++)
		unused += module->cache->prefetched[i];
	CU_ASSERT_EQUAL(n->prefetches,
			n->useful_prefetches + n->useless_prefetches + unused);
}

static void check_tlb(const struct tlb *tlb)
{
	const struct tlb_count *n = &tlb->count;

	CU_ASSERT_EQUAL(n->hits + n->misses, n->accesses);
	CU_ASSERT_EQUAL(n->walks, tlb->low ? 0 : n->misses - n->merged);
	CU_ASSERT_EQUAL(n->walk_accesses,
			tlb->walk_module ? n->walks * tlb->config.walk_levels
					 : 0);
	CU_ASSERT_EQUAL(tlb->waiting, 0);
	CU_ASSERT_EQUAL(tlb->walking, 0);
	CU_ASSERT_PTR_NULL(tlb->translated.first);
	CU_ASSERT_PTR_NULL(tlb->stalled);
	CU_ASSERT_PTR_NULL(tlb->walk_queue);
	for (uint32_t i = 0; i <= tlb->table_mask; i++)
		CU_ASSERT_PTR_NULL(tlb->table[i]);
}

/* What a module sends to the one below it. */
struct sent {
	uint64_t reads, writes, nc_writes, atomics;
	uint64_t write_backs, write_throughs, probes;
};

static void add_sent(struct sent *sent, const struct module *module)
{
	const struct module_count *n = &module->count;
	const struct class_count *nc = &n->class[CLASS_NC_WRITE];

	sent->reads += n->class[CLASS_READ].misses + n->prefetches;
	sent->writes += n->class[CLASS_WRITE].misses;
	/* What is not kept passes, whether there was a copy or not; stores that
	 * the write buffer puts together as one message. */
	sent->nc_writes += module_keeps_stores(module)
			       ? nc->misses
			       : nc->accesses - nc->coalesced;
	sent->atomics += n->class[CLASS_ATOMIC].accesses;
	sent->write_backs += n->write_backs;
	sent->write_throughs += n->write_throughs;
	sent->probes += n->probes;
}

/* What the caches of a level sent is what those below received. */
static void check_level(const struct memsys *memsys, const struct module *low)
{
	const struct module_count *n = &low->count;
	struct sent sent = {0};

	for (size_t i = 0; i < memsys->module_count; i++) {
		const struct module *module = memsys->modules[i];

		for (size_t j = 0; j < module->low_count; j++)
			if (module->low[j] == low) {
				if (module->low_count > 1)
					return;
				add_sent(&sent, module);
			}
	}
	/* Those of processors and of page walks come on top. */
	for (size_t i = 0; i < memsys->tlb_count; i++)
		if (memsys->tlbs[i]->walk_module == low)
			return;
	for (size_t i = 0; i < memsys->entry_count; i++)
		if (memsys->entries[i].data == low ||
		    memsys->entries[i].instruction == low)
			return;
	CU_ASSERT_EQUAL(n->class[CLASS_READ].accesses, sent.reads);
	CU_ASSERT_EQUAL(n->class[CLASS_WRITE].accesses, sent.writes);
	CU_ASSERT_EQUAL(n->class[CLASS_NC_WRITE].accesses, sent.nc_writes);
	CU_ASSERT_EQUAL(n->class[CLASS_ATOMIC].accesses, sent.atomics);
	CU_ASSERT_EQUAL(n->write_backs_received, sent.write_backs);
	CU_ASSERT_EQUAL(n->write_throughs_received, sent.write_throughs);
	CU_ASSERT_EQUAL(n->probes_sent, sent.probes);
}

/* Over all modules, also where one has several below it. */
static void check_sums(const struct memsys *memsys)
{
	struct module_count sum = {0};

	for (size_t i = 0; i < memsys->module_count; i++) {
		const struct module_count *n = &memsys->modules[i]->count;

		sum.probes += n->probes;
		sum.probes_sent += n->probes_sent;
		sum.peer_sent += n->peer_sent;
		sum.peer_received += n->peer_received;
		sum.write_backs += n->write_backs;
		sum.write_backs_received += n->write_backs_received;
		sum.write_throughs += n->write_throughs;
		sum.write_throughs_received += n->write_throughs_received;
		CU_ASSERT_TRUE(n->merges <= n->write_backs_received +
						n->write_throughs_received +
						n->probes_sent);
		CU_ASSERT_TRUE(n->evictions <=
			       n->class[CLASS_ALL].accesses + n->prefetches);
	}
	CU_ASSERT_EQUAL(sum.probes, sum.probes_sent);
	CU_ASSERT_EQUAL(sum.peer_sent, sum.peer_received);
	CU_ASSERT_EQUAL(sum.write_backs, sum.write_backs_received);
	CU_ASSERT_EQUAL(sum.write_throughs, sum.write_throughs_received);
}

/* --- Runs ----------------------------------------------------------------- */

struct tester *tester_create(uint64_t seed)
{
	struct tester *tester = xcalloc(1, sizeof *tester);

	tester->state = seed * 77 + 5;
	tester->seed = seed;
	tester->events = event_queue_create();
	tester->words = TESTER_WORDS;
	tester->stride = TESTER_LINE * 4;
	tester_next(tester, 2);
	return tester;
}

static void complain(const struct tester *tester, const char *what)
{
	fprintf(stderr, "seed %llu: %s\n%s", (unsigned long long)tester->seed,
		what, tester->text);
	CU_FAIL_FATAL("see above");
}

void tester_start(struct tester *tester, const char *mem_config,
		  const char *net_config, const char *text)
{
	struct shadow_observer observer = {tester, performed};
	struct memsys_options options = {.mem_config = mem_config,
					 .net_config = net_config};
	struct error error = {""};

	tester->text = text;
	tester->memsys = memsys_create(tester->events, &options, &error);
	if (!tester->memsys)
		complain(tester, error.text);
	tester->observer = observer;
	if (tester->bytes)
		shadow_enable(tester->memsys, tester->bytes, &tester->observer);
	for (size_t i = 0; i < tester->memsys->entry_count; i++) {
		struct module *module = tester->memsys->entries[i].data;

		CU_ASSERT_TRUE_FATAL(tester->entries < TESTER_ENTRIES);
		tester->texture[tester->entries] = !module->config.coherent;
		tester->instructions[tester->entries] =
		    tester->memsys->entries[i].instruction;
		tester->entry[tester->entries++] = module;
	}
	tester->flight_limit = 1 + tester_next(tester, 12);
	tester->clock = clock_domain_create(tester->events, "test", 850);
	tester->component = clock_component_create(tester->clock, tick, tester);
}

static void drain(struct tester *tester, unsigned accesses)
{
	unsigned before = tester->finished;
	struct error error = {""};

	tester->left = accesses;
	clock_wake(tester->component);
	for (unsigned step = 0; step < 20000000; step++)
		if (!event_queue_step(tester->events))
			break;
	if (tester->finished != before + accesses)
		complain(tester, "accesses hang");
	for (unsigned i = 0; i < tester->entries; i++)
		CU_ASSERT_FALSE(tester->waiters[i].waiting);
	CU_ASSERT_EQUAL(memsys_pending(tester->memsys), 0);
	for (size_t i = 0; i < tester->memsys->internal.count; i++)
		CU_ASSERT_EQUAL(
		    network_pending(tester->memsys->internal.networks[i]), 0);
	for (size_t i = 0; i < tester->memsys->external.count; i++)
		CU_ASSERT_EQUAL(
		    network_pending(tester->memsys->external.networks[i]), 0);
	for (size_t i = 0; i < tester->memsys->module_count; i++) {
		check_level(tester->memsys, tester->memsys->modules[i]);
		check_module_empty(tester->memsys->modules[i]);
		check_module_counts(tester->memsys->modules[i]);
		check_prefetches(tester->memsys->modules[i]);
	}
	for (size_t i = 0; i < tester->memsys->tlb_count; i++)
		check_tlb(tester->memsys->tlbs[i]);
	check_sums(tester->memsys);
	if (memsys_check(tester->memsys, &error))
		complain(tester, error.text);
}

void tester_run(struct tester *tester, unsigned accesses)
{
	tester->by = xcalloc(accesses + 2 * TESTER_WORDS + 2, 1);
	drain(tester, accesses);
	tester->sweep = true;
	drain(tester, 2 * tester->words);
	if (tester->wrong)
		complain(tester, "a load got old data");
}

uint64_t tester_free(struct tester *tester)
{
	uint64_t checksum = tester->checksum + event_queue_now(tester->events);

	memsys_free(tester->memsys);
	clock_domain_free(tester->clock);
	event_queue_free(tester->events);
	free(tester->by);
	free(tester);
	return checksum;
}
