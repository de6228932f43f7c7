/* epoll: the host's, with guest data passed through. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/poll/deadline.h"
#include "x86/linux/signals/mask.h"
#include "x86/linux/state.h"
#include "x86/linux/wait.h"

int64_t call_epoll_create1(struct context *context, const uint64_t *a)
{
	if (a[0] & ~(uint64_t)EPOLL_CLOEXEC)
		return -EINVAL;
	return file_install_host(context->process,
				 epoll_create1(EPOLL_CLOEXEC),
				 a[0] & EPOLL_CLOEXEC, false);
}

int64_t call_epoll_create(struct context *context, const uint64_t *a)
{
	if ((int)a[0] <= 0)
		return -EINVAL;
	return call_epoll_create1(context, (uint64_t[]){ 0 });
}

int64_t call_epoll_ctl(struct context *context, const uint64_t *a)
{
	struct file *epoll = file_get(context->process, (int)a[0]);
	struct file *file = file_get(context->process, (int)a[2]);
	struct epoll_event event = { 0 };

	if (!epoll || !file)
		return -EBADF;
	if ((int)a[1] != EPOLL_CTL_DEL &&
	    guest_get(context, a[3], &event, sizeof event))
		return -EFAULT;
	return epoll_ctl(epoll->host, (int)a[1], file->host, &event) ? -errno
								     : 0;
}

static int compare_events(const void *a, const void *b)
{
	const struct epoll_event *first = a, *second = b;

	return (first->data.u64 > second->data.u64) -
	       (first->data.u64 < second->data.u64);
}

static int64_t do_epoll(struct context *context, const uint64_t *a)
{
	struct file *epoll = file_get(context->process, (int)a[0]);
	int most = (int)a[2], ready;
	struct epoll_event *events;

	if (!epoll)
		return -EBADF;
	if (most <= 0)
		return -EINVAL;
	if (most > 4096)
		most = 4096;
	events = xmalloc((size_t)most * sizeof *events);
	ready = epoll_wait(epoll->host, events, most, 0);
	if (ready < 0) {
		ready = -errno;
	} else if (!ready && !poll_expired(context)) {
		free(events);
		return wait_file(context, epoll, POLLIN);
	}
	/* The host's order depends on what happened before, which does not
	 * outlive a checkpoint. When there may be more, each gets its turn: what
	 * has been told goes to the end. */
	if (ready > 1 && ready < most)
		qsort(events, (size_t)ready, sizeof *events, compare_events);
	if (ready >= 0 &&
	    guest_put(context, a[1], events,
			     (size_t)ready * sizeof *events)) {
		ready = -EFAULT;
	}
	free(events);
	return ready;
}

int64_t call_epoll_wait(struct context *context, const uint64_t *a)
{
	poll_set_deadline(context, poll_milliseconds(a[3]));
	return do_epoll(context, a);
}

int64_t call_epoll_pwait(struct context *context, const uint64_t *a)
{
	int64_t result = mask_enter(context, a[4], a[5]);

	if (result)
		return result;
	return mask_leave(context, call_epoll_wait(context, a));
}

int64_t call_epoll_pwait2(struct context *context, const uint64_t *a)
{
	int64_t time = -1, result = 0;

	if (a[3] && !context->call.resumed)
		result = guest_get_time(context, a[3], true, &time);
	if (!result)
		result = mask_enter(context, a[4], a[5]);
	if (result)
		return result;
	poll_set_deadline(context, time);
	return mask_leave(context, do_epoll(context, a));
}
