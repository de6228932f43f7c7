/* The watchdog: finds that a simulation makes no progress, and says who waits
 * for whom in the compute units. */
#include <inttypes.h>

#include "evergreen/timing/compute-unit.h"

void hang_watch_start(struct evg_timing *timing)
{
	watchdog_start(&timing->watchdog, timing->period,
		       timing->config.watchdog,
		       timing_now(timing));
}

picoseconds hang_watch_next(const struct evg_timing *timing, picoseconds time)
{
	picoseconds next = memsys_watch_next(timing->memsys);

	if (next > timing->watchdog.next)
		next = timing->watchdog.next;
	return next < time ? next : time;
}

int hang_watch(struct evg_timing *timing, struct error *error)
{
	picoseconds now = timing_now(timing);

	if (memsys_watch(timing->memsys, now, error)) {
		timing->hangs = true;
		return -1;
	}
	if (!watchdog_due(&timing->watchdog, now) ||
	    !watchdog_look(&timing->watchdog, now, true,
			   evg_timing_instructions(timing)))
		return 0;
	timing->hangs = true;
	return error_set(error, "kernel '%s': no instruction was executed from "
			 "cycle %" PRIu64 " to cycle %" PRIu64 "; a longer "
			 "wait than [Device] WatchdogCycles = %" PRIu32
			 " is an error; raise it for slower memory",
			 evg_ndrange_launch(timing->ndrange)->kernel->name,
			 timing->watchdog.since / timing->period,
			 timing_cycle(timing), timing->config.watchdog);
}

int hang_no_event(struct evg_timing *timing, struct error *error)
{
	const char *name = evg_ndrange_launch(timing->ndrange)->kernel->name;

	if (evg_ndrange_waits_globally(timing->ndrange)) {
		evg_fault_sync(timing->ndrange, timing->groups_done,
			       timing->next_group - timing->groups_done,
			       error);
		return -1;
	}
	timing->hangs = true;
	for (unsigned i = 0; i < timing->config.compute_units; i++)
		if (timing_load(timing, i)->work_groups)
			return error_set(error, "kernel '%s': no event is left "
						"in cycle %" PRIu64
					 "; compute unit %u still holds %" PRIu16
					 " work-groups", name,
					 timing_cycle(timing), i,
					 timing_load(timing, i)->work_groups);
	return error_set(error, "kernel '%s': the dispatcher stopped with %"
			 PRIu64 " of %" PRIu64 " work-groups done", name,
			 timing->groups_done, timing->group_count);
}

/* Where a wavefront is and what it waits for there. */
static void describe_resident(const struct resident *resident, FILE *stream)
{
	fprintf(stream, "  wavefront in slot %" PRIu32 " (work-group %" PRIu64
		", wavefront %" PRIu32 "), at %" PRIu32 ": ", resident->slot,
		evg_wavefront_group(resident->wavefront),
		evg_wavefront_index(resident->wavefront),
		evg_wavefront_address(resident->wavefront));
	switch (resident->place) {
	case ACCOUNT_DATA:
		fprintf(stream, "waits for the data of %" PRIu32 " fetches",
			resident->pending_fetches);
		break;
	case ACCOUNT_CLAUSE:
		fprintf(stream, "waits for %" PRIu32 " lines of code and "
			"constants", resident->missing);
		break;
	case ACCOUNT_ACKNOWLEDGE:
		fprintf(stream, "waits until %" PRIu32 " or fewer of its %"
			PRIu32 " stores are not acknowledged",
			resident->acknowledge_level, resident->unacknowledged);
		break;
	case ACCOUNT_BARRIER:
		fprintf(stream, "waits at a barrier, with %" PRIu32 " of %"
			PRIu32 " wavefronts of its work-group, %" PRIu32
			" have ended", resident->group->waiting,
			resident->group->wavefronts, resident->group->ended);
		break;
	case ACCOUNT_SYNC:
		fprintf(stream, "waits for another wavefront's WAVE_SYNC");
		break;
	case ACCOUNT_DRAIN:
		fprintf(stream, "has ended; its work-group waits for %" PRIu32
			" stores", resident->group->pending_writes);
		break;
	case ACCOUNT_EXPORT:
		fprintf(stream, "waits for room in the export buffer");
		break;
	default:
		fprintf(stream, "in the %s",
			account_reason_names[resident->place]);
		break;
	}
	fputc('\n', stream);
}

static void describe_unit(const struct compute_unit *cu, FILE *stream)
{
	fprintf(stream, "compute unit %u: %" PRIu16 " work-groups, %zu block "
		"accesses wait for the entry module, %" PRIu32 " fetches in "
		"the load queue\n", cu->id,
		timing_load(cu->timing, cu->id)->work_groups,
		cu->global.count, cu->tex.loads);
	for (const struct resident_group *group = cu->groups; group;
	     group = group->next_made)
		for (uint32_t i = 0; i < group->wavefronts; i++) {
			const struct resident *resident = &group->residents[i];

			if (resident->cu && resident->place != ACCOUNT_EMPTY)
				describe_resident(resident, stream);
		}
}

void evg_timing_describe(struct evg_timing *timing, FILE *stream)
{
	fprintf(stream, "GPU, cycle %" PRIu64 ": %" PRIu64 " of %" PRIu64
		" work-groups done\n", timing_cycle(timing),
		timing->groups_done, timing->group_count);
	for (unsigned i = 0; i < timing->config.compute_units; i++)
		if (timing_load(timing, i)->work_groups)
			describe_unit(&timing->units[i], stream);
}

bool evg_timing_hangs(const struct evg_timing *timing)
{
	return timing->hangs;
}
