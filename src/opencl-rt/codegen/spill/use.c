#include <stdlib.h>

#include "base/memory.h"
#include "opencl-rt/codegen/spill/spill.h"

/* The last instruction that asks for a test's predicate. */
static unsigned last_predicated(const struct machine *machine, unsigned test)
{
	unsigned last = test;

	for (unsigned i = test + 1; i < machine->inst_count; i++) {
		if (machine->insts[i].kind != MACHINE_ALU ||
		    machine_is_test(&machine->insts[i]))
			break;
		if (machine->insts[i].predicate)
			last = i;
	}
	return last;
}

/* A clause must not end between a test and what asks for its predicate, nor
 * while values are in the queues of local memory. */
static void find_stretches(struct move_uses *uses)
{
	const struct machine *machine = uses->machine;
	unsigned together = 0, queued = 0, stretch = 0;

	for (unsigned i = 0; i < machine->inst_count; i++) {
		const struct machine_inst *inst = &machine->insts[i];

		uses->begins[i] = !queued && i >= together;
		uses->stretch[i] = stretch;
		stretch += inst->kind >= MACHINE_IF;
		if (machine_is_test(inst) &&
		    last_predicated(machine, i) >= together)
			together = last_predicated(machine, i) + 1;
		queued -= machine_takes_from_queue(inst);
		if (machine_is_local(inst))
			queued += evg_lds_info[inst->lds_op].returns;
	}
	uses->begins[machine->inst_count] = true;
}

bool move_is_near(const struct move_uses *uses, unsigned first,
		  unsigned second)
{
	return second - first <= MOVE_NEAR &&
	       uses->stretch[first] == uses->stretch[second];
}

/* --- Lists of uses -------------------------------------------------------- */

/* Calls `each` for all registers of an instruction, those that it writes
 * last. */
static void for_registers(struct move_uses *uses, unsigned place,
			  void (*each)(struct move_uses *uses, int reg,
				       unsigned place))
{
	const struct machine_inst *inst = &uses->machine->insts[place];

	for (unsigned k = 0; k < inst->source_count; k++)
		if (inst->source[k].reg != MACHINE_NONE)
			each(uses, inst->source[k].reg, place);
	for (unsigned k = 0; k < inst->dest_count; k++)
		each(uses, inst->dest[k], place);
}

static void count_use(struct move_uses *uses, int reg, unsigned place)
{
	(void)place;
	uses->start[reg + 1]++;
}

/* `start` of the next register is where the list of this one ends so far. */
static void add_use(struct move_uses *uses, int reg, unsigned place)
{
	uses->at[uses->start[reg + 1]++] = place;
}

static void list_uses(struct move_uses *uses)
{
	const struct machine *machine = uses->machine;
	unsigned sum = 0;

	for (unsigned i = 0; i < machine->inst_count; i++)
		for_registers(uses, i, count_use);
	for (unsigned r = 0; r < machine->register_count; r++) {
		unsigned count = uses->start[r + 1];

		uses->start[r + 1] = sum;
		sum += count;
	}
	uses->at = xcalloc(sum + 1, sizeof *uses->at);
	for (unsigned i = 0; i < machine->inst_count; i++)
		for_registers(uses, i, add_use);
}

/* --- What is possible ----------------------------------------------------- */

/* A tuple's member stays what its fetch writes, and has its value only until
 * that is stored. */
static bool may_move(const struct move_uses *uses, unsigned reg)
{
	const struct machine *machine = uses->machine;
	const struct machine_register *own = &machine->registers[reg];
	const struct move_register *found = &uses->registers[reg];

	if (own->given || own->near || !found->writes)
		return false;
	if (own->tuple == MACHINE_NONE)
		return true;
	if (found->writes != 1 ||
	    machine->insts[found->writer].kind != MACHINE_FETCH)
		return false;
	for (unsigned i = uses->start[reg]; i < uses->start[reg + 1]; i++)
		if (machine_binds_sources(&machine->insts[uses->at[i]]))
			return false;
	return true;
}

/* Whether its operands are known wherever it is read. */
static bool may_compute_again(const struct move_uses *uses, unsigned reg)
{
	const struct machine *machine = uses->machine;
	const struct move_register *found = &uses->registers[reg];
	const struct machine_inst *writer = &machine->insts[found->writer];

	if (found->writes != 1 || writer->kind != MACHINE_ALU ||
	    writer->predicate || writer->dest_count != 1 ||
	    !machine_is_pure(writer) || machine_is_double(writer) ||
	    !uses->begins[found->writer] || !uses->begins[found->writer + 1])
		return false;
	for (unsigned k = 0; k < writer->source_count; k++) {
		int from = writer->source[k].reg;

		if (from == MACHINE_NONE || machine->registers[from].given)
			continue;
		if (uses->registers[from].writes != 1 ||
		    uses->registers[from].writer >= found->writer ||
		    machine->registers[from].last <
			    machine->registers[reg].last)
			return false;
	}
	return true;
}

/* How often instructions are executed, if each loop has so many turns. */
enum { TURNS = 8, DEEPEST = 8 };

static double *weigh(const struct machine *machine)
{
	double *weights = xcalloc(machine->inst_count + 1, sizeof *weights);
	double weight = 1;
	unsigned depth = 0;

	for (unsigned i = 0; i < machine->inst_count; i++) {
		enum machine_kind kind = machine->insts[i].kind;

		if (kind == MACHINE_LOOP && ++depth <= DEEPEST)
			weight *= TURNS;
		if (kind == MACHINE_END_LOOP && depth-- <= DEEPEST)
			weight /= TURNS;
		weights[i] = weight;
	}
	return weights;
}

/* Operations and clauses for one move. */
enum { MEMORY_COST = 4, AGAIN_COST = 1 };

static void add_costs(struct move_uses *uses)
{
	const struct machine *machine = uses->machine;
	double *weights = weigh(machine);

	for (unsigned r = 0; r < machine->register_count; r++) {
		struct move_register *found = &uses->registers[r];
		unsigned start = uses->start[r];

		for (unsigned i = start; i < uses->start[r + 1]; i++) {
			unsigned place = uses->at[i];

			if (i > start &&
			    move_is_near(uses, uses->at[i - 1], place))
				continue;
			if (!found->again)
				found->cost += MEMORY_COST * weights[place];
			else if (place != found->writer)
				found->cost += AGAIN_COST * weights[place];
		}
	}
	free(weights);
}

struct move_uses move_uses_find(const struct machine *machine)
{
	struct move_uses uses = {
		.machine = machine,
		.registers = xcalloc(machine->register_count + 1,
				     sizeof *uses.registers),
		.start = xcalloc(machine->register_count + 2,
				 sizeof *uses.start),
		.stretch = xcalloc(machine->inst_count + 1,
				   sizeof *uses.stretch),
		.begins = xcalloc(machine->inst_count + 1,
				  sizeof *uses.begins),
	};
	int *tuples = xcalloc(machine->register_count + 1, sizeof *tuples);

	find_stretches(&uses);
	list_uses(&uses);
	for (unsigned i = 0; i < machine->inst_count; i++)
		for (unsigned k = 0; k < machine->insts[i].dest_count; k++) {
			struct move_register *found =
				&uses.registers[machine->insts[i].dest[k]];

			found->writes++;
			found->writer = i;
		}
	for (unsigned r = 0; r < machine->register_count; r++)
		tuples[r] = (int)machine->inst_count;
	for (unsigned r = 0; r < machine->register_count; r++) {
		const struct machine_register *reg = &machine->registers[r];

		if (reg->tuple != MACHINE_NONE && reg->last >= reg->first &&
		    tuples[reg->tuple] > reg->first)
			tuples[reg->tuple] = reg->first;
	}
	for (unsigned r = 0; r < machine->register_count; r++) {
		const struct machine_register *reg = &machine->registers[r];

		uses.registers[r].first = reg->tuple == MACHINE_NONE
						  ? reg->first
						  : tuples[reg->tuple];
		uses.registers[r].possible = may_move(&uses, r);
		uses.registers[r].again = uses.registers[r].possible &&
					  may_compute_again(&uses, r);
	}
	add_costs(&uses);
	free(tuples);
	return uses;
}

void move_uses_free(struct move_uses *uses)
{
	free(uses->registers);
	free(uses->start);
	free(uses->at);
	free(uses->stretch);
	free(uses->begins);
}
