/* How traced threads stop, and for what. */
#include <errno.h>
#include <linux/ptrace.h>
#include <signal.h>

#include "x86/linux/calls.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/ptrace/tracee.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"
#include "x86/linux/trace/log.h"
#include "x86/linux/wait.h"

bool ptrace_stopped(const struct context *context)
{
	return context->tracee->stop != TRACEE_RUNS;
}

bool ptrace_traces(const struct process *tracer, const struct process *process)
{
	for (const struct context *context = process->system->contexts;
	     context; context = context->next)
		if (context->process == process && context->tracee &&
		    (!tracer || context->tracee->tracer == tracer))
			return true;
	return false;
}

bool tracee_wants(const struct tracee *tracee, int event)
{
	return tracee->options >> event & 1;
}

/* ---- Stopping ---- */

void tracee_stops(struct context *context, enum tracee_stop stop, int status,
		  const struct signal_information *information)
{
	struct tracee *tracee = context->tracee;

	tracee->stop = stop;
	tracee->status = status;
	tracee->reported = tracee->listening = false;
	tracee->signal = information ? *information
				     : (struct signal_information){ 0 };
	context_log(context, "stops for its tracer %d, status 0x%x",
		    tracee->tracer->pid, (unsigned)status);
	signal_tell_stop(tracee->tracer, context,
			 stop == TRACEE_IN_GROUP_STOP ? CLD_STOPPED
						      : CLD_TRAPPED,
			 status & 0x7f);
}

void tracee_traps(struct context *context, enum tracee_stop stop, int code)
{
	const struct process *process = context->process;

	tracee_stops(context, stop, code,
		     &(struct signal_information){
			     .number = code & 0x7f, .code = code,
			     .pid = context->tid,
			     .uid = (int)process->credentials.user[0],
		     });
}

static void stop_for_event(struct context *context, enum tracee_stop stop,
			   int event, uint64_t message)
{
	context->tracee->message = message;
	tracee_traps(context, stop, SIGTRAP | event << 8);
}

/* ---- Signals ---- */

void ptrace_signal(struct context *context,
		   const struct signal_information *information)
{
	tracee_stops(context, TRACEE_AT_SIGNAL, information->number,
		     information);
}

void ptrace_signal_entered(struct context *context)
{
	struct tracee *tracee = context->tracee;

	if (tracee && (tracee->resume == TRACEE_STEPS ||
		       tracee->resume == TRACEE_STEPS_SKIPPING))
		tracee_traps(context, TRACEE_AT_EVENT, SIGTRAP);
}

bool ptrace_pending(const struct context *context)
{
	const struct tracee *tracee = context->tracee;

	return tracee->deliver || tracee->trap || tracee->group_stop;
}

/* A stop of the process as its tracer sees it: one who has seized learns that
 * it is no signal, the other is told nothing about a signal. */
static void stop_with_group(struct context *context, int number)
{
	if (context->tracee->seized)
		tracee_traps(context, TRACEE_IN_GROUP_STOP,
			     number | PTRACE_EVENT_STOP << 8);
	else
		tracee_stops(context, TRACEE_IN_GROUP_STOP, number, NULL);
}

void ptrace_attend(struct context *context)
{
	struct tracee *tracee = context->tracee;
	int group_stop = tracee->group_stop;

	if (tracee->deliver) {
		struct signal_information information = tracee->signal;

		tracee->deliver = false;
		if (context->signals.mask >> (information.number - 1) & 1)
			signal_send_context(context, &information);
		else
			signal_act(context, &information);
		return;
	}
	tracee->group_stop = 0;
	if (group_stop) {
		tracee->trap = false;
		stop_with_group(context, group_stop);
	} else if (tracee->trap) {
		tracee->trap = false;
		tracee->message = 0;
		if (context->process->stopped)
			stop_with_group(context,
					context->process->stop_signal);
		else
			tracee_traps(context, TRACEE_TRAPPED,
				     SIGTRAP | PTRACE_EVENT_STOP << 8);
	}
}

void ptrace_group_stops(struct process *process)
{
	for (struct context *context = process->system->contexts; context;
	     context = context->next)
		if (context->process == process && context->tracee)
			context->tracee->group_stop = process->stop_signal;
}

void ptrace_group_continues(struct process *process)
{
	for (struct context *context = process->system->contexts; context;
	     context = context->next) {
		struct tracee *tracee = context->tracee;

		if (context->process != process || !tracee)
			continue;
		tracee->group_stop = 0;
		/* Only the tracer ends a stop; one who has seized is told by
		 * another. */
		tracee->trap |= tracee->seized && process->stopped;
		if (tracee->listening && tracee->trap)
			tracee_goes_on(context, 0);
	}
}

/* ---- System calls ---- */

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

	/* What Linux has there before the call. */
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
	stop_for_event(context, TRACEE_AT_FILTER, PTRACE_EVENT_SECCOMP, data);
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
	stop_for_event(context, TRACEE_AT_EVENT, event, tracee->event_message);
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

/* ---- Ends ---- */

bool ptrace_exits(struct context *context, int status)
{
	if (!context->tracee || context->ending ||
	    !tracee_wants(context->tracee, PTRACE_EVENT_EXIT))
		return false;
	context->ending = true;
	context->end_status = status;
	stop_for_event(context, TRACEE_AT_END, PTRACE_EVENT_EXIT,
		       (uint64_t)status);
	return true;
}

/* ---- What wait4() tells ---- */

bool ptrace_is_tracee(const struct context *context,
		      const struct process *tracer)
{
	return !context->ended && context->tracee &&
	       context->tracee->tracer == tracer;
}

bool ptrace_stop_told(const struct context *context,
		      const struct process *tracer, int *status)
{
	const struct tracee *tracee = context->tracee;

	if (!ptrace_is_tracee(context, tracer) || tracee->reported ||
	    tracee->stop == TRACEE_RUNS)
		return false;
	*status = tracee->status;
	return true;
}

void ptrace_stop_reported(struct context *context)
{
	context->tracee->reported = true;
}
