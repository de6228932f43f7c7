/* The queues of local memory. A read puts a value for each lane in queue A, or
 * two values, one in each queue; an operand takes the oldest one. Here reads are
 * joined, and an operation takes a value that is copied for it alone. */
#include <string.h>

#include "opencl-rt/codegen/unit.h"

static bool is_access(const struct unit_op *op)
{
	return op->parts && op->inst[0].op == EVG_ALU_LDS_IDX_OP;
}

static bool is_local(const struct unit_op *op)
{
	return is_access(op) ||
	       (op->parts && op->inst[0].op == EVG_ALU_GROUP_BARRIER);
}

static bool is_single_read(const struct unit_op *op)
{
	return is_access(op) && op->inst[0].lds_op == EVG_LDS_READ_RET &&
	       !op->inst[0].predicate_select;
}

/* --- Following ------------------------------------------------------------ */

static void follow_puts(struct unit *unit, unsigned queue)
{
	unsigned *count = &unit->queued_count[queue];

	*count = 0;
	for (unsigned i = 0; i < unit->op_count; i++) {
		const struct unit_op *op = &unit->op[i];

		if (is_access(op) &&
		    evg_lds_info[op->inst[0].lds_op].returns > queue)
			unit->queued[queue][(*count)++].put = (int16_t)i;
	}
}

static void follow_take(struct unit *unit, unsigned queue, unsigned number,
			struct unit_queued place)
{
	struct unit_queued *queued = &unit->queued[queue][number];

	/* Some lanes would not take theirs. */
	if (unit->op[place.take].inst[place.part].predicate_select ||
	    number >= unit->queued_count[queue])
		unit->queues_known = false;
	if (number >= unit->queued_count[queue])
		return;
	place.put = queued->put;
	*queued = place;
}

static void follow_takes(struct unit *unit, unsigned queue)
{
	unsigned taken = 0;

	for (unsigned i = 0; i < unit->op_count; i++)
		for (unsigned part = 0; part < unit->op[i].parts; part++) {
			const struct evg_alu_inst *inst =
				&unit->op[i].inst[part];

			for (unsigned k = 0; k < inst->source_count; k++)
				if (inst->source[k].select ==
				    EVG_SELECT_LDS_OQ_A_POP + queue)
					follow_take(unit, queue, taken++,
						    (struct unit_queued){
							    .take = (int16_t)i,
							    .part = (uint8_t)part,
							    .source = (uint8_t)k,
						    });
		}
	if (taken < unit->queued_count[queue]) {
		unit->queues_known = false;
		unit->queued_count[queue] = taken;
	}
}

void unit_follow_queues(struct unit *unit)
{
	unit->queues_known = true;
	for (unsigned queue = 0; queue < UNIT_QUEUES; queue++) {
		follow_puts(unit, queue);
		follow_takes(unit, queue);
	}
}

/* --- Joining reads -------------------------------------------------------- */

/* Whether `to` must come behind `from` for another reason than that neither
 * may overtake the other. */
static bool leads_to(const struct unit *unit, unsigned from, unsigned to)
{
	bool behind[UNIT_OPS] = { false };

	behind[from] = true;
	for (unsigned n = 0; n < unit->op_count; n++) {
		unsigned i = unit->sorted[n];

		for (unsigned j = 0; j < unit->op_count; j++)
			if (behind[i] && unit->apart[i][j] &&
			    (i != from || j != to))
				behind[j] = true;
	}
	return behind[to];
}

/* The read of local memory behind an operation, with no other access or barrier
 * between; -1: none. */
static int next_read(const struct unit *unit, unsigned first)
{
	for (unsigned i = first + 1; i < unit->op_count; i++)
		if (is_local(&unit->op[i]))
			return is_single_read(&unit->op[i]) ? (int)i : -1;
	return -1;
}

/* The number of values that are put into a queue before an operation. */
static unsigned count_before(const struct unit *unit, unsigned queue,
			     unsigned op)
{
	unsigned n = 0;

	while (n < unit->queued_count[queue] &&
	       unit->queued[queue][n].put < (int)op)
		n++;
	return n;
}

/* Whether the second read's value may go through queue B behind the first: what
 * takes from B must do so in the order of the reads. */
static bool fits_in_b(const struct unit *unit, unsigned first, unsigned second)
{
	const struct unit_queued *a = unit->queued[0], *b = unit->queued[1];
	int take = a[count_before(unit, 0, second)].take;
	unsigned n = count_before(unit, 1, first);

	return (!n || b[n - 1].take < take) &&
	       (n == unit->queued_count[1] || b[n].take > take);
}

/* The second becomes a part of the first. */
static void join(struct unit *unit, unsigned first, unsigned second)
{
	struct unit_op *op = &unit->op[first], *gone = &unit->op[second];
	struct unit_queued *a = unit->queued[0], *b = unit->queued[1];
	unsigned from = count_before(unit, 0, second);
	unsigned to = count_before(unit, 1, first);
	struct unit_queued moved = a[from];

	unit->queued_count[0]--;
	memmove(&a[from], &a[from + 1],
		(unit->queued_count[0] - from) * sizeof *a);
	memmove(&b[to + 1], &b[to], (unit->queued_count[1] - to) * sizeof *b);
	unit->queued_count[1]++;
	moved.put = (int16_t)first;
	b[to] = moved;
	unit->op[moved.take].inst[moved.part].source[moved.source].select =
		EVG_SELECT_LDS_OQ_B_POP;
	op->inst[0].lds_op = EVG_LDS_READ2_RET;
	op->inst[0].source_count = 2;
	op->joined = true;
	op->inst[0].source[1] = gone->inst[0].source[0];
	op->source[0][1] = gone->source[0][0];
	gone->parts = 0;
	gone->value[0] = UNIT_NONE;
	gone->inst[0].op = EVG_ALU_MOV;
}

static bool join_reads(struct unit *unit)
{
	bool joined = false;

	for (unsigned i = 0; i < unit->op_count; i++) {
		int second;

		if (!is_single_read(&unit->op[i]))
			continue;
		second = next_read(unit, i);
		if (second < 0 || leads_to(unit, i, (unsigned)second) ||
		    !fits_in_b(unit, i, (unsigned)second))
			continue;
		join(unit, i, (unsigned)second);
		joined = true;
	}
	return joined;
}

/* --- Copies --------------------------------------------------------------- */

static bool is_plain_copy(const struct unit_op *op)
{
	const struct evg_alu_inst *inst = &op->inst[0];

	return op->parts == 1 && inst->op == EVG_ALU_MOV &&
	       op->value[0] != UNIT_NONE && !inst->source[0].negate &&
	       !inst->source[0].absolute && !inst->predicate_select &&
	       !inst->output_modifier && !inst->clamp && !inst->dest_relative;
}

/* The only operand that reads a value; false when there are more or none. */
static bool find_user(const struct unit *unit, int value,
		      struct unit_queued *user)
{
	if (unit->value[value].uses != 1 || unit->value[value].fixed)
		return false;
	for (unsigned i = 0; i < unit->op_count; i++) {
		const struct unit_op *op = &unit->op[i];

		for (unsigned part = 0; part < op->parts; part++)
			for (unsigned k = 0; k < op->inst[part].source_count;
			     k++) {
				if (op->source[part][k].value != value)
					continue;
				user->take = (int16_t)i;
				user->part = (uint8_t)part;
				user->source = (uint8_t)k;
				return true;
			}
	}
	return false;
}

/* Whether an operation of one slot may take a value itself: it takes none yet,
 * and all lanes execute it. */
static bool may_take(const struct unit_op *op)
{
	const struct evg_alu_inst *inst = &op->inst[0];

	if (op->parts != 1 || is_local(op) || inst->predicate_select)
		return false;
	for (unsigned k = 0; k < inst->source_count; k++)
		if (inst->source[k].select == EVG_SELECT_LDS_OQ_A_POP ||
		    inst->source[k].select == EVG_SELECT_LDS_OQ_B_POP)
			return false;
	return true;
}

/* Takes the copy out, and lets its user take the value. */
static void move_take(struct unit *unit, unsigned queue,
		      struct unit_queued *queued, struct unit_queued user)
{
	struct unit_op *copy = &unit->op[queued->take];
	struct unit_op *op = &unit->op[user.take];
	struct evg_source *source = &op->inst[user.part].source[user.source];
	struct unit_value *value = &unit->value[copy->value[0]];

	source->select = (uint16_t)(EVG_SELECT_LDS_OQ_A_POP + queue);
	source->channel = 0;
	op->source[user.part][user.source].value = UNIT_NONE;
	value->uses = 0;
	value->op = UNIT_NONE;
	copy->parts = 0;
	copy->value[0] = UNIT_NONE;
	op->takes_directly = true;
	*queued = user;
}

/* The takers of a queue keep their order, since operations stand in the order
 * of the program: a user that comes behind the next taker cannot be one. */
static bool take_directly(struct unit *unit, unsigned queue)
{
	int next = UNIT_OPS;
	bool changed = false;

	for (unsigned n = unit->queued_count[queue]; n--;) {
		struct unit_queued *queued = &unit->queued[queue][n];
		struct unit_queued user = *queued;
		const struct unit_op *copy = &unit->op[queued->take];

		if (is_plain_copy(copy) &&
		    find_user(unit, copy->value[0], &user) &&
		    user.take < next && may_take(&unit->op[user.take])) {
			move_take(unit, queue, queued, user);
			changed = true;
		}
		next = queued->take;
	}
	return changed;
}

const char *unit_improve_queues(struct unit *unit, bool joins)
{
	bool changed;

	if (!unit->queues_known)
		return NULL;
	changed = joins && join_reads(unit);
	for (unsigned queue = 0; queue < UNIT_QUEUES; queue++)
		changed |= take_directly(unit, queue);
	return changed ? unit_order(unit) : NULL;
}
