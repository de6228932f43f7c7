/* Descriptors of processes: an eventfd that becomes readable at the end. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/processes/pidfd.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/signals/information.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"

int64_t pidfd_make(struct process *process, struct process *of, bool nonblock)
{
	struct linux_system *system = process->system;
	int host = eventfd(of->ended, EFD_CLOEXEC | EFD_NONBLOCK);
	struct file *file;

	if (host < 0)
		return -errno;
	file = file_create(host, FILE_PROCESS);
	file->system = system;
	file->pid = of->pid;
	file->nonblock = nonblock;
	file->host_nonblock = true;
	ARRAY_GROW(system->pid_files.list, system->pid_files.count,
		   system->pid_files.capacity);
	system->pid_files.list[system->pid_files.count++] = file;
	return file_install(process, file, 0, true);
}

void pidfd_forget(struct file *file)
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

void pidfd_ended(const struct process *process)
{
	const struct linux_system *system = process->system;
	const uint64_t one = 1;

	for (size_t i = 0; i < system->pid_files.count; i++)
		if (system->pid_files.list[i]->pid == process->pid &&
		    write(system->pid_files.list[i]->host, &one, sizeof one) <
			    0)
			continue; /* it is readable already */
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
		pid = file->pid;
	else if (file->kind != FILE_LIST ||
		 sscanf(file->made, "/proc/%d%n", &pid, &end) != 1 ||
		 file->made[end])
		return -EBADF;
	*process = process_find(context->process->system, pid);
	if (nonblock)
		*nonblock = file->nonblock;
	return *process ? 0 : -ESRCH;
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
