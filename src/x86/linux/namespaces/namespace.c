/* Namespaces as objects: their list and their references. */
#include "x86/linux/namespaces/namespace.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The first number of namespaces other than the first ones. */
#define NUMBERS_FROM UINT64_C(4026532000)

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

static const struct {
	const char *name;
	uint64_t flag, number;
} kinds[NAMESPACE_KINDS] = {
	[NAMESPACE_CGROUP] = { "cgroup", CLONE_NEWCGROUP, 4026531835 },
	[NAMESPACE_IPC] = { "ipc", CLONE_NEWIPC, 4026531839 },
	[NAMESPACE_MOUNT] = { "mnt", CLONE_NEWNS, 4026531832 },
	[NAMESPACE_NETWORK] = { "net", CLONE_NEWNET, 4026531833 },
	[NAMESPACE_PID] = { "pid", CLONE_NEWPID, 4026531836 },
	[NAMESPACE_TIME] = { "time", CLONE_NEWTIME, 4026531834 },
	[NAMESPACE_USER] = { "user", CLONE_NEWUSER, 4026531837 },
	[NAMESPACE_UTS] = { "uts", CLONE_NEWUTS, 4026531838 },
};

static const struct {
	const char *name;
	enum namespace_kind kind;
} slots[NAMESPACE_SLOTS] = {
	[SLOT_CGROUP] = { "cgroup", NAMESPACE_CGROUP },
	[SLOT_IPC] = { "ipc", NAMESPACE_IPC },
	[SLOT_MOUNT] = { "mnt", NAMESPACE_MOUNT },
	[SLOT_NETWORK] = { "net", NAMESPACE_NETWORK },
	[SLOT_PID] = { "pid", NAMESPACE_PID },
	[SLOT_PID_CHILDREN] = { "pid_for_children", NAMESPACE_PID },
	[SLOT_TIME] = { "time", NAMESPACE_TIME },
	[SLOT_TIME_CHILDREN] = { "time_for_children", NAMESPACE_TIME },
	[SLOT_USER] = { "user", NAMESPACE_USER },
	[SLOT_UTS] = { "uts", NAMESPACE_UTS },
};

uint64_t namespace_flag(enum namespace_kind kind)
{
	return kinds[kind].flag;
}

const char *namespace_name(enum namespace_kind kind)
{
	return kinds[kind].name;
}

enum namespace_kind namespace_slot_kind(enum namespace_slot slot)
{
	return slots[slot].kind;
}

const char *namespace_slot_name(enum namespace_slot slot)
{
	return slots[slot].name;
}

int namespace_slot_of(const char *name)
{
	for (int i = 0; i < NAMESPACE_SLOTS; i++)
		if (!strcmp(slots[i].name, name))
			return i;
	return -1;
}

uint64_t namespace_number(const struct namespace *space,
			  enum namespace_kind kind)
{
	return space ? space->number : kinds[kind].number;
}

bool namespace_within(const struct namespace *inner,
		      const struct namespace *outer)
{
	while (inner && inner != outer)
		inner = inner->parent;
	return inner == outer;
}

struct namespace *namespace_create(struct linux_system *system,
				   enum namespace_kind kind,
				   struct namespace *owner)
{
	struct namespace *space = xcalloc(1, sizeof *space);

	space->system = system;
	space->references = 1;
	space->kind = kind;
	space->owner = namespace_hold(owner);
	space->number = NUMBERS_FROM + system->namespace_serial++;
	space->next = system->namespaces;
	system->namespaces = space;
	return space;
}

struct namespace *namespace_hold(struct namespace *space)
{
	if (space)
		space->references++;
	return space;
}

void namespace_release(struct namespace *space)
{
	struct namespace **link, *owner, *parent;

	if (!space || --space->references)
		return;
	link = &space->system->namespaces;
	while (*link != space)
		link = &(*link)->next;
	*link = space->next;
	owner = space->owner;
	parent = space->parent;
	if (space->left)
		space->left(space);
	for (int i = 0; i < MAP_KINDS; i++)
		free(space->map[i].list);
	free(space->ids);
	free(space);
	namespace_release(owner);
	namespace_release(parent);
}

void namespace_set(struct context *context, enum namespace_slot slot,
		   struct namespace *space)
{
	struct namespace *former = context->namespaces[slot];

	context->namespaces[slot] = space;
	namespace_release(former);
}

void namespaces_leave(struct context *context)
{
	for (int i = 0; i < NAMESPACE_SLOTS; i++)
		namespace_set(context, i, NULL);
}

bool namespaces_in_use(const struct linux_system *system)
{
	return system->namespaces;
}
