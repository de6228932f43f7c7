/* signalfd: an eventfd that is readable while one of its signals waits. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/signals/kind.h"
#include "x86/linux/signals/queue.h"
#include "x86/linux/signals/signal-file.h"
#include "x86/linux/state.h"

void signal_update_descriptors(struct process *process)
{
	if (!process->files)
		return;
	for (int i = 0; i < process->files->count; i++) {
		struct file *file = process->files->list[i].file;
		uint64_t set, value = 1;
		bool ready;

		if (!file || file->kind != FILE_SIGNAL)
			continue;
		set = signal_queue_set(&process->signals.pending);
		for (const struct context *context =
			     process->system->contexts;
		     context; context = context->next)
			if (context->process == process && !context->ended)
				set |= signal_queue_set(
					&context->signals.pending);
		ready = set & file->signals.mask;
		if (ready == file->signals.armed)
			continue;
		file->signals.armed = ready;
		if ((ready ? write(file->host, &value, sizeof value)
			   : read(file->host, &value, sizeof value)) < 0)
			continue; /* never full, never empty here */
	}
}

int64_t call_signalfd4(struct context *context, const uint64_t *a)
{
	struct file *file;
	uint64_t set;
	int64_t result;
	int host;

	if (a[2] != sizeof set ||
	    (a[3] & ~(uint64_t)(O_CLOEXEC | O_NONBLOCK)))
		return -EINVAL;
	if (guest_get(context, a[1], &set, sizeof set))
		return -EFAULT;
	set &= ~NEVER_BLOCKED;
	if ((int)a[0] != -1) {
		file = file_get(context->process, (int)a[0]);
		if (!file)
			return -EBADF;
		if (file->kind != FILE_SIGNAL)
			return -EINVAL;
		file->signals.mask = set;
		signal_update_descriptors(context->process);
		return (int)a[0];
	}
	host = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (host < 0)
		return -errno;
	file = file_create(host, FILE_SIGNAL);
	file->signals.mask = set;
	file->host_nonblock = true;
	file->nonblock = a[3] & O_NONBLOCK;
	result = file_install(context->process, file, 0, a[3] & O_CLOEXEC);
	signal_update_descriptors(context->process);
	return result;
}

int64_t call_signalfd(struct context *context, const uint64_t *a)
{
	return call_signalfd4(context, (uint64_t[]){ a[0], a[1], a[2], 0 });
}
