/* Beginning and ending of tracing. */
#include <linux/capability.h>
#include <linux/ptrace.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/landlock/landlock.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/processes/told.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/ptrace/tracee.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"
#include "x86/linux/trace/log.h"

struct tracee *tracee_create(struct context *context, struct process *tracer)
{
	struct tracee *tracee = xcalloc(1, sizeof *tracee);

	tracee->tracer = tracer;
	context->tracee = tracee;
	context_log(context, "is traced by process %d", tracer->pid);
	return tracee;
}

void tracee_release(struct context *context)
{
	struct tracee *tracee = context->tracee;

	if (tracee->stop != TRACEE_RUNS)
		tracee_goes_on(context);
	if (tracee->deliver)
		signal_send_context(context, &tracee->signal);
	debug_registers_drop(context);
	context->tracee = NULL;
	free(tracee);
}

int ptrace_tracer(const struct context *context)
{
	return context && context->tracee ? context->tracee->tracer->pid : 0;
}

/* ---- Permission ---- */

bool ptrace_may_access(const struct process *from, const struct process *to)
{
	const struct credentials *own = &from->credentials;
	const struct credentials *other = &to->credentials;

	if (!landlock_may_trace(from, to))
		return false;
	if (from == to || has_capability_in(from, other->users, CAP_SYS_PTRACE))
		return true;
	for (int i = 0; i < 3; i++)
		if (other->user[i] != own->user[0] ||
		    other->group[i] != own->group[0])
			return false;
	/* Capabilities can be compared in one user namespace only. */
	return to->dumpable && own->users == other->users &&
	       !(other->permitted & ~own->permitted);
}

bool ptrace_restrains(const struct process *process)
{
	for (const struct context *context = process->system->contexts;
	     context; context = context->next)
		if (context->process == process && context->tracee &&
		    !has_capability_in(context->tracee->tracer,
				       process->credentials.users,
				       CAP_SYS_PTRACE))
			return true;
	return false;
}

/* ---- Beginnings ---- */

void ptrace_cloned(struct context *context, struct context *child,
		   uint64_t flags, int exit_signal)
{
	struct tracee *tracee = context->tracee, *inherited;
	int event = flags & CLONE_VFORK      ? PTRACE_EVENT_VFORK
		    : exit_signal != SIGCHLD ? PTRACE_EVENT_CLONE
					     : PTRACE_EVENT_FORK;
	bool wants = !(flags & CLONE_UNTRACED) && tracee_wants(tracee, event);

	if (wants) {
		tracee->event = event;
		tracee->event_message = (uint64_t)child->tid;
	}
	if (!wants && !(flags & CLONE_PTRACE))
		return;
	inherited = tracee_create(child, tracee->tracer);
	inherited->seized = tracee->seized;
	inherited->options = tracee->options;
	if (tracee->seized)
		inherited->trap = true;
	else
		signal_send_context(child, &(struct signal_information){
						   .number = SIGSTOP,
					   });
}

void ptrace_executed(struct context *context, int former)
{
	struct tracee *tracee = context->tracee;

	if (!tracee)
		return;
	for (int i = 0; i < DEBUG_REGISTERS; i++)
		tracee->debug[i] = 0; /* the old memory is gone */
	if (tracee_wants(tracee, PTRACE_EVENT_EXEC)) {
		tracee->event = PTRACE_EVENT_EXEC;
		tracee->event_message = (uint64_t)former;
	} else if (!tracee->seized) {
		signal_send_context(context, &(struct signal_information){
						     .number = SIGTRAP,
						     .pid = context->tid,
					     });
	}
}

/* ---- Ends ---- */

void ptrace_left(struct context *context, int status)
{
	struct process *process = context->process, *tracer;

	if (!context->tracee)
		return;
	tracer = context->tracee->tracer;
	debug_registers_drop(context);
	free(context->tracee);
	context->tracee = NULL;
	if (context->tid == process->pid) {
		/* The end of the process is told when it has ended. */
		process->tracing.end_tracer = tracer;
		return;
	}
	ARRAY_GROW(tracer->tracing.ends, tracer->tracing.end_count,
		   tracer->tracing.end_capacity);
	tracer->tracing.ends[tracer->tracing.end_count++] = (struct thread_end){
		context->tid, status, process->credentials.user[0]};
	signal_tell_end(tracer, context->tid, process, status);
}

void ptrace_tracer_ended(struct process *process)
{
	struct linux_system *system = process->system;

	for (struct process *other = system->processes; other;
	     other = other->next)
		if (other->tracing.end_tracer == process && other->ended)
			process_end_told(other);
		else if (other->tracing.end_tracer == process)
			other->tracing.end_tracer = NULL;
	for (struct context *context = system->contexts; context;
	     context = context->next) {
		if (!ptrace_is_tracee(context, process))
			continue;
		bool kill = context->tracee->options & PTRACE_O_EXITKILL;

		tracee_release(context);
		if (kill)
			system->end_process(context->process, 0, SIGKILL);
	}
}

const struct process *ptrace_user(const struct linux_system *system)
{
	for (const struct context *context = system->contexts; context;
	     context = context->next)
		if (!context->ended && context->tracee)
			return context->process;
	for (const struct process *process = system->processes; process;
	     process = process->next)
		if (process->tracing.end_tracer || process->tracing.end_count)
			return process;
	return NULL;
}
