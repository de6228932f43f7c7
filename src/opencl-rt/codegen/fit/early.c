/* Copies for the next turn of a loop stand at the loop's end, so that each value
 * has two registers: that of this turn, and that of the next. A copy may stand
 * where this turn's value is used for the last time. */
#include <stdlib.h>

#include "base/memory.h"
#include "opencl-rt/codegen/fit/fit.h"

/* Of a register; places are those of instructions. */
struct value {
	unsigned writes, writer; /* the last one */
	unsigned first_read, last_read;
};

struct early {
	const struct machine *machine;
	struct value *values;
	/* For each instruction the first of the copies that come in front of
	 * it, and for each copy the next; 0: none. */
	unsigned *first, *next;
	bool *moved;
};

static void note_read(struct value *value, unsigned place)
{
	if (!value->last_read)
		value->first_read = place;
	value->last_read = place;
}

static void find_values(struct early *early)
{
	const struct machine *machine = early->machine;

	for (unsigned i = 0; i < machine->inst_count; i++) {
		const struct machine_inst *inst = &machine->insts[i];

		for (unsigned k = 0; k < inst->source_count; k++)
			if (inst->source[k].reg != MACHINE_NONE)
				note_read(&early->values[inst->source[k].reg],
					  i);
		for (unsigned k = 0; k < inst->dest_count; k++) {
			early->values[inst->dest[k]].writes++;
			early->values[inst->dest[k]].writer = i;
		}
	}
}

/* A copy for all lanes of a value that is computed once. */
static bool is_candidate(const struct early *early, unsigned place)
{
	const struct machine_inst *inst = &early->machine->insts[place];
	const struct value *from;
	int reg;

	if (!machine_is_copy(inst) || inst->predicate)
		return false;
	reg = inst->source[0].reg;
	from = &early->values[reg];
	return !early->machine->registers[reg].given && from->writes == 1 &&
	       from->writer < place &&
	       !early->machine->insts[from->writer].predicate;
}

/* Whether a register's value is gone when the innermost loop around a place
 * ends. */
static bool ends_with_loop(const struct early *early, int reg, unsigned place)
{
	const struct value *value = &early->values[reg];
	unsigned first, last;

	return machine_find_loop(early->machine, place, &first, &last) &&
	       value->first_read > first && value->last_read < last;
}

static bool has_break(const struct machine *machine, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		if (machine->insts[i].kind == MACHINE_BREAK)
			return true;
	return false;
}

/* Whether whoever comes to the end of the innermost loop has come by this
 * place. */
static bool is_in_all_turns(const struct machine *machine, unsigned place)
{
	int depth = 0;

	for (unsigned i = place + 1; i < machine->inst_count; i++) {
		enum machine_kind kind = machine->insts[i].kind;

		if (!depth && kind >= MACHINE_ELSE && kind != MACHINE_LOOP &&
		    kind != MACHINE_BREAK)
			return kind == MACHINE_END_LOOP;
		depth += kind == MACHINE_IF || kind == MACHINE_LOOP;
		depth -= kind == MACHINE_END_IF || kind == MACHINE_END_LOOP;
	}
	return false;
}

/* Whether an instruction reads a register that has its place because of it. */
static bool is_bound_to(const struct machine *machine,
			const struct machine_inst *inst, int reg)
{
	return machine_binds_sources(inst) && machine_uses(inst, reg) &&
	       (machine->registers[reg].tuple != MACHINE_NONE ||
		machine->registers[reg].channel != MACHINE_NONE);
}

/* Whether all later reads of the value can read the copy: it comes before each of
 * them, and still has the value. A value from before the loop is also read by
 * lanes that never come into the loop. */
static bool may_rename(const struct early *early, unsigned copy)
{
	const struct machine_inst *insts = early->machine->insts;
	const struct value *value =
		&early->values[insts[copy].source[0].reg];
	unsigned last = value->last_read, start, end;

	if (last > copy && (!is_in_all_turns(early->machine, copy) ||
			    !machine_find_loop(early->machine, copy, &start,
					       &end) ||
			    value->writer < start))
		return false;
	for (unsigned i = value->writer + 1; i <= last; i++)
		if (is_bound_to(early->machine, &insts[i],
				insts[copy].source[0].reg))
			return false;
	for (unsigned i = copy + 1; i <= last; i++)
		for (unsigned k = 0; k < insts[i].dest_count; k++)
			if (insts[i].dest[k] == insts[copy].dest[0])
				return false;
	return true;
}

/* The first place to which a copy may go: the same lanes come there, and from
 * there on nothing uses its register. Lanes that leave a loop in between take
 * the new value along, which nothing may read that wants the old one. */
static unsigned find_place(const struct early *early, unsigned copy)
{
	const struct machine_inst *insts = early->machine->insts;
	int from = insts[copy].source[0].reg, to = insts[copy].dest[0];
	unsigned writer = early->values[from].writer;
	bool leaves = ends_with_loop(early, to, copy);
	unsigned found = copy, depth = 0;

	if (!may_rename(early, copy))
		return copy;
	for (unsigned i = copy; i-- > writer + 1;) {
		enum machine_kind kind = insts[i].kind;

		if ((kind == MACHINE_BREAK && !leaves) ||
		    machine_uses(&insts[i], to))
			break;
		if (kind == MACHINE_END_IF || kind == MACHINE_END_LOOP)
			depth++;
		if (!depth && kind >= MACHINE_IF)
			break;
		if (kind == MACHINE_IF || kind == MACHINE_LOOP)
			depth--;
		if (!depth)
			found = i;
	}
	/* Lanes that leave before have no copy. */
	if (early->values[from].last_read > copy &&
	    (!leaves || has_break(early->machine, writer, found)))
		return copy;
	return found;
}

static void rename_reads(struct machine *machine, unsigned first, unsigned last,
			 unsigned copy, int from, int to)
{
	for (unsigned i = first; i <= last; i++)
		for (unsigned k = 0; k < machine->insts[i].source_count; k++)
			if (i != copy && machine->insts[i].source[k].reg == from)
				machine->insts[i].source[k].reg = to;
}

static void rebuild(struct machine *machine, const struct early *early)
{
	struct machine_inst *old = machine->insts;
	unsigned count = machine->inst_count;

	machine->insts = NULL;
	machine->inst_count = machine->inst_capacity = 0;
	for (unsigned i = 0; i < count; i++) {
		for (unsigned c = early->first[i]; c; c = early->next[c])
			*machine_add(machine, MACHINE_ALU) = old[c];
		if (!early->moved[i])
			*machine_add(machine, old[i].kind) = old[i];
	}
	free(old);
}

void fit_copy_early(struct machine *machine)
{
	struct early early = {
		.machine = machine,
		.values = xcalloc(machine->register_count + 1,
				  sizeof *early.values),
		.first = xcalloc(machine->inst_count + 1, sizeof *early.first),
		.next = xcalloc(machine->inst_count + 1, sizeof *early.next),
		.moved = xcalloc(machine->inst_count + 1, sizeof *early.moved),
	};

	find_values(&early);
	for (unsigned i = 0; i < machine->inst_count; i++) {
		const struct machine_inst *inst = &machine->insts[i];
		unsigned place;

		if (!is_candidate(&early, i))
			continue;
		place = find_place(&early, i);
		if (place == i)
			continue;
		early.next[i] = early.first[place];
		early.first[place] = i;
		early.moved[i] = true;
		rename_reads(machine, place,
			     early.values[inst->source[0].reg].last_read, i,
			     inst->source[0].reg, inst->dest[0]);
	}
	rebuild(machine, &early);
	free(early.values);
	free(early.first);
	free(early.next);
	free(early.moved);
}
