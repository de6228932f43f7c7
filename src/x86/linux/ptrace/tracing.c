/* Tracers and tracees, and the state of a traced thread. */
#include "x86/linux/calls.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/ptrace/tracee.h"
#include "x86/linux/state.h"
#include "x86/linux/trace/log.h"

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

bool ptrace_pending(const struct context *context)
{
	const struct tracee *tracee = context->tracee;

	return tracee->deliver || tracee->trap || tracee->group_stop;
}

/* ---- Ends of stops ---- */

enum tracee_stop tracee_ends_stop(struct context *context)
{
	struct tracee *tracee = context->tracee;
	enum tracee_stop stop = tracee->stop;

	tracee->stop = TRACEE_RUNS;
	tracee->listening = false;
	return stop;
}

/* The tracer may have changed number and arguments, which are in the
 * registers; a call with number -1 is not made. */
static void begin_call(struct context *context, bool skip)
{
	if (skip)
		context->call.original_rax = -1;
	call_arguments(context, (int)context->call.original_rax);
	if ((int)context->call.original_rax != -1)
		return;
	context->call.result = CALL_NO_RESULT;
	context->call.put_off = true;
}

void tracee_takes_up(struct context *context, enum tracee_stop stop)
{
	if (stop == TRACEE_AT_FILTER)
		begin_call(context, false);
	if (stop == TRACEE_AT_CALL)
		begin_call(context,
			   context->tracee->resume >= TRACEE_SKIPS_CALLS);
	/* The call is resumed (vfork() when its child allows). */
	if (context->call.active)
		context->wait.woken = true;
	context_log(context, "goes on for its tracer");
}

void tracee_goes_on(struct context *context)
{
	enum tracee_stop stop = tracee_ends_stop(context);

	if (stop == TRACEE_AT_SIGNAL)
		context->tracee->deliver = false;
	tracee_takes_up(context, stop);
}

/* ---- Group stops ---- */

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
			tracee_goes_on(context);
	}
}

/* ---- What a tracer is told ---- */

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
