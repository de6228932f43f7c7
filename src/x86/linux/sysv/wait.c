/* System V IPC: calls that wait, in order of arrival. */
#include <stdlib.h>

#include "base/memory.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/state.h"
#include "x86/linux/sysv/object.h"
#include "x86/linux/wait.h"

static bool is_of(const struct ipc_wait *wait, const struct context *context)
{
	return context->wait.kind == WAIT_IPC && context->tid == wait->tid &&
	       context->wait.futex.order == wait->serial;
}

static struct context *context_of(struct linux_system *system,
				  const struct ipc_wait *wait)
{
	struct context *context = context_find(system, wait->tid);

	return context && is_of(wait, context) ? context : NULL;
}

struct ipc_wait *ipc_block(struct context *context, struct ipc_object *object)
{
	struct linux_system *system = context->process->system;
	struct ipc_wait **last = &sysv_of(system)->waits;
	struct ipc_wait *wait = xcalloc(1, sizeof *wait);

	wait->object = object;
	wait->tid = context->tid;
	wait->pid = context->process->pid;
	wait->serial = context->wait.futex.order = ++system->futex_serial;
	while (*last)
		last = &(*last)->next;
	*last = wait;
	return wait;
}

struct ipc_wait *ipc_waiting(struct context *context)
{
	struct ipc_wait *wait = sysv_of(context->process->system)->waits;

	while (wait && !is_of(wait, context))
		wait = wait->next;
	return wait;
}

void ipc_complete(struct linux_system *system, struct ipc_wait *wait,
		  int64_t result)
{
	struct context *context = context_of(system, wait);

	wait->done = true;
	wait->result = result;
	if (context)
		context->wait.woken = true;
}

void ipc_wait_free(struct linux_system *system, struct ipc_wait *wait)
{
	struct ipc_wait **link = &sysv_of(system)->waits;

	while (*link != wait)
		link = &(*link)->next;
	*link = wait->next;
	free(wait->operations);
	free(wait->message);
	free(wait);
}

void ipc_wait_clean(struct linux_system *system)
{
	struct ipc_wait *wait = sysv_of(system)->waits, *next;

	for (; wait; wait = next) {
		next = wait->next;
		if (!context_of(system, wait))
			ipc_wait_free(system, wait);
	}
}
