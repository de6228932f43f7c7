/* Host time per access of the built-in HD 5870 hierarchy, and what bandwidth
 * the simulated device reaches: 20 compute units keep their L1 caches busy.
 *
 *	bench-memsys [million accesses per line]
 */
#include "memsys/memsys.h"
#include "base/memory.h"
#include "unit/clock-domain.h"
#include "unit/random.h"

#include <stdio.h>
#include <stdlib.h>

enum { UNITS = 20, IN_FLIGHT = 96 };

struct bench {
	struct event_queue *events;
	struct memsys *memsys;
	struct clock_component *component;
	struct module *entry[UNITS];
	enum memsys_access_kind kind;
	uint64_t span, stride; /* bytes per unit, between accesses */
	bool shared;           /* all units read the same addresses */
	uint64_t position[UNITS];
	unsigned in_flight[UNITS];
	uint64_t left, finished;
};

static void done(void *owner, uint64_t unit)
{
	struct bench *bench = owner;

	bench->in_flight[unit]--;
	bench->finished++;
	clock_wake(bench->component);
}

static bool tick(void *owner)
{
	struct bench *bench = owner;
	bool progress = false;

	for (unsigned i = 0; i < UNITS; i++) {
		uint64_t base = bench->shared ? 0 : i * bench->span;

		if (bench->in_flight[i] == IN_FLIGHT || !bench->left)
			continue;
		progress = true;
		if (!module_access(bench->entry[i], bench->kind,
				   base + bench->position[i] % bench->span, 64,
				   done, bench, i, NULL))
			continue;
		bench->position[i] += bench->stride;
		bench->in_flight[i]++;
		bench->left--;
	}
	return progress;
}

static void run(const char *name, enum memsys_access_kind kind, uint64_t span,
		uint64_t stride, bool shared, uint64_t accesses)
{
	struct memsys_options options = { .compute_units = UNITS };
	struct bench bench = { .kind = kind, .span = span, .stride = stride,
			       .shared = shared };
	struct clock_domain *clock;
	struct error error;
	double start, seconds;
	picoseconds time;

	bench.events = event_queue_create();
	bench.memsys = memsys_create(bench.events, &options, &error);
	if (!bench.memsys) {
		fprintf(stderr, "%s\n", error.text);
		exit(1);
	}
	for (unsigned i = 0; i < UNITS; i++) {
		bench.entry[i] = memsys_entry(bench.memsys, MEMSYS_EVERGREEN,
					      i, 0);
		/* Not in step: that would be a pattern of its own. */
		bench.position[i] = shared ? i * (span / UNITS / 64 * 64) : 0;
	}
	clock = clock_domain_create(bench.events, "core", 850);
	bench.component = clock_component_create(clock, tick, &bench);
	/* Warm up, then measure. */
	for (int round = 0; round < 2; round++) {
		bench.left = round ? accesses : accesses / 10;
		bench.finished = 0;
		time = event_queue_now(bench.events);
		start = host_seconds();
		clock_wake(bench.component);
		while (event_queue_step(bench.events))
			;
		seconds = host_seconds() - start;
		time = event_queue_now(bench.events) - time;
	}
	printf("%-34s %8.1f ns/access %9.2f B/cycle %8.0f kcycles/s\n", name,
	       seconds / (double)bench.finished * 1e9,
	       64.0 * (double)bench.finished * 1176 / (double)time,
	       (double)time / 1176 / seconds / 1e3);
	memsys_free(bench.memsys);
	clock_domain_free(clock);
	event_queue_free(bench.events);
}

struct chain {
	struct event_queue *events;
	uint64_t left, state;
};

static void hop(void *owner, uint64_t tag)
{
	struct chain *chain = owner;

	if (!chain->left)
		return;
	chain->left--;
	event_schedule(chain->events,
		       1176 * (1 + random_draw(&chain->state) % 250),
		       (uint32_t)tag, hop, chain, tag);
}

static void events(uint64_t count)
{
	struct chain chain = { event_queue_create(), count, 1 };
	double start;

	for (uint32_t i = 0; i < 1000; i++)
		event_schedule(chain.events, 0, i, hop, &chain, i);
	start = host_seconds();
	while (event_queue_step(chain.events))
		;
	printf("%-34s %8.1f ns/event\n", "event queue, 1000 in flight",
	       (host_seconds() - start) / (double)count * 1e9);
	event_queue_free(chain.events);
}

int main(int argc, char **argv)
{
	uint64_t count = (uint64_t)(1e6 * (argc > 1 ? atof(argv[1]) : 2));

	events(5 * count);
	run("loads that hit the L1", MEMSYS_LOAD, 4096, 64, false, count);
	run("loads that hit the L2", MEMSYS_LOAD, 256 << 10, 64 * 37, true,
	    count);
	run("loads from memory, streaming", MEMSYS_LOAD, 1 << 26, 64, false,
	    count);
	run("loads from memory, one channel", MEMSYS_LOAD, 1 << 26, 2048,
	    false, count / 4);
	run("non-coherent stores, streaming", MEMSYS_NC_STORE, 1 << 26, 64,
	    false, count);
	run("atomics, one address", MEMSYS_ATOMIC, 64, 64, true, count / 20);
	return 0;
}
