/* The turns of threads. */
#ifndef M2S_X86_LINUX_SCHEDULE_H
#define M2S_X86_LINUX_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct context;

/* The state of a round of turns, so that a run can stop inside a round and
 * continue. */
struct schedule {
	uint64_t quantum;     /* instructions a turn */
	/* The context whose turn it is; NULL: a round is to begin. */
	struct context *turn;
	bool turn_begun;
	bool round_ran;       /* a context had a turn in this round */
	uint64_t turn_left;   /* instructions */
	int64_t round_time;   /* when the round began */
};

#endif
