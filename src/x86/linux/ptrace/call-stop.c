/* Stops of traced threads at their system calls. */
#include <errno.h>
#include <linux/ptrace.h>
#include <signal.h>

#include "x86/linux/calls.h"
#include "x86/linux/ptrace/tracee.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"
#include "x86/linux/wait.h"

static bool stops_at_calls(const struct tracee *tracee)
{
	return tracee->resume == TRACEE_TO_CALL;
}

static void stop_at_call(struct context *context, enum tracee_stop stop,
			 uint64_t message)
{
	int flag = context->tracee->options & PTRACE_O_TRACESYSGOOD ? 0x80 : 0;

	context->tracee->message = message;
	tracee_traps(context, stop, SIGTRAP | flag);
}

bool ptrace_call_begins(struct context *context)
{
	struct tracee *tracee = context->tracee;

	/* The value that Linux has there before the call. */
	context->cpu->reg[X86_RAX] =
		context->process->memory->abi32 ? (uint32_t)-ENOSYS
						: (uint64_t)-ENOSYS;
	tracee->event = 0;
	if (!stops_at_calls(tracee) && tracee->resume < TRACEE_SKIPS_CALLS)
		return false;
	stop_at_call(context, TRACEE_AT_CALL, PTRACE_EVENTMSG_SYSCALL_ENTRY);
	return true;
}

bool ptrace_call_filtered(struct context *context, uint32_t data)
{
	if (!tracee_wants(context->tracee, PTRACE_EVENT_SECCOMP))
		return false;
	tracee_event(context, TRACEE_AT_FILTER, PTRACE_EVENT_SECCOMP, data);
	return true;
}

bool ptrace_call_event(struct context *context, int64_t result)
{
	struct tracee *tracee = context->tracee;
	int event = tracee->event;

	tracee->event = 0;
	/* After the child of vfork() has gone its way. */
	if (!event && context->wait.kind == WAIT_VFORK &&
	    result != CALL_BLOCKS &&
	    tracee_wants(tracee, PTRACE_EVENT_VFORK_DONE)) {
		event = PTRACE_EVENT_VFORK_DONE;
		tracee->event_message = (uint64_t)result;
	}
	if (!event)
		return false;
	context->call.put_off = result != CALL_BLOCKS;
	context->call.result = result;
	tracee_event(context, TRACEE_AT_EVENT, event, tracee->event_message);
	return true;
}

void ptrace_call_ends(struct context *context)
{
	struct tracee *tracee = context->tracee;

	if (stops_at_calls(tracee))
		stop_at_call(context, TRACEE_AFTER_CALL,
			     PTRACE_EVENTMSG_SYSCALL_EXIT);
	else if (tracee->resume == TRACEE_STEPS)
		signal_force(context, &(struct signal_information){
					      .number = SIGTRAP,
					      .code = TRAP_BRKPT,
					      .address = context->cpu->rip,
				      });
}
