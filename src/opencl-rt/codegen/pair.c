/* Pairs of reads of local memory. An instruction reads one dword for a lane, or
 * two from two addresses; each value then waits in a queue of its own. */
#include <string.h>

#include "opencl-rt/codegen/unit.h"

/* Reads and what takes their values, in program order. */
struct reads {
	unsigned put[UNIT_OPS], take[UNIT_OPS];
	unsigned puts, takes;
};

static bool is_local(const struct unit_op *op)
{
	return op->parts && (op->inst[0].op == EVG_ALU_LDS_IDX_OP ||
			     op->inst[0].op == EVG_ALU_GROUP_BARRIER);
}

static bool is_read(const struct unit_op *op)
{
	return op->parts && op->inst[0].op == EVG_ALU_LDS_IDX_OP &&
	       op->inst[0].lds_op == EVG_LDS_READ_RET &&
	       !op->inst[0].predicate_select;
}

/* Whether only queue A is in use, and all that is put there is taken. */
static bool find_reads(const struct unit *unit, struct reads *reads)
{
	reads->puts = reads->takes = 0;
	for (unsigned i = 0; i < unit->op_count; i++) {
		const struct unit_op *op = &unit->op[i];
		unsigned returns = 0;

		if (op->inst[0].op == EVG_ALU_LDS_IDX_OP)
			returns = evg_lds_info[op->inst[0].lds_op].returns;
		if (returns > 1)
			return false;
		if (returns)
			reads->put[reads->puts++] = i;
		for (unsigned part = 0; part < op->parts; part++)
			for (unsigned k = 0; k < op->inst[part].source_count;
			     k++) {
				unsigned select =
					op->inst[part].source[k].select;

				if (select == EVG_SELECT_LDS_OQ_B_POP)
					return false;
				if (select != EVG_SELECT_LDS_OQ_A_POP)
					continue;
				/* Some lanes would not take theirs. */
				if (op->inst[part].predicate_select)
					return false;
				reads->take[reads->takes++] = i;
			}
	}
	return reads->puts == reads->takes;
}

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
			return is_read(&unit->op[i]) ? (int)i : -1;
	return -1;
}

static void take_from_b(struct unit_op *op)
{
	for (unsigned part = 0; part < op->parts; part++)
		for (unsigned k = 0; k < op->inst[part].source_count; k++)
			if (op->inst[part].source[k].select ==
			    EVG_SELECT_LDS_OQ_A_POP)
				op->inst[part].source[k].select =
					EVG_SELECT_LDS_OQ_B_POP;
}

/* The second becomes a part of the first. */
static void join(struct unit *unit, unsigned first, unsigned second,
		 const struct reads *reads)
{
	struct unit_op *op = &unit->op[first], *gone = &unit->op[second];

	for (unsigned n = 0; n < reads->puts; n++)
		if (reads->put[n] == second)
			take_from_b(&unit->op[reads->take[n]]);
	op->inst[0].lds_op = EVG_LDS_READ2_RET;
	op->inst[0].source_count = 2;
	op->inst[0].source[1] = gone->inst[0].source[0];
	op->source[0][1] = gone->source[0][0];
	gone->parts = 0;
	gone->value[0] = UNIT_NONE;
	gone->inst[0].op = EVG_ALU_MOV;
}

const char *unit_pair_reads(struct unit *unit)
{
	struct reads reads;
	bool joined = false;

	if (!find_reads(unit, &reads))
		return NULL;
	for (unsigned i = 0; i < unit->op_count; i++) {
		int second;

		if (!is_read(&unit->op[i]))
			continue;
		second = next_read(unit, i);
		if (second < 0 || leads_to(unit, i, (unsigned)second))
			continue;
		join(unit, i, (unsigned)second, &reads);
		joined = true;
		/* The joined one is no longer a single read. */
	}
	return joined ? unit_order(unit) : NULL;
}
