/* Whose turn it is. */
#ifndef M2S_X86_LINUX_SCHEDULE_H
#define M2S_X86_LINUX_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct context;

/* Where a round of turns stands, so that a run can stop inside it and go on. */
struct schedule {
	uint64_t quantum;     /* instructions a turn */
	struct context *turn; /* whose it is; NULL: a round is to begin */
	bool turn_begun;
	bool round_ran;       /* somebody had a turn in this round */
	uint64_t turn_left;   /* instructions */
	int64_t round_time;   /* when it began */
};

#endif
