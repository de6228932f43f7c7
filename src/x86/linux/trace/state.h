/* What the traces of calls remember of a thread. */
#ifndef M2S_X86_LINUX_TRACE_STATE_H
#define M2S_X86_LINUX_TRACE_STATE_H

#include <stddef.h>

/* A line of --x86-debug-syscall in the making. */
struct call_trace {
	const char *name, *arguments; /* of calls.def; NULL: unknown call */
	char *text;                   /* printed so far, to be freed */
	size_t next;                  /* the argument that comes next */
};

#endif
