/* The trace of system calls: --x86-debug-syscall. */
#ifndef M2S_X86_LINUX_TRACE_CALL_H
#define M2S_X86_LINUX_TRACE_CALL_H

#include <stdint.h>
#include <stdio.h>

struct context;
struct process;
struct signal_information;

void call_trace_enter(struct context *context, const char *name,
		      const char *arguments);
void call_trace_blocks(struct context *context, FILE *log);
void call_trace_leave(struct context *context, FILE *log, int64_t result);
void call_trace_signal(const struct context *context,
		       const struct signal_information *information);
void call_trace_end(const struct process *process);

#endif
