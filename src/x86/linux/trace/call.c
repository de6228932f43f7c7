/* --x86-debug-syscall: one line for each call, as strace writes it.
 *
 * A call's arguments are written when it is entered, up to the first that the
 * call fills in; the rest when it returns. A call that waits has two lines,
 * "<unfinished ...>" and "<... resumed>". */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/signals/restart.h"
#include "x86/linux/state.h"
#include "x86/linux/trace/call-print.h"
#include "x86/linux/trace/call.h"

enum { RESULT_COLUMN = 39 };

/* The mode of open(), which counts only where a file is made. */
static bool without_mode(const struct context *context, size_t index)
{
	const char *arguments = context->trace.arguments;
	uint64_t flags;

	if (!index || arguments[index] != 'o' || arguments[index - 1] != 'O')
		return false;
	flags = context->call.argument[index - 1];
	return !(flags & O_CREAT) && (flags & O_TMPFILE) != O_TMPFILE;
}

void call_trace_enter(struct context *context, const char *name,
		      const char *arguments)
{
	struct call_trace *trace = &context->trace;
	size_t size, i = 0;
	FILE *out;

	free(trace->text);
	*trace = (struct call_trace){ .name = name, .arguments = arguments };
	out = open_memstream(&trace->text, &size);
	if (name)
		fprintf(out, "%s(", name);
	else
		fprintf(out, "syscall_%#x(", (unsigned)context->call.number);
	for (; arguments[i] && arguments[i] != '-' &&
	       !trace_is_output(arguments[i]);
	     i++) {
		if (without_mode(context, i))
			continue;
		if (i)
			fputs(", ", out);
		trace_input(out, context, i);
	}
	if (i && arguments[i] && arguments[i] != '-')
		fputs(", ", out);
	trace->next = i;
	fclose(out);
}

void call_trace_blocks(struct context *context, FILE *log)
{
	struct call_trace *trace = &context->trace;

	fprintf(log, "[%d] %s <unfinished ...>\n", context->tid,
		trace->text ? trace->text : "");
	free(trace->text);
	trace->text = xasprintf("<... %s resumed>",
				trace->name ? trace->name : "call");
}

static bool returns_address(const char *name)
{
	static const char *const names[] = { "mmap", "mmap2", "mremap", "brk",
					     "shmat" };

	for (size_t i = 0; name && i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void print_result(FILE *log, const struct context *context,
			 int64_t result)
{
	const char *name = context->trace.name, *error;

	if (result == CALL_NO_RESULT) {
		fputs("?\n", log);
	} else if (restart_text(result)) {
		fprintf(log, "? %s\n", restart_text(result));
	} else if (result < 0 && result > -4096) {
		error = strerrorname_np((int)-result);
		fprintf(log, "-1 %s (%s)\n", error ? error : "?",
			strerror((int)-result));
	} else if (returns_address(name)) {
		fprintf(log, "0x%" PRIx64 "\n",
			context->abi32 ? (uint32_t)result : (uint64_t)result);
	} else if (name && !strcmp(name, "umask")) {
		fprintf(log, "%#03" PRIo64 "\n", (uint64_t)result);
	} else if (name && !strncmp(name, "fcntl", 5) &&
		   context->call.argument[1] == F_GETFL) {
		fprintf(log, "%#" PRIx64 " (flags ", (uint64_t)result);
		trace_open_mode(log, (uint64_t)result);
		fputs(")\n", log);
	} else {
		fprintf(log, "%" PRId64 "\n", result);
	}
}

void call_trace_leave(struct context *context, FILE *log, int64_t result)
{
	struct call_trace *trace = &context->trace;
	const char *arguments = trace->arguments;
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!trace->text) /* entered before tracing began */
		return;
	out = open_memstream(&text, &size);
	fputs(trace->text, out);
	/* After exit or execve the old memory is gone. */
	for (size_t i = trace->next; context->cpu && arguments[i] &&
				     arguments[i] != '-'; i++) {
		if (i > trace->next)
			fputs(", ", out);
		if (trace_is_output(arguments[i]))
			trace_output(out, context, i, result);
		else
			trace_input(out, context, i);
	}
	fputc(')', out);
	fclose(out);
	fprintf(log, "[%d] %-*s = ", context->tid, RESULT_COLUMN, text);
	/* A successful execve tells 0. */
	if (result == CALL_NO_RESULT && trace->name && context->cpu &&
	    !strncmp(trace->name, "execve", 6))
		result = 0;
	print_result(log, context, result);
	free(text);
	free(trace->text);
	trace->text = NULL;
}

static const char *code_name(int number, int code)
{
	static const char *const children[] = {
		"0", "CLD_EXITED", "CLD_KILLED", "CLD_DUMPED", "CLD_TRAPPED",
		"CLD_STOPPED", "CLD_CONTINUED"
	};

	switch (code) {
	case SI_USER:
		return "SI_USER";
	case SI_QUEUE:
		return "SI_QUEUE";
	case SI_TIMER:
		return "SI_TIMER";
	case SI_TKILL:
		return "SI_TKILL";
	case SI_KERNEL:
		return "SI_KERNEL";
	default:
		break;
	}
	if (number == SIGCHLD && code > 0 && code <= CLD_CONTINUED)
		return children[code];
	if (number == SIGSEGV)
		return code == SEGV_MAPERR ? "SEGV_MAPERR" : "SEGV_ACCERR";
	return NULL;
}

void call_trace_signal(const struct context *context,
		       const struct signal_information *information)
{
	FILE *log = log_stream(context->process->system->log, LOG_X86_SYSCALL);
	int number = information->number;
	const char *code = code_name(number, information->code);

	if (!log)
		return;
	fprintf(log, "[%d] --- ", context->tid);
	trace_signal(log, number);
	fputs(" {si_signo=", log);
	trace_signal(log, number);
	if (code)
		fprintf(log, ", si_code=%s", code);
	else
		fprintf(log, ", si_code=%d", information->code);
	if (number == SIGCHLD && information->code > 0)
		fprintf(log, ", si_pid=%d, si_uid=%d, si_status=%d",
			information->pid, information->uid,
			information->status);
	else if (information->code > 0 && information->code != SI_KERNEL)
		fprintf(log, ", si_addr=0x%" PRIx64, information->address);
	else if (information->code <= 0)
		fprintf(log, ", si_pid=%d, si_uid=%d", information->pid,
			information->uid);
	fputs("} ---\n", log);
}

void call_trace_end(const struct process *process)
{
	FILE *log = log_stream(process->system->log, LOG_X86_SYSCALL);

	if (!log)
		return;
	if (!process->exit_signal) {
		fprintf(log, "[%d] +++ exited with %d +++\n", process->pid,
			process->exit_status);
		return;
	}
	fprintf(log, "[%d] +++ killed by ", process->pid);
	trace_signal(log, process->exit_signal);
	fputs(" +++\n", log);
}
