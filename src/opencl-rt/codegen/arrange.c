/* The order of instructions between two places of control flow: operations that
 * fetches wait for, then what can be fetched by now, all at once, so that few
 * clauses are needed and fetches run side by side; then the other operations;
 * stores when nothing else can. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/machine.h"

/* One stretch: insts[first ... first + count - 1]. */
struct stretch {
	struct machine *machine;
	unsigned first, count;
	bool *done;
	struct machine_inst *sorted;
	unsigned sorted_count;
};

static bool is_flow(const struct machine_inst *inst)
{
	return inst->kind >= MACHINE_IF;
}

static bool is_barrier(const struct machine_inst *inst)
{
	return inst->kind == MACHINE_ALU && inst->op == EVG_ALU_GROUP_BARRIER;
}

static bool is_test(const struct machine_inst *inst)
{
	return inst->kind == MACHINE_ALU && evg_alu_info[inst->op].is_predicate;
}

static bool is_local(const struct machine_inst *inst)
{
	return inst->kind == MACHINE_ALU && inst->op == EVG_ALU_LDS_IDX_OP;
}

static bool shares_register(const struct machine_inst *first,
			    const struct machine_inst *second)
{
	for (unsigned i = 0; i < first->dest_count; i++) {
		for (unsigned k = 0; k < second->source_count; k++)
			if (second->source[k].reg == first->dest[i])
				return true;
		for (unsigned k = 0; k < second->dest_count; k++)
			if (second->dest[k] == first->dest[i])
				return true;
	}
	for (unsigned i = 0; i < second->dest_count; i++)
		for (unsigned k = 0; k < first->source_count; k++)
			if (first->source[k].reg == second->dest[i])
				return true;
	return false;
}

static bool is_global(const struct machine_inst *inst)
{
	return inst->kind == MACHINE_FETCH || inst->kind == MACHINE_STORE;
}

/* Whether the second must stay behind the first. */
static bool must_follow(const struct machine_inst *first,
			const struct machine_inst *second)
{
	if (shares_register(first, second) ||
	    (first->predicate && is_test(second)) ||
	    (second->predicate && is_test(first)))
		return true;
	if (is_global(first) && is_global(second))
		return first->kind == MACHINE_STORE ||
		       second->kind == MACHINE_STORE;
	if (is_barrier(first))
		return is_barrier(second) || is_local(second) ||
		       is_global(second);
	if (is_barrier(second))
		return is_local(first) || is_global(first);
	return (is_local(first) && (is_local(second) ||
				    machine_takes_from_queue(second))) ||
	       (machine_takes_from_queue(first) &&
		(is_local(second) || machine_takes_from_queue(second)));
}

static bool is_ready(const struct stretch *stretch, unsigned n, unsigned last)
{
	const struct machine_inst *insts =
		stretch->machine->insts + stretch->first;

	for (unsigned i = 0; i < n; i++)
		for (unsigned j = n; j <= last && !stretch->done[i]; j++)
			if (must_follow(&insts[i], &insts[j]))
				return false;
	return true;
}

/* A test and what asks for its predicate stay together: the last of these; for
 * other instructions they themselves. */
static unsigned last_together(const struct stretch *stretch, unsigned n)
{
	const struct machine_inst *insts =
		stretch->machine->insts + stretch->first;
	unsigned last = n;

	if (!is_test(&insts[n]))
		return n;
	for (unsigned i = n + 1; i < stretch->count && !is_test(&insts[i]); i++)
		if (insts[i].predicate)
			last = i;
	return last;
}

/* Finds what must come before some fetch that is still to come, and the
 * fetches. False when there is no such fetch. */
static bool find_wanted(const struct stretch *stretch, bool *wanted)
{
	const struct machine_inst *insts =
		stretch->machine->insts + stretch->first;
	bool found = false;

	for (unsigned i = stretch->count; i--;) {
		wanted[i] = !stretch->done[i] && insts[i].kind == MACHINE_FETCH;
		found |= wanted[i];
		for (unsigned j = i + 1;
		     j < stretch->count && !stretch->done[i] && !wanted[i]; j++)
			wanted[i] = wanted[j] &&
				    must_follow(&insts[i], &insts[j]);
	}
	return found;
}

/* How many operations fit beside those that the next fetches wait for: the
 * groups of their longest chain have that many slots left. */
static unsigned count_spare(const struct stretch *stretch, const bool *wanted)
{
	const struct machine_inst *insts =
		stretch->machine->insts + stretch->first;
	unsigned *depth = xcalloc(stretch->count + 1, sizeof *depth);
	unsigned longest = 0, count = 0;

	for (unsigned i = 0; i < stretch->count; i++) {
		if (!wanted[i] || insts[i].kind != MACHINE_ALU)
			continue;
		count++;
		for (unsigned j = 0; j < i; j++)
			if (depth[i] < depth[j] &&
			    must_follow(&insts[j], &insts[i]))
				depth[i] = depth[j];
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
	const struct machine_inst *insts =
		stretch->machine->insts + stretch->first;
	unsigned taken = 0;

	for (unsigned i = 0; i < stretch->count && taken < limit; i++) {
		unsigned last = last_together(stretch, i);

		if (stretch->done[i] || insts[i].kind != kind ||
		    (wanted && !wanted[i]) ||
		    !is_ready(stretch, i, last))
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
		.machine = machine, .first = first, .count = count,
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
	free(stretch.done);
	free(stretch.sorted);
}

void machine_arrange(struct machine *machine)
{
	unsigned first = 0;

	for (unsigned i = 0; i <= machine->inst_count; i++) {
		if (i < machine->inst_count && !is_flow(&machine->insts[i]))
			continue;
		arrange_stretch(machine, first, i - first);
		first = i + 1;
	}
}
