/* poll() and its kind. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/poll/deadline.h"
#include "x86/linux/signals/mask.h"
#include "x86/linux/state.h"
#include "x86/linux/wait.h"

enum { DESCRIPTORS_MAX = 65536 };

static int64_t do_poll(struct context *context, uint64_t address,
		       uint64_t count)
{
	size_t size = count * sizeof(struct pollfd);
	struct pollfd *guest, *host;
	int64_t ready = 0;
	bool immediate = false;

	if (count > DESCRIPTORS_MAX)
		return -EINVAL;
	guest = xmalloc(2 * size + 1);
	host = guest + count;
	if (guest_get(context, address, guest, size)) {
		free(guest);
		return -EFAULT;
	}
	for (uint64_t i = 0; i < count; i++) {
		struct file *file = guest[i].fd < 0
					    ? NULL
					    : file_get(context->process,
						       guest[i].fd);

		host[i] = guest[i];
		host[i].fd = file ? file->host : -1;
		if (guest[i].fd >= 0 && !file)
			immediate = true;
	}
	poll(host, count, 0);
	for (uint64_t i = 0; i < count; i++) {
		guest[i].revents = guest[i].fd >= 0 && host[i].fd < 0
					   ? POLLNVAL
					   : host[i].revents;
		if (guest[i].revents)
			ready++;
	}
	if (!ready && !immediate && !poll_expired(context)) {
		context->wait.file_count = 0;
		for (uint64_t i = 0; i < count; i++)
			if (host[i].fd >= 0)
				wait_add_host(context, host[i].fd,
					      host[i].events);
		free(guest);
		return wait_for(context,
				context->wait.file_count ? WAIT_FILES
							 : WAIT_TIME,
				"descriptors (poll)");
	}
	if (guest_put(context, address, guest, size))
		ready = -EFAULT;
	free(guest);
	return ready;
}

int64_t call_poll(struct context *context, const uint64_t *a)
{
	poll_set_deadline(context, poll_milliseconds(a[2]));
	return do_poll(context, a[0], (uint32_t)a[1]);
}

static int64_t poll_masked(struct context *context, const uint64_t *a,
			   bool wide)
{
	int64_t time = -1, result = 0;

	if (a[2] && !context->call.resumed)
		result = guest_get_time(context, a[2], wide, &time);
	if (!result)
		result = mask_enter(context, a[3], a[4]);
	if (result)
		return result;
	poll_set_deadline(context, time);
	result = mask_leave(context,
			    do_poll(context, a[0], (uint32_t)a[1]));
	/* Linux tells how much of the time was left. */
	if (poll_time_is_told(context, result) && a[2])
		guest_put_time(context, a[2], wide, poll_time_left(context));
	return result;
}

int64_t call_ppoll(struct context *context, const uint64_t *a)
{
	return poll_masked(context, a, false);
}

int64_t call_ppoll_time64(struct context *context, const uint64_t *a)
{
	return poll_masked(context, a, true);
}
