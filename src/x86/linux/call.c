/* Entering a system call: lookup, trace, waiting and starting again. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/linux/async/async.h"
#include "x86/linux/call.h"
#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/seccomp/seccomp.h"
#include "x86/linux/signals/restart.h"
#include "x86/linux/state.h"
#include "x86/linux/trace/call.h"
#include "x86/linux/trace/log.h"
#include "x86/linux/wait.h"

/* The result, negated, of a waiting call that a signal interrupts. */
enum restart_code {
	NEVER = EINTR,
	EINTR_ALWAYS = EINTR,
	RESTART = CALL_RESTARTS,
	NO_HANDLER = CALL_RESTARTS_NO_HANDLER,
	BLOCK = CALL_RESTARTS_BLOCK,
};

struct call {
	const char *name;
	int number[2]; /* x86-64, i386 */
	enum restart_code restart;
	const char *arguments;
	call_handler *handler; /* NULL: not supported */
};

#define RESTART_NEVER NEVER
#define RESTART_RESTART RESTART
#define RESTART_EINTR EINTR_ALWAYS
#define RESTART_NO_HANDLER NO_HANDLER
#define RESTART_BLOCK BLOCK
static const struct call calls[] = {
#define CALL(name, i386, x86_64, restart, arguments, handler)                  \
	{ #name, { x86_64, i386 }, RESTART_##restart, arguments,              \
	  call_##handler },
#define ABSENT(name, i386, x86_64)                                             \
	{ #name, { x86_64, i386 }, NEVER, "xxxxxx", NULL },
#include "x86/linux/calls.def"
};

enum { NUMBER_MAX = 512 };

/* Index from number to row, made on first use: a pure function of the table
 * above. */
static const struct call *find_call(int number, bool abi32)
{
	static const struct call *rows[2][NUMBER_MAX];
	static bool ready;

	if (!ready) {
		for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
			for (int abi = 0; abi < 2; abi++) {
				int row = calls[i].number[abi];

				if (row >= 0 && row < NUMBER_MAX)
					rows[abi][row] = calls + i;
			}
		ready = true;
	}
	if (number >= 0 && number < NUMBER_MAX)
		return rows[abi32][number];
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].number[abi32] == number && number >= 0)
			return calls + i;
	return NULL;
}

static const char *support_of(const struct call *call)
{
	if (!call->handler || call->handler == call_absent)
		return "ENOSYS";
	if (call->handler == call_not_permitted)
		return "EPERM";
	return "supported";
}

size_t linux_call_list(const struct linux_call_info **list)
{
	static struct linux_call_info information[ARRAY_SIZE(calls)];

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		information[i] = (struct linux_call_info){
			calls[i].name,
			calls[i].number[1],
			calls[i].number[0],
			calls[i].handler && calls[i].handler != call_absent,
			support_of(calls + i),
		};
	*list = information;
	return ARRAY_SIZE(calls);
}

static void set_result(struct context *context, int64_t result)
{
	context->cpu->reg[X86_RAX] =
		context->process->memory->abi32 ? (uint32_t)result
						: (uint64_t)result;
}

void call_enter(struct context *context, int number, bool abi32)
{
	FILE *log = log_stream(context->process->system->log,
			       LOG_X86_SYSCALL);

	context->abi32 = abi32;
	call_arguments(context, number);
	context->call.active = true;
	context->call.resumed = false;
	context->call.interrupted = false;
	context->call.restarted = false;
	context->call.filter = context->seccomp != NULL; /* FILTER_DUE */
	context->call.original_rax =
		abi32 ? (uint32_t)number : (int64_t)context->cpu->reg[X86_RAX];
	context->call.progress = 0;
	file_release(context->call.fifo);
	context->call.fifo = NULL;
	context->wait.deadline = INT64_MAX;
	context->process->system->counts.calls++;
	if (log) {
		const struct call *call = find_call(number, abi32);

		call_trace_enter(context, call ? call->name : NULL,
				 call ? call->arguments : "xxxxxx");
	}
	if (!context->tracee || !ptrace_call_begins(context))
		call_attempt(context);
}

/* The result of a call without a handler. The user is warned once. */
static int64_t unsupported_call(struct context *context,
				const struct call *call)
{
	struct linux_system *system = context->process->system;
	char key[64];

	system->counts.unknown_calls++;
	if (call && strcmp(call->arguments, "xxxxxx") == 0) {
		snprintf(key, sizeof key, "call %s", call->name);
		log_warning_once(system->log, key,
				 "the program calls %s, which is not "
				 "supported; it gets ENOSYS", call->name);
	} else if (!call) {
		snprintf(key, sizeof key, "call %d", context->call.number);
		log_warning_once(system->log, key,
				 "the program makes the unknown system call "
				 "%d; it gets ENOSYS",
				 context->call.number);
	}
	return -ENOSYS;
}

static void begin_wait(struct context *context, FILE *log)
{
	if (log && !context->call.resumed)
		call_trace_blocks(context, log);
	if (!context->call.resumed)
		context_log(context, "waits for %s", context->wait.what);
	context->call.resumed = true;
}

static void end_call(struct context *context, int64_t result, FILE *log)
{
	if (log)
		call_trace_leave(context, log, result);
	if (context->call.resumed)
		context_log(context, context->call.interrupted
					     ? "its wait is interrupted"
					     : "goes on");
	wait_clear(context);
	context->call.active = false;
	context->call.resumed = false;
	context->call.interrupted = false;
	if (result != CALL_NO_RESULT)
		set_result(context, result);
	if (context->tracee)
		ptrace_call_ends(context);
}

/* Whether the thread's filters do not let the call be made. */
static bool is_filtered(struct context *context, FILE *log)
{
	switch (seccomp_decide(context)) {
	case SECCOMP_GOES_ON:
		return false;
	case SECCOMP_ENDS:
		end_call(context, context->call.result, log);
		return true;
	case SECCOMP_TRAPS:
		end_call(context, CALL_NO_RESULT, log);
		seccomp_trap(context);
		return true;
	case SECCOMP_GONE:
		break;
	}
	if (log && context->ended)
		call_trace_leave(context, log, CALL_NO_RESULT);
	return true;
}

void call_attempt(struct context *context)
{
	struct linux_system *system = context->process->system;
	const struct call *call =
		find_call(context->call.number, context->abi32);
	FILE *log = log_stream(system->log, LOG_X86_SYSCALL);
	/* A call that had begun takes effect at the end of a run, too. */
	bool over = system->failed;
	int64_t result;

	if (memcmp(&system->host_identity, &context->process->credentials,
		   sizeof system->host_identity))
		identity_enter(system, &context->process->credentials);
	if (context->call.put_off) {
		context->call.put_off = false;
		end_call(context, context->call.result, log);
		return;
	}
	if (context->call.filter && is_filtered(context, log))
		return;
	if (call && call->handler)
		result = context->process->pids
				 ? ids_call(context, call->handler,
					    context->call.argument)
				 : call->handler(context,
						 context->call.argument);
	else
		result = unsupported_call(context, call);
	async_poll(system);
	if (context->ended || (system->failed && !over) ||
	    (context->tracee && context_stopped(context))) {
		if (log)
			call_trace_leave(context, log, CALL_NO_RESULT);
		return;
	}
	if (result == CALL_BLOCKS && context->call.interrupted)
		/* The part that was done stays done, so it is the result. */
		result = context->call.progress
				 ? (int64_t)context->call.progress
				 : -(int64_t)call->restart;
	if (result == -CALL_RESTARTS_BLOCK)
		restart_keep(context);
	if (result == CALL_BLOCKS)
		begin_wait(context, log);
	if (context->tracee && ptrace_call_event(context, result))
		return;
	if (result != CALL_BLOCKS)
		end_call(context, result, log);
}

/* Another call than the one in progress, in its place. */
static int64_t call_handle(struct context *context, int number,
			   const uint64_t *a)
{
	const struct call *call = find_call(number, context->abi32);

	return call && call->handler ? call->handler(context, a) : -ENOSYS;
}

int64_t call_restart_syscall(struct context *context, const uint64_t *a)
{
	struct restart *restart = &context->call.restart;

	(void)a;
	if (!restart->set)
		return -EINTR;
	if (!context->call.resumed)
		context->wait.deadline = restart->deadline;
	context->call.restarted = true;
	return call_handle(context, restart->number, restart->argument);
}
