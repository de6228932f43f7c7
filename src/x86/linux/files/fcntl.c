/* fcntl: flags and owners. Other commands are called in other files. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "x86/linux/async/async.h"
#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/lock.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/state.h"

enum { CREATED_QUERY = 1028 }; /* F_CREATED_QUERY, Linux 6.12 */

static int64_t set_flags(struct context *context, struct file *file,
			 int descriptor, uint64_t flags)
{
	int host = fcntl(file->host, F_GETFL), wanted;
	const int settable = O_APPEND | O_DIRECT | O_NOATIME;

	if (host < 0)
		return -errno;
	wanted = (host & ~settable) | ((int)flags & settable);
	if (wanted != host && fcntl(file->host, F_SETFL, wanted) != 0)
		return -errno;
	file->nonblock = flags & O_NONBLOCK;
	return async_set(context, file, descriptor, flags & O_ASYNC);
}

static int64_t get_flags(const struct file *file)
{
	int flags = fcntl(file->host, F_GETFL);

	if (flags < 0)
		return -errno;
	flags = (flags & ~(O_NONBLOCK | O_CLOEXEC)) |
		(file->nonblock ? O_NONBLOCK : 0);
	if (file->kind == FILE_QUEUE)
		flags = (flags & ~O_ACCMODE) | file->queue.access;
	return flags | (async_is_set(file) ? O_ASYNC : 0);
}

/* The commands that Linux allows on a descriptor opened with O_PATH. */
static bool path_command(int command)
{
	return command == F_DUPFD || command == F_DUPFD_CLOEXEC ||
	       command == F_GETFD || command == F_SETFD || command == F_GETFL;
}

/* ---- Owners: the receivers of a file's signals ---- */

static bool owner_exists(const struct process *process, int owner)
{
	for (const struct process *other = process->system->processes; other;
	     other = other->next)
		if (owner > 0 ? other->pid == owner : other->group == -owner)
			return true;
	return false;
}

static int64_t set_owner(const struct process *process, struct file *file,
			 int owner, bool thread)
{
	if (owner && !(thread ? context_find(process->system, owner) != NULL
			      : owner_exists(process, owner)))
		return -ESRCH;
	file->owner.id = owner;
	file->owner.thread = thread;
	return 0;
}

static int owner_kind(const struct file *file)
{
	return file->owner.id < 0	    ? F_OWNER_PGRP
	       : file->owner.thread ? F_OWNER_TID
				    : F_OWNER_PID;
}

static int64_t set_owner_of_kind(struct context *context, struct file *file,
				 uint64_t address)
{
	int32_t owner[2]; /* struct f_owner_ex */

	if (guest_get(context, address, owner, sizeof owner))
		return -EFAULT;
	if (owner[0] < F_OWNER_TID || owner[0] > F_OWNER_PGRP)
		return -EINVAL;
	return set_owner(context->process, file,
			 owner[0] == F_OWNER_PGRP ? -owner[1] : owner[1],
			 owner[0] == F_OWNER_TID);
}

/* ---- The call ---- */

static int64_t fcntl_call(struct context *context, const uint64_t *a,
			  bool wide)
{
	struct process *process = context->process;
	struct file *file = file_get(process, (int)a[0]);
	struct descriptor *descriptor;

	if (!file)
		return -EBADF;
	descriptor = process->files->list + (int)a[0];
	if ((fcntl(file->host, F_GETFL) & O_PATH) && !path_command((int)a[1]))
		return -EBADF;
	switch ((int)a[1]) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		if ((int)a[2] < 0 || (int)a[2] >= descriptor_limit(process))
			return -EINVAL;
		return file_install(process, file_hold(file), (int)a[2],
				    (int)a[1] == F_DUPFD_CLOEXEC);
	case F_GETFD:
		return descriptor->close_on_exec ? FD_CLOEXEC : 0;
	case F_SETFD:
		descriptor->close_on_exec = a[2] & FD_CLOEXEC;
		return 0;
	case F_GETFL:
		return get_flags(file);
	case F_SETFL:
		return set_flags(context, file, (int)a[0], a[2]);
	case 5: /* F_GETLK, F_SETLK, F_SETLKW */
		return lock_call(context, file, F_GETLK, a[2], false);
	case 6:
		return lock_call(context, file, F_SETLK, a[2], false);
	case 7:
		return lock_call(context, file, F_SETLKW, a[2], false);
	case 12: /* the same with 64-bit offsets on i386 */
		return wide ? lock_call(context, file, F_GETLK, a[2], true)
			    : -EINVAL;
	case 13:
		return wide ? lock_call(context, file, F_SETLK, a[2], true)
			    : -EINVAL;
	case 14:
		return wide ? lock_call(context, file, F_SETLKW, a[2], true)
			    : -EINVAL;
	case F_OFD_GETLK:
		return lock_call(context, file, F_OFD_GETLK, a[2], true);
	case F_OFD_SETLK:
		return lock_call(context, file, F_OFD_SETLK, a[2], true);
	case F_OFD_SETLKW:
		return lock_call(context, file, F_OFD_SETLKW, a[2], true);
	case F_GETOWN:
		return file->owner.id;
	case F_SETOWN:
		return set_owner(process, file, (int)a[2], false);
	case F_GETOWN_EX:
		return guest_put(context, a[2],
				 (int32_t[]){ owner_kind(file),
					      abs(file->owner.id) }, 8);
	case F_SETOWN_EX:
		return set_owner_of_kind(context, file, a[2]);
	case F_GETSIG:
		return file->owner.signal;
	case F_SETSIG:
		if (a[2] > SIGNALS)
			return -EINVAL;
		file->owner.signal = (int)a[2];
		return 0;
	case F_GETLEASE:
		return lease_get(file);
	case F_SETLEASE:
		return lease_set(context, file, (int)a[0], (int)a[2]);
	case F_NOTIFY:
		return async_notify(context, file, (int)a[0], (uint32_t)a[2]);
	case CREATED_QUERY:
	case F_SETPIPE_SZ:
	case F_GETPIPE_SZ:
	case F_ADD_SEALS:
	case F_GET_SEALS: {
		int result = fcntl(file->host, (int)a[1], (int)a[2]);

		return result < 0 ? -errno : result;
	}
	default:
		return -EINVAL;
	}
}

int64_t call_fcntl(struct context *context, const uint64_t *a)
{
	return fcntl_call(context, a, false);
}

int64_t call_fcntl64(struct context *context, const uint64_t *a)
{
	return fcntl_call(context, a, true);
}
