/* Moves: instructions that use a moved register get one of their own, which has
 * the value for as long as uses are near. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/spill/spill.h"

enum { DWORD = 4 };

/* The register that has a moved register's value now. */
struct holder {
	int reg;
	unsigned last;       /* the last instruction that used it */
	bool valid;
	/* In the instructions that are being rewritten: */
	bool read;           /* the value of before them */
	bool written, seen;
};

struct rewriting {
	struct machine *machine;
	struct move_uses *uses;
	const struct machine_inst *old;
	unsigned old_count, place;
	struct holder *holders;
	/* Moved registers: those with holders, those of the instructions that
	 * are being rewritten. */
	int *held, *list;
	unsigned held_count, list_count;
};

static struct move_register *moved(const struct rewriting *rewriting, int reg)
{
	return &rewriting->uses->registers[reg];
}

/* --- Places in memory ----------------------------------------------------- */

struct stay {
	int first, last;
	unsigned reg;
};

static int compare_stays(const void *a, const void *b)
{
	const struct stay *left = a, *right = b;

	if (left->first != right->first)
		return left->first < right->first ? -1 : 1;
	return left->reg < right->reg ? -1 : left->reg > right->reg;
}

/* Values that are never there at the same time share a dword. */
static void choose_slots(struct machine *machine, struct move_uses *uses)
{
	uint32_t base = (machine->scratch_size + DWORD - 1) / DWORD;
	struct stay *stays = xcalloc(machine->register_count + 1,
				     sizeof *stays);
	int *until = xcalloc(machine->register_count + 1, sizeof *until);
	unsigned count = 0, slots = 0;

	for (unsigned r = 0; r < machine->register_count; r++)
		if (uses->registers[r].move == MOVE_MEMORY)
			stays[count++] = (struct stay){
				machine->registers[r].first,
				machine->registers[r].last, r };
	qsort(stays, count, sizeof *stays, compare_stays);
	for (unsigned i = 0; i < count; i++) {
		unsigned slot = 0;

		while (slot < slots && until[slot] >= stays[i].first)
			slot++;
		slots += slot == slots;
		until[slot] = stays[i].last;
		uses->registers[stays[i].reg].slot = base + slot;
	}
	if (slots)
		machine->scratch_size = (base + slots) * DWORD;
	free(stays);
	free(until);
}

/* --- Instructions --------------------------------------------------------- */

static int new_register(struct machine *machine, int like)
{
	int reg = machine_register(machine);
	const struct machine_register *from = &machine->registers[like];

	/* What has left its tuple may have any channel. */
	if (from->tuple == MACHINE_NONE)
		machine->registers[reg].channel = from->channel;
	machine->registers[reg].preferred = from->preferred;
	machine->registers[reg].near = true;
	return reg;
}

/* A copy in a register; `in_x`: in that channel. */
static int copy(struct machine *machine, struct machine_source source,
		bool in_x)
{
	int reg = machine_register(machine);
	struct machine_inst *inst = machine_add(machine, MACHINE_ALU);

	machine->registers[reg].near = true;
	if (in_x)
		machine->registers[reg].channel = 0;
	inst->op = EVG_ALU_MOV;
	inst->source[inst->source_count++] = source;
	inst->dest[inst->dest_count++] = reg;
	return reg;
}

static struct machine_source literal(uint32_t value)
{
	return (struct machine_source){
		.reg = MACHINE_NONE,
		.select = value ? EVG_SELECT_LITERAL : EVG_SELECT_0,
		.literal = value,
	};
}

static struct machine_source in(int reg)
{
	return (struct machine_source){ .reg = reg };
}

static void add_fetch(struct machine *machine, uint32_t slot, int reg)
{
	int index = copy(machine, literal(slot), false);
	struct machine_inst *inst = machine_add(machine, MACHINE_FETCH);

	inst->scratch = true;
	inst->unit = DWORD;
	inst->source[inst->source_count++] = in(index);
	inst->dest[inst->dest_count++] = reg;
}

static void add_store(struct machine *machine, uint32_t slot, int reg)
{
	int index = copy(machine, literal(slot), true);
	int data = copy(machine, in(reg), true);
	struct machine_inst *inst = machine_add(machine, MACHINE_STORE);

	inst->scratch = true;
	inst->rat_op = EVG_RAT_STORE_RAW;
	inst->source[inst->source_count++] = in(index);
	inst->source[inst->source_count++] = in(data);
}

/* --- Holders -------------------------------------------------------------- */

static void hold(struct rewriting *rewriting, int reg, int in)
{
	struct holder *holder = &rewriting->holders[reg];

	if (!holder->valid)
		rewriting->held[rewriting->held_count++] = reg;
	holder->reg = in;
	holder->last = rewriting->place;
	holder->valid = true;
}

static void forget_holders(struct rewriting *rewriting)
{
	while (rewriting->held_count)
		rewriting->holders[rewriting->held[--rewriting->held_count]]
			.valid = false;
}

static bool has_holder(const struct rewriting *rewriting, int reg)
{
	const struct holder *holder = &rewriting->holders[reg];

	return holder->valid &&
	       rewriting->place - holder->last <= MOVE_NEAR;
}

static int get_value(struct rewriting *rewriting, int reg);

/* The operation again; its operands may have been moved, too. */
static void compute_again(struct rewriting *rewriting, int reg, int result)
{
	struct machine_inst again = rewriting->old[moved(rewriting, reg)->writer];

	for (unsigned k = 0; k < again.source_count; k++) {
		int from = again.source[k].reg;

		if (from != MACHINE_NONE &&
		    moved(rewriting, from)->move != MOVE_NONE)
			again.source[k].reg = get_value(rewriting, from);
	}
	again.dest[0] = result;
	again.line = rewriting->machine->line;
	*machine_add(rewriting->machine, MACHINE_ALU) = again;
}

/* The register with a moved register's value. */
static int get_value(struct rewriting *rewriting, int reg)
{
	int got;

	if (has_holder(rewriting, reg)) {
		rewriting->holders[reg].last = rewriting->place;
		return rewriting->holders[reg].reg;
	}
	got = new_register(rewriting->machine, reg);
	if (moved(rewriting, reg)->move == MOVE_AGAIN)
		compute_again(rewriting, reg, got);
	else
		add_fetch(rewriting->machine, moved(rewriting, reg)->slot, got);
	hold(rewriting, reg, got);
	return got;
}

/* --- Rewriting ------------------------------------------------------------ */

static void see(struct rewriting *rewriting, int reg, bool reads)
{
	struct holder *holder = &rewriting->holders[reg];

	if (moved(rewriting, reg)->move == MOVE_NONE)
		return;
	if (!holder->seen) {
		rewriting->list[rewriting->list_count++] = reg;
		holder->seen = true;
		holder->read = holder->written = false;
	}
	holder->read |= reads && !holder->written;
	holder->written |= !reads;
}

/* What a predicate keeps from being written has its old value. */
static void see_all(struct rewriting *rewriting, const struct machine_inst *inst)
{
	for (unsigned k = 0; k < inst->source_count; k++)
		if (inst->source[k].reg != MACHINE_NONE)
			see(rewriting, inst->source[k].reg, true);
	for (unsigned k = 0; k < inst->dest_count; k++) {
		if (inst->predicate)
			see(rewriting, inst->dest[k], true);
		see(rewriting, inst->dest[k], false);
	}
}

/* Where a result goes. A fetch keeps its tuple. */
static void prepare_write(struct rewriting *rewriting, int reg)
{
	struct machine_register *own = &rewriting->machine->registers[reg];

	if (own->tuple != MACHINE_NONE) {
		own->near = true;
		hold(rewriting, reg, reg);
	} else if (!has_holder(rewriting, reg)) {
		hold(rewriting, reg, new_register(rewriting->machine, reg));
	}
}

static void rename_registers(const struct rewriting *rewriting,
			     struct machine_inst *inst)
{
	for (unsigned k = 0; k < inst->source_count; k++) {
		int *reg = &inst->source[k].reg;

		if (*reg != MACHINE_NONE &&
		    moved(rewriting, *reg)->move != MOVE_NONE)
			*reg = rewriting->holders[*reg].reg;
	}
	for (unsigned k = 0; k < inst->dest_count; k++)
		if (moved(rewriting, inst->dest[k])->move != MOVE_NONE)
			inst->dest[k] =
				rewriting->holders[inst->dest[k]].reg;
}

/* Whether an instruction's only result is computed again where it is read. */
static bool is_superfluous(const struct rewriting *rewriting,
			   const struct machine_inst *inst)
{
	return inst->dest_count == 1 &&
	       moved(rewriting, inst->dest[0])->move == MOVE_AGAIN;
}

/* Instructions between which nothing else may stand. */
static void rewrite_some(struct rewriting *rewriting, unsigned first,
			 unsigned end)
{
	struct machine *machine = rewriting->machine;

	rewriting->place = first;
	rewriting->list_count = 0;
	machine->line = rewriting->old[first].line;
	for (unsigned i = first; i < end; i++)
		see_all(rewriting, &rewriting->old[i]);
	for (unsigned i = 0; i < rewriting->list_count; i++)
		if (rewriting->holders[rewriting->list[i]].read)
			get_value(rewriting, rewriting->list[i]);
	for (unsigned i = 0; i < rewriting->list_count; i++)
		if (!rewriting->holders[rewriting->list[i]].read)
			prepare_write(rewriting, rewriting->list[i]);
	for (unsigned i = first; i < end; i++) {
		struct machine_inst inst = rewriting->old[i];

		rename_registers(rewriting, &inst);
		*machine_add(machine, inst.kind) = inst;
	}
	for (unsigned i = 0; i < rewriting->list_count; i++) {
		int reg = rewriting->list[i];
		struct holder *holder = &rewriting->holders[reg];

		holder->last = end - 1;
		holder->seen = false;
		if (holder->written)
			add_store(machine, moved(rewriting, reg)->slot,
				  holder->reg);
	}
	if (rewriting->old[end - 1].kind >= MACHINE_IF)
		forget_holders(rewriting);
}

void move_rewrite(struct machine *machine, struct move_uses *uses)
{
	const unsigned registers = machine->register_count;
	struct rewriting rewriting = {
		.machine = machine, .uses = uses,
		.old = machine->insts, .old_count = machine->inst_count,
		.holders = xcalloc(registers + 1, sizeof *rewriting.holders),
		.held = xcalloc(registers + 1, sizeof *rewriting.held),
		.list = xcalloc(registers + 1, sizeof *rewriting.list),
	};
	struct machine_inst *old = machine->insts;

	choose_slots(machine, uses);
	machine->insts = NULL;
	machine->inst_count = machine->inst_capacity = 0;
	for (unsigned i = 0, end; i < rewriting.old_count; i = end) {
		for (end = i + 1; !uses->begins[end]; end++)
			;
		if (!is_superfluous(&rewriting, &old[i]))
			rewrite_some(&rewriting, i, end);
	}
	machine->line = NULL;
	free(old);
	free(rewriting.holders);
	free(rewriting.held);
	free(rewriting.list);
}
