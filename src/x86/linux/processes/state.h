/* What a process has used, and its scheduling parameters. */
#ifndef M2S_X86_LINUX_PROCESSES_STATE_H
#define M2S_X86_LINUX_PROCESSES_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct process_account {
	uint64_t instructions;      /* of its contexts, ended ones included */
	uint64_t children_instructions;
	int64_t start_time;         /* ns on the monotonic clock */
	uint64_t transfers[2], bytes[2]; /* read, written */
};

struct process_priority {
	int nice;
	uint16_t io;                /* of ioprio_set() */
};

/* Scheduling of a thread (sched(7)). Nice values belong to the process. */
struct scheduling {
	uint32_t policy, priority;          /* SCHED_*; 1 to 99 in real time */
	uint64_t runtime, deadline, period; /* ns, of SCHED_DEADLINE */
	bool reset_on_fork;
};

#endif
