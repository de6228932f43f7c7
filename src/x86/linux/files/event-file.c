/* eventfd, by that of the host. */
#include <errno.h>
#include <sys/eventfd.h>

#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/state.h"

static int64_t make_eventfd(struct context *context, unsigned value,
			    uint64_t flags)
{
	struct file *file;
	int host;

	if (flags & ~(uint64_t)(EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE))
		return -EINVAL;
	host = eventfd(value, EFD_CLOEXEC | EFD_NONBLOCK |
				      (int)(flags & EFD_SEMAPHORE));
	if (host < 0)
		return -errno;
	file = file_create(host, FILE_HOST);
	file->host_nonblock = true;
	file->nonblock = flags & EFD_NONBLOCK;
	file->semaphore = flags & EFD_SEMAPHORE;
	file->is_event = true;
	return file_install(context->process, file, 0, flags & EFD_CLOEXEC);
}

int64_t call_eventfd(struct context *context, const uint64_t *a)
{
	return make_eventfd(context, (unsigned)a[0], 0);
}

int64_t call_eventfd2(struct context *context, const uint64_t *a)
{
	return make_eventfd(context, (unsigned)a[0], a[1]);
}
