/* Which core acts next: in the order of cycles, then of numbers. */
#include "m2s/cores/internal.h"

/* Which thread of a core is first in a cycle. Not simply the next one each cycle:
 * a unit that is busy for an even number of cycles would be free in cycles of one
 * of two threads only, and never come to the other. Multiples of the golden ratio
 * (Weyl's sequence) are spread evenly over all threads, also those of every n-th
 * cycle. */
static unsigned first_thread(uint64_t cycle, unsigned threads)
{
	uint32_t fraction = (uint32_t)cycle * UINT32_C(2654435769);

	return (unsigned)((uint64_t)fraction * threads >> 32);
}

/* The place of a core among all in a cycle. Threads of a core are first by turns,
 * so that none is preferred. */
static unsigned place_of(const struct x86_machine *machine, unsigned i,
			 uint64_t cycle)
{
	unsigned threads = machine->threads;

	return threads == 1
		       ? i
		       : i - i % threads +
				 (i + first_thread(cycle, threads)) % threads;
}

/* Whether a core has something to do in the present phase. */
static bool is_busy(const struct machine_core *core)
{
	return core->state != CORE_IDLE && !core->parked;
}

static bool is_in(const struct machine_core *core, int group)
{
	return group == ALL_GROUPS || core->group == (unsigned)group;
}

struct machine_core *machine_core_behind(struct x86_machine *machine, int group,
					 uint64_t *until)
{
	struct machine_core *next = NULL;
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < machine->count; i++) {
		struct machine_core *core = &machine->core[i];
		uint64_t cycle;

		/* Other groups may run at this time. */
		if (!is_in(core, group) || !is_busy(core))
			continue;
		cycle = x86_core_cycle(core->core);
		if (cycle > least ||
		    (next && cycle == least &&
		     place_of(machine, i, cycle) >
			     place_of(machine, next->id, cycle)))
			continue;
		least = cycle;
		next = core;
	}
	*until = UINT64_MAX;
	for (unsigned i = 0; next && i < machine->count; i++) {
		const struct machine_core *core = &machine->core[i];
		uint64_t cycle;

		if (core == next || !is_in(core, group) || !is_busy(core))
			continue;
		cycle = x86_core_cycle(core->core);
		cycle += place_of(machine, i, cycle) >
			 place_of(machine, next->id, cycle);
		if (cycle < *until)
			*until = cycle;
	}
	return next;
}
