/* A memory system made from INI text, and a processor that waits for each of
 * its accesses: for tests of single parts. */
#ifndef M2S_TESTS_MEMSYS_BENCH_H
#define M2S_TESTS_MEMSYS_BENCH_H

#include <stdlib.h>
#include <string.h>

#include "memsys/module.h"
#include "unit/harness.h"

/* A look-up in a cache without surroundings: the block is there afterwards. */
static inline void cache_bring(struct cache *cache, uint64_t block)
{
	int32_t line = cache_find(cache, block);

	if (line < 0)
		cache_fill(cache, cache_victim(cache, block), block,
			   CACHE_SHARED);
	else
		cache_touch(cache, line);
}

enum { BENCH_ENTRIES = 4, BENCH_TAGS = 256 };

struct bench {
	struct event_queue *events;
	struct memsys *memsys;
	struct module *entry[BENCH_ENTRIES];
	picoseconds done[BENCH_TAGS]; /* by tag; 0: not yet */
	unsigned finished;
};

/* Of two pieces of text. */
static inline void bench_create_more(struct bench *bench, const char *text,
				     const char *more)
{
	struct memsys_options options = { 0 };
	char path[] = "/tmp/m2s-test-XXXXXX";
	struct error error = { "" };
	FILE *stream = fdopen(mkstemp(path), "w");

	memset(bench, 0, sizeof *bench);
	fputs(text, stream);
	fputs(more, stream);
	fclose(stream);
	options.mem_config = path;
	bench->events = event_queue_create();
	bench->memsys = memsys_create(bench->events, &options, &error);
	remove(path);
	CU_ASSERT_STRING_EQUAL(error.text, "");
	if (!bench->memsys)
		fprintf(stderr, "# %s\n", error.text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(bench->memsys);
	for (unsigned i = 0; i < BENCH_ENTRIES; i++)
		bench->entry[i] = memsys_entry(bench->memsys, MEMSYS_EVERGREEN,
					       i, 0);
}

static inline void bench_create(struct bench *bench, const char *text)
{
	bench_create_more(bench, text, "");
}

static inline void bench_drain(struct bench *bench)
{
	while (event_queue_step(bench->events))
		;
}

static inline void bench_free(struct bench *bench)
{
	bench_drain(bench);
	CU_ASSERT_EQUAL(memsys_pending(bench->memsys), 0);
	memsys_free(bench->memsys);
	event_queue_free(bench->events);
}

static inline void bench_note(void *owner, uint64_t tag)
{
	struct bench *bench = owner;

	bench->done[tag] = event_queue_now(bench->events);
	bench->finished++;
}

static inline bool bench_start(struct bench *bench, unsigned entry,
			       enum memsys_access_kind kind,
			       uint64_t instruction, uint64_t address,
			       uint64_t tag)
{
	return module_access_by(bench->entry[entry], kind, instruction,
				address, 4, bench_note, bench, tag, NULL);
}

static inline void bench_nothing(void *owner, uint64_t tag)
{
	(void)owner;
	(void)tag;
}

/* Lets time pass up to a time, at which the caller can act. */
static inline void bench_until(struct bench *bench, picoseconds time)
{
	event_schedule(bench->events, time - event_queue_now(bench->events), 0,
		       bench_nothing, NULL, 0);
	while (event_queue_now(bench->events) < time)
		event_queue_step(bench->events);
}

/* One access, and nothing else until `pause` cycles after it; its cycles. */
static inline uint64_t bench_access(struct bench *bench, unsigned entry,
				    enum memsys_access_kind kind,
				    uint64_t instruction, uint64_t address,
				    unsigned pause)
{
	picoseconds period = bench->entry[entry]->period;
	picoseconds start = event_queue_now(bench->events);
	unsigned before = bench->finished;

	start = (start + period - 1) / period * period;
	if (start > event_queue_now(bench->events))
		bench_until(bench, start);
	while (!bench_start(bench, entry, kind, instruction, address, 0))
		bench_until(bench, event_queue_now(bench->events) + period);
	while (bench->finished == before &&
	       event_queue_step(bench->events))
		;
	CU_ASSERT_EQUAL_FATAL(bench->finished, before + 1);
	if (pause)
		bench_until(bench, bench->done[0] + pause * period);
	return (bench->done[0] - start) / period;
}

#endif
