/* The turns of threads. */
#ifndef M2S_X86_LINUX_SCHEDULE_H
#define M2S_X86_LINUX_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct error;
struct linux_result;
struct linux_system;

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

/* A thread that a timing model has (cores.h). */
struct core_turn {
	enum core_state {
		CORE_NONE,    /* the model does not have the thread */
		CORE_RUNS,
		CORE_CALLS,   /* its call has begun */
	} state;
	int stop;             /* enum x86_stop with which the call began */
	uint64_t instructions; /* of its cpu that have been counted */
};

/* ---- Parts of scheduling that linux_run() and cores.h share ---- */

/* Begin and end a run. The second returns the result of linux_run(). */
void schedule_open(struct linux_system *system, struct error *error);
int schedule_close(struct linux_system *system, struct linux_result *result);
/* Looks at timers, host descriptors and signals of host processes. */
void schedule_look(struct linux_system *system);
/* Waits for host descriptors at most this number of ns. Negative: without
 * limit. */
void schedule_sleep(struct linux_system *system, int64_t timeout);
/* Whether a thread can run at a time of the monotonic clock. */
bool schedule_can_run(struct context *context, int64_t now);
/* To be called first when a thread gets a processor: makes the call that it
 * waits in once more. */
void schedule_begin_turn(struct context *context);
/* The time, on the monotonic clock, at which a timer or a deadline comes next.
 * INT64_MAX: none. Sets *files when some thread waits for descriptors. */
int64_t schedule_next_time(struct linux_system *system, bool *files);
/* Whether nothing can wake a thread, given what schedule_next_time() says. */
bool schedule_is_deadlock(struct linux_system *system, int64_t until,
			  bool files);
void schedule_report_deadlock(struct linux_system *system);
/* How many of the next `most` instructions come before a limit of the run. 0
 * when the run ends or pauses here. */
uint64_t schedule_until_limit(struct linux_system *system, uint64_t most);
/* Ends the run when options->stop says so. */
bool schedule_stop_if_asked(struct linux_system *system);

#endif
