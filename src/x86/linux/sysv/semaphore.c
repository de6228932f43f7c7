/* System V semaphores. A call does all of its operations or none. The end of a
 * process undoes its operations with SEM_UNDO. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/sem.h>

#include "base/memory.h"
#include "x86/linux/sysv/sysv.h"
#include "x86/linux/calls.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/state.h"
#include "x86/linux/sysv/object.h"
#include "x86/linux/sysv/semaphore.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/wait.h"

enum { OPERATIONS_MAX = 500 }; /* as Linux has it (linux/sem.h) */

struct semaphore_set *semaphore_find_set(struct context *context, uint64_t id)
{
	return (struct semaphore_set *)ipc_find(context,
						IPC_SEMAPHORES, (int)id);
}

void semaphores_print(const struct ipc_object *object, FILE *out)
{
	const struct semaphore_set *set =
		(const struct semaphore_set *)object;

	fprintf(out, " %10zu", set->count);
	ipc_print_owner(object, out);
	fprintf(out, " %10" PRId64 " %10" PRId64 "\n", set->operated,
		object->changed);
}

void semaphores_free(struct ipc_object *object)
{
	struct semaphore_set *set = (struct semaphore_set *)object;

	while (set->undo) {
		struct undo *next = set->undo->next;

		free(set->undo->adjust);
		free(set->undo);
		set->undo = next;
	}
	free(set->list);
	free(set);
}

size_t semaphores_total(struct context *context)
{
	const struct ipc_table *table =
		ipc_of(context)->tables + IPC_SEMAPHORES;
	size_t count = 0;

	for (size_t i = 0; i < table->capacity; i++)
		if (table->list[i])
			count += ((struct semaphore_set *)table->list[i])
					 ->count;
	return count;
}

int64_t call_semget(struct context *context, const uint64_t *a)
{
	struct ipc_object *found;
	struct semaphore_set *set;
	int count = (int)a[1], result;
	int64_t id;

	if (count < 0 || (uint64_t)count > sysv_setting(context, IPC_PER_SET))
		return -EINVAL;
	result = ipc_look_up(context, IPC_SEMAPHORES, (int32_t)a[0], a[2],
			     &found);
	if (result)
		return result;
	set = (struct semaphore_set *)found;
	if (set) {
		if ((size_t)count > set->count)
			return -EINVAL;
		result = ipc_permitted(context, found, a[2] & 0777);
		return result ? result : found->id;
	}
	if (!count)
		return -EINVAL;
	if (semaphores_total(context) + (size_t)count >
	    sysv_setting(context, IPC_ALL_SEMAPHORES))
		return -ENOSPC;
	set = xcalloc(1, sizeof *set);
	set->count = (size_t)count;
	set->list = xcalloc(set->count, sizeof *set->list);
	id = ipc_add(context, &set->object, IPC_SEMAPHORES, (int32_t)a[0], a[2],
		     sysv_setting(context, IPC_SETS));
	if (id < 0)
		semaphores_free(&set->object);
	return id;
}

/* ---- Operations ---- */

static struct undo *undo_of(struct semaphore_set *set, int pid)
{
	struct undo *undo = set->undo;

	while (undo && undo->pid != pid)
		undo = undo->next;
	if (undo)
		return undo;
	undo = xcalloc(1, sizeof *undo);
	undo->pid = pid;
	undo->adjust = xcalloc(set->count, sizeof *undo->adjust);
	undo->next = set->undo;
	set->undo = undo;
	return undo;
}

static void take_operations_back(struct semaphore_set *set, struct undo *undo,
				 const struct sem_operation *list, size_t count)
{
	while (count-- > 0) {
		set->list[list[count].number].value -= list[count].change;
		if (list[count].flags & SEM_UNDO)
			undo->adjust[list[count].number] +=
				list[count].change;
	}
}

/* 0: done; 1: has to wait, for *blocking; or a negative errno. */
static int operate(struct semaphore_set *set, int pid,
		   const struct sem_operation *list, size_t count,
		   size_t *blocking)
{
	struct undo *undo = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct sem_operation *operation = list + i;
		struct semaphore *semaphore = set->list + operation->number;
		int value = semaphore->value + operation->change, adjust = 0;
		int result = 0;

		if (value < 0 || (!operation->change && semaphore->value)) {
			*blocking = i;
			result = operation->flags & IPC_NOWAIT ? -EAGAIN : 1;
		} else if (value > SEMAPHORE_VALUE_MAX) {
			result = -ERANGE;
		} else if (operation->flags & SEM_UNDO) {
			undo = undo_of(set, pid);
			adjust = undo->adjust[operation->number] -
				 operation->change;
			if (adjust < -SEMAPHORE_ADJUST_MAX - 1 ||
			    adjust > SEMAPHORE_ADJUST_MAX)
				result = -ERANGE;
			else
				undo->adjust[operation->number] = adjust;
		}
		if (result) {
			take_operations_back(set, undo, list, i);
			return result;
		}
		semaphore->value = value;
	}
	for (size_t i = 0; i < count; i++)
		set->list[list[i].number].pid = pid;
	return 0;
}

/* Tries a waiting call. True when the call is complete and has changed
 * something. */
static bool retry(struct linux_system *system, struct semaphore_set *set,
		  struct ipc_wait *wait)
{
	int result = operate(set, wait->pid, wait->operations, wait->count,
			     &wait->blocking);

	if (result > 0)
		return false;
	if (!result)
		set->operated = ipc_seconds(system);
	ipc_complete(system, wait, result);
	return !result && wait->alters;
}

void semaphores_update(struct linux_system *system, struct semaphore_set *set)
{
	bool again = true;

	ipc_wait_clean(system);
	while (again) {
		again = false;
		for (int alters = 0; alters < 2 && !again; alters++)
			for (struct ipc_wait *wait = sysv_of(system)->waits;
			     wait && !again; wait = wait->next)
				if (wait->object == &set->object &&
				    !wait->done && wait->alters == alters)
					again = retry(system, set, wait);
	}
}

/* A restarted call. */
static int64_t go_on_operating(struct context *context)
{
	struct linux_system *system = context->process->system;
	struct ipc_wait *wait = ipc_waiting(context);
	int64_t result;

	if (!wait)
		return -EIDRM;
	if (wait->done) {
		result = wait->result;
	} else if (context->wait.deadline <= clock_monotonic(system)) {
		result = -EAGAIN;
	} else {
		return wait_for(context, WAIT_IPC, context->wait.what);
	}
	ipc_wait_free(system, wait);
	return result;
}

static int64_t operations(struct context *context, const uint64_t *a,
			  uint64_t time_address, bool wide)
{
	struct linux_system *system = context->process->system;
	struct sem_operation list[OPERATIONS_MAX];
	uint32_t count = (uint32_t)a[2];
	struct semaphore_set *set;
	struct ipc_wait *wait;
	size_t blocking = 0;
	bool alters = false;
	int64_t limit = -1;
	int result;

	if (context->call.resumed)
		return go_on_operating(context);
	if (time_address) {
		result = guest_get_time(context, time_address, wide, &limit);
		if (result)
			return result;
	}
	if (count < 1 || (int)a[0] < 0)
		return -EINVAL;
	if (count > OPERATIONS_MAX ||
	    count > sysv_setting(context, IPC_OPERATIONS))
		return -E2BIG;
	if (guest_get(context, a[1], list, count * sizeof *list))
		return -EFAULT;
	set = semaphore_find_set(context, a[0]);
	if (!set)
		return -EINVAL;
	for (size_t i = 0; i < count; i++) {
		if (list[i].number >= set->count)
			return -EFBIG;
		alters |= list[i].change != 0;
	}
	result = ipc_permitted(context, &set->object,
			       alters ? IPC_ANY_WRITE : IPC_ANY_READ);
	if (result)
		return result;
	result = operate(set, context->process->pid, list, count, &blocking);
	if (result == 0) {
		set->operated = ipc_seconds(system);
		if (alters)
			semaphores_update(system, set);
	}
	if (result <= 0)
		return result;
	if (limit == 0)
		return -EAGAIN;
	wait = ipc_block(context, &set->object);
	wait->operations = xmalloc(count * sizeof *list);
	memcpy(wait->operations, list, count * sizeof *list);
	wait->count = count;
	wait->blocking = blocking;
	wait->alters = alters;
	context->wait.deadline =
		limit < 0 ? INT64_MAX : clock_monotonic(system) + limit;
	return wait_for(context, WAIT_IPC, "a semaphore (semop)");
}

int64_t call_semop(struct context *context, const uint64_t *a)
{
	return operations(context, a, 0, false);
}

int64_t call_semtimedop(struct context *context, const uint64_t *a)
{
	return operations(context, a, a[3], false);
}

int64_t call_semtimedop_time64(struct context *context, const uint64_t *a)
{
	return operations(context, a, a[3], true);
}

static void undo_all(struct process *process, const struct ipc_table *table)
{
	struct linux_system *system = process->system;

	for (size_t i = 0; i < table->capacity; i++) {
		struct semaphore_set *set =
			(struct semaphore_set *)table->list[i];
		struct undo **link = set ? &set->undo : NULL, *undo;

		while (link && *link && (*link)->pid != process->pid)
			link = &(*link)->next;
		if (!link || !*link)
			continue;
		undo = *link;
		*link = undo->next;
		for (size_t n = 0; n < set->count; n++) {
			struct semaphore *semaphore = set->list + n;

			if (!undo->adjust[n])
				continue;
			semaphore->value += undo->adjust[n];
			if (semaphore->value < 0)
				semaphore->value = 0;
			if (semaphore->value > SEMAPHORE_VALUE_MAX)
				semaphore->value = SEMAPHORE_VALUE_MAX;
			semaphore->pid = process->pid;
		}
		free(undo->adjust);
		free(undo);
		set->operated = ipc_seconds(system);
		semaphores_update(system, set);
	}
}

void semaphores_left(struct process *process)
{
	for (const struct sysv_ipc *ipc = process->system->ipc; ipc;
	     ipc = ipc->next)
		undo_all(process, ipc->tables + IPC_SEMAPHORES);
}
