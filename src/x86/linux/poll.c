/* Waiting for descriptors: poll, select, epoll; and the descriptors that are
 * only waited for: eventfd, timerfd, signalfd. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/personality.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/process.h"

enum { DESCRIPTORS_MAX = 65536 };

/* ---- Signal masks for the duration of a call ---- */

int64_t mask_enter(struct context *context, uint64_t address, uint64_t size)
{
	uint64_t set;

	if (!address || context->resumed)
		return 0;
	if (size != sizeof set)
		return -EINVAL;
	if (guest_get(context, address, &set, sizeof set))
		return -EFAULT;
	context->saved_mask = context->mask;
	context->restore_mask = true;
	context->mask = set & ~NEVER_BLOCKED;
	return 0;
}

int64_t mask_leave(struct context *context, int64_t result)
{
	/* When a signal ends the call, its frame restores the mask. */
	if (result != CALL_BLOCKS && result != -EINTR &&
	    context->restore_mask) {
		context->mask = context->saved_mask;
		context->restore_mask = false;
	}
	return result;
}

/* Sets the deadline on the first attempt; ns < 0: none. */
static void set_deadline(struct context *context, int64_t nanoseconds)
{
	if (!context->resumed && !context->restarted)
		context->wait.deadline =
			nanoseconds < 0
				? INT64_MAX
				: clock_monotonic(context->process->system) +
					  nanoseconds;
}

/* A time-out argument, which is an int: in ns, negative for none. */
static int64_t milliseconds(uint64_t argument)
{
	return (int64_t)(int)argument * 1000000;
}

static bool expired(const struct context *context)
{
	return context->wait.deadline <=
	       clock_monotonic(context->process->system);
}

/* Whether the caller learns how much of its timeout is left: at the end, and
 * for the call to be made again. */
static bool time_is_told(const struct context *context, int64_t result)
{
	return (result >= 0 ||
		(result == CALL_BLOCKS && context->interrupted)) &&
	       context->wait.deadline != INT64_MAX &&
	       !(context->process->personality & STICKY_TIMEOUTS);
}

/* ---- poll ---- */

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
	if (!ready && !immediate && !expired(context)) {
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
	set_deadline(context, milliseconds(a[2]));
	return do_poll(context, a[0], (uint32_t)a[1]);
}

static int64_t poll_masked(struct context *context, const uint64_t *a,
			   bool wide)
{
	int64_t time = -1, result = 0;

	if (a[2] && !context->resumed)
		result = guest_get_time(context, a[2], wide, &time);
	if (!result)
		result = mask_enter(context, a[3], a[4]);
	if (result)
		return result;
	set_deadline(context, time);
	result = mask_leave(context,
			    do_poll(context, a[0], (uint32_t)a[1]));
	/* Linux tells how much of the time was left. */
	if (time_is_told(context, result) && a[2]) {
		int64_t left = context->wait.deadline -
			       clock_monotonic(context->process->system);

		guest_put_time(context, a[2], wide, left > 0 ? left : 0);
	}
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

/* ---- select ---- */

enum { SET_BYTES = 1024 / 8 };

/* What makes a descriptor ready for each of the three sets. */
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
	if (!ready && !expired(context)) {
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

static int64_t left_of(const struct context *context)
{
	int64_t left = context->wait.deadline -
		       clock_monotonic(context->process->system);

	return left > 0 ? left : 0;
}

int64_t call_select(struct context *context, const uint64_t *a)
{
	unsigned word = context->abi32 ? 4 : 8;
	int64_t time = -1, result;

	if (a[4] && !context->resumed) {
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
	set_deadline(context, time);
	result = do_select(context, (int)a[0], a + 1);
	if (time_is_told(context, result) && a[4]) {
		uint64_t left = (uint64_t)left_of(context);

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

	if (a[4] && !context->resumed)
		result = guest_get_time(context, a[4], wide, &time);
	if (!result && a[5] &&
	    (guest_get_word(context, a[5], &mask) ||
	     guest_get_word(context, a[5] + word, &size)))
		result = -EFAULT;
	if (!result)
		result = mask_enter(context, mask, size);
	if (result)
		return result;
	set_deadline(context, time);
	result = mask_leave(context, do_select(context, (int)a[0], a + 1));
	if (time_is_told(context, result) && a[4])
		guest_put_time(context, a[4], wide, left_of(context));
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

/* ---- epoll: the host's, with guest data passed through ---- */

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
	} else if (!ready && !expired(context)) {
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
	set_deadline(context, milliseconds(a[3]));
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

	if (a[3] && !context->resumed)
		result = guest_get_time(context, a[3], true, &time);
	if (!result)
		result = mask_enter(context, a[4], a[5]);
	if (result)
		return result;
	set_deadline(context, time);
	return mask_leave(context, do_epoll(context, a));
}

/* ---- eventfd ---- */

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

/* ---- timerfd: an eventfd that signal_poll_timers() writes ---- */

int64_t call_timerfd_create(struct context *context, const uint64_t *a)
{
	struct linux_system *system = context->process->system;
	int clock = (int)a[0], host;
	struct file *file;

	if ((clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC &&
	     clock != CLOCK_BOOTTIME) ||
	    (a[1] & ~(uint64_t)(TFD_CLOEXEC | TFD_NONBLOCK)))
		return -EINVAL;
	host = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (host < 0)
		return -errno;
	file = file_create(host, FILE_TIMER);
	file->system = system;
	file->clock = clock;
	file->host_nonblock = true;
	file->nonblock = a[1] & TFD_NONBLOCK;
	ARRAY_GROW(system->timer_files, system->timer_file_count,
		   system->timer_file_capacity);
	system->timer_files[system->timer_file_count++] = file;
	return file_install(context->process, file, 0, a[1] & TFD_CLOEXEC);
}

void timer_file_forget(struct file *file)
{
	struct linux_system *system = file->system;

	for (size_t i = 0; i < system->timer_file_count; i++)
		if (system->timer_files[i] == file) {
			system->timer_files[i] =
				system->timer_files
					[--system->timer_file_count];
			return;
		}
}

static struct file *timer_file(struct context *context, uint64_t descriptor,
			       int *error)
{
	struct file *file = file_get(context->process, (int)descriptor);

	*error = !file ? -EBADF : file->kind != FILE_TIMER ? -EINVAL : 0;
	return *error ? NULL : file;
}

static int64_t timer_now(const struct file *file)
{
	return file->clock == CLOCK_REALTIME ? clock_realtime(file->system)
					     : clock_monotonic(file->system);
}

static int put_timer(struct context *context, uint64_t address, bool wide,
		     const struct file *file)
{
	unsigned size = context->abi32 && !wide ? 8 : 16;
	int64_t left = file->expires ? file->expires - timer_now(file) : 0;

	if (file->expires && left <= 0)
		left = 1;
	return guest_put_time(context, address, wide, file->interval) ||
			       guest_put_time(context, address + size, wide,
					      left)
		       ? -EFAULT
		       : 0;
}

static int64_t set_timer(struct context *context, const uint64_t *a, bool wide)
{
	unsigned size = context->abi32 && !wide ? 8 : 16;
	int64_t interval, first;
	uint64_t count;
	int result;
	struct file *file = timer_file(context, a[0], &result);

	if (a[1] & ~(uint64_t)(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET))
		return -EINVAL;
	if (!file)
		return result;
	result = guest_get_time(context, a[2], wide, &interval);
	if (!result)
		result = guest_get_time(context, a[2] + size, wide, &first);
	if (result)
		return result;
	if (a[3] && put_timer(context, a[3], wide, file))
		return -EFAULT;
	/* Expirations not yet read are forgotten. */
	if (read(file->host, &count, sizeof count) < 0 && errno != EAGAIN)
		return -errno;
	file->interval = interval;
	file->expires = !first ? 0
			: (a[1] & TFD_TIMER_ABSTIME)
				? first
				: timer_now(file) + first;
	return 0;
}

int64_t call_timerfd_settime(struct context *context, const uint64_t *a)
{
	return set_timer(context, a, false);
}

int64_t call_timerfd_settime64(struct context *context, const uint64_t *a)
{
	return set_timer(context, a, true);
}

int64_t call_timerfd_gettime(struct context *context, const uint64_t *a)
{
	int error;
	struct file *file = timer_file(context, a[0], &error);

	return file ? put_timer(context, a[1], false, file) : error;
}

int64_t call_timerfd_gettime64(struct context *context, const uint64_t *a)
{
	int error;
	struct file *file = timer_file(context, a[0], &error);

	return file ? put_timer(context, a[1], true, file) : error;
}

/* ---- signalfd ---- */

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
		file->mask = set;
		signal_update_descriptors(context->process);
		return (int)a[0];
	}
	host = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (host < 0)
		return -errno;
	file = file_create(host, FILE_SIGNAL);
	file->mask = set;
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
