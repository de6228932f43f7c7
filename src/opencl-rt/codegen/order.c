/* What must come before what in a clause, and how far apart. */
#include <string.h>

#include "opencl-rt/codegen/unit.h"

/* Groups from a read of local memory to the value in its queue, as a wish: it
 * ranks operations, the queue makes who comes too early wait. */
enum { LOCAL_READ_GROUPS = 8 };

static void keep_apart(struct unit *unit, int first, int second,
		       unsigned groups)
{
	if (first == second || first < 0 || second < 0)
		return;
	/* They cannot be in one group. */
	if (!groups && (unit->op[first].alone || unit->op[second].alone))
		groups = 1;
	if (unit->apart[first][second] > groups)
		return;
	unit->apart[first][second] = (uint8_t)(groups + 1);
}

/* --- Values and registers ------------------------------------------------- */

/* What takes the value that an operation puts into a queue; -1: nothing. */
static int taker_of(const struct unit *unit, unsigned queue, int put)
{
	for (unsigned n = 0; n < unit->queued_count[queue]; n++)
		if (unit->queued[queue][n].put == put)
			return unit->queued[queue][n].take;
	return -1;
}

static void order_values(struct unit *unit, bool loosely)
{
	for (unsigned i = 0; i < unit->op_count; i++)
		for (unsigned part = 0; part < unit->op[i].parts; part++)
			for (unsigned k = 0; k < 3; k++) {
				const struct unit_op *op = &unit->op[i];
				int value = op->source[part][k].value;

				if (k >= op->inst[part].source_count ||
				    value == UNIT_NONE)
					continue;
				/* The second read would come later. */
				if (loosely && op->joined && k == 1)
					keep_apart(unit, unit->value[value].op,
						   taker_of(unit, 1, (int)i), 2);
				else
					keep_apart(unit, unit->value[value].op,
						   (int)i, 1);
			}
}

static bool reads(const struct unit_op *op, int value)
{
	for (unsigned part = 0; part < op->parts; part++)
		for (unsigned k = 0; k < op->inst[part].source_count; k++)
			if (op->source[part][k].value == value)
				return true;
	return false;
}

/* `later` takes the register of `earlier`. */
static void order_successors(struct unit *unit, int earlier, int later)
{
	int writer = unit->value[later].op;

	keep_apart(unit, unit->value[earlier].op, writer, 1);
	for (int i = 0; i < (int)unit->op_count; i++)
		if (reads(&unit->op[i], earlier))
			keep_apart(unit, i, writer, 0);
}

static void order_registers(struct unit *unit)
{
	/* Of each register the fixed value before; values are in program
	 * order but for those from before the clause, which come first. */
	int16_t before[CODEGEN_REGISTERS][CODEGEN_CHANNELS];

	memset(before, 0xff, sizeof before);
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < (int)unit->value_count; i++) {
			const struct unit_value *value = &unit->value[i];
			int16_t *place;

			if (!value->fixed || value->gpr == UNIT_NO_REGISTER ||
			    (value->op == UNIT_NONE) != !pass)
				continue;
			place = &before[value->gpr][value->channel];
			if (*place != UNIT_NONE)
				order_successors(unit, *place, i);
			*place = (int16_t)i;
		}
}

/* --- Indexed registers ---------------------------------------------------- */

/* The channels that an operation reads or writes through an index, and those
 * that it reads or writes at all. */
struct channels {
	unsigned reads, writes, reads_indexed, writes_indexed;
};

static struct channels channels_of(const struct unit_op *op)
{
	struct channels channels = { 0 };

	for (unsigned part = 0; part < op->parts; part++) {
		const struct evg_alu_inst *inst = &op->inst[part];

		if (inst->dest_relative)
			channels.writes_indexed |= 1u << inst->dest_channel;
		if (op->value[part] != UNIT_NONE)
			channels.writes |= 1u << inst->dest_channel;
		for (unsigned k = 0; k < inst->source_count; k++) {
			unsigned bit = 1u << inst->source[k].channel;

			if (inst->source[k].select >= CODEGEN_REGISTERS &&
			    op->source[part][k].value == UNIT_NONE)
				continue;
			channels.reads |= bit;
			if (inst->source[k].relative)
				channels.reads_indexed |= bit;
		}
	}
	return channels;
}

/* An index may mean any register of its channel. What a group reads it reads
 * before it writes. */
static void order_indexed(struct unit *unit)
{
	for (int i = 0; i < (int)unit->op_count; i++)
		for (int j = i + 1; j < (int)unit->op_count; j++) {
			struct channels first = channels_of(&unit->op[i]);
			struct channels second = channels_of(&unit->op[j]);
			bool written_first =
				(first.writes_indexed & second.reads) ||
				(first.writes & second.reads_indexed);
			bool written_both =
				(first.writes_indexed & second.writes) ||
				(first.writes & second.writes_indexed);
			bool read_first =
				(first.reads & second.writes_indexed) ||
				(first.reads_indexed & second.writes);

			if (written_first &&
			    unit->op[i].group == unit->op[j].group)
				keep_apart(unit, j, i, 0);
			else if (written_first || written_both)
				keep_apart(unit, i, j, 1);
			if (read_first)
				keep_apart(unit, i, j, 0);
		}
}

/* --- AR, predicate, active lanes ------------------------------------------ */

static bool sets_index(const struct unit_op *op)
{
	return op->inst[0].op == EVG_ALU_MOVA_INT;
}

static bool uses_index(const struct unit_op *op)
{
	struct channels channels = channels_of(op);

	return channels.reads_indexed || channels.writes_indexed;
}

static bool sets_predicate(const struct unit_op *op)
{
	for (unsigned part = 0; part < op->parts; part++)
		if (op->inst[part].update_predicate)
			return true;
	return false;
}

static bool uses_predicate(const struct unit_op *op)
{
	for (unsigned part = 0; part < op->parts; part++)
		if (op->inst[part].predicate_select)
			return true;
	return false;
}

/* A group has one test at most. */
static bool tests(const struct unit_op *op)
{
	return evg_alu_info[op->inst[0].op].is_predicate;
}

static bool takes_lanes_out(const struct unit_op *op)
{
	for (unsigned part = 0; part < op->parts; part++)
		if (op->inst[part].update_execute_mask)
			return true;
	return false;
}

/* --- Local memory --------------------------------------------------------- */

static bool is_local(const struct unit_op *op)
{
	return op->inst[0].op == EVG_ALU_LDS_IDX_OP ||
	       op->inst[0].op == EVG_ALU_GROUP_BARRIER;
}

static bool takes_from(const struct unit_op *op, unsigned queue)
{
	for (unsigned part = 0; part < op->parts; part++)
		for (unsigned k = 0; k < op->inst[part].source_count; k++)
			if (op->inst[part].source[k].select ==
			    EVG_SELECT_LDS_OQ_A_POP + queue)
				return true;
	return false;
}

/* A value is taken after it was put into its queue. */
static void order_queue(struct unit *unit, unsigned queue)
{
	const struct unit_queued *queued = unit->queued[queue];

	for (unsigned n = 0; n < unit->queued_count[queue]; n++)
		keep_apart(unit, queued[n].put, queued[n].take, 1);
}

/* Pairs of which neither may overtake the other. What follows a copy need not
 * follow the copy's user. */
static bool keep_order(const struct unit_op *first,
		       const struct unit_op *second, bool loosely)
{
	if (is_local(first) && is_local(second))
		return true;
	for (unsigned queue = 0; queue < UNIT_QUEUES; queue++)
		if (takes_from(first, queue) && takes_from(second, queue) &&
		    !(loosely && first->takes_directly))
			return true;
	if (tests(first) && tests(second))
		return true;
	return (sets_index(first) && sets_index(second)) ||
	       (sets_predicate(first) && sets_predicate(second));
}

/* Whether the second uses what the first sets. */
static bool sets_for(const struct unit_op *first, const struct unit_op *second)
{
	return (sets_index(first) && uses_index(second)) ||
	       (sets_predicate(first) && uses_predicate(second));
}

static void order_pair(struct unit *unit, int i, int j, bool loosely)
{
	const struct unit_op *first = &unit->op[i], *second = &unit->op[j];
	bool together = first->group == second->group;

	if (keep_order(first, second, loosely) ||
	    (sets_index(second) && uses_index(first)))
		keep_apart(unit, i, j, 1);
	/* A group reads the predicate before it sets it. */
	if (sets_predicate(second) && uses_predicate(first))
		keep_apart(unit, i, j, 0);
	if (sets_for(first, second))
		/* In one group it is what was set before that counts. */
		keep_apart(unit, together ? j : i, together ? i : j, 1);
	if (takes_lanes_out(first))
		keep_apart(unit, together ? j : i, together ? i : j,
			   together ? 0 : 1);
	if (takes_lanes_out(second))
		keep_apart(unit, i, j, 0);
}

static void order_effects(struct unit *unit, bool loosely)
{
	for (int i = 0; i < (int)unit->op_count; i++)
		for (int j = i + 1; j < (int)unit->op_count; j++)
			if (unit->op[i].parts && unit->op[j].parts)
				order_pair(unit, i, j, loosely);
	for (unsigned queue = 0; queue < UNIT_QUEUES; queue++)
		order_queue(unit, queue);
}

/* --- Heights -------------------------------------------------------------- */

static unsigned wished(const struct unit *unit, unsigned first,
		       unsigned second)
{
	unsigned groups = unit->apart[first][second] - 1u;

	if (unit->op[first].inst[0].op == EVG_ALU_LDS_IDX_OP &&
	    !is_local(&unit->op[second]))
		return LOCAL_READ_GROUPS;
	return groups;
}

/* What an operation must come behind is sorted before it; false when two must
 * come behind each other: registers change places in a group. */
static bool sort(struct unit *unit)
{
	bool done[UNIT_OPS] = { false };
	unsigned count = 0;

	while (count < unit->op_count) {
		unsigned before = count;

		for (unsigned i = 0; i < unit->op_count; i++) {
			unsigned j = 0;

			while (j < unit->op_count &&
			       (!unit->apart[j][i] || done[j]))
				j++;
			if (done[i] || j < unit->op_count)
				continue;
			done[i] = true;
			unit->sorted[count++] = (uint8_t)i;
		}
		if (count == before)
			return false;
	}
	return true;
}

static void find_heights(struct unit *unit)
{
	for (unsigned n = unit->op_count; n--;) {
		unsigned i = unit->sorted[n], height = 1;

		for (unsigned j = 0; j < unit->op_count; j++)
			if (unit->apart[i][j] &&
			    height < unit->op[j].height + wished(unit, i, j))
				height = unit->op[j].height +
					 wished(unit, i, j);
		unit->op[i].height = height;
	}
}

static const char *order(struct unit *unit, bool loosely)
{
	memset(unit->apart, 0, sizeof unit->apart);
	order_values(unit, loosely);
	order_registers(unit);
	if (unit->indexed)
		order_indexed(unit);
	order_effects(unit, loosely);
	if (!sort(unit))
		return "registers that change places";
	find_heights(unit);
	return NULL;
}

const char *unit_order(struct unit *unit)
{
	return order(unit, false);
}

const char *unit_order_loosely(struct unit *unit)
{
	return order(unit, true);
}
