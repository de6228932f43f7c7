/* Windows from inside: what windows.c (what happens in one) and windows-life.c (their
 * life, the report) share. */
#ifndef M2S_M2S_CORES_WINDOWS_STATE_H
#define M2S_M2S_CORES_WINDOWS_STATE_H

#include <pthread.h>

#include "m2s/cores/crew.h"
#include "m2s/cores/windows.h"
#include "sim/island.h"
#include "sim/post.h"

/* Numbers of threads for which the report says what to expect: 2, 4, 8, 16. */
enum { PROJECTIONS = 4, PROJECTED_MOST = 1 << PROJECTIONS };

struct machine_group {
	struct x86_machine *machine;
	unsigned number;
	struct event_queue *events;
	/* What it sends to other islands in a window, a post for each. */
	struct event_outlet outlet;
	uint64_t left;     /* instructions that its cores may execute */
	uint64_t given;    /* of them at the beginning of a round */
	uint64_t took;     /* nanoseconds of this round; 0: not timed */
	bool ended;        /* the window */
};

struct machine_windows {
	struct x86_machine *machine;
	struct islands *islands;
	unsigned cycles;
	uint64_t end;      /* cycle: of the last window */
	picoseconds end_time;
	unsigned threads;
	struct crew *crew; /* NULL: one thread */
	pthread_mutex_t turn;
	/* Groups that run in this round. */
	struct machine_group **running;
	unsigned running_count;
	/* Queues in which there is no core. */
	struct event_queue **back;
	size_t back_count;
	struct event_queue **queues; /* by island */
	/* For the report. */
	uint64_t windows, rounds, timed;
	bool times;        /* this window is timed */
	uint64_t asking;   /* nanoseconds that asking for the time takes */
	double work, alone; /* nanoseconds of groups, and of all else */
	double busiest[PROJECTIONS];
	unsigned count;
	struct machine_group group[];
};

#endif
