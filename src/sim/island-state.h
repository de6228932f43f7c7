/* Islands from inside: what island.c (their life and division), window.c (what
 * happens in a window) and crew.c (the threads) share. */
#ifndef M2S_SIM_ISLAND_STATE_H
#define M2S_SIM_ISLAND_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "sim/island.h"
#include "sim/lane.h"

struct islands {
	struct event_queue **queues;
	bool *back; /* by island: it is run last (islands_set_back) */
	size_t count, capacity;
	picoseconds window;
	bool staggered, checks, started;
	islands_settle *settle;
	void *settle_owner;
	void (*begin)(void); /* of threads, or NULL */

	struct lane *lanes; /* one per thread */
	unsigned lane_count;
	unsigned *divided; /* lane of each island */
	struct helper {
		pthread_t thread;
		struct islands *islands;
		unsigned lane;
	} *helpers;
	unsigned helper_count;
	unsigned patience; /* turns of waiting before a thread helps others */

	uint64_t last; /* the last window of the last run */
	uint64_t parallel_windows, divisions, next_division;
	uint64_t run_time;    /* ns, of all windows */
	/* Windows below this number are timed, except some. */
	uint64_t timed_until;
	picoseconds limit;    /* of the run */
	bool (*until)(void *owner);
	void *until_owner;

	/* Read by all threads that wait, written by the thread that holds a
	 * meeting: 2 n when the meeting of window n is over, 2 n + 1 during the
	 * meeting of window n + 1. */
	alignas(POST_ALIGN) _Atomic uint64_t meeting;
	_Atomic uint64_t rest; /* the last window of a run of all threads */
	/* For the thread that holds a meeting. */
	alignas(POST_ALIGN) picoseconds now; /* the end of the last window */
	void **raised;
	size_t raised_capacity;
	struct workload workload;
	uint64_t windows;
	uint64_t weighed; /* the last timed window that was weighed */
	uint64_t hub_time, settle_time; /* of a timed window, ns */

	alignas(POST_ALIGN) _Atomic uint32_t sleepers;
	_Atomic uint32_t alarm; /* the futex on which sleepers sleep */
	_Atomic bool quit;
};

static inline picoseconds sooner(picoseconds a, picoseconds b)
{
	return a < b ? a : b;
}

/* Window n is [(n - 1) * window, n * window), cut at the limit. */
static inline picoseconds window_end(const struct islands *islands, uint64_t n)
{
	return sooner(n * islands->window, islands->limit);
}

static inline uint64_t window_of(const struct islands *islands,
				 picoseconds time)
{
	return time / islands->window + 1;
}

static inline uint64_t front_step(uint64_t n)
{
	return LANE_STAGES * n;
}

static inline uint64_t back_step(uint64_t n)
{
	return LANE_STAGES * n + 1;
}

/* Which posts and outlet of a lane are used in a step. */
static inline unsigned step_set(uint64_t step)
{
	return step % LANE_SETS;
}

/* The post of messages to a lane's islands. The hub's post comes after them. */
static inline uint32_t post_number(unsigned lane, bool back)
{
	return LANE_POSTS * lane + back;
}

static inline uint32_t hub_post(const struct islands *islands)
{
	return LANE_POSTS * islands->lane_count;
}

uint64_t islands_nanoseconds(void);
bool window_is_timed(const struct islands *islands, uint64_t n);

/* Runs an island to the end of window n. Its messages go to `outlet`. Returns a
 * lower bound of the time of its next event. */
picoseconds island_run(struct islands *islands, size_t island, uint64_t n,
		       struct event_outlet *outlet);
/* The end of window n for the islands in front; `set` is the lanes' set of the
 * window. Their stores take effect, and the hub runs. The hub's messages go to
 * lane 0's outlet of the set. Returns whether the run ends with this window. */
bool window_meet(struct islands *islands, uint64_t n, unsigned set);
/* Takes the times of window n into account if it was timed. All lanes have run
 * it. */
void window_weigh(struct islands *islands, uint64_t n);

/* Runs the windows from `first` to `rest` on this thread. */
void run_serial(struct islands *islands, uint64_t first, uint64_t rest);
/* Runs the windows from `first` to `rest` on all threads. */
void run_parallel(struct islands *islands, uint64_t first, uint64_t rest);

/* Start and stop the threads beside the caller's. */
void crew_start(struct islands *islands);
void crew_stop(struct islands *islands);

#endif
