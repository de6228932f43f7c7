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

/* Whether an id is that of a thread, a process, a group or a session. */
static bool is_id_of_any(struct linux_system *system, int id)
{
	if (context_find(system, id))
		return true;
	for (const struct process *process = system->processes; process;
	     process = process->next)
		if (!process->reaped &&
		    (process->pid == id || process->group == id ||
		     process->session == id))
			return true;
	return false;
}

int process_next_id(struct linux_system *system)
{
	while (system->ids_set && is_id_of_any(system, system->next_id))
		system->next_id++;
	return system->next_id;
}
