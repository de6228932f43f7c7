/* The state of a thread in the trace of system calls. */
#ifndef M2S_X86_LINUX_TRACE_STATE_H
#define M2S_X86_LINUX_TRACE_STATE_H

#include <stddef.h>

/* A line of --x86-debug-syscall that is not complete yet. */
struct call_trace {
	const char *name, *arguments; /* of calls.def; NULL: unknown call */
	char *text;                   /* printed so far, to be freed */
	size_t next;                  /* index of the next argument */
};

#endif
