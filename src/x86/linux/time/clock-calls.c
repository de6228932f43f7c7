/* Calls that read clocks, or sleep by them. */
#include <errno.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>

#include "x86/linux/calls.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/signals/restart.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/wait.h"

enum { SECOND = 1000000000 };

int64_t call_time(struct context *context, const uint64_t *a)
{
	int64_t seconds = clock_realtime(context->process->system) / SECOND;

	if (a[0] && guest_put_word(context, a[0], (uint64_t)seconds))
		return -EFAULT;
	return seconds;
}

int64_t call_gettimeofday(struct context *context, const uint64_t *a)
{
	int64_t now = clock_realtime(context->process->system);
	unsigned word = context->abi32 ? 4 : 8;
	static const int32_t zone[2];

	if (a[0] &&
	    (guest_put_word(context, a[0], (uint64_t)(now / SECOND)) ||
	     guest_put_word(context, a[0] + word,
			    (uint64_t)(now % SECOND / 1000))))
		return -EFAULT;
	if (a[1] && guest_put(context, a[1], zone, sizeof zone))
		return -EFAULT;
	return 0;
}

static int64_t get_time(struct context *context, const uint64_t *a, bool wide)
{
	int64_t now = clock_read(context, (int)a[0]);

	if (now < 0)
		return -EINVAL;
	return guest_put_time(context, a[1], wide, now);
}

int64_t call_clock_gettime(struct context *context, const uint64_t *a)
{
	return get_time(context, a, false);
}

int64_t call_clock_gettime64(struct context *context, const uint64_t *a)
{
	return get_time(context, a, true);
}

static int64_t get_resolution(struct context *context, const uint64_t *a,
			      bool wide)
{
	if (clock_read(context, (int)a[0]) < 0)
		return -EINVAL;
	return a[1] ? guest_put_time(context, a[1], wide, 1) : 0;
}

int64_t call_clock_getres(struct context *context, const uint64_t *a)
{
	return get_resolution(context, a, false);
}

int64_t call_clock_getres_time64(struct context *context, const uint64_t *a)
{
	return get_resolution(context, a, true);
}

/* Sleeps until a monotonic deadline. */
static int64_t sleep_until(struct context *context, uint64_t rest, bool wide,
			   bool absolute)
{
	struct linux_system *system = context->process->system;
	int64_t now = clock_monotonic(system);

	if (context->wait.deadline <= now)
		return 0;
	if (context->call.interrupted && absolute)
		return -CALL_RESTARTS_NO_HANDLER;
	if (context->call.interrupted && rest &&
	    guest_put_time(context, rest, wide, context->wait.deadline - now))
		return -EFAULT;
	return wait_for(context, WAIT_TIME, "time to pass");
}

static int64_t sleep_call(struct context *context, int clock, int flags,
			  uint64_t request, uint64_t rest, bool wide)
{
	bool absolute = flags & TIMER_ABSTIME;

	if (!context->call.resumed && !context->call.restarted) {
		struct linux_system *system = context->process->system;
		int64_t duration, now = clock_read(context, clock);
		int result = guest_get_time(context, request, wide,
					    &duration);

		if (result)
			return result;
		if (clock_missing(system, clock))
			return -EOPNOTSUPP;
		if (now < 0)
			return -EINVAL;
		if (clock == CLOCK_THREAD_CPUTIME_ID ||
		    clock == CLOCK_MONOTONIC_RAW ||
		    clock == CLOCK_MONOTONIC_COARSE ||
		    clock == CLOCK_REALTIME_COARSE)
			return -EOPNOTSUPP;
		if (absolute)
			duration = duration > now ? duration - now : 0;
		context->wait.deadline = clock_monotonic(system) + duration;
	}
	return sleep_until(context, rest, wide, absolute);
}

int64_t call_nanosleep(struct context *context, const uint64_t *a)
{
	return sleep_call(context, CLOCK_MONOTONIC, 0, a[0], a[1], false);
}

int64_t call_clock_nanosleep(struct context *context, const uint64_t *a)
{
	return sleep_call(context, (int)a[0], (int)a[1], a[2], a[3], false);
}

int64_t call_clock_nanosleep_time64(struct context *context, const uint64_t *a)
{
	return sleep_call(context, (int)a[0], (int)a[1], a[2], a[3], true);
}

int64_t call_times(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	uint64_t tick = SECOND / 100; /* USER_HZ */
	uint64_t values[4] = {
		(uint64_t)clock_process(process) / tick,
		0,
		process->account.children_instructions / tick,
		0,
	};
	unsigned word = context->abi32 ? 4 : 8;

	for (int i = 0; a[0] && i < 4; i++)
		if (guest_put_word(context, a[0] + (unsigned)i * word,
				   values[i]))
			return -EFAULT;
	return (int64_t)((uint64_t)clock_monotonic(process->system) / tick) &
	       (context->abi32 ? INT32_MAX : INT64_MAX);
}

int64_t call_getrusage(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	uint64_t used, words[18] = { 0 };
	unsigned word = context->abi32 ? 4 : 8;

	switch ((int)a[0]) {
	case 0: /* RUSAGE_SELF */
		used = (uint64_t)clock_process(process);
		break;
	case 1: /* RUSAGE_THREAD */
		used = x86_instructions(context->cpu);
		break;
	case -1: /* RUSAGE_CHILDREN */
		used = process->account.children_instructions;
		break;
	default:
		return -EINVAL;
	}
	words[0] = used / SECOND;
	words[1] = used % SECOND / 1000;
	words[4] = 4096; /* ru_maxrss, KiB: a constant, so that runs repeat */
	for (unsigned i = 0; i < 18; i++)
		if (guest_put_word(context, a[1] + i * word, words[i]))
			return -EFAULT;
	return 0;
}

/* Only reading the state is allowed. For i386 the call is refused, because the
 * layout differs. */
int64_t call_adjtimex(struct context *context, const uint64_t *a)
{
	struct timex state;

	if (guest_get(context, a[0], &state.modes, sizeof state.modes))
		return -EFAULT;
	if (state.modes || context->abi32)
		return -EPERM;
	memset(&state, 0, sizeof state);
	state.freq = 0;
	state.maxerror = state.esterror = 16000000;
	state.status = STA_UNSYNC;
	state.constant = 2;
	state.precision = 1;
	state.tolerance = 32768000;
	state.tick = 10000;
	state.time.tv_sec =
		clock_realtime(context->process->system) / SECOND;
	state.time.tv_usec =
		clock_realtime(context->process->system) % SECOND / 1000;
	return guest_put(context, a[0], &state, sizeof state)
		       ? -EFAULT
		       : TIME_ERROR;
}
