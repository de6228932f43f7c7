/* timerfd: an eventfd that timers_poll() writes. */
#include <errno.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/time/timer-file.h"

static void timer_file_forget(struct file *file)
{
	struct linux_system *system = file->system;

	for (size_t i = 0; i < system->timer_files.count; i++)
		if (system->timer_files.list[i] == file) {
			system->timer_files.list[i] =
				system->timer_files
					.list[--system->timer_files.count];
			return;
		}
}

void timer_file_watch(struct linux_system *system, struct file *file)
{
	static const struct file_events events = {
		.released = timer_file_forget,
	};

	file->events = &events;
	file->system = system;
	ARRAY_GROW(system->timer_files.list, system->timer_files.count,
		   system->timer_files.capacity);
	system->timer_files.list[system->timer_files.count++] = file;
}

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
	file->timer.clock = clock;
	file->host_nonblock = true;
	file->nonblock = a[1] & TFD_NONBLOCK;
	timer_file_watch(system, file);
	return file_install(context->process, file, 0, a[1] & TFD_CLOEXEC);
}

static struct file *timer_file(struct context *context, uint64_t descriptor,
			       int *error)
{
	struct file *file = file_get(context->process, (int)descriptor);

	*error = !file ? -EBADF : file->kind != FILE_TIMER ? -EINVAL : 0;
	return *error ? NULL : file;
}

static int64_t timer_file_now(const struct file *file)
{
	return file->timer.clock == CLOCK_REALTIME
		       ? clock_realtime(file->system)
		       : clock_monotonic(file->system);
}

static int put_timer_file(struct context *context, uint64_t address, bool wide,
			  const struct file *file)
{
	unsigned size = context->abi32 && !wide ? 8 : 16;
	int64_t left = file->timer.expires
			       ? file->timer.expires - timer_file_now(file)
			       : 0;

	if (file->timer.expires && left <= 0)
		left = 1;
	return guest_put_time(context, address, wide, file->timer.interval) ||
			       guest_put_time(context, address + size, wide,
					      left)
		       ? -EFAULT
		       : 0;
}

static int64_t set_timer_file(struct context *context, const uint64_t *a,
			      bool wide)
{
	unsigned size = context->abi32 && !wide ? 8 : 16;
	int64_t interval, first, offset;
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
	if (a[3] && put_timer_file(context, a[3], wide, file))
		return -EFAULT;
	/* Expirations not yet read are forgotten. */
	if (read(file->host, &count, sizeof count) < 0 && errno != EAGAIN)
		return -errno;
	file->timer.interval = interval;
	offset = clock_offset(context, file->timer.clock);
	/* 0 would mean a disarmed timer. */
	file->timer.expires = !first ? 0
			: !(a[1] & TFD_TIMER_ABSTIME)
				? timer_file_now(file) + first
			: first > offset ? first - offset
					 : 1;
	return 0;
}

int64_t call_timerfd_settime(struct context *context, const uint64_t *a)
{
	return set_timer_file(context, a, false);
}

int64_t call_timerfd_settime64(struct context *context, const uint64_t *a)
{
	return set_timer_file(context, a, true);
}

int64_t call_timerfd_gettime(struct context *context, const uint64_t *a)
{
	int error;
	struct file *file = timer_file(context, a[0], &error);

	return file ? put_timer_file(context, a[1], false, file) : error;
}

int64_t call_timerfd_gettime64(struct context *context, const uint64_t *a)
{
	int error;
	struct file *file = timer_file(context, a[0], &error);

	return file ? put_timer_file(context, a[1], true, file) : error;
}
