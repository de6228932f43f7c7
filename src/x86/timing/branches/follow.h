/* Turns x86_run()'s log of branches into a trace. Internal to
 * x86/timing/branches. */
#ifndef M2S_X86_TIMING_BRANCHES_FOLLOW_H
#define M2S_X86_TIMING_BRANCHES_FOLLOW_H

#include <stdio.h>

#include "x86/emu/branch-log.h"

/* The observer's own pairs of words, in this order around those of a run. The
 * first count after a BRANCH_LOG_RUN is where the run begins. */
enum branch_log_tag {
	BRANCH_LOG_RUN = X86_LOG_OTHER, /* then process << 32 | thread */
	BRANCH_LOG_FROM,                /* then its address */
	BRANCH_LOG_UNTIL,               /* then where the run stopped */
};

struct branch_follower;

/* The stream stays the caller's. */
struct branch_follower *branch_follower_create(FILE *stream);
void branch_follower_free(struct branch_follower *follower);
void branch_follow(struct branch_follower *follower, const uint64_t *words,
		   size_t count);
/* Decoded code goes away: what is known of its words is forgotten. */
void branch_follower_forget(struct branch_follower *follower);
/* Ends the trace, with the instructions of all threads. */
void branch_follower_end(struct branch_follower *follower,
			 uint64_t instructions);

#endif
