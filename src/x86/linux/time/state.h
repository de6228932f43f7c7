/* The timers of a process. */
#ifndef M2S_X86_LINUX_TIME_STATE_H
#define M2S_X86_LINUX_TIME_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval_timer {
	bool used;
	int id;
	int clock;
	int signal;             /* 0: none */
	int notify;             /* SIGEV_* */
	int thread;             /* SIGEV_THREAD_ID */
	uint64_t value;
	int64_t expires, interval; /* ns of the clock; expires 0: disarmed */
	int overrun;
};

struct process_timers {
	struct interval_timer real;    /* setitimer, alarm */
	struct interval_timer virtual; /* by instructions */
	struct interval_timer *list;   /* timer_create */
	size_t count;
	uint64_t slack, slack_default; /* ns */
};

#endif
