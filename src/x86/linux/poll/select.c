/* select() and its kind. */
#include <errno.h>
#include <poll.h>

#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/poll/deadline.h"
#include "x86/linux/signals/mask.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/wait.h"

enum { SET_BYTES = 1024 / 8 };

/* Events that make a descriptor ready for each of the three sets. */
static const short set_events[3] = {
	POLLIN | POLLRDNORM | POLLRDBAND | POLLHUP | POLLERR,
	POLLOUT | POLLWRNORM | POLLWRBAND | POLLERR, POLLPRI
};

static int64_t do_select(struct context *context, int count,
			 const uint64_t *addresses)
{
	uint8_t sets[3][SET_BYTES] = { 0 }, result[3][SET_BYTES] = { 0 };
	unsigned word = context->abi32 ? 4 : 8;
	size_t size;
	struct pollfd list[SET_BYTES * 8];
	int64_t ready = 0;
	int used = 0;

	if (count < 0)
		return -EINVAL;
	if (count > SET_BYTES * 8)
		count = SET_BYTES * 8;
	size = (size_t)(count + 7) / 8;
	size = (size + word - 1) / word * word;
	for (int s = 0; s < 3; s++)
		if (addresses[s] &&
		    guest_get(context, addresses[s], sets[s], size))
			return -EFAULT;
	for (int i = 0; i < count; i++) {
		struct file *file;
		short events = 0;

		for (int s = 0; s < 3; s++)
			if (sets[s][i / 8] >> (i % 8) & 1)
				events |= set_events[s];
		if (!events)
			continue;
		file = file_get(context->process, i);
		if (!file)
			return -EBADF;
		list[used++] = (struct pollfd){
			.fd = file->host,
			.events = events & ~(POLLHUP | POLLERR),
		};
	}
	poll(list, (nfds_t)used, 0);
	for (int i = 0, at = 0; i < count; i++) {
		uint8_t bit = (uint8_t)(1 << i % 8);

		if (!((sets[0][i / 8] | sets[1][i / 8] | sets[2][i / 8]) &
		      bit))
			continue;
		for (int s = 0; s < 3; s++)
			if ((sets[s][i / 8] & bit) &&
			    (list[at].revents & set_events[s])) {
				result[s][i / 8] |= bit;
				ready++;
			}
		at++;
	}
	if (!ready && !poll_expired(context)) {
		context->wait.file_count = 0;
		for (int i = 0; i < used; i++)
			wait_add_host(context, list[i].fd, list[i].events);
		return wait_for(context, used ? WAIT_FILES : WAIT_TIME,
				"descriptors (select)");
	}
	for (int s = 0; s < 3; s++)
		if (addresses[s] &&
		    guest_put(context, addresses[s], result[s], size))
			return -EFAULT;
	return ready;
}

int64_t call_select(struct context *context, const uint64_t *a)
{
	unsigned word = context->abi32 ? 4 : 8;
	int64_t time = -1, result;

	if (a[4] && !context->call.resumed) {
		uint64_t seconds, micro;

		if (guest_get_word(context, a[4], &seconds) ||
		    guest_get_word(context, a[4] + word, &micro))
			return -EFAULT;
		if (context->abi32) {
			seconds = (uint64_t)(int32_t)seconds;
			micro = (uint64_t)(int32_t)micro;
		}
		/* Linux allows more than a second of microseconds. */
		seconds += micro / 1000000;
		if ((int64_t)seconds < 0 || (int64_t)micro < 0)
			return -EINVAL;
		if (seconds > TIME_END / 1000000000)
			seconds = TIME_END / 1000000000;
		time = (int64_t)(seconds * 1000000000 +
				 micro % 1000000 * 1000);
	}
	poll_set_deadline(context, time);
	result = do_select(context, (int)a[0], a + 1);
	if (poll_time_is_told(context, result) && a[4]) {
		uint64_t left = (uint64_t)poll_time_left(context);

		guest_put_word(context, a[4], left / 1000000000);
		guest_put_word(context, a[4] + word,
			       left % 1000000000 / 1000);
	}
	return result;
}

int64_t call_old_select(struct context *context, const uint64_t *a)
{
	uint32_t words[5];

	if (guest_get(context, a[0], words, sizeof words))
		return -EFAULT;
	return call_select(context, (uint64_t[]){ words[0], words[1],
						  words[2], words[3],
						  words[4] });
}

static int64_t select_masked(struct context *context, const uint64_t *a,
			     bool wide)
{
	unsigned word = context->abi32 ? 4 : 8;
	int64_t time = -1, result = 0;
	uint64_t mask = 0, size = 0;

	if (a[4] && !context->call.resumed)
		result = guest_get_time(context, a[4], wide, &time);
	if (!result && a[5] &&
	    (guest_get_word(context, a[5], &mask) ||
	     guest_get_word(context, a[5] + word, &size)))
		result = -EFAULT;
	if (!result)
		result = mask_enter(context, mask, size);
	if (result)
		return result;
	poll_set_deadline(context, time);
	result = mask_leave(context, do_select(context, (int)a[0], a + 1));
	if (poll_time_is_told(context, result) && a[4])
		guest_put_time(context, a[4], wide, poll_time_left(context));
	return result;
}

int64_t call_pselect6(struct context *context, const uint64_t *a)
{
	return select_masked(context, a, false);
}

int64_t call_pselect6_time64(struct context *context, const uint64_t *a)
{
	return select_masked(context, a, true);
}
