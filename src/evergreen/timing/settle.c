/* What compute units have stored takes effect when a window ends. */
#include <string.h>

#include "evergreen/timing/compute-unit.h"

/* What units have stored in a window takes effect in the order (cycle, unit,
 * order in the unit). `units`: by number. */
static void commit_stores(struct compute_unit *const *units, size_t *done,
			  size_t count)
{
	uint64_t cycle;

	memset(done, 0, count * sizeof *done);
	do {
		cycle = UINT64_MAX;
		for (size_t i = 0; i < count; i++) {
			uint64_t next = evg_stores_cycle(&units[i]->stores,
							 done[i]);

			if (next < cycle)
				cycle = next;
		}
		for (size_t i = 0; i < count; i++)
			while (evg_stores_cycle(&units[i]->stores, done[i]) ==
			       cycle && cycle != UINT64_MAX)
				done[i] = evg_stores_commit(&units[i]->stores,
							    done[i]);
	} while (cycle != UINT64_MAX);
}

/* The units that have stored or failed. */
void timing_settle(void *owner, void *const *raised, size_t count)
{
	struct evg_timing *timing = owner;
	struct compute_unit **units = timing->raised;

	for (size_t i = 0; i < count; i++) {
		struct compute_unit *cu = raised[i];
		size_t at = i;

		for (; at > 0 && units[at - 1]->id > cu->id; at--)
			units[at] = units[at - 1];
		units[at] = cu;
		if (cu->failed)
			timing->any_failed = true;
	}
	commit_stores(units, timing->committed, count);
}

static void settle_noted(void *owner, uint64_t tag)
{
	struct evg_timing *timing = owner;

	(void)tag;
	timing_settle(timing, timing->noted, timing->noted_count);
	timing->noted_count = 0;
}

/* The dispatcher's source is below those of all units, so that settle_noted runs
 * before any step of a unit at the window's end, which forgets the stores. */
void timing_note(struct compute_unit *cu, picoseconds delay)
{
	struct evg_timing *timing = cu->timing;

	if (!timing->noted_count)
		event_schedule(timing->events, delay, timing->source,
			       settle_noted, timing, 0);
	timing->noted[timing->noted_count++] = cu;
}
