/* System V semaphores. Operations are done all or none; what SEM_UNDO notes
 * is taken back when the process ends. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/sem.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/state.h"
#include "x86/linux/sysv/object.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/wait.h"

/* As Linux has them unless told otherwise (linux/sem.h). */
enum {
	VALUE_MAX = 32767, OPERATIONS_MAX = 500, ADJUST_MAX = 32767,
	UNDO_BYTES = 20,
	STAT_ANY = 20, /* SEM_STAT_ANY */
};

struct semaphore {
	int value;
	int pid; /* of the last operation */
};

struct undo {
	struct undo *next;
	int pid;
	int *adjust; /* one per semaphore */
};

struct semaphore_set {
	struct ipc_object object;
	size_t count;
	struct semaphore *list;
	struct undo *undo;
	int64_t operated; /* seconds */
};

static struct semaphore_set *find_set(struct context *context, uint64_t id)
{
	return (struct semaphore_set *)ipc_find(context->process->system,
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

/* Semaphores of all sets. */
static size_t total(struct linux_system *system)
{
	const struct ipc_table *table =
		sysv_of(system)->tables + IPC_SEMAPHORES;
	size_t count = 0;

	for (size_t i = 0; i < table->capacity; i++)
		if (table->list[i])
			count += ((struct semaphore_set *)table->list[i])
					 ->count;
	return count;
}

static uint64_t setting(const struct context *context, enum ipc_setting which)
{
	return sysv_of(context->process->system)->setting[which];
}

int64_t call_semget(struct context *context, const uint64_t *a)
{
	struct ipc_object *found;
	struct semaphore_set *set;
	int count = (int)a[1], result;
	int64_t id;

	if (count < 0 || (uint64_t)count > setting(context, IPC_PER_SET))
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
	if (total(context->process->system) + (size_t)count >
	    setting(context, IPC_ALL_SEMAPHORES))
		return -ENOSPC;
	set = xcalloc(1, sizeof *set);
	set->count = (size_t)count;
	set->list = xcalloc(set->count, sizeof *set->list);
	id = ipc_add(context, &set->object, IPC_SEMAPHORES, (int32_t)a[0],
		     a[2], setting(context, IPC_SETS));
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

static void take_back(struct semaphore_set *set, struct undo *undo,
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
		} else if (value > VALUE_MAX) {
			result = -ERANGE;
		} else if (operation->flags & SEM_UNDO) {
			undo = undo_of(set, pid);
			adjust = undo->adjust[operation->number] -
				 operation->change;
			if (adjust < -ADJUST_MAX - 1 || adjust > ADJUST_MAX)
				result = -ERANGE;
			else
				undo->adjust[operation->number] = adjust;
		}
		if (result) {
			take_back(set, undo, list, i);
			return result;
		}
		semaphore->value = value;
	}
	for (size_t i = 0; i < count; i++)
		set->list[list[i].number].pid = pid;
	return 0;
}

/* Tries one of the calls that wait: true when it is over and has changed
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

/* Values have changed: first those go on who wait for zero. */
static void update(struct linux_system *system, struct semaphore_set *set)
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

/* A call is made again. */
static int64_t go_on(struct context *context)
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
		return go_on(context);
	if (time_address) {
		result = guest_get_time(context, time_address, wide, &limit);
		if (result)
			return result;
	}
	if (count < 1 || (int)a[0] < 0)
		return -EINVAL;
	if (count > OPERATIONS_MAX || count > setting(context, IPC_OPERATIONS))
		return -E2BIG;
	if (guest_get(context, a[1], list, count * sizeof *list))
		return -EFAULT;
	set = find_set(context, a[0]);
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
			update(system, set);
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

void semaphores_process_ended(struct process *process)
{
	struct linux_system *system = process->system;
	const struct ipc_table *table =
		sysv_of(system)->tables + IPC_SEMAPHORES;

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
			if (semaphore->value > VALUE_MAX)
				semaphore->value = VALUE_MAX;
			semaphore->pid = process->pid;
		}
		free(undo->adjust);
		free(undo);
		set->operated = ipc_seconds(system);
		update(system, set);
	}
}

/* ---- Control ---- */

static const struct ipc_field operated = { { 48, 36, 16 }, { 8, 8, 4 } };
static const struct ipc_field changed = { { 64, 44, 20 }, { 8, 8, 4 } };
static const struct ipc_field counted = { { 80, 52, 40 }, { 8, 4, 2 } };
static const uint8_t structure_bytes[IPC_LAYOUTS] = { 104, 64, 44 };

static int64_t status(struct context *context, struct semaphore_set *set,
		      enum ipc_layout layout, uint64_t address)
{
	uint8_t buffer[IPC_STRUCTURE_MAX] = { 0 };

	ipc_store_owner(buffer, layout, &set->object);
	ipc_store(buffer, layout, &operated, (uint64_t)set->operated);
	ipc_store(buffer, layout, &changed, (uint64_t)set->object.changed);
	ipc_store(buffer, layout, &counted, set->count);
	return guest_put(context, address, buffer, structure_bytes[layout]);
}

static int64_t information(struct context *context, bool used,
			   uint64_t address)
{
	struct linux_system *system = context->process->system;
	const int32_t all = (int32_t)setting(context, IPC_ALL_SEMAPHORES);
	const int32_t operations = (int32_t)setting(context, IPC_OPERATIONS);
	int32_t words[10] = {
		all, (int32_t)setting(context, IPC_SETS), all, all,
		(int32_t)setting(context, IPC_PER_SET), operations, operations,
		UNDO_BYTES, VALUE_MAX, ADJUST_MAX,
	};

	if (used) {
		words[7] = (int32_t)sysv_of(system)
				   ->tables[IPC_SEMAPHORES].count;
		words[9] = (int32_t)total(system);
	}
	return guest_put(context, address, words, sizeof words)
		       ? -EFAULT
		       : ipc_highest(system, IPC_SEMAPHORES);
}

/* How many wait for a semaphore to grow, or to be zero. */
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
		if (values[i] > VALUE_MAX)
			result = -ERANGE;
	for (size_t i = 0; !result && i < set->count; i++) {
		set->list[i].value = values[i];
		set->list[i].pid = context->process->pid;
		forget_undo(set, i);
	}
	free(values);
	if (!result) {
		set->object.changed = ipc_seconds(context->process->system);
		update(context->process->system, set);
	}
	return result;
}

/* The commands that look at or change values. */
static int64_t values(struct context *context, struct semaphore_set *set,
		      uint64_t at, int command, uint64_t argument)
{
	size_t number = (uint32_t)at;
	bool change = command == SETVAL || command == SETALL;
	int64_t result = ipc_permitted(context, &set->object,
				       change ? IPC_ANY_WRITE : IPC_ANY_READ);

	if (command == SETVAL &&
	    ((int32_t)argument < 0 || (int32_t)argument > VALUE_MAX))
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
		update(context->process->system, set);
		return 0;
	}
}

static int64_t control(struct context *context, const uint64_t *a,
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
			result = status(context, set, layout, a[3]);
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
	struct linux_system *system = context->process->system;
	int command = (int)a[2];
	enum ipc_layout layout = ipc_layout_of(context, &command);
	struct semaphore_set *set;

	if ((int)a[0] < 0)
		return -EINVAL;
	switch (command) {
	case IPC_INFO:
	case SEM_INFO:
		return information(context, command == SEM_INFO, a[3]);
	case SEM_STAT:
	case STAT_ANY:
		set = (struct semaphore_set *)ipc_at_index(
			system, IPC_SEMAPHORES, (int)a[0]);
		return control(context, a, set, layout, command);
	case IPC_STAT:
	case IPC_SET:
	case IPC_RMID:
		return control(context, a, find_set(context, a[0]), layout,
			       command);
	case GETALL:
	case GETVAL:
	case GETPID:
	case GETNCNT:
	case GETZCNT:
	case SETVAL:
	case SETALL:
		set = find_set(context, a[0]);
		return set ? values(context, set, a[1], command, a[3])
			   : -EINVAL;
	default:
		return -EINVAL;
	}
}
