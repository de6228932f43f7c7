/* Tracers and tracees, and the state of a traced thread. */
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/ptrace/tracee.h"
#include "x86/linux/state.h"

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
