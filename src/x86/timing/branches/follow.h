/* Turns x86_run()'s log of branches into a trace. Internal to
 * x86/timing/branches. */
#ifndef M2S_X86_TIMING_BRANCHES_FOLLOW_H
#define M2S_X86_TIMING_BRANCHES_FOLLOW_H

#include <stdio.h>

#include "x86/emu/branch-log.h"

/* The pairs of words that the observer adds to the log, in this order around
 * those of a run. The first count after a BRANCH_LOG_RUN is at the run's first
 * instruction. */
enum branch_log_tag {
	/* the second word: process << 32 | thread */
	BRANCH_LOG_RUN = X86_LOG_OTHER,
	/* the second word: the run's first address */
	BRANCH_LOG_FROM,
	/* the second word: the address at which the run stopped */
	BRANCH_LOG_UNTIL,
};

struct branch_follower;

/* The stream stays the caller's. */
struct branch_follower *branch_follower_create(FILE *stream);
void branch_follower_free(struct branch_follower *follower);
void branch_follow(struct branch_follower *follower, const uint64_t *words,
		   size_t count);
/* Forgets the words of decoded code, which goes away. */
void branch_follower_forget(struct branch_follower *follower);
/* Ends the trace with the number of instructions of all threads. */
void branch_follower_end(struct branch_follower *follower,
			 uint64_t instructions);

#endif
