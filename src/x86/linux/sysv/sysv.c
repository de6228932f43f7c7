/* System V IPC as a whole. */
#include <stdlib.h>

#include "x86/linux/state.h"
#include "x86/linux/sysv/object.h"
#include "x86/linux/sysv/sysv.h"

size_t sysv_count(const struct linux_system *system)
{
	size_t count = 0;

	for (int kind = 0; system->ipc && kind < IPC_KINDS; kind++)
		count += system->ipc->tables[kind].count;
	if (system->ipc && ipc_settings_changed(system->ipc))
		count++;
	return count;
}

void sysv_process_ended(struct process *process)
{
	if (!process->system->ipc)
		return;
	semaphores_process_ended(process);
	shared_memory_left(process);
}

void sysv_process_executes(struct process *process)
{
	if (process->system->ipc)
		shared_memory_left(process);
}

void sysv_free(struct linux_system *system)
{
	static void (*const release[IPC_KINDS])(struct ipc_object *object) = {
		shared_free, semaphores_free, messages_free,
	};

	if (!system->ipc)
		return;
	for (int kind = 0; kind < IPC_KINDS; kind++) {
		struct ipc_table *table = system->ipc->tables + kind;

		for (size_t i = 0; i < table->capacity; i++)
			if (table->list[i])
				release[kind](table->list[i]);
		free(table->list);
	}
	while (system->ipc->waits)
		ipc_wait_free(system, system->ipc->waits);
	free(system->ipc);
	system->ipc = NULL;
}
