#include "opencl-rt/codegen/machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct machine_inst *machine_add(struct machine *machine,
				 enum machine_kind kind)
{
	struct machine_inst *inst;

	ARRAY_GROW(machine->insts, machine->inst_count,
		   machine->inst_capacity);
	inst = &machine->insts[machine->inst_count++];
	memset(inst, 0, sizeof *inst);
	inst->kind = kind;
	inst->line = machine->line;
	if (kind == MACHINE_FETCH || kind == MACHINE_STORE)
		inst->argument = machine->argument;
	return inst;
}

int machine_register(struct machine *machine)
{
	ARRAY_GROW(machine->registers, machine->register_count,
		   machine->register_capacity);
	machine->registers[machine->register_count] =
		(struct machine_register){ .channel = MACHINE_NONE,
					   .tuple = MACHINE_NONE };
	return (int)machine->register_count++;
}

void machine_copy(struct machine *copy, const struct machine *machine)
{
	*copy = *machine;
	copy->inst_capacity = machine->inst_count + 1;
	copy->insts = xcalloc(copy->inst_capacity, sizeof *copy->insts);
	memcpy(copy->insts, machine->insts,
	       machine->inst_count * sizeof *copy->insts);
	copy->register_capacity = machine->register_count + 1;
	copy->registers = xcalloc(copy->register_capacity,
				  sizeof *copy->registers);
	memcpy(copy->registers, machine->registers,
	       machine->register_count * sizeof *copy->registers);
}

void machine_free(struct machine *machine)
{
	free(machine->insts);
	free(machine->registers);
	memset(machine, 0, sizeof *machine);
}

void machine_take_out(struct machine *machine, bool *gone)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < machine->inst_count; i++) {
		if (!gone[i])
			machine->insts[kept++] = machine->insts[i];
		gone[i] = false;
	}
	machine->inst_count = kept;
}

bool machine_is_number(const struct machine_source *source, uint32_t *value)
{
	if (source->reg != MACHINE_NONE || source->negate || source->absolute)
		return false;
	switch (source->select) {
	case EVG_SELECT_0:
		*value = 0;
		return true;
	case EVG_SELECT_1_INT:
		*value = 1;
		return true;
	case EVG_SELECT_M1_INT:
		*value = 0xffffffff;
		return true;
	case EVG_SELECT_1:
		*value = 0x3f800000;
		return true;
	case EVG_SELECT_HALF:
		*value = 0x3f000000;
		return true;
	case EVG_SELECT_LITERAL:
		*value = source->literal;
		return !source->relocated;
	default:
		return false;
	}
}

static bool is_queue(const struct machine_source *source)
{
	return source->reg == MACHINE_NONE &&
	       (source->select == EVG_SELECT_LDS_OQ_A_POP ||
		source->select == EVG_SELECT_LDS_OQ_B_POP);
}

bool machine_takes_from_queue(const struct machine_inst *inst)
{
	for (unsigned k = 0; k < inst->source_count; k++)
		if (is_queue(&inst->source[k]))
			return true;
	return false;
}

bool machine_is_double(const struct machine_inst *inst)
{
	return inst->kind == MACHINE_ALU &&
	       (evg_alu_info[inst->op].slots == EVG_SLOTS_PAIR ||
		evg_alu_info[inst->op].slots == EVG_SLOTS_FOUR);
}

bool machine_is_pure(const struct machine_inst *inst)
{
	if (inst->kind == MACHINE_FETCH)
		return true;
	if (inst->kind != MACHINE_ALU || !inst->dest_count)
		return false;
	return !machine_takes_from_queue(inst);
}

bool machine_is_copy(const struct machine_inst *inst)
{
	return inst->kind == MACHINE_ALU && inst->op == EVG_ALU_MOV &&
	       inst->source[0].reg != MACHINE_NONE &&
	       !inst->source[0].negate && !inst->source[0].absolute;
}

bool machine_is_test(const struct machine_inst *inst)
{
	return inst->kind == MACHINE_ALU && evg_alu_info[inst->op].is_predicate;
}

bool machine_is_local(const struct machine_inst *inst)
{
	return inst->kind == MACHINE_ALU && inst->op == EVG_ALU_LDS_IDX_OP;
}

bool machine_binds_sources(const struct machine_inst *inst)
{
	return inst->kind == MACHINE_STORE || inst->image;
}

bool machine_uses(const struct machine_inst *inst, int reg)
{
	for (unsigned k = 0; k < inst->source_count; k++)
		if (inst->source[k].reg == reg)
			return true;
	for (unsigned k = 0; k < inst->dest_count; k++)
		if (inst->dest[k] == reg)
			return true;
	return false;
}

bool machine_find_loop(const struct machine *machine, unsigned place,
		       unsigned *first, unsigned *last)
{
	unsigned depth = 0;

	for (*first = place;
	     machine->insts[*first].kind != MACHINE_LOOP || depth--;) {
		depth += machine->insts[*first].kind == MACHINE_END_LOOP;
		if (!(*first)--)
			return false;
	}
	for (depth = 0, *last = place;; (*last)++) {
		depth += machine->insts[*last].kind == MACHINE_LOOP;
		if (machine->insts[*last].kind == MACHINE_END_LOOP && !depth--)
			return true;
	}
}

unsigned *machine_count_writes(const struct machine *machine)
{
	unsigned *writes = xcalloc(machine->register_count + 1,
				   sizeof *writes);

	for (unsigned r = 0; r < machine->register_count; r++)
		writes[r] = machine->registers[r].given;
	for (unsigned i = 0; i < machine->inst_count; i++)
		for (unsigned k = 0; k < machine->insts[i].dest_count; k++)
			writes[machine->insts[i].dest[k]]++;
	return writes;
}

bool machine_same_source(const struct machine_source *a,
			 const struct machine_source *b)
{
	return a->reg == b->reg && a->negate == b->negate &&
	       a->absolute == b->absolute &&
	       (a->reg != MACHINE_NONE ||
		(a->select == b->select && a->channel == b->channel &&
		 a->literal == b->literal &&
		 a->relocated == b->relocated &&
		 !is_queue(a)));
}

static bool is_read(const struct machine_inst *inst, const unsigned *reads)
{
	for (unsigned i = 0; i < inst->dest_count; i++)
		if (reads[inst->dest[i]])
			return true;
	return false;
}

static void count_reads(const struct machine_inst *inst, unsigned *reads,
			int step)
{
	for (unsigned k = 0; k < inst->source_count; k++)
		if (inst->source[k].reg != MACHINE_NONE)
			reads[inst->source[k].reg] += (unsigned)step;
}

void machine_drop_unused(struct machine *machine)
{
	unsigned *reads = xcalloc(machine->register_count + 1, sizeof *reads);
	bool *gone = xcalloc(machine->inst_count + 1, sizeof *gone);
	bool changed;

	for (unsigned i = 0; i < machine->inst_count; i++)
		count_reads(&machine->insts[i], reads, 1);
	do {
		changed = false;
		for (unsigned i = machine->inst_count; i--;) {
			const struct machine_inst *inst = &machine->insts[i];

			if (gone[i] || !machine_is_pure(inst) || is_read(inst, reads))
				continue;
			gone[i] = changed = true;
			count_reads(inst, reads, -1);
		}
	} while (changed);
	machine_take_out(machine, gone);
	free(reads);
	free(gone);
}

/* --- Copies --------------------------------------------------------------- */

/* Where a register is written and read. */
struct uses {
	unsigned writes, writer; /* the last one */
	unsigned first_read, last_read;
};

static void note_read(struct uses *uses, unsigned place)
{
	if (!uses->last_read)
		uses->first_read = place;
	uses->last_read = place;
}

static struct uses *count_uses(const struct machine *machine)
{
	struct uses *uses = xcalloc(machine->register_count + 1, sizeof *uses);

	for (unsigned i = 0; i < machine->inst_count; i++) {
		const struct machine_inst *inst = &machine->insts[i];

		for (unsigned k = 0; k < inst->source_count; k++)
			if (inst->source[k].reg != MACHINE_NONE)
				note_read(&uses[inst->source[k].reg], i);
		for (unsigned k = 0; k < inst->dest_count; k++) {
			uses[inst->dest[k]].writes++;
			uses[inst->dest[k]].writer = i;
		}
	}
	return uses;
}

/* Whether all reads of a register are in the innermost loop around a place. */
static bool is_read_in_loop(const struct machine *machine,
			    const struct uses *uses, unsigned place)
{
	unsigned first, last;

	return machine_find_loop(machine, place, &first, &last) &&
	       uses->first_read > first && uses->last_read < last;
}

/* Whether a value that must be in a channel can be in the copy's register: that
 * may be in any, or has to be in the same. */
static bool fits_channel(const struct machine_register *source,
			 const struct machine_register *copy)
{
	return source->channel == MACHINE_NONE ||
	       source->channel == copy->channel ||
	       (copy->channel == MACHINE_NONE && copy->tuple == MACHINE_NONE &&
		!copy->given);
}

/* Whether the value that is copied at `place` may be computed in the copy's
 * register: nobody reads it behind the copy, both belong to one side of one
 * construct, and between them nothing uses the copy's register. Lanes that leave
 * a loop between them must not take that register along. A copy of some lanes
 * only is computed in some lanes only, behind their test. */
static bool may_join(const struct machine *machine, const struct uses *uses,
		     unsigned place)
{
	const struct machine_inst *copy = &machine->insts[place];
	int from = copy->source[0].reg, to = copy->dest[0], depth = 0;
	const struct machine_register *source = &machine->registers[from];
	const struct machine_inst *writer = &machine->insts[uses[from].writer];

	if (uses[from].writes != 1 || uses[from].last_read != place ||
	    uses[from].writer >= place || source->given ||
	    !fits_channel(source, &machine->registers[to]) ||
	    source->tuple != MACHINE_NONE ||
	    writer->kind != MACHINE_ALU ||
	    (writer->predicate && writer->predicate != copy->predicate))
		return false;
	for (unsigned i = uses[from].writer + 1; i < place; i++) {
		const struct machine_inst *inst = &machine->insts[i];

		if (machine_uses(inst, to) ||
		    (copy->predicate && machine_is_test(inst)))
			return false;
		depth += inst->kind == MACHINE_IF || inst->kind == MACHINE_LOOP;
		depth -= inst->kind == MACHINE_END_IF ||
			 inst->kind == MACHINE_END_LOOP;
		if (depth < 0 || (!depth && inst->kind == MACHINE_ELSE) ||
		    (inst->kind == MACHINE_BREAK &&
		     !is_read_in_loop(machine, &uses[to], place)))
			return false;
	}
	return !depth;
}

static void rename(struct machine *machine, unsigned first, unsigned last,
		   int from, int to)
{
	for (unsigned i = first; i <= last; i++) {
		struct machine_inst *inst = &machine->insts[i];

		for (unsigned k = 0; k < inst->source_count; k++)
			if (inst->source[k].reg == from && i != first)
				inst->source[k].reg = to;
		for (unsigned k = 0; k < inst->dest_count; k++)
			if (inst->dest[k] == from)
				inst->dest[k] = to;
	}
}

void machine_join_copies(struct machine *machine)
{
	struct uses *uses = count_uses(machine);
	bool *gone = xcalloc(machine->inst_count + 1, sizeof *gone);

	for (unsigned i = 0; i < machine->inst_count; i++) {
		const struct machine_inst *inst = &machine->insts[i];
		int from, to;

		if (!machine_is_copy(inst) || !may_join(machine, uses, i))
			continue;
		from = inst->source[0].reg;
		to = inst->dest[0];
		if (machine->registers[from].channel != MACHINE_NONE)
			machine->registers[to].channel =
				machine->registers[from].channel;
		rename(machine, uses[from].writer, i, from, to);
		machine->insts[uses[from].writer].predicate = inst->predicate;
		if (uses[to].writer == i)
			uses[to].writer = uses[from].writer;
		gone[i] = true;
	}
	machine_take_out(machine, gone);
	free(gone);
	free(uses);
}

unsigned machine_most_units(const struct machine *machine,
			    const struct machine_inst *inst)
{
	const struct machine_inst *end = machine->insts + machine->inst_count;
	unsigned sum = 3, needed = 3;

	if (inst->op == EVG_ALU_LDS_IDX_OP)
		return 3 * (1 + evg_lds_info[inst->lds_op].returns);
	if (machine_is_double(inst))
		return MACHINE_DOUBLE_UNITS;
	if (!evg_alu_info[inst->op].is_predicate)
		return 3;
	for (const struct machine_inst *i = inst + 1;
	     i < end && i->kind == MACHINE_ALU; i++) {
		if (evg_alu_info[i->op].is_predicate)
			break;
		sum += machine_is_double(i) ? MACHINE_DOUBLE_UNITS : 3;
		if (i->predicate)
			needed = sum;
	}
	return needed;
}
