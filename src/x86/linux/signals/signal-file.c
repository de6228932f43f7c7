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
#include "x86/linux/signals/pending.h"
#include "x86/linux/state.h"

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
