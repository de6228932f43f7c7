/* Descriptors of processes: an eventfd that becomes readable at the end. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/namespaces/namespace.h"
#include "x86/linux/processes/process.h"
#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/processes/pidfd.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/signals/information.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"

static void pidfd_forget(struct file *file)
{
	struct linux_system *system = file->system;

	for (size_t i = 0; i < system->pid_files.count; i++)
		if (system->pid_files.list[i] == file) {
			system->pid_files.list[i] =
				system->pid_files
					.list[--system->pid_files.count];
			return;
		}
}

static const struct file_events pidfd_events = { .released = pidfd_forget };

int64_t pidfd_make(struct process *process, struct process *of, bool nonblock)
{
	struct linux_system *system = process->system;
	int host = eventfd(of->ended, EFD_CLOEXEC | EFD_NONBLOCK);
	struct file *file;

	if (host < 0)
		return -errno;
	file = file_create(host, FILE_PROCESS);
	file->events = &pidfd_events;
	file->system = system;
	file->process.pid = of->pid;
	file->process.serial = of->serial;
	file->nonblock = nonblock;
	file->host_nonblock = true;
	ARRAY_GROW(system->pid_files.list, system->pid_files.count,
		   system->pid_files.capacity);
	system->pid_files.list[system->pid_files.count++] = file;
	return file_install(process, file, 0, true);
}

/* A folder /proc/PID does as well, as it did before there were pidfds. */
int64_t pidfd_process(struct context *context, uint64_t descriptor,
		      struct process **process, bool *nonblock)
{
	struct file *file = file_get(context->process, (int)descriptor);
	int pid = context->process->pid, end = 0;

	if (!file)
		return -EBADF;
	if (file->kind == FILE_PROCESS)
		pid = file->process.pid;
	else if (file->kind != FILE_LIST ||
		 sscanf(file->made, "/proc/%d%n", &pid, &end) != 1 ||
		 file->made[end])
		return -EBADF;
	*process = process_find(context->process->system, pid);
	if (*process && (*process)->serial != file->process.serial)
		*process = NULL;
	if (nonblock)
		*nonblock = file->nonblock;
	return *process ? 0 : -ESRCH;
}

/* ---- ioctl (linux/pidfd.h) ---- */

enum { INFORMATION_OLDEST = 64 }; /* bytes */
enum { MASK_PID = 1, MASK_CREDENTIALS = 2, MASK_EXIT = 8 };

/* struct pidfd_info; there are no control groups to tell of. */
struct pidfd_information {
	uint64_t mask, control_group;
	uint32_t pid, group_leader, parent;
	uint32_t user[2], effective[2], saved[2], files[2];
	int32_t exit_code;
	uint32_t core_mask, core_signal;
};

/* Real, effective, saved ids and those for files. */
static void tell_credentials(const struct namespace *users,
			     const struct credentials *from,
			     struct pidfd_information *to)
{
	uint32_t *ids[] = { to->user, to->effective, to->saved, to->files };

	for (int i = 0; i < 4; i++) {
		ids[i][0] = user_seen(users, from->user[i]);
		ids[i][1] = group_seen(users, from->group[i]);
	}
	to->mask |= MASK_CREDENTIALS;
}

static int64_t get_information(struct context *context,
			       const struct file *file, uint64_t address,
			       size_t size)
{
	const struct process *own = context->process, *process;
	struct pidfd_information to = { 0 };
	uint64_t wanted;

	if (!address)
		return -EINVAL;
	if (size < INFORMATION_OLDEST)
		return -ENOTTY;
	if (guest_get(context, address, &wanted, sizeof wanted))
		return -EFAULT;
	if (!id_seen(own->pids, file->process.pid))
		return -EREMOTE;
	process = process_find(own->system, file->process.pid);
	if (process && process->serial != file->process.serial)
		process = NULL;
	if (!process && !((wanted & MASK_EXIT) && file->process.reaped))
		return -ESRCH;
	if (!process) {
		to.mask = MASK_EXIT;
		to.exit_code = file->process.exit_code;
	} else {
		tell_credentials(own->credentials.users,
				 &process->credentials, &to);
		to.mask |= MASK_PID;
		to.pid = to.group_leader =
			(uint32_t)id_seen(own->pids, process->pid);
		to.parent = (uint32_t)id_seen(
			own->pids, process->parent ? process->parent->pid : 1);
	}
	if (size > sizeof to &&
	    guest_put(context, address + sizeof to, (uint8_t[64]){ 0 },
		      size - sizeof to < 64 ? size - sizeof to : 64))
		return -EFAULT;
	return guest_put(context, address, &to,
			 size < sizeof to ? size : sizeof to);
}

/* A descriptor of a namespace that the process is in. */
static int64_t get_namespace(struct context *context, const struct file *file,
			     enum namespace_slot slot)
{
	struct process *process =
		process_find(context->process->system, file->process.pid);
	struct context *thread;

	if (!process || process->serial != file->process.serial)
		return -ESRCH;
	thread = context_find(context->process->system, process->pid);
	if (!thread)
		return -ESRCH;
	if (!ptrace_may_access(context->process, process))
		return -EPERM;
	return namespace_install(context, namespace_of(thread, slot),
				 namespace_slot_kind(slot), true);
}

int64_t pidfd_ioctl(struct context *context, const struct file *file,
		    uint32_t request, uint64_t address)
{
	/* _IO(0xff, 1) to (0xff, 10), in the order of their names. */
	static const enum namespace_slot slots[] = {
		SLOT_CGROUP, SLOT_IPC, SLOT_MOUNT, SLOT_NETWORK, SLOT_PID,
		SLOT_PID_CHILDREN, SLOT_TIME, SLOT_TIME_CHILDREN, SLOT_USER,
		SLOT_UTS,
	};
	const uint32_t number = request & 0xff;

	if ((request & 0xff00) != 0xff00)
		return -ENOTTY;
	/* _IOWR(0xff, 11, struct pidfd_info), which may have grown. */
	if (number == 11 && request >> 30 == 3)
		return get_information(context, file, address,
				       request >> 16 & 0x3fff);
	if (request >> 16 || number < 1 || number > ARRAY_SIZE(slots))
		return -ENOTTY;
	return address ? -EINVAL
		       : get_namespace(context, file, slots[number - 1]);
}

int64_t call_pidfd_open(struct context *context, const uint64_t *a)
{
	struct linux_system *system = context->process->system;
	struct process *process;

	if ((int)a[0] <= 0 || (a[1] & ~(uint64_t)O_NONBLOCK))
		return -EINVAL;
	process = process_find(system, (int)a[0]);
	if (!process)
		return context_find(system, (int)a[0]) ? -EINVAL : -ESRCH;
	return pidfd_make(context->process, process, a[1] & O_NONBLOCK);
}

int64_t call_pidfd_send_signal(struct context *context, const uint64_t *a)
{
	struct process *process;
	struct signal_information information = {
		.number = (int)a[1], .code = SI_USER,
		.pid = context->process->pid,
		.uid = (int)context->process->credentials.user[0],
	};
	int64_t result;

	if (a[3])
		return -EINVAL;
	result = pidfd_process(context, a[0], &process, NULL);
	if (result)
		return result;
	if ((int)a[1] < 0 || (int)a[1] > SIGNALS)
		return -EINVAL;
	if (a[2]) {
		uint8_t bytes[128];

		if (guest_get(context, a[2], bytes, sizeof bytes))
			return -EFAULT;
		signal_unpack(&information, context->abi32, bytes);
		if (information.number != (int)a[1])
			return -EINVAL;
		if (process != context->process && information.code >= 0)
			return -EPERM;
	}
	if (process->ended)
		return -ESRCH;
	if (!may_signal(context->process, process, (int)a[1]))
		return -EPERM;
	if (signal_queue_full(process, &information))
		return -EAGAIN;
	if ((int)a[1])
		signal_send_process(process, &information);
	return 0;
}

int64_t call_pidfd_getfd(struct context *context, const uint64_t *a)
{
	struct process *process;
	struct file *file;
	int64_t result;

	if (a[2])
		return -EINVAL;
	result = pidfd_process(context, a[0], &process, NULL);
	if (result)
		return result;
	if (!ptrace_may_access(context->process, process))
		return -EPERM;
	file = process->files ? file_get(process, (int)a[1]) : NULL;
	if (!process->files)
		return -ESRCH;
	return file ? file_install(context->process, file_hold(file), 0, true)
		    : -EBADF;
}
