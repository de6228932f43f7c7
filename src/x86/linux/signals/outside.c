/* Signals that come from outside the simulation. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "x86/linux/signals/outside.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"
#include "x86/linux/unwind/fault-report.h"
#include "x86/linux/wait.h"

/* Linux sends keys of the terminal to the foreground group, and everything
 * else to the process that is named: the simulator, which stands for the
 * programs that it was given. */
static bool is_for(const struct linux_outside_signal *signal,
		   const struct process *process)
{
	if (process->ended)
		return false;
	return signal->from_terminal
		       ? process->group == process->system->foreground_group
		       : process->loaded;
}

static bool is_blocked(const struct process *process, int number)
{
	for (const struct context *context = process->system->contexts;
	     context; context = context->next)
		if (context->process == process && !context->ended &&
		    !(context->signals.mask >> (number - 1) & 1))
			return false;
	return true;
}

/* Nothing but the default action: to end or to stop. */
static bool is_untaken(const struct process *process, int number)
{
	return !process->signals.action[number].handler &&
	       !signal_ignored(process, number) && !is_blocked(process, number);
}

bool linux_signal_ends_program(const struct linux_system *system,
			       const struct linux_outside_signal *signal)
{
	for (const struct process *process = system->processes; process;
	     process = process->next)
		if (process->loaded && is_for(signal, process) &&
		    is_untaken(process, signal->number))
			return true;
	return false;
}

static bool takes_signals(const struct process *process)
{
	static const int sent[] = { SIGHUP,  SIGINT,  SIGQUIT,
				    SIGUSR1, SIGUSR2, SIGTERM };

	for (size_t i = 0; i < ARRAY_SIZE(sent); i++)
		if (process->signals.action[sent[i]].handler > 1 &&
		    !is_blocked(process, sent[i]))
			return true;
	return false;
}

bool outside_can_wake(const struct linux_system *system)
{
	if (!system->options->outside_signals)
		return false;
	for (const struct context *context = system->contexts; context;
	     context = context->next)
		if (!context->ended &&
		    (context->wait.kind == WAIT_SIGNAL ||
		     takes_signals(context->process)))
			return true;
	return false;
}

void linux_send_signal(struct linux_system *system,
		       const struct linux_outside_signal *signal)
{
	struct signal_information information = {
		.number = signal->number, .code = signal->code,
		.pid = signal->from_terminal ? 0 : signal->pid,
		.uid = signal->uid, .value = signal->value,
	};
	struct process *next;

	for (struct process *process = system->processes; process;
	     process = next) {
		next = process->next;
		if (is_for(signal, process))
			signal_send_process(process, &information);
	}
}

static const char *activity(const struct context *context)
{
	if (context->process->stopped)
		return "is stopped";
	if (!context->call.active)
		return "runs";
	return context->wait.kind == WAIT_NONE ? "is in a system call"
					       : "waits for ";
}

void linux_print_state(struct linux_system *system, FILE *stream)
{
	for (const struct context *context = system->contexts; context;
	     context = context->next) {
		const char *what = activity(context);
		char place[512];

		if (context->ended)
			continue;
		thread_place(context, place, sizeof place);
		fprintf(stream, "  process %d, context %d (%s) %s%s at %s\n",
			context->process->pid, context->tid, context->name,
			what,
			what[strlen(what) - 1] == ' ' ? context->wait.what
						      : "",
			place);
	}
}
