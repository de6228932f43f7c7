/* How islands are divided over threads; private to src/sim. */
#ifndef M2S_SIM_LANE_H
#define M2S_SIM_LANE_H

#include <stdatomic.h>

#include "sim/island.h"
#include "sim/post.h"

/* A lane runs a window in two steps: the islands in front, then those at the
 * back. What it sends in a step goes into the step's set of posts; sets are used
 * again when all have taken what was in them: see crew.c. */
enum { LANE_STAGES = LANE_POSTS, LANE_SETS = 3 * LANE_STAGES };

/* The islands of one thread, always the same for a time: their state stays in
 * its processor's cache. A step is run by one thread, which is another one than
 * the lane's when that does not come to it. What others read as well is on
 * lines of its own, as few of them as can be: each takes the time of some
 * hundred instructions to come from another processor. */
struct lane {
	struct event_outlet outlets[LANE_SETS];
	alignas(POST_ALIGN) struct event_post **posts[LANE_SETS]; /* theirs */
	/* Its islands, in the order in which they are run. */
	struct stage {
		size_t *islands, count;
	} stages[LANE_STAGES];
	/* In a timed window, nanoseconds. */
	alignas(POST_ALIGN) uint64_t took, ran;
	double takes;       /* the same for took, smoothed */
	uint64_t all_took, all_ran;
	/* What is said of a step when it has been run: all others read it. */
	alignas(POST_ALIGN) _Atomic uint64_t done;
	uint16_t sent[LANE_SETS]; /* to whom: event_sent_to_lane() */
	uint32_t raised[LANE_SETS]; /* how many of its islands raised themselves */
	/* Read now and then: when the islands want to go on. */
	alignas(POST_ALIGN) picoseconds next[LANE_SETS];
	/* Read by those who wait for long: the last step that somebody runs or
	 * has run. */
	alignas(POST_ALIGN) _Atomic uint64_t claimed;
	_Atomic bool meets; /* its thread holds a meeting, and comes then */
	_Atomic uint64_t helped; /* steps of others that its thread has run */
};

/* Work of the islands. */
struct workload {
	uint64_t *sample;   /* ns of each island in this window */
	double *weight;     /* the same, smoothed */
	double hub, settle; /* ns of the calling thread alone, summed */
	uint64_t samples;   /* weighed */
	uint64_t windows;   /* timed, for what follows */
	double total;       /* ns of the islands */
	/* What `threads` would have had to wait for: the busiest's work. */
	struct workload_projection {
		unsigned threads;
		unsigned *lane; /* of each island */
		double busiest; /* ns, summed */
	} *projections;
	unsigned projection_count;
};

/* Gives each of the islands 1 ... count - 1 one of `lanes` lanes: the heaviest
 * first, to who has least so far. Islands that are alike weigh alike, so that
 * every lane gets its share of each kind, and is as busy as the others in
 * windows that are not like the average, too. */
void lanes_divide(const double *weight, size_t count, unsigned lanes,
		  unsigned *lane);
/* Moves islands from the heaviest lane to the lightest while that gains enough,
 * and returns how many; a lane weighs `extra` beside its islands. What weighs
 * more because its processor is slower goes as well as what has more work;
 * all others stay, with their state in their processor's cache. */
unsigned lanes_adjust(const double *weight, size_t count, unsigned lanes,
		      const double *extra, unsigned *lane);

void workload_create(struct workload *workload, size_t count);
void workload_free(struct workload *workload);
/* A window was timed: sample[] counts; also for the averages, if it was not
 * chosen because it was one of the first. */
void workload_count(struct workload *workload, size_t count, bool averages);
void workload_report(const struct workload *workload, size_t count,
		     FILE *stream);

#endif
