/* The order of instructions between two places of control flow: operations that
 * fetches wait for, then what can be fetched by now, all at once, so that few
 * clauses are needed and fetches run side by side; then the other operations;
 * stores when nothing else can. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/arrange/ready.h"

/* One stretch, and what it becomes. */
struct stretch {
	struct ready ready;
	struct machine_inst *sorted;
	unsigned sorted_count;
};

/* How many operations fit beside those that the next fetches wait for: the
 * groups of their longest chain have that many slots left. */
static unsigned count_spare(const struct ready *ready)
{
	unsigned slots = EVG_SLOT_COUNT * ready->longest;

	return ready->wanted_ops < slots ? slots - ready->wanted_ops : 0;
}

static unsigned take_ready(struct stretch *stretch, enum machine_kind kind,
			   unsigned limit, bool only_wanted)
{
	struct ready *ready = &stretch->ready;
	unsigned taken = 0;

	while (taken < limit) {
		int next = ready_next(ready, kind, only_wanted);

		if (next < 0)
			break;
		for (unsigned i = (unsigned)next; i <= ready->last[next]; i++) {
			if (ready->done[i])
				continue;
			ready_take(ready, i);
			stretch->sorted[stretch->sorted_count++] =
				ready->insts[i];
			taken++;
		}
	}
	return taken;
}

static void arrange_stretch(struct machine *machine,
			    struct dependence_room *room, unsigned first,
			    unsigned count)
{
	struct stretch stretch = {
		.sorted = xcalloc(count + 1, sizeof *stretch.sorted),
	};

	ready_find(&stretch.ready, machine, room, first, count);
	while (stretch.sorted_count < count) {
		/* What no fetch waits for shares groups with what comes
		 * behind them, and needs its registers only then. */
		bool only = stretch.ready.fetches > 0;
		unsigned spare = only ? count_spare(&stretch.ready) : 0;

		take_ready(&stretch, MACHINE_ALU, count, only);
		take_ready(&stretch, MACHINE_ALU, spare, false);
		if (!take_ready(&stretch, MACHINE_FETCH, MACHINE_FETCHES,
				false) &&
		    !take_ready(&stretch, MACHINE_STORE, 1, only) && only)
			take_ready(&stretch, MACHINE_ALU, count, false);
	}
	memcpy(machine->insts + first, stretch.sorted,
	       count * sizeof *stretch.sorted);
	ready_free(&stretch.ready);
	free(stretch.sorted);
}

void machine_arrange(struct machine *machine)
{
	struct dependence_room *room = dependence_room(machine);
	unsigned first = 0;

	for (unsigned i = 0; i <= machine->inst_count; i++) {
		if (i < machine->inst_count &&
		    machine->insts[i].kind < MACHINE_IF)
			continue;
		arrange_stretch(machine, room, first, i - first);
		first = i + 1;
	}
	free(room);
}
