/* Islands: a simulation in parts that host threads run at the same time.
 *
 * Each island has its own event queue and touches only its own state. What
 * crosses to another one is a message that comes at least one window later
 * (event_send); the hub may get messages sooner. Time goes on in windows, from
 * the earliest event there is:
 *
 *	| window             | window             |
 *	| take messages, run | take messages, run | thread 1: its islands
 *	| take messages, run | take messages, run | thread 2: its islands
 *	                   ^ then settle(), the hub, and settle() if it has work
 *
 * Windows, and the order of everything in them that can be seen, do not depend
 * on the number of threads; so nor does any result. The hub (island 0) is the
 * island that the calling thread runs alone, when the others have ended the
 * window: what is there may also look at, and change, what belongs to others.
 *
 * A thread runs the islands of one lane: neighbours in the order in which they
 * were added, as many as make its work equal to the others'. Their work is
 * measured now and then, and the lanes are divided anew. */
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

/* What these two send goes mostly to each other: one thread runs both. Of
 * several such islands all are paired with the same one. */
void islands_pair(struct islands *islands, const struct event_queue *a,
		  const struct event_queue *b);

void islands_set_window(struct islands *islands, picoseconds window);
picoseconds islands_window(const struct islands *islands);
/* How many threads run islands, the caller's included. */
void islands_set_threads(struct islands *islands, unsigned threads);
/* Called on the calling thread at the end of each window in which somebody
 * raised itself (event_queue_raise): these, in no particular order. */
typedef void islands_settle(void *owner, void *const *raised, size_t count);
void islands_set_settle(struct islands *islands, islands_settle *settle,
			void *owner);

/* From now on messages are counted that have come with a source with which
 * another island has sent to the same one, and whose order could depend on the
 * number of threads: there must be none. */
void islands_check(struct islands *islands);
uint64_t islands_wrong(const struct islands *islands);

/* Runs the next window, which ends at `limit` at the latest. With `serial` on
 * this thread only, islands in their order. False when no event is left. */
bool islands_step(struct islands *islands, picoseconds limit, bool serial);
/* The end of the last window: no island has come past it, and all that is
 * before it has happened. */
picoseconds islands_now(const struct islands *islands);

/* Sets the clocks of all islands to islands_now(). To be called as well when
 * events were put into other queues than the hub's from outside. */
void islands_meet(struct islands *islands);

/* How the work was spread over threads, and what more of them would bring:
 * about the simulation itself, different from run to run. */
void islands_report(const struct islands *islands, FILE *stream);

#endif
