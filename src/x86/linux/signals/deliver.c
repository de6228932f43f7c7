/* Delivering signals: handlers, default actions, faults. */
#include <inttypes.h>
#include <signal.h>

#include "x86/linux/core/core.h"
#include "x86/linux/debug/events.h"
#include "x86/linux/processes/process.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/signals/frame.h"
#include "x86/linux/signals/kind.h"
#include "x86/linux/signals/pending.h"
#include "x86/linux/signals/restart.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"
#include "x86/linux/trace/call.h"
#include "x86/linux/trace/log.h"
#include "x86/linux/unwind/fault-report.h"

bool signal_deliverable(const struct context *context)
{
	const struct signal_queue *queues[] = {
		&context->signals.pending, &context->process->signals.pending};

	if (context->tracee && ptrace_pending(context))
		return true;
	for (int q = 0; q < 2; q++)
		for (size_t i = 0; i < queues[q]->count; i++) {
			int number = queues[q]->list[i].number;

			if (!(context->signals.mask & SIGNAL_BIT(number)) &&
			    (context->tracee ||
			     !signal_ignored(context->process, number)))
				return true;
		}
	return false;
}

static void end_by_signal(struct context *context,
			  const struct signal_information *information)
{
	struct process *process = context->process;

	if ((DEFAULT_CORE & SIGNAL_BIT(information->number)) &&
	    !process->ending)
		process->core_dumped = core_dump(context, information);
	process_exit(process, 0, information->number);
}

static void run_handler(struct context *context,
			const struct signal_information *information)
{
	struct process *process = context->process;
	struct signal_action *stored =
		process->signals.action + information->number;
	struct signal_action action = *stored;
	uint64_t sp = context->cpu->reg[X86_RSP];
	uint64_t mask = context->signals.restore_mask
				? context->signals.saved_mask
				: context->signals.mask;

	if ((action.flags & SA_ONSTACK) && context->signals.stack_size &&
	    !signal_on_stack(context, sp))
		sp = context->signals.stack_base + context->signals.stack_size;
	else if (!process->memory->abi32)
		sp -= 128; /* the red zone of the x86-64 ABI */
	restart_before_handler(context, action.flags);
	if (frame_push(context, information, &action, mask, sp)) {
		/* No room for the frame. */
		struct signal_information overflow = {
			.number = SIGSEGV, .code = SI_KERNEL,
			.address = sp, .vector = 14, .error_code = 6,
		};

		/* A handler of SIGSEGV may run on another stack. */
		if (information->number != SIGSEGV) {
			signal_force(context, &overflow);
			return;
		}
		fault_report(context, &overflow);
		end_by_signal(context, &overflow);
		return;
	}
	if (context->signals.stack_flags & STACK_AUTODISARM) {
		/* sigreturn brings it back from the frame. */
		context->signals.stack_base = context->signals.stack_size = 0;
		context->signals.stack_flags = SS_DISABLE;
	}
	context->signals.restore_mask = false;
	context->signals.mask |= action.mask & ~NEVER_BLOCKED;
	if (!(action.flags & SA_NODEFER))
		context->signals.mask |= SIGNAL_BIT(information->number);
	if (action.flags & SA_RESETHAND)
		stored->handler = HANDLER_DEFAULT;
	process->system->counts.signals++;
	debug_signal_entered(context);
	ptrace_signal_entered(context);
}

void signal_act(struct context *context, struct signal_information *information)
{
	struct process *process = context->process;
	int number;

	if (process->system->debug && !debug_signal(context, information))
		return;
	number = information->number;
	context_log(context, "%s at 0x%" PRIx64 ", %s", signal_name(number),
		    context->cpu->rip,
		    signal_ignored(process, number) ? "ignored"
		    : process->signals.action[number].handler > HANDLER_IGNORE
			    ? "handled"
		    : DEFAULT_STOP & SIGNAL_BIT(number) ? "stops the process"
							: "ends the process");
	call_trace_signal(context, information);
	if (signal_ignored(process, number))
		return;
	if (process->signals.action[number].handler > HANDLER_IGNORE) {
		context_log(context, "handler at 0x%" PRIx64,
			    process->signals.action[number].handler);
		run_handler(context, information);
		return;
	}
	if (DEFAULT_STOP & SIGNAL_BIT(number)) {
		signal_stop_process(process, number);
		return;
	}
	if ((FAULT_SIGNALS & SIGNAL_BIT(number)) && information->code > 0)
		fault_report(context, information);
	end_by_signal(context, information);
}

/* One signal: the tracer, if there is one, decides. */
static void deliver_one(struct context *context,
			struct signal_information *information)
{
	if (context->tracee)
		ptrace_signal(context, information);
	else
		signal_act(context, information);
}

/* Does what a thread's tracer has asked for, perhaps delivers a signal. */
static void tracer_signal(struct context *context)
{
	struct signal_information information;

	if (ptrace_attend(context, &information))
		signal_act(context, &information);
}

void signal_deliver(struct context *context)
{
	struct signal_information information;

	while (!context->ended && !context_stopped(context)) {
		if (context->tracee && ptrace_pending(context))
			tracer_signal(context);
		else if (signal_take(context, ~context->signals.mask,
				     &information))
			deliver_one(context, &information);
		else
			break;
	}
	/* In a stop of ptrace a call that was interrupted stays so. */
	if (context->ended || (context->tracee && context_stopped(context)))
		return;
	restart_without_handler(context);
	if (context->signals.restore_mask) {
		context->signals.mask = context->signals.saved_mask;
		context->signals.restore_mask = false;
	}
}

void signal_force(struct context *context,
		  const struct signal_information *information)
{
	struct process *process = context->process;
	struct signal_information own = *information;
	struct signal_action *action =
		process->signals.action + information->number;

	if (action->handler == HANDLER_IGNORE ||
	    (context->signals.mask & SIGNAL_BIT(information->number))) {
		action->handler = HANDLER_DEFAULT;
		context->signals.mask &= ~SIGNAL_BIT(information->number);
	}
	deliver_one(context, &own);
}
