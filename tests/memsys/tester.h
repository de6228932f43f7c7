/* A tester of memory hierarchies: random accesses of all entries, with data
 * (shadow.h). Every load of a tracked cache gets what the last store left, at
 * the very time at which it takes effect. When all is quiet the copies and
 * directories agree, and no counter contradicts another. */
#ifndef M2S_TESTS_MEMSYS_TESTER_H
#define M2S_TESTS_MEMSYS_TESTER_H

#include "memsys/module.h"
#include "unit/clock-domain.h"

enum {
	TESTER_ENTRIES = 32,
	TESTER_WORDS = 512,
	TESTER_LINE = 16, /* words that follow each other */
};

/* Who is told when a module that refused an access has changed. */
struct tester_waiter {
	struct module_waiter waiter;
	struct tester *tester;
	bool waiting;
};

struct tester {
	struct event_queue *events;
	struct memsys *memsys;
	struct clock_domain *clock;
	struct clock_component *component;
	struct module *entry[TESTER_ENTRIES], *instructions[TESTER_ENTRIES];
	bool texture[TESTER_ENTRIES]; /* not tracked: loads, what passes */
	unsigned entries, left, started, finished, wrong, flight_limit;
	unsigned in_flight[TESTER_ENTRIES];
	struct tester_waiter waiters[TESTER_ENTRIES];
	uint64_t state, checksum, seed;
	uint8_t *by;                   /* the entry, by tag; 255: finished */
	uint32_t latest[TESTER_WORDS]; /* the last store that took effect */
	bool sweep;                    /* loads only, word by word */
	struct shadow_observer observer;
	const char *text; /* describes the hierarchy */

	/* To be set before tester_start(): words that are used, bytes from one
	 * line of them to the next, and the memory with data (0: without). */
	unsigned words;
	uint64_t stride, bytes;
};

struct tester *tester_create(uint64_t seed);
/* A number below the limit. */
uint32_t tester_next(struct tester *tester, uint32_t limit);
/* Builds the hierarchy of these files. `text` names it when a test fails. */
void tester_start(struct tester *tester, const char *mem_config,
		  const char *net_config, const char *text);
/* Random accesses, then all words from everywhere. */
void tester_run(struct tester *tester, unsigned accesses);
/* A number that depends on all that happened. */
uint64_t tester_free(struct tester *tester);

#endif
