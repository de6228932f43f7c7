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

void machine_free(struct machine *machine)
{
	free(machine->insts);
	free(machine->registers);
	memset(machine, 0, sizeof *machine);
}

/* Whether it only computes its result. */
static bool is_pure(const struct machine_inst *inst)
{
	if (inst->kind == MACHINE_FETCH)
		return true;
	if (inst->kind != MACHINE_ALU || !inst->dest_count)
		return false;
	for (unsigned k = 0; k < inst->source_count; k++)
		if (inst->source[k].select == EVG_SELECT_LDS_OQ_A_POP &&
		    inst->source[k].reg == MACHINE_NONE)
			return false;
	return true;
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
	unsigned kept = 0;
	bool changed;

	for (unsigned i = 0; i < machine->inst_count; i++)
		count_reads(&machine->insts[i], reads, 1);
	do {
		changed = false;
		for (unsigned i = machine->inst_count; i--;) {
			const struct machine_inst *inst = &machine->insts[i];

			if (gone[i] || !is_pure(inst) || is_read(inst, reads))
				continue;
			gone[i] = changed = true;
			count_reads(inst, reads, -1);
		}
	} while (changed);
	for (unsigned i = 0; i < machine->inst_count; i++)
		if (!gone[i])
			machine->insts[kept++] = machine->insts[i];
	machine->inst_count = kept;
	free(reads);
	free(gone);
}

/* --- Copies --------------------------------------------------------------- */

/* How often a register is read and written, and by which instruction last. */
struct uses {
	unsigned reads, writes;
	unsigned writer, stretch; /* a stretch has no control flow in it */
};

static struct uses *count_uses(const struct machine *machine)
{
	struct uses *uses = xcalloc(machine->register_count + 1, sizeof *uses);
	unsigned stretch = 0;

	for (unsigned i = 0; i < machine->inst_count; i++) {
		const struct machine_inst *inst = &machine->insts[i];

		stretch += inst->kind >= MACHINE_IF;
		for (unsigned k = 0; k < inst->source_count; k++)
			if (inst->source[k].reg != MACHINE_NONE)
				uses[inst->source[k].reg].reads++;
		for (unsigned k = 0; k < inst->dest_count; k++) {
			uses[inst->dest[k]].writes++;
			uses[inst->dest[k]].writer = i;
			uses[inst->dest[k]].stretch = stretch;
		}
	}
	return uses;
}

static bool is_copy(const struct machine_inst *inst)
{
	return inst->kind == MACHINE_ALU && inst->op == EVG_ALU_MOV &&
	       inst->source[0].reg != MACHINE_NONE &&
	       !inst->source[0].negate && !inst->source[0].absolute;
}

static bool may_join(const struct machine *machine, const struct uses *uses,
		     int from, int to)
{
	const struct machine_register *source = &machine->registers[from];

	return uses[from].reads == 1 && uses[from].writes == 1 &&
	       uses[to].writes == 1 && !source->given &&
	       source->channel == MACHINE_NONE &&
	       source->tuple == MACHINE_NONE &&
	       uses[from].stretch == uses[to].stretch &&
	       machine->insts[uses[from].writer].kind == MACHINE_ALU;
}

void machine_join_copies(struct machine *machine)
{
	struct uses *uses = count_uses(machine);
	bool *gone = xcalloc(machine->inst_count + 1, sizeof *gone);
	unsigned kept = 0;

	for (unsigned i = 0; i < machine->inst_count; i++) {
		struct machine_inst *inst = &machine->insts[i];

		if (is_copy(inst) &&
		    may_join(machine, uses, inst->source[0].reg,
			     inst->dest[0])) {
			machine->insts[uses[inst->source[0].reg].writer]
				.dest[0] = inst->dest[0];
			gone[i] = true;
		}
	}
	for (unsigned i = 0; i < machine->inst_count; i++)
		if (!gone[i])
			machine->insts[kept++] = machine->insts[i];
	machine->inst_count = kept;
	free(gone);
	free(uses);
}
