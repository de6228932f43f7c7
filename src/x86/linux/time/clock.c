/* The clocks that guests see. */
#include <time.h>

#include "x86/linux/namespaces/namespace.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"

enum { SECOND = 1000000000 };

/* In simulated time the guest's clocks start here: 2020-01-01 00:00 UTC. */
#define SIMULATED_EPOCH (INT64_C(1577836800) * SECOND)
/* The machine's uptime at the start. */
#define SIMULATED_UPTIME (INT64_C(60) * SECOND)

static int64_t host_clock(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now) != 0)
		return 0;
	return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

int64_t clock_monotonic(struct linux_system *system)
{
	if (system->options->clock == LINUX_CLOCK_HOST)
		return host_clock(CLOCK_MONOTONIC) + system->clock_skipped;
	if (system->options->clock == LINUX_CLOCK_MODEL)
		return SIMULATED_UPTIME + system->clock_skipped +
		       system->options->now(system->options->now_owner);
	return SIMULATED_UPTIME + (int64_t)system->counts.instructions +
	       system->clock_skipped;
}

void linux_clock_advance(struct linux_system *system, uint64_t nanoseconds)
{
	system->clock_skipped += (int64_t)nanoseconds;
}

int64_t clock_realtime(struct linux_system *system)
{
	if (system->options->clock == LINUX_CLOCK_HOST)
		return host_clock(CLOCK_REALTIME);
	return SIMULATED_EPOCH + clock_monotonic(system) - SIMULATED_UPTIME;
}

/* Processor time: the guest's instructions, one nanosecond each. */
int64_t clock_process(const struct process *process)
{
	uint64_t sum = process->account.instructions;

	for (const struct context *context = process->system->contexts;
	     context; context = context->next)
		if (context->process == process && !context->ended)
			sum += x86_instructions(context->cpu);
	return (int64_t)sum;
}

bool clock_missing(const struct linux_system *system, int clock)
{
	struct timespec resolution;

	return (clock == CLOCK_REALTIME_ALARM ||
		clock == CLOCK_BOOTTIME_ALARM) &&
	       system->options->clock == LINUX_CLOCK_HOST &&
	       clock_getres(clock, &resolution) != 0;
}

static int offset_of(int clock)
{
	switch (clock) {
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
		return OFFSET_MONOTONIC;
	case CLOCK_BOOTTIME:
	case CLOCK_BOOTTIME_ALARM:
		return OFFSET_BOOT;
	default:
		return -1;
	}
}

int64_t clock_offset(const struct context *context, int clock)
{
	const struct namespace *time = context->namespaces[SLOT_TIME];
	int which = offset_of(clock);

	return time && which >= 0 ? time->offset[which] : 0;
}

int64_t clock_read(struct context *context, int clock)
{
	struct linux_system *system = context->process->system;

	if (clock_missing(system, clock))
		return -1;
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_REALTIME_ALARM:
		return clock_realtime(system);
	case CLOCK_TAI:
		return clock_realtime(system) + TAI_OFFSET;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
	case CLOCK_BOOTTIME_ALARM:
		return clock_monotonic(system) + clock_offset(context, clock);
	case CLOCK_PROCESS_CPUTIME_ID:
		return clock_process(context->process);
	case CLOCK_THREAD_CPUTIME_ID:
		return (int64_t)x86_instructions(context->cpu);
	default:
		break;
	}
	/* clock_getcpuclockid(): ~pid << 3 | 2 for processes, | 4 threads. */
	if (clock < 0 && (clock & 3) == 2) {
		int id = ~(clock >> 3);

		if (id)
			id = id_meant(context->process->pids, id);
		if (clock & 4) {
			struct context *thread =
				id ? context_find(system, id) : context;

			return thread ? (int64_t)x86_instructions(thread->cpu)
				      : -1;
		}
		struct process *process =
			id ? process_find(system, id) : context->process;

		return process ? clock_process(process) : -1;
	}
	return -1;
}
