/* Islands: a simulation in parts that host threads run at the same time.
 *
 * Each island has its own event queue and touches only its own state. Islands
 * send each other messages (event_send), which arrive at least one window
 * later; messages to the hub may arrive sooner. The time line is divided into
 * windows. In each window the islands take the messages that were sent to them
 * and run. Then changes of shared state (stores to a memory) are settled, and
 * the hub runs. The hub (island 0) may also read and change the state of other
 * islands, but not of islands at the back: these may be behind the others, and
 * do not wait for the hub.
 *
 * The limits of windows, and the visible order of events in them, do not depend
 * on the number of threads. Neither does any result.
 *
 * A thread runs the islands of one lane. All lanes have about the same work: it
 * is measured from time to time, and a few islands then move to another lane.
 * crew.c says how threads wait for each other. */
#ifndef M2S_SIM_ISLAND_H
#define M2S_SIM_ISLAND_H

#include <stddef.h>
#include <stdio.h>

#include "sim/event.h"

struct islands;

enum { ISLANDS_MAX = 1 << 16, ISLANDS_THREADS_MAX = 1 << 10 };

/* Creates islands of which there is only the hub. Its queue is kept, but not
 * owned. A window is 1 ns until islands_set_window(). */
struct islands *islands_create(struct event_queue *hub);
void islands_free(struct islands *islands);
/* Island n's queue; the hub is 0. The others are owned. */
struct event_queue *islands_queue(const struct islands *islands, size_t n);
size_t islands_count(const struct islands *islands);
/* A new island; ISLANDS_MAX at most. */
struct event_queue *islands_add(struct islands *islands);

/* Puts an island at the back. It may then neither raise itself nor send to the
 * hub. */
void islands_set_back(struct islands *islands, const struct event_queue *queue);

/* Sets the window, the shortest time from sending to arrival of a message. With
 * `staggered`, messages from islands at the back to islands in front take at
 * least two windows, so that threads wait less for each other. */
void islands_set_window(struct islands *islands, picoseconds window,
			bool staggered);
picoseconds islands_window(const struct islands *islands);
/* How many threads run islands, the caller's included. */
void islands_set_threads(struct islands *islands, unsigned threads);

/* Called, on any thread, at the end of each window with a call of
 * event_queue_raise(). `raised` has their arguments in no particular order. */
typedef void islands_settle(void *owner, void *const *raised, size_t count);
void islands_set_settle(struct islands *islands, islands_settle *settle,
			void *owner);

/* What each further thread calls first. To be set before islands_set_threads().
 * NULL: nothing. */
void islands_set_begin(struct islands *islands, void (*begin)(void));

/* From now on counts messages to an island whose source another island has also
 * used in messages to it. The order of such messages could depend on the number
 * of threads, so islands_wrong() must return 0. */
void islands_check(struct islands *islands);
uint64_t islands_wrong(const struct islands *islands);

struct islands_run {
	/* Nothing at this time or later happens; UINT64_MAX: no limit. */
	picoseconds limit;
	/* The run ends with the first window that ends at this time or later.
	 * If this time is past, it ends with the first window that has an
	 * event. */
	picoseconds rest;
	/* Called, on any thread, when the hub has run: true ends the run with
	 * this window. NULL: never. */
	bool (*until)(void *owner);
	void *owner;
	bool serial; /* on this thread only, islands in their order */
};

/* Runs windows. May return before `rest` when no event is due for some time.
 * All islands have then reached islands_now(). Returns false, and runs nothing,
 * when no event is left. */
bool islands_run(struct islands *islands, const struct islands_run *run);
/* The end of the last window: islands in front have run all events before it,
 * and none after it. When no event is left, the time of the last event. */
picoseconds islands_now(const struct islands *islands);

/* Sets the clocks of all islands to islands_now(). Also to be called after
 * events were scheduled, from outside a run, in queues other than the hub's. */
void islands_meet(struct islands *islands);

/* Prints how the work was divided among threads, and the speed-up to expect
 * from more threads. These figures of the host differ from run to run. */
void islands_report(const struct islands *islands, FILE *stream);

#endif
