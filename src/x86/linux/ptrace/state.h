/* A process's record of threads that have ended while traced. */
#ifndef M2S_X86_LINUX_PTRACE_STATE_H
#define M2S_X86_LINUX_PTRACE_STATE_H

#include <stddef.h>

struct process;

/* The end of a thread, for its tracer's wait4(). */
struct thread_end {
	int thread, status;
	unsigned user;
};

struct process_tracing {
	/* Tracer of its first thread when that thread ended. */
	struct process *end_tracer;
	struct thread_end *ends;    /* of threads that it traced itself */
	size_t end_count, end_capacity;
};

#endif
