/* Control flow made simpler: sides that are empty go, tests take their
 * comparison into them, and lanes leave loops by the test itself. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/machine.h"

/* --- Tests ---------------------------------------------------------------- */

/* A comparison whose result is 0 or not, and the tests that pass when it is
 * not 0 and when it is. The opposite of "greater" is "greater or equal" with
 * the operands exchanged. Floats have none, because of NaN. */
static const struct {
	enum evg_alu_op op, test;
	enum evg_alu_op opposite;    /* EVG_ALU_ALU_NOP: none */
	bool exchanged;
} comparisons[] = {
	{ EVG_ALU_SETE_INT, EVG_ALU_PRED_SETE_INT, EVG_ALU_PRED_SETNE_INT,
	  false },
	{ EVG_ALU_SETNE_INT, EVG_ALU_PRED_SETNE_INT, EVG_ALU_PRED_SETE_INT,
	  false },
	{ EVG_ALU_SETGT_INT, EVG_ALU_PRED_SETGT_INT, EVG_ALU_PRED_SETGE_INT,
	  true },
	{ EVG_ALU_SETGE_INT, EVG_ALU_PRED_SETGE_INT, EVG_ALU_PRED_SETGT_INT,
	  true },
	{ EVG_ALU_SETGT_UINT, EVG_ALU_PRED_SETGT_UINT,
	  EVG_ALU_PRED_SETGE_UINT, true },
	{ EVG_ALU_SETGE_UINT, EVG_ALU_PRED_SETGE_UINT,
	  EVG_ALU_PRED_SETGT_UINT, true },
	{ EVG_ALU_SETE_DX10, EVG_ALU_PRED_SETE, EVG_ALU_PRED_SETNE, false },
	{ EVG_ALU_SETNE_DX10, EVG_ALU_PRED_SETNE, EVG_ALU_PRED_SETE, false },
	{ EVG_ALU_SETGT_DX10, EVG_ALU_PRED_SETGT, EVG_ALU_ALU_NOP, false },
	{ EVG_ALU_SETGE_DX10, EVG_ALU_PRED_SETGE, EVG_ALU_ALU_NOP, false },
};

static bool is_zero(const struct machine_source *source)
{
	return source->reg == MACHINE_NONE && source->select == EVG_SELECT_0;
}

/* Whether a test asks whether a register is 0 or not. */
static bool tests_zero(const struct machine_inst *inst)
{
	return (inst->op == EVG_ALU_PRED_SETNE_INT ||
		inst->op == EVG_ALU_PRED_SETE_INT) &&
	       inst->source[0].reg != MACHINE_NONE &&
	       !inst->source[0].negate && is_zero(&inst->source[1]);
}

static bool writes(const struct machine_inst *inst, int reg)
{
	for (unsigned k = 0; k < inst->dest_count; k++)
		if (inst->dest[k] == reg)
			return true;
	return false;
}

/* The instruction in the same stretch that computed a register, when its
 * sources still hold what it read; MACHINE_NONE. */
static int find_writer(const struct machine *machine, unsigned place, int reg)
{
	int writer = (int)place - 1;

	while (writer >= 0 && machine->insts[writer].kind < MACHINE_IF &&
	       !writes(&machine->insts[writer], reg))
		writer--;
	if (writer < 0 || machine->insts[writer].kind != MACHINE_ALU)
		return MACHINE_NONE;
	for (unsigned i = (unsigned)writer; i < place; i++)
		for (unsigned k = 0; k < machine->insts[writer].source_count;
		     k++)
			if (writes(&machine->insts[i],
				   machine->insts[writer].source[k].reg))
				return MACHINE_NONE;
	return writer;
}

/* Lets a test do what the comparison before it does. */
static bool fold_test(struct machine *machine, unsigned place)
{
	struct machine_inst *inst = &machine->insts[place];
	bool negative = inst->op == EVG_ALU_PRED_SETE_INT;
	const struct machine_inst *from;
	int writer;

	if (!tests_zero(inst))
		return false;
	writer = find_writer(machine, place, inst->source[0].reg);
	if (writer == MACHINE_NONE)
		return false;
	from = &machine->insts[writer];
	if (from->op == EVG_ALU_NOT_INT) {
		/* Of 0 and -1. */
		inst->op = negative ? EVG_ALU_PRED_SETNE_INT
				    : EVG_ALU_PRED_SETE_INT;
		inst->source[0] = from->source[0];
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(comparisons); i++) {
		bool exchanged = negative && comparisons[i].exchanged;

		if (comparisons[i].op != from->op)
			continue;
		if (negative && comparisons[i].opposite == EVG_ALU_ALU_NOP)
			return false;
		inst->op = negative ? comparisons[i].opposite
				    : comparisons[i].test;
		inst->source[0] = from->source[exchanged];
		inst->source[1] = from->source[!exchanged];
		return true;
	}
	return false;
}

/* The test that passes where this one does not; false when there is none. */
static bool invert_test(struct machine_inst *inst)
{
	for (size_t i = 0; i < ARRAY_SIZE(comparisons); i++) {
		struct machine_source first = inst->source[0];

		if (comparisons[i].test != inst->op ||
		    comparisons[i].opposite == EVG_ALU_ALU_NOP)
			continue;
		inst->op = comparisons[i].opposite;
		if (comparisons[i].exchanged) {
			inst->source[0] = inst->source[1];
			inst->source[1] = first;
		}
		return true;
	}
	return false;
}

/* --- Constructs ----------------------------------------------------------- */

static bool is_kind(const struct machine *machine, unsigned place,
		    enum machine_kind kind)
{
	return place < machine->inst_count &&
	       machine->insts[place].kind == kind;
}

/* The end of the construct that begins here; *other: its ELSE, or its end. */
static unsigned find_end(const struct machine *machine, unsigned place,
			 unsigned *other)
{
	unsigned depth = 0;

	*other = 0;
	for (unsigned i = place + 1;; i++) {
		enum machine_kind kind = machine->insts[i].kind;

		if (kind == MACHINE_IF || kind == MACHINE_LOOP)
			depth++;
		else if (kind == MACHINE_ELSE && !depth)
			*other = i;
		else if ((kind == MACHINE_END_IF ||
			  kind == MACHINE_END_LOOP) && !depth--) {
			if (!*other)
				*other = i;
			return i;
		}
	}
}

/* Takes empty sides of an IF out, and the whole of it when both are empty. */
static bool simplify_if(struct machine *machine, unsigned place, bool *gone)
{
	struct machine_inst *inst = &machine->insts[place];
	unsigned other, end = find_end(machine, place, &other);

	if (end == place + 1 || (other == place + 1 && end == other + 1)) {
		gone[place] = gone[other] = gone[end] = true;
		return true;
	}
	if (other != end && end == other + 1) {
		gone[other] = true;
		return true;
	}
	if (other != end && other == place + 1 && invert_test(inst)) {
		gone[other] = true;
		return true;
	}
	return false;
}

/* Whether a side does nothing but to copy, to registers that neither the test
 * nor the other side reads: then all lanes may copy before the branch. */
static bool only_copies(const struct machine *machine, unsigned place,
			unsigned first, unsigned last, unsigned end)
{
	if (first == last)
		return false;
	for (unsigned i = first; i < last; i++) {
		const struct machine_inst *copy = &machine->insts[i];

		if (copy->kind != MACHINE_ALU || copy->op != EVG_ALU_MOV ||
		    !machine_is_pure(copy))
			return false;
		for (unsigned j = place; j < end; j++)
			for (unsigned k = 0;
			     k < machine->insts[j].source_count; k++)
				if (machine->insts[j].source[k].reg ==
				    copy->dest[0])
					return false;
	}
	return true;
}

/* Moves a side before its branch, which then has only the other. */
static void move_side(struct machine *machine, unsigned place, unsigned first,
		      unsigned last)
{
	unsigned count = last - first;
	struct machine_inst *side = xcalloc(count, sizeof *side);

	memcpy(side, &machine->insts[first], count * sizeof *side);
	memmove(&machine->insts[place + count], &machine->insts[place],
		(first - place) * sizeof *side);
	memcpy(&machine->insts[place], side, count * sizeof *side);
	free(side);
}

static bool simplify_copies(struct machine *machine, unsigned place)
{
	unsigned other, end = find_end(machine, place, &other);

	if (other == end)
		return false;
	if (only_copies(machine, place, other + 1, end, end)) {
		move_side(machine, place, other + 1, end);
		return true;
	}
	if (!only_copies(machine, place, place + 1, other, end))
		return false;
	move_side(machine, place, place + 1, other);
	return true;
}

/* Lanes that do nothing but leave a loop leave it by the opposite test: those
 * that do not pass leave. The loop must be the construct right around it, so
 * that no saved mask lies between. */
static bool simplify_break(struct machine *machine, unsigned place, bool *gone)
{
	if (!is_kind(machine, place + 1, MACHINE_BREAK) ||
	    machine->insts[place + 1].source_count ||
	    !is_kind(machine, place + 2, MACHINE_END_IF) ||
	    !invert_test(&machine->insts[place]))
		return false;
	machine->insts[place].kind = MACHINE_BREAK;
	gone[place + 1] = gone[place + 2] = true;
	return true;
}

/* Goes through the code once, and leaves alone what is inside a construct that
 * has changed: what goes lies behind the place then. Returns whether something
 * has changed. */
static bool simplify(struct machine *machine, bool *gone)
{
	bool in_loop[MACHINE_DEPTH + 1] = { false }, changed = false;
	unsigned depth = 0, end, other;

	for (unsigned i = 0; i < machine->inst_count; i++) {
		switch (machine->insts[i].kind) {
		case MACHINE_IF:
			end = find_end(machine, i, &other);
			if ((in_loop[depth] &&
			     simplify_break(machine, i, gone)) ||
			    simplify_if(machine, i, gone) ||
			    simplify_copies(machine, i)) {
				changed = true;
				i = end;
				break;
			}
			in_loop[++depth] = false;
			break;
		case MACHINE_LOOP:
			in_loop[++depth] = true;
			break;
		case MACHINE_END_IF:
		case MACHINE_END_LOOP:
			depth--;
			break;
		default:
			break;
		}
	}
	return changed;
}

void machine_simplify_flow(struct machine *machine)
{
	bool *gone = xcalloc(machine->inst_count + 1, sizeof *gone);

	for (unsigned i = 0; i < machine->inst_count; i++)
		while (machine->insts[i].kind == MACHINE_IF &&
		       fold_test(machine, i))
			;
	while (simplify(machine, gone))
		machine_take_out(machine, gone);
	free(gone);
}
