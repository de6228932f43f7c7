/* List scheduling of a clause: group after group is filled with what is ready,
 * the highest operations first. Values get their registers as their operations
 * are placed. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/bound.h"
#include "opencl-rt/codegen/pack.h"

enum { NOT_YET = -1 };

/* What is in a register: a value, or one of these. */
enum { FREE = -1, TAKEN = -2 };

struct scheduling {
	struct unit unit;
	const struct codegen_clause *clause;
	int group_of[UNIT_OPS];      /* NOT_YET */
	uint8_t slot_of[UNIT_OPS][EVG_SLOT_COUNT];
	/* Where values are; UNIT_NO_REGISTER until placed. */
	uint8_t gpr[UNIT_VALUES], channel[UNIT_VALUES];
	uint16_t unread[UNIT_VALUES]; /* sources not placed yet */
	bool from_register[UNIT_VALUES]; /* some source reads it there */
	int16_t in_register[CODEGEN_REGISTERS][CODEGEN_CHANNELS];
	struct codegen_group *groups;
	unsigned count, capacity, done;
	struct pack pack;
};

/* --- Registers ------------------------------------------------------------ */

static bool exists(const struct scheduling *scheduling, unsigned number)
{
	return number < scheduling->clause->registers ||
	       number >= EVG_FIRST_TEMPORARY;
}

/* Registers that carry something through the clause, or to its end, are taken;
 * those that are read in it hold their value; the others are free. */
static void open_registers(struct scheduling *scheduling)
{
	const struct unit *unit = &scheduling->unit;

	for (unsigned g = 0; g < CODEGEN_REGISTERS; g++)
		for (unsigned c = 0; c < CODEGEN_CHANNELS; c++) {
			bool taken =
			    !exists(scheduling, g) ||
			    (g < EVG_FIRST_TEMPORARY && unit->indexed) ||
			    codegen_has(scheduling->clause->live, g, c);

			scheduling->in_register[g][c] = taken ? TAKEN : FREE;
		}
	for (unsigned i = 0; i < unit->value_count; i++) {
		const struct unit_value *value = &unit->value[i];
		int16_t *place;

		scheduling->unread[i] = value->uses;
		scheduling->gpr[i] = UNIT_NO_REGISTER;
		if (!value->fixed)
			continue;
		scheduling->gpr[i] = value->gpr;
		scheduling->channel[i] = value->channel;
		place = &scheduling->in_register[value->gpr][value->channel];
		if (value->op != UNIT_NONE)
			*place = TAKEN;
		else if (*place == FREE)
			*place = (int16_t)i;
	}
}

/* A free register in a channel, the kernel's own first; -1 when there is
 * none. */
static int find_register(const struct scheduling *scheduling, unsigned channel)
{
	for (unsigned g = 0; g < CODEGEN_REGISTERS; g++)
		if (scheduling->in_register[g][channel] == FREE)
			return (int)g;
	return -1;
}

/* Of a value that nobody will read any more. */
static void release(struct scheduling *scheduling, int value)
{
	int16_t *place;

	if (scheduling->gpr[value] == UNIT_NO_REGISTER)
		return;
	place = &scheduling->in_register[scheduling->gpr[value]]
					[scheduling->channel[value]];
	if (*place == value)
		*place = FREE;
}

/* --- Placing -------------------------------------------------------------- */

static bool is_ready(const struct scheduling *scheduling, unsigned op)
{
	for (unsigned i = 0; i < scheduling->unit.op_count; i++) {
		unsigned apart = scheduling->unit.apart[i][op];

		if (apart && (scheduling->group_of[i] == NOT_YET ||
			      scheduling->group_of[i] + (int)apart - 1 >
				      (int)scheduling->count))
			return false;
	}
	return true;
}

/* Where a value is read by the group in the making: PV and PS need no port. */
static void settle_source(const struct scheduling *scheduling, int value,
			  struct evg_source *source)
{
	const struct unit_value *from = &scheduling->unit.value[value];
	unsigned slot;

	source->select = scheduling->gpr[value];
	source->channel = scheduling->channel[value];
	if (from->op == UNIT_NONE ||
	    scheduling->group_of[from->op] + 1 != (int)scheduling->count ||
	    scheduling->unit.op[from->op].inst[from->part].predicate_select)
		return;
	slot = scheduling->slot_of[from->op][from->part];
	source->select = slot == EVG_T ? EVG_SELECT_PS : EVG_SELECT_PV;
	source->channel = slot == EVG_T ? 0 : (uint8_t)slot;
}

/* Whether an instruction is issued in a slot when it names a channel for its
 * result: the t slot is for those whose vector slot is taken, and for those that
 * have no other. */
static bool leads_to(const struct scheduling *scheduling,
		     const struct unit_op *op, unsigned slot, unsigned channel)
{
	if (slot != EVG_T)
		return slot == channel;
	return op->slots == EVG_SLOTS_T ||
	       scheduling->pack.made.group.slot_mask >> channel & 1;
}

/* The channel and register of a part's result in a slot: 0, or -1 when there is
 * none. */
static int settle_result(const struct scheduling *scheduling,
			 const struct unit_op *op, unsigned part, unsigned slot,
			 struct evg_alu_inst *inst)
{
	const struct unit_value *value;
	bool op3 = evg_alu_info[inst->op].op3;

	if (inst->op == EVG_ALU_LDS_IDX_OP)
		return 0;
	if (op->value[part] == UNIT_NONE)
		return leads_to(scheduling, op, slot, inst->dest_channel) ? 0
									  : -1;
	value = &scheduling->unit.value[op->value[part]];
	if (value->fixed || inst->dest_relative)
		return leads_to(scheduling, op, slot, inst->dest_channel) ? 0
									  : -1;
	for (unsigned c = 0; c < CODEGEN_CHANNELS; c++) {
		int found = -1;

		if (!leads_to(scheduling, op, slot, c))
			continue;
		/* Nobody reads it, and it need not be written. */
		if (!value->uses && !op3)
			found = 0;
		else
			found = find_register(scheduling, c);
		if (found < 0)
			continue;
		inst->dest_channel = (uint8_t)c;
		inst->dest_gpr = (uint8_t)found;
		if (!op3)
			inst->write_mask = value->uses;
		return 0;
	}
	return -1;
}

/* The instruction as it would stand in a slot; false without a register. */
static bool settle(const struct scheduling *scheduling,
		   const struct unit_op *op, unsigned part, unsigned slot,
		   struct evg_alu_inst *inst)
{
	*inst = op->inst[part];
	for (unsigned k = 0; k < inst->source_count; k++)
		if (op->source[part][k].value != UNIT_NONE)
			settle_source(scheduling, op->source[part][k].value,
				      &inst->source[k]);
	return !settle_result(scheduling, op, part, slot, inst);
}

/* Books what a placed part reads and where its result is. */
static void book(struct scheduling *scheduling, unsigned number, unsigned part,
		 unsigned slot, const struct evg_alu_inst *inst)
{
	const struct unit_op *op = &scheduling->unit.op[number];
	int result = op->value[part];

	scheduling->slot_of[number][part] = (uint8_t)slot;
	for (unsigned k = 0; k < inst->source_count; k++) {
		int value = op->source[part][k].value;

		if (value == UNIT_NONE)
			continue;
		if (inst->source[k].select < CODEGEN_REGISTERS)
			scheduling->from_register[value] = true;
		if (!--scheduling->unread[value])
			release(scheduling, value);
	}
	if (result == UNIT_NONE || scheduling->unit.value[result].fixed ||
	    inst->dest_relative ||
	    (!inst->write_mask && !evg_alu_info[inst->op].op3))
		return;
	scheduling->gpr[result] = inst->dest_gpr;
	scheduling->channel[result] = inst->dest_channel;
	scheduling->in_register[inst->dest_gpr][inst->dest_channel] =
		(int16_t)result;
}

static bool place_part(struct scheduling *scheduling, unsigned number,
		       unsigned part, unsigned slot)
{
	const struct unit_op *op = &scheduling->unit.op[number];
	struct evg_alu_inst inst;

	if (!settle(scheduling, op, part, slot, &inst) ||
	    !pack_put(&scheduling->pack, slot, &inst, op->source[part]))
		return false;
	scheduling->pack.made.line[slot] = op->line;
	book(scheduling, number, part, slot, &inst);
	return true;
}

/* All parts in their own slots, or none. */
static bool place_parts(struct scheduling *scheduling, unsigned number)
{
	const struct unit_op *op = &scheduling->unit.op[number];
	struct scheduling *before;
	bool placed = true;

	if (scheduling->pack.made.group.slot_mask & op->slots)
		return false;
	before = xmalloc(sizeof *before);
	*before = *scheduling;
	for (unsigned part = 0; part < op->parts && placed; part++)
		placed = place_part(scheduling, number, part, op->slot[part]);
	if (!placed)
		*scheduling = *before;
	free(before);
	return placed;
}

/* The slots in the order in which they are given away: t last, since every
 * channel of a result fits there, and some operations go nowhere else; x late,
 * for local memory. */
static const uint8_t slot_order[EVG_SLOT_COUNT] = { EVG_W, EVG_Z, EVG_Y, EVG_X,
						    EVG_T };

static bool place(struct scheduling *scheduling, unsigned number)
{
	const struct unit_op *op = &scheduling->unit.op[number];
	bool placed = false;

	if (scheduling->pack.alone ||
	    (op->alone && scheduling->pack.made.group.inst_count))
		return false;
	if (op->parts > 1)
		placed = place_parts(scheduling, number);
	else
		for (unsigned i = 0; i < EVG_SLOT_COUNT && !placed; i++)
			if (op->slots >> slot_order[i] & 1)
				placed = place_part(scheduling, number, 0,
						    slot_order[i]);
	if (!placed)
		return false;
	scheduling->pack.alone = op->alone;
	scheduling->group_of[number] = (int)scheduling->count;
	scheduling->done++;
	return true;
}

/* --- Groups --------------------------------------------------------------- */

/* The highest operation that is ready and has not been tried for this group;
 * those that have a single slot before others of their height. */
static int best(const struct scheduling *scheduling, const bool *tried)
{
	int found = -1;
	unsigned rank = 0;

	for (unsigned i = 0; i < scheduling->unit.op_count; i++) {
		const struct unit_op *op = &scheduling->unit.op[i];
		unsigned own = 8 * op->height + 5 -
			       (unsigned)__builtin_popcount(op->slots);

		if (!op->parts || scheduling->group_of[i] != NOT_YET ||
		    tried[i] || !is_ready(scheduling, i))
			continue;
		if (found < 0 || own > rank) {
			found = (int)i;
			rank = own;
		}
	}
	return found;
}

/* Results that nobody reads leave their registers behind the group. */
static void release_unread(struct scheduling *scheduling)
{
	for (unsigned g = 0; g < CODEGEN_REGISTERS; g++)
		for (unsigned c = 0; c < CODEGEN_CHANNELS; c++) {
			int16_t *place = &scheduling->in_register[g][c];

			if (*place >= 0 && !scheduling->unread[*place])
				*place = FREE;
		}
}

static bool fill_group(struct scheduling *scheduling)
{
	bool tried[UNIT_OPS] = { false };
	int next;

	memset(&scheduling->pack, 0, sizeof scheduling->pack);
	while ((next = best(scheduling, tried)) >= 0) {
		tried[next] = true;
		/* What waited for this one only may follow at once. */
		if (place(scheduling, (unsigned)next))
			memset(tried, 0, sizeof tried);
	}
	if (!scheduling->pack.made.group.slot_mask)
		return false;
	pack_close(&scheduling->pack);
	ARRAY_GROW(scheduling->groups, scheduling->count,
		   scheduling->capacity);
	scheduling->groups[scheduling->count++] = scheduling->pack.made;
	release_unread(scheduling);
	return true;
}

/* Results that every reader takes from PV or PS need not be written. */
static void drop_writes(struct scheduling *scheduling)
{
	const struct unit *unit = &scheduling->unit;

	for (unsigned i = 0; i < unit->value_count; i++) {
		const struct unit_value *value = &unit->value[i];
		struct evg_alu_inst *inst;

		if (value->op == UNIT_NONE || value->fixed ||
		    scheduling->from_register[i])
			continue;
		inst = &scheduling->groups[scheduling->group_of[value->op]]
				.group.inst[scheduling->slot_of
						    [value->op][value->part]];
		if (inst->dest_relative || evg_alu_info[inst->op].op3)
			continue;
		inst->write_mask = false;
		inst->dest_gpr = 0;
	}
}

unsigned codegen_units(const struct codegen_group *groups, unsigned count)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < count; i++)
		sum += groups[i].group.inst_count +
		       groups[i].group.literal_count / 2u;
	return sum;
}

static const char *schedule(struct scheduling *scheduling)
{
	const struct unit *unit = &scheduling->unit;

	for (unsigned i = 0; i < UNIT_OPS; i++)
		scheduling->group_of[i] = NOT_YET;
	for (unsigned i = 0; i < unit->op_count; i++)
		scheduling->done += !unit->op[i].parts;
	open_registers(scheduling);
	while (scheduling->done < unit->op_count)
		if (!fill_group(scheduling))
			return "too few registers";
	drop_writes(scheduling);
	if (codegen_units(scheduling->groups, scheduling->count) >
	    scheduling->clause->units)
		return "too many literals";
	if (scheduling->count >= scheduling->clause->count)
		return "no shorter schedule";
	return NULL;
}

struct codegen_result codegen_schedule(const struct codegen_clause *clause)
{
	struct scheduling *scheduling = xcalloc(1, sizeof *scheduling);
	struct codegen_result result = { 0 };

	scheduling->clause = clause;
	result.kept = unit_lift(&scheduling->unit, clause);
	if (!result.kept) {
		unit_follow_queues(&scheduling->unit);
		result.kept = unit_order(&scheduling->unit);
	}
	if (!result.kept)
		result.kept = unit_improve_queues(&scheduling->unit);
	if (!result.kept) {
		result.chain = bound_chain(&scheduling->unit);
		result.bound = bound_groups(&scheduling->unit);
		result.kept = schedule(scheduling);
	}
	if (result.kept) {
		free(scheduling->groups);
	} else {
		result.groups = scheduling->groups;
		result.count = scheduling->count;
	}
	free(scheduling);
	return result;
}
