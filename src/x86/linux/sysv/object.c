/* System V IPC: objects, their ids, keys and permissions. */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>

#include "base/memory.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/namespaces/namespace.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/state.h"
#include "x86/linux/sysv/object.h"
#include "x86/linux/time/clock.h"

/* An id is a sequence number times INDEX_LIMIT plus an index. Indices are used
 * in a circle of at least CYCLE_MIN, so that the id of a removed object is not
 * soon used again. */
enum { INDEX_LIMIT = 32768, CYCLE_MIN = 64, SEQUENCE_MAX = 65535 };

int64_t ipc_seconds(struct linux_system *system)
{
	return clock_realtime(system) / 1000000000;
}

struct ipc_object *ipc_at_index(struct context *context,
				enum ipc_kind kind, int index)
{
	const struct ipc_table *table = ipc_of(context)->tables + kind;

	return index >= 0 && (size_t)index < table->capacity
		       ? table->list[index]
		       : NULL;
}

struct ipc_object *ipc_find(struct context *context, enum ipc_kind kind,
			    int id)
{
	struct ipc_object *object =
		id < 0 ? NULL : ipc_at_index(context, kind, id % INDEX_LIMIT);

	return object && object->id == id ? object : NULL;
}

int64_t ipc_highest(struct context *context, enum ipc_kind kind)
{
	const struct ipc_table *table = ipc_of(context)->tables + kind;
	size_t highest = table->capacity;

	while (highest && !table->list[highest - 1])
		highest--;
	return highest ? (int64_t)highest - 1 : 0;
}

int ipc_look_up(struct context *context, enum ipc_kind kind, int32_t key,
		uint64_t flags, struct ipc_object **found)
{
	const struct ipc_table *table = ipc_of(context)->tables + kind;

	*found = NULL;
	if (key == IPC_PRIVATE)
		return 0;
	for (size_t i = 0; i < table->capacity && !*found; i++)
		if (table->list[i] && table->list[i]->key == key)
			*found = table->list[i];
	if (!*found)
		return flags & IPC_CREAT ? 0 : -ENOENT;
	return (flags & IPC_CREAT) && (flags & IPC_EXCL) ? -EEXIST : 0;
}

static void grow(struct ipc_table *table, size_t capacity)
{
	if (table->capacity >= capacity)
		return;
	table->list = xrealloc(table->list, capacity * sizeof *table->list);
	memset(table->list + table->capacity, 0,
	       (capacity - table->capacity) * sizeof *table->list);
	table->capacity = capacity;
}

/* A free index, in a circle; the table grows as needed. */
static size_t take_index(struct ipc_table *table)
{
	size_t cycle = table->count * 3 / 2, index = table->last;

	if (cycle < CYCLE_MIN)
		cycle = CYCLE_MIN;
	if (cycle > INDEX_LIMIT)
		cycle = INDEX_LIMIT;
	grow(table, cycle);
	for (;; index++) {
		if (index >= cycle)
			index = 0;
		if (!table->list[index])
			break;
	}
	if (index < table->last)
		table->sequence = table->sequence < SEQUENCE_MAX
					  ? table->sequence + 1
					  : 0;
	table->last = index + 1;
	return index;
}

int64_t ipc_add(struct context *context, struct ipc_object *object,
		enum ipc_kind kind, int32_t key, uint64_t flags, size_t limit)
{
	struct linux_system *system = context->process->system;
	struct sysv_ipc *ipc = ipc_of(context);
	struct ipc_table *table = ipc->tables + kind;
	const struct credentials *own = &context->process->credentials;
	int64_t wish = (int64_t)ipc->setting[IPC_NEXT_ID + kind];
	unsigned sequence;
	size_t index;

	if (table->count >= limit)
		return -ENOSPC;
	sequence = table->sequence;
	if (wish < 0) {
		index = take_index(table);
		sequence = table->sequence;
	} else {
		ipc->setting[IPC_NEXT_ID + kind] = UINT64_MAX;
		sequence = (unsigned)wish / INDEX_LIMIT;
		index = (size_t)wish % INDEX_LIMIT;
		while (index < table->capacity && table->list[index])
			index++;
		if (index >= INDEX_LIMIT)
			return -ENOSPC;
		grow(table, index + 1);
	}
	table->list[index] = object;
	table->count++;
	object->kind = kind;
	object->home = ipc;
	object->key = key;
	object->user = object->creator = own->user[1];
	object->group = object->creator_group = own->group[1];
	object->mode = flags & 0777;
	object->sequence = sequence;
	object->id = (int)(sequence * INDEX_LIMIT + index);
	object->changed = ipc_seconds(system);
	return object->id;
}

void ipc_remove(struct linux_system *system, struct ipc_object *object)
{
	struct ipc_table *table = object->home->tables + object->kind;

	table->list[object->id % INDEX_LIMIT] = NULL;
	table->count--;
	for (struct ipc_wait *wait = sysv_of(system)->waits; wait;
	     wait = wait->next)
		if (wait->object == object) {
			wait->object = NULL;
			if (!wait->done)
				ipc_complete(system, wait, -EIDRM);
		}
}

int ipc_permitted(struct context *context,
		  const struct ipc_object *object, unsigned wanted)
{
	const struct credentials *own = &context->process->credentials;
	unsigned granted = object->mode;

	wanted = (wanted >> 6 | wanted >> 3 | wanted) & 7;
	if (own->user[1] == object->creator || own->user[1] == object->user)
		granted >>= 6;
	else if (in_group(own, object->creator_group) ||
		 in_group(own, object->group))
		granted >>= 3;
	return (wanted & ~granted) &&
			       !ipc_capable(context, CAP_IPC_OWNER)
		       ? -EACCES
		       : 0;
}

int ipc_owned(struct context *context, const struct ipc_object *object)
{
	unsigned user = context->process->credentials.user[1];

	return user == object->user || user == object->creator ||
			       ipc_capable(context, CAP_SYS_ADMIN)
		       ? 0
		       : -EPERM;
}

void ipc_print_owner(const struct ipc_object *object, FILE *out)
{
	fprintf(out, " %5u %5u %5u %5u", object->user, object->group,
		object->creator, object->creator_group);
}
