#include "opencl-rt/codegen/arrange/ready.h"

#include <stdlib.h>

#include "base/memory.h"

/* --- The lowest number of a list ------------------------------------------ */

static void lowest_add(struct lowest *lowest, unsigned number)
{
	unsigned at = lowest->count, above;

	ARRAY_GROW(lowest->list, lowest->count, lowest->capacity);
	lowest->count++;
	for (; at; at = above) {
		above = (at - 1) / 2;
		if (lowest->list[above] <= number)
			break;
		lowest->list[at] = lowest->list[above];
	}
	lowest->list[at] = number;
}

static void lowest_drop(struct lowest *lowest)
{
	unsigned number = lowest->list[--lowest->count], at = 0, below;

	for (; (below = 2 * at + 1) < lowest->count; at = below) {
		if (below + 1 < lowest->count &&
		    lowest->list[below + 1] < lowest->list[below])
			below++;
		if (number <= lowest->list[below])
			break;
		lowest->list[at] = lowest->list[below];
	}
	lowest->list[at] = number;
}

/* --- What stays together -------------------------------------------------- */

/* The last instruction that asks for a test's predicate, or the test. */
static unsigned last_predicated(const struct ready *ready, unsigned test)
{
	const struct machine_inst *insts = ready->insts;
	unsigned last = test;

	for (unsigned i = test + 1;
	     i < ready->count && !machine_is_test(&insts[i]); i++)
		if (insts[i].predicate)
			last = i;
	return last;
}

/* A test and what asks for its predicate stay together, and so do a read of local
 * memory and what takes its values from the queue, since both must be in one
 * clause: the last of these; for other instructions they themselves. */
static unsigned last_together(const struct ready *ready, unsigned n)
{
	const struct machine_inst *insts = ready->insts;
	unsigned last = n, queued = 0, predicated;

	for (unsigned i = n; i <= last; i++) {
		predicated = machine_is_test(&insts[i])
				     ? last_predicated(ready, i)
				     : i;
		if (predicated > last)
			last = predicated;
		if (queued)
			queued -= machine_takes_from_queue(&insts[i]);
		if (machine_is_local(&insts[i]))
			queued += evg_lds_info[insts[i].lds_op].returns;
		if (queued && i == last && last + 1 < ready->count)
			last++;
	}
	return last;
}

static void find_together(struct ready *ready)
{
	for (unsigned i = 0; i < ready->count; i++) {
		ready->last[i] = last_together(ready, i);
		ready->cover[i] = i;
	}
	for (unsigned i = ready->count; i-- > 0;)
		for (unsigned j = i + 1; j <= ready->last[i]; j++)
			ready->cover[j] = i;
}

/* --- Waiting -------------------------------------------------------------- */

static void find_after(struct ready *ready)
{
	const struct dependences *dependences = &ready->dependences;
	unsigned *start = ready->after_start, *place;

	for (unsigned k = 0; k < dependences->count; k++)
		start[dependences->before[k] + 1]++;
	for (unsigned i = 0; i < ready->count; i++)
		start[i + 1] += start[i];
	place = xcalloc(ready->count + 1, sizeof *place);
	for (unsigned n = 0; n < ready->count; n++)
		for (unsigned k = dependences->start[n];
		     k < dependences->start[n + 1]; k++) {
			unsigned before = dependences->before[k];

			ready->after[start[before] + place[before]++] = n;
		}
	free(place);
}

/* Instruction n waits for `before`: so do all that take n along, without
 * `before`. */
static unsigned first_blocked(const struct ready *ready, unsigned n,
			      unsigned before)
{
	return ready->cover[n] > before ? ready->cover[n] : before + 1;
}

static void count_blocked(struct ready *ready)
{
	const struct dependences *dependences = &ready->dependences;

	for (unsigned n = 0; n < ready->count; n++)
		for (unsigned k = dependences->start[n];
		     k < dependences->start[n + 1]; k++)
			for (unsigned i = first_blocked(ready, n,
							dependences->before[k]);
			     i <= n; i++)
				ready->blocked[i] += ready->last[i] >= n;
}

static void add_ready(struct ready *ready, unsigned n)
{
	lowest_add(&ready->lowest[ready->insts[n].kind][ready->wanted[n]], n);
}

/* --- What fetches wait for ------------------------------------------------ */

static bool is_wanted_op(const struct ready *ready, unsigned n)
{
	return ready->wanted[n] && ready->insts[n].kind == MACHINE_ALU;
}

static void find_wanted(struct ready *ready)
{
	for (unsigned n = ready->count; n-- > 0;) {
		unsigned height = 0;

		ready->wanted[n] = ready->insts[n].kind == MACHINE_FETCH;
		ready->fetches += ready->wanted[n];
		for (unsigned k = ready->after_start[n];
		     k < ready->after_start[n + 1]; k++) {
			unsigned after = ready->after[k];

			ready->wanted[n] |= ready->wanted[after];
			if (is_wanted_op(ready, after) &&
			    ready->height[after] > height)
				height = ready->height[after];
		}
		if (!is_wanted_op(ready, n))
			continue;
		ready->height[n] = height + 1;
		ready->at_height[height + 1]++;
		ready->wanted_ops++;
		if (ready->longest < height + 1)
			ready->longest = height + 1;
	}
}

static void forget_wanted(struct ready *ready, unsigned n)
{
	ready->fetches -= ready->insts[n].kind == MACHINE_FETCH;
	if (!is_wanted_op(ready, n))
		return;
	ready->wanted_ops--;
	ready->at_height[ready->height[n]]--;
	while (ready->longest && !ready->at_height[ready->longest])
		ready->longest--;
}

/* --- From outside --------------------------------------------------------- */

void ready_find(struct ready *ready, const struct machine *machine,
		struct dependence_room *room, unsigned first, unsigned count)
{
	*ready = (struct ready){
		.insts = machine->insts + first, .count = count,
		.dependences = dependences_find(machine, room, first, count),
		.after_start = xcalloc(count + 1, sizeof(unsigned)),
		.done = xcalloc(count + 1, sizeof(bool)),
		.last = xcalloc(count + 1, sizeof(unsigned)),
		.cover = xcalloc(count + 1, sizeof(unsigned)),
		.blocked = xcalloc(count + 1, sizeof(unsigned)),
		.wanted = xcalloc(count + 1, sizeof(bool)),
		.height = xcalloc(count + 1, sizeof(unsigned)),
		.at_height = xcalloc(count + 1, sizeof(unsigned)),
	};
	ready->after = xcalloc(ready->dependences.count + 1,
			       sizeof *ready->after);
	find_together(ready);
	find_after(ready);
	find_wanted(ready);
	count_blocked(ready);
	for (unsigned i = 0; i < count; i++)
		if (!ready->blocked[i])
			add_ready(ready, i);
}

void ready_free(struct ready *ready)
{
	dependences_free(&ready->dependences);
	free(ready->after_start);
	free(ready->after);
	free(ready->done);
	free(ready->last);
	free(ready->cover);
	free(ready->blocked);
	free(ready->wanted);
	free(ready->height);
	free(ready->at_height);
	for (unsigned kind = 0; kind < MACHINE_IF; kind++) {
		free(ready->lowest[kind][false].list);
		free(ready->lowest[kind][true].list);
	}
}

/* The first that is still to come, or -1. */
static int first_of(struct ready *ready, struct lowest *lowest)
{
	while (lowest->count && ready->done[lowest->list[0]])
		lowest_drop(lowest);
	return lowest->count ? (int)lowest->list[0] : -1;
}

int ready_next(struct ready *ready, enum machine_kind kind, bool only_wanted)
{
	int wanted = first_of(ready, &ready->lowest[kind][true]);
	int other = only_wanted
			    ? -1
			    : first_of(ready, &ready->lowest[kind][false]);

	if (wanted < 0 || other < 0)
		return wanted < 0 ? other : wanted;
	return wanted < other ? wanted : other;
}

void ready_take(struct ready *ready, unsigned n)
{
	ready->done[n] = true;
	forget_wanted(ready, n);
	for (unsigned k = ready->after_start[n]; k < ready->after_start[n + 1];
	     k++) {
		unsigned after = ready->after[k];

		for (unsigned i = first_blocked(ready, after, n); i <= after;
		     i++)
			if (ready->last[i] >= after && !--ready->blocked[i])
				add_ready(ready, i);
	}
}
