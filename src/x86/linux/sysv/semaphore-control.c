/* semctl(). */
#include <errno.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/sem.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/state.h"
#include "x86/linux/sysv/object.h"
#include "x86/linux/sysv/semaphore.h"

enum {
	UNDO_BYTES = 20, /* the value that Linux reports */
	STAT_ANY = 20,   /* SEM_STAT_ANY */
};

static const struct ipc_field operated = { { 48, 36, 16 }, { 8, 8, 4 } };
static const struct ipc_field changed = { { 64, 44, 20 }, { 8, 8, 4 } };
static const struct ipc_field counted = { { 80, 52, 40 }, { 8, 4, 2 } };
static const uint8_t structure_bytes[IPC_LAYOUTS] = { 104, 64, 44 };

static int64_t semaphore_status(struct context *context,
				struct semaphore_set *set,
				enum ipc_layout layout, uint64_t address)
{
	uint8_t buffer[IPC_STRUCTURE_MAX] = { 0 };

	ipc_store_owner(buffer, layout, &set->object);
	ipc_store(buffer, layout, &operated, (uint64_t)set->operated);
	ipc_store(buffer, layout, &changed, (uint64_t)set->object.changed);
	ipc_store(buffer, layout, &counted, set->count);
	return guest_put(context, address, buffer, structure_bytes[layout]);
}

static int64_t semaphore_information(struct context *context, bool used,
				     uint64_t address)
{
	const int32_t all = (int32_t)sysv_setting(context, IPC_ALL_SEMAPHORES);
	const int32_t operations =
		(int32_t)sysv_setting(context, IPC_OPERATIONS);
	int32_t words[10] = {
		all,
		(int32_t)sysv_setting(context, IPC_SETS),
		all,
		all,
		(int32_t)sysv_setting(context, IPC_PER_SET),
		operations,
		operations,
		UNDO_BYTES,
		SEMAPHORE_VALUE_MAX,
		SEMAPHORE_ADJUST_MAX,
	};

	if (used) {
		words[7] = (int32_t)ipc_of(context)
				   ->tables[IPC_SEMAPHORES].count;
		words[9] = (int32_t)semaphores_total(context);
	}
	return guest_put(context, address, words, sizeof words)
		       ? -EFAULT
		       : ipc_highest(context, IPC_SEMAPHORES);
}

/* The number of calls that wait for a semaphore to grow, or to be zero. */
static int64_t waiters(struct context *context,
		       const struct semaphore_set *set, size_t number,
		       bool zero)
{
	struct linux_system *system = context->process->system;
	int64_t count = 0;

	ipc_wait_clean(system);
	for (const struct ipc_wait *wait = sysv_of(system)->waits; wait;
	     wait = wait->next) {
		const struct sem_operation *operation =
			wait->operations + wait->blocking;

		count += wait->object == &set->object && !wait->done &&
			 operation->number == number &&
			 !operation->change == zero;
	}
	return count;
}

static void forget_undo(struct semaphore_set *set, size_t number)
{
	for (struct undo *undo = set->undo; undo; undo = undo->next)
		undo->adjust[number] = 0;
}

static int64_t get_all(struct context *context,
		       const struct semaphore_set *set, uint64_t address)
{
	for (size_t i = 0; i < set->count; i++) {
		uint16_t value = (uint16_t)set->list[i].value;

		if (guest_put(context, address + 2 * i, &value, 2))
			return -EFAULT;
	}
	return 0;
}

static int64_t set_all(struct context *context, struct semaphore_set *set,
		       uint64_t address)
{
	uint16_t *values = xmalloc(set->count * sizeof *values);
	int64_t result = guest_get(context, address, values,
				   set->count * sizeof *values);

	for (size_t i = 0; !result && i < set->count; i++)
		if (values[i] > SEMAPHORE_VALUE_MAX)
			result = -ERANGE;
	for (size_t i = 0; !result && i < set->count; i++) {
		set->list[i].value = values[i];
		set->list[i].pid = context->process->pid;
		forget_undo(set, i);
	}
	free(values);
	if (!result) {
		set->object.changed = ipc_seconds(context->process->system);
		semaphores_update(context->process->system, set);
	}
	return result;
}

/* The commands that read or change values. */
static int64_t values_call(struct context *context, struct semaphore_set *set,
			   uint64_t at, int command, uint64_t argument)
{
	size_t number = (uint32_t)at;
	bool change = command == SETVAL || command == SETALL;
	int64_t result = ipc_permitted(context, &set->object,
				       change ? IPC_ANY_WRITE : IPC_ANY_READ);

	if (command == SETVAL &&
	    ((int32_t)argument < 0 || (int32_t)argument > SEMAPHORE_VALUE_MAX))
		return -ERANGE;
	if (command != GETALL && command != SETALL && number >= set->count)
		return command == SETVAL || !result ? -EINVAL : result;
	if (result)
		return result;
	switch (command) {
	case GETALL:
		return get_all(context, set, argument);
	case SETALL:
		return set_all(context, set, argument);
	case GETVAL:
		return set->list[number].value;
	case GETPID:
		return set->list[number].pid;
	case GETNCNT:
		return waiters(context, set, number, false);
	case GETZCNT:
		return waiters(context, set, number, true);
	default: /* SETVAL */
		set->list[number].value = (int32_t)argument;
		set->list[number].pid = context->process->pid;
		forget_undo(set, number);
		set->object.changed = ipc_seconds(context->process->system);
		semaphores_update(context->process->system, set);
		return 0;
	}
}

static int64_t control_set(struct context *context, const uint64_t *a,
			   struct semaphore_set *set, enum ipc_layout layout,
			   int command)
{
	uint8_t buffer[IPC_STRUCTURE_MAX];
	int64_t result = 0;

	if (command == IPC_SET &&
	    guest_get(context, a[3], buffer, structure_bytes[layout]))
		return -EFAULT;
	if (!set)
		return -EINVAL;
	switch (command) {
	case IPC_STAT:
	case SEM_STAT:
		result = ipc_permitted(context, &set->object, IPC_ANY_READ);
		/* fall through */
	case STAT_ANY:
		if (!result)
			result = semaphore_status(context, set, layout, a[3]);
		return result || command == IPC_STAT ? result
						     : set->object.id;
	case IPC_SET:
		result = ipc_owned(context, &set->object);
		return result ? result
			      : ipc_set_owner(context, buffer, layout,
					      &set->object);
	default: /* IPC_RMID */
		result = ipc_owned(context, &set->object);
		if (!result) {
			ipc_remove(context->process->system, &set->object);
			semaphores_free(&set->object);
		}
		return result;
	}
}

int64_t call_semctl(struct context *context, const uint64_t *a)
{
	int command = (int)a[2];
	enum ipc_layout layout = ipc_layout_of(context, &command);
	struct semaphore_set *set;

	if ((int)a[0] < 0)
		return -EINVAL;
	switch (command) {
	case IPC_INFO:
	case SEM_INFO:
		return semaphore_information(context, command == SEM_INFO,
					     a[3]);
	case SEM_STAT:
	case STAT_ANY:
		set = (struct semaphore_set *)ipc_at_index(
			context, IPC_SEMAPHORES, (int)a[0]);
		return control_set(context, a, set, layout, command);
	case IPC_STAT:
	case IPC_SET:
	case IPC_RMID:
		return control_set(context, a,
				   semaphore_find_set(context, a[0]), layout,
				   command);
	case GETALL:
	case GETVAL:
	case GETPID:
	case GETNCNT:
	case GETZCNT:
	case SETVAL:
	case SETALL:
		set = semaphore_find_set(context, a[0]);
		return set ? values_call(context, set, a[1], command, a[3])
			   : -EINVAL;
	default:
		return -EINVAL;
	}
}
