#include <stdlib.h>

#include "base/memory.h"
#include "opencl-rt/codegen/spill/spill.h"

enum { NOBODY = -1, SEVERAL = -2 };

/* For each register the only instruction that wants it in its tuple or
 * channel. */
static int *find_wanting(const struct machine *machine)
{
	int *wanting = xcalloc(machine->register_count + 1, sizeof *wanting);

	for (unsigned r = 0; r < machine->register_count; r++)
		wanting[r] = NOBODY;
	for (unsigned i = 0; i < machine->inst_count; i++) {
		const struct machine_inst *inst = &machine->insts[i];

		/* A fetch's results are there at once, and stay tied. */
		for (unsigned k = 0; k < inst->dest_count; k++)
			if (inst->kind == MACHINE_FETCH)
				wanting[inst->dest[k]] = SEVERAL;
		for (unsigned k = 0; k < inst->source_count; k++) {
			int reg = inst->source[k].reg;

			if (reg == MACHINE_NONE || !machine_binds_sources(inst))
				continue;
			wanting[reg] = wanting[reg] == NOBODY ||
						       wanting[reg] == (int)i
					       ? (int)i
					       : SEVERAL;
		}
	}
	return wanting;
}

/* Whether a register waits long for the instruction that wants it. */
static bool waits_long(const struct move_uses *uses, unsigned reg, int wanting)
{
	const struct machine_register *own = &uses->machine->registers[reg];

	return wanting >= 0 && !own->given &&
	       (own->tuple != MACHINE_NONE || own->channel != MACHINE_NONE) &&
	       uses->registers[reg].writes &&
	       !move_is_near(uses, uses->at[uses->start[reg]],
			     (unsigned)wanting);
}

/* Registers outside of tuples, in any channel but for results of doubles'
 * operations, whose slots are channels. */
static void name_untied(struct machine *machine, int *untied)
{
	const unsigned count = machine->register_count;

	for (unsigned r = 0; r < count; r++)
		if (untied[r] != NOBODY)
			untied[r] = machine_register(machine);
	for (unsigned i = 0; i < machine->inst_count; i++) {
		const struct machine_inst *inst = &machine->insts[i];

		for (unsigned k = 0; k < inst->dest_count; k++)
			if (machine_is_double(inst) &&
			    untied[inst->dest[k]] != NOBODY)
				machine->registers[untied[inst->dest[k]]]
					.channel = machine->registers
						[inst->dest[k]].channel;
	}
}

static void add_copy(struct machine *machine, int to, int from)
{
	struct machine_inst *inst = machine_add(machine, MACHINE_ALU);

	inst->op = EVG_ALU_MOV;
	inst->source[inst->source_count++] =
		(struct machine_source){ .reg = from };
	inst->dest[inst->dest_count++] = to;
}

/* Copies in front of the instruction that wants its operands so. */
static void add_copies(struct machine *machine, const struct machine_inst *inst,
		       const int *untied)
{
	machine->line = inst->line;
	for (unsigned k = 0; k < inst->source_count; k++) {
		int reg = inst->source[k].reg;
		bool again = false;

		for (unsigned j = 0; j < k; j++)
			again |= inst->source[j].reg == reg;
		if (reg != MACHINE_NONE && untied[reg] != NOBODY && !again)
			add_copy(machine, reg, untied[reg]);
	}
}

static void rename_registers(struct machine_inst *inst, const int *untied)
{
	for (unsigned k = 0; k < inst->source_count; k++)
		if (inst->source[k].reg != MACHINE_NONE &&
		    untied[inst->source[k].reg] != NOBODY)
			inst->source[k].reg = untied[inst->source[k].reg];
	for (unsigned k = 0; k < inst->dest_count; k++)
		if (untied[inst->dest[k]] != NOBODY)
			inst->dest[k] = untied[inst->dest[k]];
}

static void rewrite(struct machine *machine, const int *untied)
{
	struct machine_inst *old = machine->insts;
	unsigned count = machine->inst_count;

	machine->insts = NULL;
	machine->inst_count = machine->inst_capacity = 0;
	for (unsigned i = 0; i < count; i++) {
		if (machine_binds_sources(&old[i]))
			add_copies(machine, &old[i], untied);
		else
			rename_registers(&old[i], untied);
		*machine_add(machine, old[i].kind) = old[i];
	}
	machine->line = NULL;
	free(old);
}

void move_untie(struct machine *machine)
{
	const unsigned count = machine->register_count;
	int *wanting = find_wanting(machine);
	int *untied = xcalloc(count + 1, sizeof *untied);
	struct move_uses uses;

	machine_find_uses(machine);
	uses = move_uses_find(machine);
	for (unsigned r = 0; r < count; r++)
		untied[r] = waits_long(&uses, r, wanting[r]) ? 0 : NOBODY;
	move_uses_free(&uses);
	name_untied(machine, untied);
	rewrite(machine, untied);
	free(wanting);
	free(untied);
}
