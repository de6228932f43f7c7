/* How traced threads stop, and for what. */
#include <linux/ptrace.h>
#include <signal.h>

#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/ptrace/tracee.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"
#include "x86/linux/trace/log.h"

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

void tracee_event(struct context *context, enum tracee_stop stop, int event,
		  uint64_t message)
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

bool ptrace_attend(struct context *context,
		   struct signal_information *deliver)
{
	struct tracee *tracee = context->tracee;
	int group_stop = tracee->group_stop;

	if (tracee->deliver) {
		*deliver = tracee->signal;
		tracee->deliver = false;
		if (!(context->signals.mask >> (deliver->number - 1) & 1))
			return true;
		signal_send_context(context, deliver);
		return false;
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
	return false;
}

/* ---- Ends ---- */

bool ptrace_exits(struct context *context, int status)
{
	if (!context->tracee || context->ending ||
	    !tracee_wants(context->tracee, PTRACE_EVENT_EXIT))
		return false;
	context->ending = true;
	context->end_status = status;
	tracee_event(context, TRACEE_AT_END, PTRACE_EVENT_EXIT,
		       (uint64_t)status);
	return true;
}
