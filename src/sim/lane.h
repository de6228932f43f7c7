/* How islands are divided over threads; private to src/sim. */
#ifndef M2S_SIM_LANE_H
#define M2S_SIM_LANE_H

#include <stdatomic.h>

#include "sim/island.h"
#include "sim/post.h"

/* A lane runs a window in two steps: the islands in front, then those at the
 * back. Messages that it sends in a step go into the step's set of posts. A set
 * is used again when all receivers have taken its messages: see crew.c. */
enum { LANE_STAGES = LANE_POSTS, LANE_SETS = 3 * LANE_STAGES };

/* The islands of one thread. They rarely change lanes, so that their state
 * stays in the cache of the thread's processor. One thread runs a step; if the
 * lane's own thread is late, it is another one. Members that other threads read
 * are on cache lines of their own, and on few of them: a line takes as long as
 * some hundred instructions to arrive from another processor. */
struct lane {
	struct event_outlet outlets[LANE_SETS];
	/* Of the outlets. */
	alignas(POST_ALIGN) struct event_post **posts[LANE_SETS];
	/* Its islands, in the order in which they are run. */
	struct stage {
		size_t *islands, count;
	} stages[LANE_STAGES];
	/* In a timed window, nanoseconds. */
	alignas(POST_ALIGN) uint64_t took, ran;
	double takes;       /* `took`, smoothed */
	uint64_t all_took, all_ran;
	/* Written when a step has been run, and read by all other lanes. */
	alignas(POST_ALIGN) _Atomic uint64_t done;
	uint16_t sent[LANE_SETS]; /* receivers: event_sent_to_lane() */
	uint32_t raised[LANE_SETS]; /* how many of its islands raised themselves */
	/* Read from time to time: when the islands have their next event. */
	alignas(POST_ALIGN) picoseconds next[LANE_SETS];
	/* Read by threads that have waited for long: the last step that a
	 * thread runs or has run. */
	alignas(POST_ALIGN) _Atomic uint64_t claimed;
	_Atomic bool meets; /* its thread holds a meeting, and runs it later */
	_Atomic uint64_t helped; /* steps of others that its thread has run */
};

/* Work of the islands. */
struct workload {
	uint64_t *sample;   /* ns of each island in this window */
	double *weight;     /* the sample, smoothed */
	double hub, settle; /* ns of the calling thread alone, summed */
	uint64_t samples;   /* number of weighed windows */
	uint64_t windows;   /* number of timed windows, for the members below */
	double total;       /* ns of the islands */
	/* What `threads` would have had to wait for: the busiest's work. */
	struct workload_projection {
		unsigned threads;
		unsigned *lane; /* of each island */
		double busiest; /* ns, summed */
	} *projections;
	unsigned projection_count;
};

/* Assigns each of the islands 1 ... count - 1 to one of `lanes` lanes. The
 * heaviest island comes first, and goes to the lane with the least weight so
 * far. Islands of one kind have about one weight, so every lane gets its share
 * of each kind; lanes are then equally busy also in windows that differ from
 * the average. */
void lanes_divide(const double *weight, size_t count, unsigned lanes,
		  unsigned *lane);
/* Moves islands from the heaviest lane to the lightest while a move gains
 * enough. Returns the number of moves. The weight of a lane is that of its
 * islands and `extra`. Weight is time, so islands also move away from a slower
 * processor. All other islands stay, with their state in their processor's
 * cache. */
unsigned lanes_adjust(const double *weight, size_t count, unsigned lanes,
		      const double *extra, unsigned *lane);

void workload_create(struct workload *workload, size_t count);
void workload_free(struct workload *workload);
/* Takes sample[] of a timed window into account. `averages` says whether it
 * also counts for the averages: windows that are timed because they are among
 * the first do not. */
void workload_count(struct workload *workload, size_t count, bool averages);
void workload_report(const struct workload *workload, size_t count,
		     FILE *stream);

#endif
