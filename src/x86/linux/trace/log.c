/* --x86-debug-ctx: what becomes of contexts and processes. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "x86/linux/state.h"
#include "x86/linux/trace/log.h"

void context_log(const struct context *context, const char *format, ...)
{
	const struct linux_system *system = context->process->system;
	FILE *log = log_stream(system->log, LOG_X86_CTX);
	va_list arguments;

	if (!log)
		return;
	fprintf(log, "%" PRIu64 " context %d (process %d): ",
		system->counts.instructions, context->tid,
		context->process->pid);
	va_start(arguments, format);
	vfprintf(log, format, arguments);
	va_end(arguments);
	fputc('\n', log);
}

void process_log(const struct process *process, const char *format, ...)
{
	FILE *log = log_stream(process->system->log, LOG_X86_CTX);
	va_list arguments;

	if (!log)
		return;
	fprintf(log, "%" PRIu64 " process %d (%s): ",
		process->system->counts.instructions, process->pid,
		process->name);
	va_start(arguments, format);
	vfprintf(log, format, arguments);
	va_end(arguments);
	fputc('\n', log);
}
