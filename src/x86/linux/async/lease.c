/* Leases: the holder of a lease on a file is told when another guest process is
 * about to open or truncate the file. That process waits until the holder has
 * given the lease up, or for 45 seconds (lease-break-time of proc(5)). Programs
 * of the host do not break leases. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>

#include "x86/linux/async/async.h"
#include "x86/linux/async/file.h"
#include "x86/linux/files/io.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/wait.h"

#define BREAK_TIME (INT64_C(45) * 1000000000)

static bool is_same(const struct file_async *async, const struct stat *status)
{
	return async->lease != F_UNLCK && async->device == status->st_dev &&
	       async->inode == status->st_ino;
}

/* Time is up: what was asked for happens. */
static void expire_lease(struct file_async *async, int64_t now)
{
	if (!async->deadline || async->deadline > now)
		return;
	async->lease = async->target;
	async->deadline = 0;
}

/* The access for which other processes have the file open: F_WRLCK, F_RDLCK or
 * F_UNLCK. */
static int opened_by_others(const struct linux_system *system,
			    const struct file *than, const struct stat *status)
{
	int found = F_UNLCK;

	for (const struct process *process = system->processes; process;
	     process = process->next)
		for (int i = 0; process->files && i < process->files->count;
		     i++) {
			const struct file *file = process->files->list[i].file;
			struct stat other;

			if (!file || file == than || file->kind != FILE_HOST ||
			    fstat(file->host, &other) != 0 ||
			    other.st_dev != status->st_dev ||
			    other.st_ino != status->st_ino)
				continue;
			if (file_writable(file))
				return F_WRLCK;
			found = F_RDLCK;
		}
	return found;
}

/* Whether a lease may be had: 0 or a negative errno. */
static int may_have_lease(struct context *context, const struct file *file,
			  const struct stat *status, int type)
{
	const struct linux_system *system = context->process->system;
	int others = opened_by_others(system, file, status);

	if (context->process->credentials.user[3] != status->st_uid &&
	    !has_capability(context->process, CAP_LEASE))
		return -EACCES;
	if (!S_ISREG(status->st_mode))
		return -EINVAL;
	if (type == F_RDLCK)
		return others == F_WRLCK || file_writable(file) ? -EAGAIN : 0;
	return others != F_UNLCK ? -EAGAIN : 0;
}

int lease_set(struct context *context, struct file *file, int descriptor,
	      int type)
{
	struct linux_system *system = context->process->system;
	struct file_async *async;
	struct stat status;
	int result;

	if (type != F_RDLCK && type != F_WRLCK && type != F_UNLCK)
		return -EINVAL;
	if (type == F_UNLCK) {
		if (!file->async || file->async->lease == F_UNLCK)
			return -EAGAIN;
		file->async->lease = F_UNLCK;
		file->async->deadline = 0;
		return 0;
	}
	if (fstat(file->host, &status) != 0)
		return -errno;
	result = may_have_lease(context, file, &status, type);
	if (result)
		return result;
	async = async_of(system, file, descriptor);
	/* While it is broken, no more than is left of it. */
	if (async->deadline && async->target != type)
		return -EAGAIN;
	async->deadline = 0;
	async->lease = type;
	async->device = status.st_dev;
	async->inode = status.st_ino;
	if (!file->owner.id)
		file->owner.id = context->process->pid;
	return 0;
}

int lease_get(struct file *file)
{
	struct file_async *async = file->async;

	if (!async)
		return F_UNLCK;
	expire_lease(async, clock_monotonic(file->system));
	return async->deadline ? async->target : async->lease;
}

/* A file is about to be opened or cut. True: its lease stands against that. */
static bool stands(struct linux_system *system, struct file *file, bool writes)
{
	struct file_async *async = file->async;
	const int target = writes ? F_UNLCK : F_RDLCK;

	if (async->lease == F_RDLCK && !writes)
		return false;
	if (!async->deadline) {
		async->target = target;
		async->deadline = clock_monotonic(system) + BREAK_TIME;
		async_send(system, file, POLL_MSG);
	} else if (target == F_UNLCK) {
		async->target = target;
	}
	return true;
}

int64_t lease_break(struct context *context, const struct stat *status,
		    uint64_t flags)
{
	struct linux_system *system = context->process->system;
	const bool writes = (flags & O_ACCMODE) != O_RDONLY ||
			    (flags & O_TRUNC);
	int64_t deadline = INT64_MAX;

	if (flags & O_PATH)
		return 0;
	for (size_t i = 0; i < system->async_files.count; i++) {
		struct file *file = system->async_files.list[i];

		expire_lease(file->async, clock_monotonic(system));
		if (is_same(file->async, status) &&
		    stands(system, file, writes) &&
		    file->async->deadline < deadline)
			deadline = file->async->deadline;
	}
	if (deadline == INT64_MAX)
		return 0;
	if (flags & O_NONBLOCK)
		return -EWOULDBLOCK;
	/* Whoever has it gives it up by a call: soon enough seen. */
	context->wait.deadline = clock_monotonic(system) + 1000000;
	return wait_for(context, WAIT_TIME, "a lease to be given up");
}
