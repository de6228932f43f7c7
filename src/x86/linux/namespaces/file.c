/* Namespaces as files: /proc/PID/ns, descriptors of them and their ioctls
 * (ioctl_ns(2)). The host's file behind one is empty; it is there for its
 * mode. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "x86/linux/files/files.h"
#include "x86/linux/files/path.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/namespaces/namespace.h"
#include "x86/linux/proc/proc.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/ptrace/ptrace.h"

enum { /* linux/nsfs.h */
	NS_GET_USERNS = 0xb701,
	NS_GET_PARENT = 0xb702,
	NS_GET_NSTYPE = 0xb703,
	NS_GET_OWNER_UID = 0xb704,
};

/* The thread whose namespaces a folder of /proc shows: its own, else the
 * process's first. NULL when there is none any more. */
static struct context *shown_thread(struct linux_system *system,
				    const struct proc_place *place)
{
	struct context *context;

	if (place->task)
		return place->task;
	context = context_find(system, place->process->pid);
	if (context)
		return context;
	for (context = system->contexts; context; context = context->next)
		if (context->process == place->process && !context->ended)
			return context;
	return NULL;
}

/* Resolves a name such as "ns/uts": 0 or a negative errno. */
static int find(struct context *context, const struct proc_place *place,
		struct namespace **space, enum namespace_kind *kind)
{
	int slot = namespace_slot_of(place->name + 3);
	const struct context *thread =
		shown_thread(context->process->system, place);

	if (slot < 0 || !thread)
		return -ENOENT;
	if (!ptrace_may_access(context->process, place->process))
		return -EACCES;
	*space = namespace_of(thread, slot);
	*kind = namespace_slot_kind(slot);
	/* Until the namespace has a first process, no process can have an id in
	 * it. */
	return slot == SLOT_PID_CHILDREN && *space && !(*space)->first
		       ? -ENOENT : 0;
}

static int empty_file(void)
{
	int memory = memfd_create("namespace", MFD_CLOEXEC), file;
	char link[64];

	if (memory < 0)
		return -EMFILE;
	fchmod(memory, 0444);
	snprintf(link, sizeof link, "/proc/self/fd/%d", memory);
	file = open(link, O_RDONLY | O_CLOEXEC);
	close(memory);
	return file < 0 ? -EMFILE : file;
}

int namespace_path(struct context *context, const struct proc_place *place,
		   struct host_path *path)
{
	struct namespace *space;
	enum namespace_kind kind;
	int result = find(context, place, &space, &kind);

	if (!result)
		result = empty_file();
	if (result < 0)
		return result;
	path_set_host(path, result);
	path->fixed = path->ours = true;
	return 0;
}

int64_t namespace_install(struct context *context, struct namespace *space,
			  enum namespace_kind kind, bool close_on_exec)
{
	int host = empty_file();
	struct file *file;

	if (host < 0)
		return host;
	file = file_create(host, FILE_NAMESPACE);
	file->namespace.object = namespace_hold(space);
	file->namespace.kind = kind;
	return file_install(context->process, file, 0, close_on_exec);
}

int64_t namespace_open(struct context *context,
		       const struct proc_place *place, uint64_t flags)
{
	struct namespace *space;
	enum namespace_kind kind;
	int result = find(context, place, &space, &kind);

	if (result)
		return result;
	if ((flags & O_ACCMODE) != O_RDONLY)
		return -EPERM;
	return namespace_install(context, space, kind, flags & O_CLOEXEC);
}

int namespace_link(struct context *context, const struct proc_place *place,
		   char *target, size_t size)
{
	struct namespace *space;
	enum namespace_kind kind;

	if (find(context, place, &space, &kind))
		return -1;
	return snprintf(target, size, "%s:[%llu]", namespace_name(kind),
			(unsigned long long)namespace_number(space, kind));
}

bool namespace_file_number(const struct file *file, uint64_t *number)
{
	if (file->kind != FILE_NAMESPACE)
		return false;
	*number = namespace_number(file->namespace.object,
				   file->namespace.kind);
	return true;
}

bool namespace_path_number(struct context *context, const char *made,
			   uint64_t *number)
{
	struct proc_place place;
	struct namespace *space;
	enum namespace_kind kind;

	if (!made[0] ||
	    proc_look_up_made(context->process->system, made, &place) ||
	    place.row->kind != PROC_NAMESPACE ||
	    find(context, &place, &space, &kind))
		return false;
	*number = namespace_number(space, kind);
	return true;
}

/* ---- ioctl ---- */

/* The user namespace that one belongs to, or a user namespace's parent, as
 * long as the caller can be in charge of it. */
static int64_t open_owner(struct context *context, const struct file *file)
{
	const struct namespace *own = context->process->credentials.users;
	const bool users = file->namespace.kind == NAMESPACE_USER;
	struct namespace *owner;

	if (users && !file->namespace.object)
		return -EPERM;
	owner = !file->namespace.object ? NULL
		: users      ? file->namespace.object->parent
			     : file->namespace.object->owner;
	if (!namespace_within(owner, own))
		return -EPERM;
	return namespace_install(context, owner, NAMESPACE_USER, true);
}

static int64_t open_parent(struct context *context, const struct file *file)
{
	if (file->namespace.kind == NAMESPACE_USER)
		return open_owner(context, file);
	if (file->namespace.kind != NAMESPACE_PID)
		return -EINVAL;
	if (!file->namespace.object ||
	    !namespace_within(file->namespace.object->parent,
			      context->process->pids))
		return -EPERM;
	return namespace_install(context, file->namespace.object->parent,
				 NAMESPACE_PID, true);
}

int64_t namespace_ioctl(struct context *context, const struct file *file,
			uint32_t request, uint64_t address)
{
	uint32_t user;

	switch (request) {
	case NS_GET_USERNS:
		return open_owner(context, file);
	case NS_GET_PARENT:
		return open_parent(context, file);
	case NS_GET_NSTYPE:
		return (int64_t)namespace_flag(file->namespace.kind);
	case NS_GET_OWNER_UID:
		if (file->namespace.kind != NAMESPACE_USER)
			return -EINVAL;
		user = user_seen(context->process->credentials.users,
				 file->namespace.object
					 ? file->namespace.object->user
					 : 0);
		return guest_put(context, address, &user, sizeof user);
	default:
		return -ENOTTY;
	}
}
