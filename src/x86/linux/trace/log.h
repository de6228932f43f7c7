/* The log of contexts and processes: --x86-debug-ctx. */
#ifndef M2S_X86_LINUX_TRACE_LOG_H
#define M2S_X86_LINUX_TRACE_LOG_H

struct context;
struct process;

/* Write a line of --x86-debug-ctx about a context or a process. */
void context_log(const struct context *context, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void process_log(const struct process *process, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
