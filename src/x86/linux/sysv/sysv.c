/* System V IPC as a whole. */
#include <errno.h>
#include <stdlib.h>

#include "x86/linux/namespaces/namespace.h"
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
	semaphores_left(process);
	shared_memory_left(process);
}

void sysv_process_executes(struct process *process)
{
	if (process->system->ipc)
		shared_memory_left(process);
}

static void free_tables(struct sysv_ipc *ipc)
{
	static void (*const release[IPC_KINDS])(struct ipc_object *object) = {
		shared_free, semaphores_free, messages_free,
	};

	for (int kind = 0; kind < IPC_KINDS; kind++) {
		struct ipc_table *table = ipc->tables + kind;

		for (size_t i = 0; i < table->capacity; i++)
			if (table->list[i])
				release[kind](table->list[i]);
		free(table->list);
	}
}

void sysv_space_left(struct namespace *space)
{
	struct linux_system *system = space->system;
	struct sysv_ipc *ipc = space->ipc, **link;

	if (!ipc)
		return;
	/* Its context has meanwhile gone on. */
	for (struct ipc_wait *wait = sysv_of(system)->waits; wait;
	     wait = wait->next)
		if (wait->object && wait->object->home == ipc) {
			wait->object = NULL;
			if (!wait->done)
				ipc_complete(system, wait, -EIDRM);
		}
	free_tables(ipc);
	link = &sysv_of(system)->next;
	while (*link != ipc)
		link = &(*link)->next;
	*link = ipc->next;
	free(ipc);
	space->ipc = NULL;
}

void sysv_free(struct linux_system *system)
{
	if (!system->ipc)
		return;
	free_tables(system->ipc);
	while (system->ipc->waits)
		ipc_wait_free(system, system->ipc->waits);
	free(system->ipc);
	system->ipc = NULL;
}
