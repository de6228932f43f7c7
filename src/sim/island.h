/* Islands: a simulation in parts that host threads run at the same time.
 *
 * Each island has its own event queue and touches only its own state. What
 * crosses to another one is a message that comes at least one window later
 * (event_send); the hub may get messages sooner. The time line is divided into
 * windows. In each of them the islands take what was sent to them and run; then
 * what they have done to something that all look at (stores to a memory) is
 * settled, and the hub runs. The hub (island 0) may also look at, and change,
 * what belongs to others, but not to islands at the back: these may be behind
 * the others, and do not wait for the hub.
 *
 * Where windows lie, and the order of everything in them that can be seen, does
 * not depend on the number of threads; so nor does any result.
 *
 * A thread runs the islands of one lane, of which each is as busy as the
 * others. Their work is measured now and then, and a few of them go to another
 * lane. How threads wait for each other: crew.c. */
#ifndef M2S_SIM_ISLAND_H
#define M2S_SIM_ISLAND_H

#include <stddef.h>
#include <stdio.h>

#include "sim/event.h"

struct islands;

enum { ISLANDS_MAX = 1 << 16, ISLANDS_THREADS_MAX = 1 << 10 };

/* With the hub only, whose queue is kept and not owned. A window is 1 ns until
 * islands_set_window(). */
struct islands *islands_create(struct event_queue *hub);
void islands_free(struct islands *islands);
/* Island n's queue; the hub is 0. The others are owned. */
struct event_queue *islands_queue(const struct islands *islands, size_t n);
size_t islands_count(const struct islands *islands);
/* A new island; ISLANDS_MAX at most. */
struct event_queue *islands_add(struct islands *islands);

/* An island at the back never raises itself nor sends to the hub. */
void islands_set_back(struct islands *islands, const struct event_queue *queue);

/* The shortest time that a message is on its way. `staggered`: messages of
 * islands at the back to those in front take twice as long, or longer, so that
 * threads wait less for each other. */
void islands_set_window(struct islands *islands, picoseconds window,
			bool staggered);
picoseconds islands_window(const struct islands *islands);
/* How many threads run islands, the caller's included. */
void islands_set_threads(struct islands *islands, unsigned threads);

/* Called, on any thread, at the end of each window in which somebody raised
 * itself (event_queue_raise): these, in no particular order. */
typedef void islands_settle(void *owner, void *const *raised, size_t count);
void islands_set_settle(struct islands *islands, islands_settle *settle,
			void *owner);

/* From now on messages are counted that have come with a source with which
 * another island has sent to the same one, and whose order could depend on the
 * number of threads: there must be none. */
void islands_check(struct islands *islands);
uint64_t islands_wrong(const struct islands *islands);

struct islands_run {
	/* Nothing at this time or later happens; UINT64_MAX: no limit. */
	picoseconds limit;
	/* The run ends with the first window that ends then or later; if that
	 * is past, with the first one in which something happens. */
	picoseconds rest;
	/* Called, on any thread, when the hub has run: true ends the run with
	 * this window. NULL: never. */
	bool (*until)(void *owner);
	void *owner;
	bool serial; /* on this thread only, islands in their order */
};

/* Runs windows; it may come back before `rest` when nothing happens for some
 * time. All islands are then as far as islands_now(). False, and nothing was
 * run, when no event is left. */
bool islands_run(struct islands *islands, const struct islands_run *run);
/* The end of the last window: no island in front has come past it, and all that
 * is before it has happened there. When no event is left, the time of the
 * last. */
picoseconds islands_now(const struct islands *islands);

/* Sets the clocks of all islands to islands_now(). To be called as well when
 * events were put into other queues than the hub's from outside. */
void islands_meet(struct islands *islands);

/* How the work was spread over threads, and what more of them would bring:
 * about the simulation itself, different from run to run. */
void islands_report(const struct islands *islands, FILE *stream);

#endif
