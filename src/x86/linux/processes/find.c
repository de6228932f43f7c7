/* Processes and threads by their ids. */
#include "x86/linux/processes/find.h"
#include "x86/linux/state.h"

struct process *process_find(struct linux_system *system, int pid)
{
	for (struct process *process = system->processes; process;
	     process = process->next)
		if (process->pid == pid && !process->reaped)
			return process;
	return NULL;
}

struct context *context_find(struct linux_system *system, int tid)
{
	for (struct context *context = system->contexts; context;
	     context = context->next)
		if (context->tid == tid && !context->ended)
			return context;
	return NULL;
}
