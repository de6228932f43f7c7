/* The debug channels of instructions and calls, and of contexts. */
#ifndef M2S_X86_LINUX_TRACE_TRACE_H
#define M2S_X86_LINUX_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/emu/emu.h"

struct context;
struct linux_system;
struct process;

/* Whether some debug channel asks for instructions or calls. */
bool trace_is_on(const struct linux_system *system);
/* x86_run(), one instruction at a time, writing to these channels. */
enum x86_stop trace_run(struct context *context, uint64_t instructions);
void trace_free(struct context *context);
/* A line of --x86-debug-ctx about a context, or a process. */
void context_log(const struct context *context, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void process_log(const struct process *process, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
