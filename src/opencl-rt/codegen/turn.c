/* What prepares a loop's next turn stands behind the last BREAK of the loop: a
 * clause of its own in each turn. It may stand before the BREAK, in the clause of
 * the test, where it fills slots: then lanes that leave compute it too, which nobody
 * sees if nothing reads it behind the loop. */
#include <stdlib.h>

#include "base/memory.h"
#include "opencl-rt/codegen/machine.h"

/* A loop whose last lanes leave by a test, and what follows that. */
struct turn {
	const struct machine *machine;
	unsigned start, leave, end; /* LOOP, BREAK, END_LOOP */
};

/* The BREAK from which on a loop is straight to its end; false: there is none. */
static bool find_turn(const struct machine *machine, unsigned end,
		      struct turn *turn)
{
	const struct machine_inst *insts = machine->insts;
	unsigned leave = end, last;

	do
		leave--;
	while (insts[leave].kind == MACHINE_ALU);
	if (insts[leave].kind != MACHINE_BREAK || !insts[leave].source_count)
		return false;
	*turn = (struct turn){ .machine = machine, .leave = leave, .end = end };
	return machine_find_loop(machine, leave, &turn->start, &last);
}

static bool reads(const struct machine_inst *inst, int reg)
{
	for (unsigned k = 0; k < inst->source_count; k++)
		if (inst->source[k].reg == reg)
			return true;
	return false;
}

static bool writes(const struct machine_inst *inst, int reg)
{
	for (unsigned k = 0; k < inst->dest_count; k++)
		if (inst->dest[k] == reg)
			return true;
	return false;
}

/* Whether whoever comes into the loop has given a register its value on the way
 * since the construct around the loop began. */
static bool is_begun(const struct turn *turn, int reg)
{
	unsigned depth = 0;

	for (unsigned i = turn->start; i--;) {
		const struct machine_inst *inst = &turn->machine->insts[i];

		if (inst->kind == MACHINE_END_IF ||
		    inst->kind == MACHINE_END_LOOP)
			depth++;
		else if (inst->kind >= MACHINE_IF &&
			 inst->kind != MACHINE_ELSE &&
			 inst->kind != MACHINE_BREAK && !depth--)
			return false;
		else if (inst->kind == MACHINE_ELSE && !depth)
			return false;
		if (!depth && !inst->predicate && writes(inst, reg))
			return true;
	}
	return false;
}

/* Whether only the loop reads a register: it is read nowhere else, and what it has
 * when lanes leave does not come back with them. */
static bool ends_with_loop(const struct turn *turn, int reg)
{
	const struct machine *machine = turn->machine;

	for (unsigned i = 0; i < machine->inst_count; i++)
		if ((i < turn->start || i > turn->end) &&
		    reads(&machine->insts[i], reg))
			return false;
	return is_begun(turn, reg);
}

/* Whether an instruction and a later one may change places. */
static bool are_independent(const struct machine_inst *first,
			    const struct machine_inst *second)
{
	for (unsigned k = 0; k < second->dest_count; k++)
		if (machine_uses(first, second->dest[k]))
			return false;
	for (unsigned k = 0; k < first->dest_count; k++)
		if (reads(second, first->dest[k]))
			return false;
	return true;
}

static bool may_move(const struct turn *turn, unsigned place, const bool *moves)
{
	const struct machine_inst *inst = &turn->machine->insts[place];

	if (!machine_is_pure(inst) || machine_is_test(inst) || inst->predicate)
		return false;
	for (unsigned i = turn->leave; i < place; i++)
		if (!moves[i] &&
		    !are_independent(&turn->machine->insts[i], inst))
			return false;
	for (unsigned k = 0; k < inst->dest_count; k++)
		if (!ends_with_loop(turn, inst->dest[k]))
			return false;
	return true;
}

/* Puts the marked instructions before the BREAK. */
static void move(struct machine *machine, const struct turn *turn, bool *moves)
{
	unsigned to = turn->leave;

	for (unsigned i = turn->leave + 1; i < turn->end; i++) {
		struct machine_inst inst = machine->insts[i];

		if (!moves[i])
			continue;
		for (unsigned j = i; j > to; j--)
			machine->insts[j] = machine->insts[j - 1];
		machine->insts[to++] = inst;
		moves[i] = false;
	}
}

void machine_prepare_turns(struct machine *machine)
{
	bool *moves = xcalloc(machine->inst_count + 1, sizeof *moves);

	for (unsigned i = 0; i < machine->inst_count; i++) {
		struct turn turn;

		if (machine->insts[i].kind != MACHINE_END_LOOP ||
		    !find_turn(machine, i, &turn))
			continue;
		for (unsigned j = turn.leave + 1; j < i; j++)
			moves[j] = may_move(&turn, j, moves);
		move(machine, &turn, moves);
	}
	free(moves);
}
