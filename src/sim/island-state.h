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
	bool *back; /* its islands are run last: see islands_set_back */
	size_t count, capacity;
	picoseconds window;
	bool staggered;
	picoseconds now;  /* the end of the last window */
	uint64_t last;    /* its number */
	islands_settle *settle;
	void *settle_owner;
	void **raised;
	size_t raised_capacity;
	bool checks;

	struct lane *lanes; /* one per thread */
	unsigned lane_count;
	unsigned *divided; /* lane of each island */
	bool started;
	struct helper {
		pthread_t thread;
		struct islands *islands;
		unsigned lane;
	} *helpers;
	unsigned helper_count;

	struct workload workload;
	uint64_t windows, parallel_windows, divisions, next_division;
	uint64_t run_time;    /* ns, of all windows */
	uint64_t timed_until; /* windows below this number are, but for some */
	uint64_t weighed;     /* the last timed window that was */
	uint64_t hub_time, settle_time; /* of a timed window, ns */

	/* The run: it ends with window `rest`. */
	picoseconds limit;
	bool (*until)(void *owner);
	void *until_owner;
	alignas(POST_ALIGN) _Atomic uint64_t rest;
	_Atomic uint64_t meeting_begun, meeting_ended; /* windows */
	/* The last window that may be begun as far as the hub and stores are
	 * concerned. */
	alignas(POST_ALIGN) _Atomic uint64_t allowed;
	alignas(POST_ALIGN) _Atomic uint32_t sleepers;
	_Atomic uint32_t alarm; /* what sleepers sleep on */
	_Atomic bool quit;
};

static inline picoseconds sooner(picoseconds a, picoseconds b)
{
	return a < b ? a : b;
}

/* Window n: [(n - 1) * window, n * window), but that the limit ends it. */
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

/* For what is sent to a lane's islands; the hub's post comes after those. */
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

/* Runs an island to the end of window n, its messages to `outlet`; returns a
 * time not after its next event. */
picoseconds island_run(struct islands *islands, size_t island, uint64_t n,
		       struct event_outlet *outlet);
/* The end of window n for the islands in front, whose messages to the hub and
 * raised ones are in the lanes' sets `set`: what they have stored takes effect,
 * and the hub runs, its own messages to `outlet`. `rest` may become n. */
void window_meet(struct islands *islands, uint64_t n, unsigned set,
		 struct event_outlet *outlet);
/* Window n counts, if it was timed. All lanes have done it. */
void window_weigh(struct islands *islands, uint64_t n);

/* Windows from `first` to `rest`, on this thread. */
void run_serial(struct islands *islands, uint64_t first);
/* The same by all threads. */
void run_parallel(struct islands *islands, uint64_t first);

/* Threads beside the caller's. */
void crew_start(struct islands *islands);
void crew_stop(struct islands *islands);

#endif
