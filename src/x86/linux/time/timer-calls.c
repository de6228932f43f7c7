/* System calls of timers that send signals: alarm, setitimer, and POSIX
 * timers. */
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"

/* ---- alarm, setitimer ---- */

static int64_t timer_left(const struct interval_timer *timer, int64_t now)
{
	return timer->expires ? (timer->expires > now ? timer->expires - now
						      : 1)
			      : 0;
}

int64_t call_alarm(struct context *context, const uint64_t *a)
{
	struct interval_timer *timer = &context->process->timers.real;
	int64_t now = clock_monotonic(context->process->system);
	int64_t left = timer_left(timer, now);

	timer->interval = 0;
	timer->expires = (uint32_t)a[0]
				 ? now + (int64_t)(uint32_t)a[0] * 1000000000
				 : 0;
	return (left + 999999999) / 1000000000;
}

static struct interval_timer *find_timer(struct context *context, int which,
					 int64_t *now)
{
	struct process *process = context->process;

	if (which == ITIMER_REAL) {
		*now = clock_monotonic(process->system);
		return &process->timers.real;
	}
	if (which != ITIMER_VIRTUAL && which != ITIMER_PROF)
		return NULL;
	*now = clock_process(process);
	process->timers.virtual.signal = which == ITIMER_VIRTUAL ? SIGVTALRM
								 : SIGPROF;
	return &process->timers.virtual;
}

static int put_itimer(struct context *context, uint64_t address,
		      const struct interval_timer *timer, int64_t now)
{
	int64_t values[2] = { timer->interval, timer_left(timer, now) };
	unsigned word = context->abi32 ? 4 : 8;

	for (unsigned i = 0; i < 2; i++)
		if (guest_put_word(context, address + 2 * i * word,
				   (uint64_t)(values[i] / 1000000000)) ||
		    guest_put_word(
			    context, address + (2 * i + 1) * word,
			    (uint64_t)(values[i] % 1000000000 / 1000)))
			return -EFAULT;
	return 0;
}

int64_t call_getitimer(struct context *context, const uint64_t *a)
{
	int64_t now;
	struct interval_timer *timer = find_timer(context, (int)a[0], &now);

	return timer ? put_itimer(context, a[1], timer, now) : -EINVAL;
}

int64_t call_setitimer(struct context *context, const uint64_t *a)
{
	int64_t now, values[2] = { 0 };
	struct interval_timer *timer = find_timer(context, (int)a[0], &now);
	unsigned word = context->abi32 ? 4 : 8;

	if (!timer)
		return -EINVAL;
	for (unsigned i = 0; a[1] && i < 2; i++) {
		uint64_t seconds, micro;

		if (guest_get_word(context, a[1] + 2 * i * word, &seconds) ||
		    guest_get_word(context, a[1] + (2 * i + 1) * word,
				   &micro))
			return -EFAULT;
		if (micro > 999999 || seconds > INT32_MAX)
			return -EINVAL;
		values[i] = (int64_t)(seconds * 1000000000 + micro * 1000);
	}
	if (a[2] && put_itimer(context, a[2], timer, now))
		return -EFAULT;
	timer->interval = values[0];
	timer->expires = values[1] ? now + values[1] : 0;
	return 0;
}

/* ---- POSIX timers ---- */

static struct interval_timer *posix_timer(struct context *context,
					  uint64_t id)
{
	struct process *process = context->process;

	if (id >= process->timers.count || !process->timers.list[id].used)
		return NULL;
	return process->timers.list + id;
}

/* The time in the first time namespace, which timers use. */
static int64_t clock_now(struct context *context, int clock)
{
	return clock_read(context, clock) - clock_offset(context, clock);
}

static bool notification_valid(struct context *context,
			       const struct interval_timer *timer)
{
	const struct context *thread;

	switch (timer->notify) {
	case SIGEV_NONE:
		return true;
	case SIGEV_THREAD_ID:
		thread = context_find(context->process->system, timer->thread);
		if (!thread || thread->process != context->process)
			return false;
		break;
	case SIGEV_SIGNAL:
	case SIGEV_THREAD: /* the C library starts the thread */
		break;
	default:
		return false;
	}
	return timer->signal >= 1 && timer->signal <= SIGNALS;
}

int64_t call_timer_create(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	struct interval_timer timer = {
		.used = true, .clock = (int)a[0], .signal = SIGALRM,
		.notify = SIGEV_SIGNAL,
	};
	unsigned word = context->abi32 ? 4 : 8;
	size_t id = 0;

	if (clock_missing(process->system, (int)a[0]))
		return -EOPNOTSUPP;
	if (clock_now(context, (int)a[0]) < 0)
		return -EINVAL;
	while (id < process->timers.count && process->timers.list[id].used)
		id++;
	timer.id = (int)id;
	timer.value = id;
	if (a[1]) {
		if (guest_get_word(context, a[1], &timer.value) ||
		    guest_get(context, a[1] + word, &timer.signal, 4) ||
		    guest_get(context, a[1] + word + 4, &timer.notify, 4) ||
		    guest_get(context, a[1] + word + 8, &timer.thread, 4))
			return -EFAULT;
		if (!notification_valid(context, &timer))
			return -EINVAL;
	}
	if (guest_put(context, a[2], &timer.id, 4))
		return -EFAULT;
	if (id == process->timers.count)
		process->timers.list =
			xrealloc(process->timers.list,
				 ++process->timers.count * sizeof timer);
	process->timers.list[id] = timer;
	return 0;
}

static int put_posix_timer(struct context *context, uint64_t address, bool wide,
			   const struct interval_timer *timer, int64_t now)
{
	unsigned size = context->abi32 && !wide ? 8 : 16;

	if (guest_put_time(context, address, wide, timer->interval) ||
	    guest_put_time(context, address + size, wide,
			   timer_left(timer, now)))
		return -EFAULT;
	return 0;
}

static int64_t set_posix_timer(struct context *context, const uint64_t *a,
			       bool wide)
{
	struct interval_timer *timer = posix_timer(context, a[0]);
	unsigned size = context->abi32 && !wide ? 8 : 16;
	int64_t interval, first, now, offset;
	int result;

	if (!timer || !a[2])
		return -EINVAL;
	result = guest_get_time(context, a[2], wide, &interval);
	if (!result)
		result = guest_get_time(context, a[2] + size, wide, &first);
	if (result)
		return result;
	now = clock_now(context, timer->clock);
	if (a[3] && put_posix_timer(context, a[3], wide, timer, now))
		return -EFAULT;
	timer->interval = interval;
	timer->overrun = 0;
	offset = clock_offset(context, timer->clock);
	/* 0 would mean a disarmed timer. */
	timer->expires = !first ? 0
			 : !(a[1] & TIMER_ABSTIME) ? now + first
			 : first > offset ? first - offset
					  : 1;
	return 0;
}

int64_t call_timer_settime(struct context *context, const uint64_t *a)
{
	return set_posix_timer(context, a, false);
}

int64_t call_timer_settime64(struct context *context, const uint64_t *a)
{
	return set_posix_timer(context, a, true);
}

int64_t call_timer_gettime(struct context *context, const uint64_t *a)
{
	struct interval_timer *timer = posix_timer(context, a[0]);

	return timer ? put_posix_timer(context, a[1], false, timer,
				       clock_now(context, timer->clock))
		     : -EINVAL;
}

int64_t call_timer_gettime64(struct context *context, const uint64_t *a)
{
	struct interval_timer *timer = posix_timer(context, a[0]);

	return timer ? put_posix_timer(context, a[1], true, timer,
				       clock_now(context, timer->clock))
		     : -EINVAL;
}

int64_t call_timer_getoverrun(struct context *context, const uint64_t *a)
{
	struct interval_timer *timer = posix_timer(context, a[0]);

	return timer ? timer->overrun : -EINVAL;
}

int64_t call_timer_delete(struct context *context, const uint64_t *a)
{
	struct interval_timer *timer = posix_timer(context, a[0]);

	if (!timer)
		return -EINVAL;
	timer->used = false;
	timer->expires = 0;
	return 0;
}
