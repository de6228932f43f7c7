/* List scheduling of a clause: group after group is filled with what is ready,
 * the highest operations first. Values get their registers as their operations
 * are placed. A clause that stays above its bound is scheduled in each of a few
 * ways, and the shortest schedule is taken. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/bound.h"
#include "opencl-rt/codegen/place/place.h"

enum {
	HEIGHT = 8,      /* of a rank, for each group */
	FIRST = 1 << 16, /* more than any rank */
};

/* Behind the first three come the same heights with other choices between what is
 * nearly as high: ports and channels make some choices better than others, in ways
 * that no rank foresees. Few of the clauses above their bound gain by more. */
static const struct place_policy policies[] = {
	{ .noise = 0 },
	{ .for_some = true, .some_first = true },
	{ .for_some = true, .keeps_channels = true },
	{ .noise = HEIGHT }, { .noise = HEIGHT },
	{ .noise = 2 * HEIGHT }, { .noise = 2 * HEIGHT },
	{ .noise = 4 * HEIGHT }, { .noise = 4 * HEIGHT },
	{ .noise = 8 * HEIGHT }, { .noise = 8 * HEIGHT },
};

/* A number below a limit that depends on the operation and the way. */
static unsigned draw(const struct scheduling *scheduling, unsigned op)
{
	unsigned way = (unsigned)(scheduling->policy - policies);

	/* Knuth's multiplicative hashing. */
	return (op * UINT32_C(2654435761) * (2 * way + 1) >> 16) %
	       scheduling->policy->noise;
}

/* The higher, the earlier. Those that have a single slot come before others of
 * their height. */
static unsigned rank_of(const struct scheduling *scheduling, unsigned number)
{
	const struct unit_op *op = &scheduling->unit.op[number];
	unsigned slots = place_slots(scheduling, op);
	unsigned rank = HEIGHT * op->height + EVG_SLOT_COUNT -
			(unsigned)__builtin_popcount(slots);

	if (scheduling->policy->noise)
		rank += draw(scheduling, number);
	if (scheduling->policy->some_first && (op->parts > 1 || op->alone))
		rank += FIRST;
	return rank;
}

/* The operation of the highest rank that is ready and has not been tried for this
 * group. */
static int best(const struct scheduling *scheduling, const bool *tried)
{
	int found = -1;
	unsigned highest = 0;

	for (unsigned i = 0; i < scheduling->unit.op_count; i++)
		if (scheduling->unit.op[i].parts && !tried[i] &&
		    scheduling->group_of[i] == PLACE_NOT_YET &&
		    place_is_ready(scheduling, i) &&
		    (found < 0 || scheduling->rank[i] > highest)) {
			found = (int)i;
			highest = scheduling->rank[i];
		}
	return found;
}

static bool fill_group(struct scheduling *scheduling)
{
	bool tried[UNIT_OPS] = { false };
	int next;

	memset(&scheduling->pack, 0, sizeof scheduling->pack);
	while ((next = best(scheduling, tried)) >= 0) {
		tried[next] = true;
		/* What waited for this one only may follow at once. */
		if (place_operation(scheduling, (unsigned)next))
			memset(tried, 0, sizeof tried);
	}
	if (!scheduling->pack.made.group.slot_mask)
		return false;
	pack_close(&scheduling->pack);
	ARRAY_GROW(scheduling->groups, scheduling->count,
		   scheduling->capacity);
	scheduling->groups[scheduling->count++] = scheduling->pack.made;
	place_release_unread(scheduling);
	return true;
}

/* Results that every reader takes from PV or PS need not be written. */
static void drop_writes(struct scheduling *scheduling)
{
	const struct unit *unit = &scheduling->unit;

	for (unsigned i = 0; i < unit->value_count; i++) {
		const struct unit_value *value = &unit->value[i];
		struct evg_alu_inst *inst;

		if (value->op == UNIT_NONE || value->fixed ||
		    scheduling->from_register[i])
			continue;
		inst = &scheduling->groups[scheduling->group_of[value->op]]
				.group.inst[scheduling->slot_of
						    [value->op][value->part]];
		if (inst->dest_relative || evg_alu_info[inst->op].op3)
			continue;
		inst->write_mask = false;
		inst->dest_gpr = 0;
	}
}

unsigned codegen_units(const struct codegen_group *groups, unsigned count)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < count; i++)
		sum += groups[i].group.inst_count +
		       groups[i].group.literal_count / 2u;
	return sum;
}

/* Values that operations of several slots read; false: there are neither such
 * operations nor any that are alone in their group. */
static bool find_wide(struct scheduling *scheduling)
{
	const struct unit *unit = &scheduling->unit;
	bool some = false;

	for (unsigned i = 0; i < unit->op_count; i++) {
		const struct unit_op *op = &unit->op[i];

		some |= op->alone;
		if (op->parts < 2)
			continue;
		some = true;
		for (unsigned part = 0; part < op->parts; part++)
			for (unsigned k = 0; k < op->inst[part].source_count;
			     k++)
				if (op->source[part][k].value != UNIT_NONE)
					scheduling->wide[op->source[part][k]
								 .value] = true;
	}
	return some;
}

static const char *schedule(struct scheduling *scheduling)
{
	const struct unit *unit = &scheduling->unit;

	scheduling->count = scheduling->done = 0;
	place_open_order(scheduling);
	for (unsigned i = 0; i < unit->op_count; i++)
		scheduling->rank[i] = rank_of(scheduling, i);
	for (unsigned i = 0; i < unit->op_count; i++)
		scheduling->done += !unit->op[i].parts;
	memset(scheduling->from_register, 0, sizeof scheduling->from_register);
	place_open_registers(scheduling);
	while (scheduling->done < unit->op_count)
		if (!fill_group(scheduling))
			return "too few registers";
	drop_writes(scheduling);
	if (codegen_units(scheduling->groups, scheduling->count) >
	    scheduling->clause->units)
		return "too many literals";
	if (scheduling->count >= scheduling->clause->count)
		return "no shorter schedule";
	return NULL;
}

/* Keeps the schedule that a way gives if it is the shortest. */
static void try_way(struct scheduling *scheduling,
		    const struct place_policy *policy,
		    struct codegen_result *result)
{
	const char *why;

	scheduling->policy = policy;
	why = schedule(scheduling);
	if (scheduling->done == scheduling->unit.op_count &&
	    (!result->found || result->found > scheduling->count))
		result->found = scheduling->count;
	if (why && !result->groups && !result->kept)
		result->kept = why;
	if (why || (result->groups && scheduling->count >= result->count))
		return;
	free(result->groups);
	result->groups = scheduling->groups;
	result->count = scheduling->count;
	result->kept = NULL;
	scheduling->groups = NULL;
	scheduling->capacity = 0;
}

static bool is_shortest(const struct codegen_result *result)
{
	return result->groups && result->count <= result->bound;
}

/* Tries the ways from one on until one reaches the bound. */
static void try_ways(struct scheduling *scheduling, unsigned first,
		     struct codegen_result *result)
{
	bool has_some = find_wide(scheduling);

	for (unsigned i = first;
	     i < ARRAY_SIZE(policies) && !is_shortest(result); i++)
		if (has_some || !policies[i].for_some)
			try_way(scheduling, &policies[i], result);
}

/* The clause taken apart. With `joins` reads of local memory are joined, which
 * makes fewer operations, of which some wait for more. NULL, or why it cannot be. */
static const char *prepare(struct scheduling *scheduling, bool joins)
{
	struct unit *unit = &scheduling->unit;
	const char *why = unit_lift(unit, scheduling->clause);

	if (!why) {
		unit_follow_queues(unit);
		why = unit_order(unit);
	}
	return why ? why : unit_improve_queues(unit, joins);
}

/* How short a schedule can be; the unit stays in order. */
static void find_bound(struct scheduling *scheduling,
		       struct codegen_result *result)
{
	unsigned enough = result->groups ? result->count
					 : scheduling->clause->count;

	if (unit_order_loosely(&scheduling->unit))
		return;
	result->chain = bound_chain(&scheduling->unit);
	result->bound = bound_groups(&scheduling->unit, enough);
	unit_order(&scheduling->unit);
}

struct codegen_result codegen_schedule(const struct codegen_clause *clause)
{
	struct scheduling *scheduling = xcalloc(1, sizeof *scheduling);
	struct codegen_result result = { 0 };

	scheduling->clause = clause;
	result.kept = prepare(scheduling, true);
	if (!result.kept) {
		try_way(scheduling, &policies[0], &result);
		find_bound(scheduling, &result);
		try_ways(scheduling, 1, &result);
		if (scheduling->unit.queued_count[0] && !is_shortest(&result) &&
		    !prepare(scheduling, false))
			try_ways(scheduling, 0, &result);
	}
	free(scheduling->groups);
	free(scheduling);
	return result;
}
