/* Reporting the end of a process, and its status. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "x86/linux/processes/told.h"
#include "x86/linux/signals/information.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"

int process_status(const struct process *process)
{
	if (!process->exit_signal)
		return process->exit_status << 8;
	return process->exit_signal |
	       (process->core_dumped ? WCOREFLAG : 0);
}

/* Threads that wait in wait4() look again. */
static void wake_parent(struct process *process)
{
	for (struct context *context = process->system->contexts; context;
	     context = context->next)
		if (!context->ended && context->process == process->parent &&
		    context->wait.kind == WAIT_CHILD)
			context->wait.woken = true;
}

void process_end_shown(const struct process *process)
{
	const struct linux_system *system = process->system;
	const uint64_t one = 1;

	for (size_t i = 0; i < system->pid_files.count; i++)
		if (system->pid_files.list[i]->process.serial ==
			    process->serial &&
		    write(system->pid_files.list[i]->host, &one, sizeof one) <
			    0)
			continue; /* it is readable already */
}

/* Descriptors keep the status, as wait4() reports it, for PIDFD_GET_INFO. */
static void keep_status(const struct process *process, int status)
{
	const struct linux_system *system = process->system;

	for (size_t i = 0; i < system->pid_files.count; i++) {
		struct file *file = system->pid_files.list[i];

		if (file->process.serial != process->serial ||
		    file->process.reaped)
			continue;
		file->process.reaped = true;
		file->process.exit_code = status;
	}
}

void process_reaped(struct process *process)
{
	process->reaped = true;
	keep_status(process, process_status(process));
}

void process_end_told(struct process *process)
{
	process->tracing.end_tracer = NULL;
	if (!process->parent || process->parent->ended) {
		process_reaped(process);
		return;
	}
	if (process->parent_signal)
		signal_send_process(
			process->parent,
			&(struct signal_information){
				.number = process->parent_signal,
				.code = signal_end_code(
					process_status(process)),
				.pid = process->pid,
				.uid = (int)process->credentials.user[0],
				.status = process->exit_signal
						  ? process->exit_signal
						  : process->exit_status,
			});
	/* Children of processes that ignore SIGCHLD leave no zombies. */
	if (process->parent_signal == SIGCHLD &&
	    (process->parent->signals.action[SIGCHLD].handler == 1 ||
	     (process->parent->signals.action[SIGCHLD].flags & SA_NOCLDWAIT)))
		process_reaped(process);
	wake_parent(process);
}
