/* The order of instructions between two places of control flow: operations that
 * fetches wait for, then what can be fetched by now, all at once, so that few
 * clauses are needed and fetches run side by side; then the other operations;
 * stores when nothing else can. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/arrange/dependence.h"

/* One stretch: insts[0 ... count - 1]. */
struct stretch {
	const struct machine_inst *insts;
	unsigned count;
	unsigned front;      /* all before it are done */
	bool *done;
	struct dependences dependences;
	struct machine_inst *sorted;
	unsigned sorted_count;
};

/* Whether nothing that is still to come must be in front of n to `last`. */
static bool is_ready(const struct stretch *stretch, unsigned n, unsigned last)
{
	const struct dependences *dependences = &stretch->dependences;

	for (unsigned j = n; j <= last; j++)
		for (unsigned k = dependences->start[j];
		     k < dependences->start[j + 1]; k++)
			if (dependences->before[k] < n &&
			    !stretch->done[j] &&
			    !stretch->done[dependences->before[k]])
				return false;
	return true;
}

/* The last instruction that asks for a test's predicate, or the test. */
static unsigned last_predicated(const struct stretch *stretch, unsigned test)
{
	const struct machine_inst *insts = stretch->insts;
	unsigned last = test;

	for (unsigned i = test + 1;
	     i < stretch->count && !machine_is_test(&insts[i]); i++)
		if (insts[i].predicate)
			last = i;
	return last;
}

/* A test and what asks for its predicate stay together, and so do a read of local
 * memory and what takes its values from the queue, since both must be in one
 * clause: the last of these; for other instructions they themselves. */
static unsigned last_together(const struct stretch *stretch, unsigned n)
{
	const struct machine_inst *insts = stretch->insts;
	unsigned last = n, queued = 0;

	for (unsigned i = n; i <= last; i++) {
		if (machine_is_test(&insts[i]) &&
		    last_predicated(stretch, i) > last)
			last = last_predicated(stretch, i);
		if (queued)
			queued -= machine_takes_from_queue(&insts[i]);
		if (machine_is_local(&insts[i]))
			queued += evg_lds_info[insts[i].lds_op].returns;
		if (queued && i == last && last + 1 < stretch->count)
			last++;
	}
	return last;
}

/* Finds what must come before some fetch that is still to come, and the
 * fetches. False when there is no such fetch. */
static bool find_wanted(const struct stretch *stretch, bool *wanted)
{
	const struct dependences *dependences = &stretch->dependences;
	bool found = false;

	memset(wanted, 0, stretch->count * sizeof *wanted);
	for (unsigned i = stretch->count; i-- > stretch->front;) {
		if (stretch->done[i])
			continue;
		wanted[i] |= stretch->insts[i].kind == MACHINE_FETCH;
		found |= wanted[i];
		for (unsigned k = dependences->start[i];
		     k < dependences->start[i + 1] && wanted[i]; k++)
			wanted[dependences->before[k]] |=
				!stretch->done[dependences->before[k]];
	}
	return found;
}

/* How many operations fit beside those that the next fetches wait for: the
 * groups of their longest chain have that many slots left. */
static unsigned count_spare(const struct stretch *stretch, const bool *wanted)
{
	const struct dependences *dependences = &stretch->dependences;
	unsigned *depth = xcalloc(stretch->count + 1, sizeof *depth);
	unsigned longest = 0, count = 0;

	for (unsigned i = stretch->front; i < stretch->count; i++) {
		if (!wanted[i] || stretch->insts[i].kind != MACHINE_ALU)
			continue;
		count++;
		for (unsigned k = dependences->start[i];
		     k < dependences->start[i + 1]; k++)
			if (depth[i] < depth[dependences->before[k]])
				depth[i] = depth[dependences->before[k]];
		if (longest < ++depth[i])
			longest = depth[i];
	}
	free(depth);
	return count < EVG_SLOT_COUNT * longest
		       ? EVG_SLOT_COUNT * longest - count
		       : 0;
}

/* `wanted`: only these; NULL: all. */
static unsigned take_ready(struct stretch *stretch, enum machine_kind kind,
			   unsigned limit, const bool *wanted)
{
	const struct machine_inst *insts = stretch->insts;
	unsigned taken = 0;

	while (stretch->front < stretch->count &&
	       stretch->done[stretch->front])
		stretch->front++;
	for (unsigned i = stretch->front; i < stretch->count && taken < limit; i++) {
		unsigned last;

		if (stretch->done[i] || insts[i].kind != kind ||
		    (wanted && !wanted[i]))
			continue;
		last = last_together(stretch, i);
		if (!is_ready(stretch, i, last))
			continue;
		for (; i <= last; i++) {
			if (stretch->done[i])
				continue;
			stretch->done[i] = true;
			stretch->sorted[stretch->sorted_count++] = insts[i];
			taken++;
		}
		i = last;
	}
	return taken;
}

static void arrange_stretch(struct machine *machine, unsigned first,
			    unsigned count)
{
	struct stretch stretch = {
		.insts = machine->insts + first, .count = count,
		.dependences = dependences_find(machine, first, count),
		.done = xcalloc(count + 1, sizeof(bool)),
		.sorted = xcalloc(count + 1, sizeof *stretch.sorted),
	};
	bool *wanted = xcalloc(count + 1, sizeof *wanted);

	while (stretch.sorted_count < count) {
		/* What no fetch waits for shares groups with what comes
		 * behind them, and needs its registers only then. */
		bool *only = find_wanted(&stretch, wanted) ? wanted : NULL;
		unsigned spare = only ? count_spare(&stretch, wanted) : 0;

		take_ready(&stretch, MACHINE_ALU, count, only);
		take_ready(&stretch, MACHINE_ALU, spare, NULL);
		if (!take_ready(&stretch, MACHINE_FETCH, MACHINE_FETCHES,
				NULL) &&
		    !take_ready(&stretch, MACHINE_STORE, 1, only) && only)
			take_ready(&stretch, MACHINE_ALU, count, NULL);
	}
	memcpy(machine->insts + first, stretch.sorted,
	       count * sizeof *stretch.sorted);
	free(wanted);
	dependences_free(&stretch.dependences);
	free(stretch.done);
	free(stretch.sorted);
}

void machine_arrange(struct machine *machine)
{
	unsigned first = 0;

	for (unsigned i = 0; i <= machine->inst_count; i++) {
		if (i < machine->inst_count &&
		    machine->insts[i].kind < MACHINE_IF)
			continue;
		arrange_stretch(machine, first, i - first);
		first = i + 1;
	}
}
