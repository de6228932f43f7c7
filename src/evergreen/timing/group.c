/* A work-group in its compute unit: a barrier that its wavefronts cannot reach
 * any more, and its end. */
#include "evergreen/timing/compute-unit.h"
#include "evergreen/timing/trace.h"

void barrier_check(struct resident_group *group)
{
	struct resident *waiting = NULL, *ended = NULL;
	struct compute_unit *cu = group->residents->cu;

	if (cu->stopped || !group->waiting || !group->ended ||
	    group->waiting + group->ended < group->wavefronts)
		return;
	for (uint32_t i = 0; i < group->wavefronts; i++) {
		struct resident *resident = &group->residents[i];

		if (evg_wavefront_waiting(resident->wavefront))
			waiting = resident;
		else
			ended = resident;
	}
	evg_fault_barrier(waiting->wavefront, ended->wavefront, &cu->error);
	unit_fail(cu);
}

/* Tells the dispatcher, who knows a cycle later. */
static void unit_end(struct compute_unit *cu, struct resident_group *group)
{
	struct evg_timing *timing = cu->timing;

	if (cu->stopped)
		return;
	for (uint32_t i = 0; i < group->wavefronts; i++)
		resident_place(&group->residents[i], ACCOUNT_EMPTY);
	unit_trace_group(cu, group);
	group->runs = false;
	if (!--cu->groups_here)
		cu->n.cycles += unit_cycle(cu) - cu->busy_since;
	event_send(cu->events, timing->events, timing->period, cu->source,
		   timing->unmap, timing, (uintptr_t)group->mapped);
	if (group->lent)
		group->group = NULL;
	group->next = cu->free_groups;
	cu->free_groups = group;
}

void group_wavefront_ended(struct resident *resident)
{
	struct resident_group *group = resident->group;

	if (++group->ended < group->wavefronts)
		barrier_check(group);
	else if (!group->pending_writes)
		unit_end(resident->cu, group);
}

void group_writes_drained(struct compute_unit *cu,
			  struct resident_group *group)
{
	if (group->ended == group->wavefronts)
		unit_end(cu, group);
}
