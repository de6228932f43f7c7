/* Expiring timers: of processes, of timer descriptors, and RLIMIT_CPU. */
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "x86/linux/processes/find.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/time/timers.h"

/* Time on the clock of a timer of a process. */
static int64_t process_timer_now(const struct process *process, int clock)
{
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_ALARM:
		return clock_realtime(process->system);
	case CLOCK_TAI:
		return clock_realtime(process->system) + TAI_OFFSET;
	case CLOCK_PROCESS_CPUTIME_ID:
	case CLOCK_THREAD_CPUTIME_ID:
		return clock_process(process);
	default:
		return clock_monotonic(process->system);
	}
}

/* Moves a timer past `now`. Returns the number of expirations. */
static uint64_t advance_timer(int64_t *expires, int64_t interval, int64_t now)
{
	uint64_t count;

	if (!*expires || *expires > now)
		return 0;
	if (interval <= 0) {
		*expires = 0;
		return 1;
	}
	count = (uint64_t)(now - *expires) / (uint64_t)interval + 1;
	*expires += (int64_t)count * interval;
	return count;
}

static void poll_posix_timer(struct process *process,
			     struct interval_timer *timer)
{
	uint64_t count;
	struct context *thread;
	struct signal_information information = {
		.number = timer->signal, .code = SI_TIMER,
		.timer = timer->id, .value = timer->value,
	};

	if (!timer->used || !timer->expires)
		return;
	count = advance_timer(&timer->expires, timer->interval,
			      process_timer_now(process, timer->clock));
	if (!count)
		return;
	timer->overrun = count > INT_MAX ? INT_MAX : (int)(count - 1);
	information.overrun = timer->overrun;
	if (timer->notify == SIGEV_NONE)
		return;
	thread = timer->notify == SIGEV_THREAD_ID
			 ? context_find(process->system, timer->thread)
			 : NULL;
	if (thread)
		signal_send_context(thread, &information);
	else
		signal_send_process(process, &information);
}

/* RLIMIT_CPU: sends a signal for each second beyond the soft limit, which moves
 * with them. Ends the process at the hard limit. */
static void check_processor_time(struct process *process)
{
	uint64_t *limit = process->limit[RLIMIT_CPU];
	const uint64_t used = (uint64_t)clock_process(process) / 1000000000;

	if (used < limit[0])
		return;
	if (used >= limit[1]) {
		signal_send_process(process, &(struct signal_information){
						     .number = SIGKILL,
						     .code = SI_KERNEL,
					     });
		return;
	}
	signal_send_process(process, &(struct signal_information){
					     .number = SIGXCPU,
					     .code = SI_KERNEL,
				     });
	limit[0]++;
}

void timers_poll(struct linux_system *system)
{
	for (struct process *process = system->processes; process;
	     process = process->next) {
		struct interval_timer *real = &process->timers.real;
		struct interval_timer *virtual = &process->timers.virtual;

		if (process->ended)
			continue;
		if (real->expires &&
		    advance_timer(&real->expires, real->interval,
				  clock_monotonic(system)))
			signal_send_process(process,
					    &(struct signal_information){
						    .number = SIGALRM,
						    .code = SI_KERNEL,
					    });
		if (virtual->expires &&
		    advance_timer(&virtual->expires, virtual->interval,
				  clock_process(process)))
			signal_send_process(process,
					    &(struct signal_information){
						    .number = virtual->signal,
						    .code = SI_KERNEL,
					    });
		for (size_t i = 0; i < process->timers.count; i++)
			poll_posix_timer(process, process->timers.list + i);
		if (process->limit[RLIMIT_CPU][0] != UINT64_MAX)
			check_processor_time(process);
	}
	for (size_t i = 0; i < system->timer_files.count; i++) {
		struct file *file = system->timer_files.list[i];
		int64_t now = file->timer.clock == CLOCK_REALTIME
				      ? clock_realtime(system)
				      : clock_monotonic(system);
		uint64_t count = advance_timer(&file->timer.expires,
					       file->timer.interval, now);

		if (count && write(file->host, &count, sizeof count) < 0)
			continue; /* the counter is full */
	}
}

/* Expiration as a time on the monotonic clock. */
static int64_t on_monotonic(struct linux_system *system, int clock,
			    int64_t expires)
{
	if (clock == CLOCK_TAI)
		expires -= TAI_OFFSET;
	if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_ALARM ||
	    clock == CLOCK_TAI)
		return expires - clock_realtime(system) +
		       clock_monotonic(system);
	return expires;
}

int64_t timers_next(struct linux_system *system)
{
	int64_t first = INT64_MAX, at;

	for (const struct process *process = system->processes; process;
	     process = process->next) {
		if (process->ended)
			continue;
		at = process->timers.real.expires;
		if (at && at < first)
			first = at;
		for (size_t i = 0; i < process->timers.count; i++) {
			const struct interval_timer *timer =
				process->timers.list + i;

			/* Processor time stands still while all threads
			 * wait. */
			if (!timer->used || !timer->expires ||
			    timer->clock == CLOCK_PROCESS_CPUTIME_ID ||
			    timer->clock == CLOCK_THREAD_CPUTIME_ID)
				continue;
			at = on_monotonic(system, timer->clock,
					  timer->expires);
			if (at < first)
				first = at;
		}
	}
	for (size_t i = 0; i < system->timer_files.count; i++) {
		const struct file *file = system->timer_files.list[i];

		if (!file->timer.expires)
			continue;
		at = on_monotonic(system, file->timer.clock,
				  file->timer.expires);
		if (at < first)
			first = at;
	}
	return first;
}
