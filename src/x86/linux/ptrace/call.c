/* ptrace(): how tracing begins, and what is asked of a tracee. */
#include <errno.h>
#include <linux/ptrace.h>
#include <signal.h>

#include "x86/linux/calls.h"
#include "x86/linux/landlock/landlock.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/ptrace/tracee.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"

static int64_t trace_me(struct context *context)
{
	/* The programs that the simulator starts have no tracer. */
	if (context->tracee || !context->process->parent ||
	    !landlock_may_trace(context->process->parent, context->process))
		return -EPERM;
	tracee_create(context, context->process->parent);
	return 0;
}

static int64_t attach_thread(struct context *tracer, struct context *context,
			     bool seize, uint64_t options)
{
	struct process *process = tracer->process;
	struct signal_information none;
	struct tracee *tracee;

	if (seize && (options & ~(uint64_t)KNOWN_OPTIONS))
		return -EIO;
	if (!context)
		return -ESRCH;
	if (context->process == process || context->tracee ||
	    !ptrace_may_access(process, context->process))
		return -EPERM;
	tracee = tracee_create(context, process);
	tracee->seized = seize;
	tracee->options = seize ? (uint32_t)options : 0;
	/* A stop goes over into one of ptrace at once. */
	if (context->process->stopped) {
		tracee->group_stop = context->process->stop_signal;
		ptrace_attend(context, &none);
	}
	if (!seize)
		signal_send_context(context, &(struct signal_information){
						     .number = SIGSTOP,
						     .code = SI_KERNEL,
					     });
	return 0;
}

int64_t call_ptrace(struct context *context, const uint64_t *a)
{
	struct context *target;

	if (a[0] == PTRACE_TRACEME)
		return trace_me(context);
	target = context_find(context->process->system, (int)a[1]);
	if (a[0] == PTRACE_ATTACH || a[0] == PTRACE_SEIZE) {
		if (a[0] == PTRACE_SEIZE && a[2])
			return -EIO;
		return attach_thread(context, target, a[0] == PTRACE_SEIZE,
				     a[3]);
	}
	if (!target || !ptrace_is_tracee(target, context->process))
		return -ESRCH;
	return ptrace_dispatch(context, target, a);
}
