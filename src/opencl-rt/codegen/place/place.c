#include "opencl-rt/codegen/place/place.h"

enum { OTHER_PAIR = EVG_X ^ EVG_Z };

/* --- Registers ------------------------------------------------------------ */

static bool exists(const struct scheduling *scheduling, unsigned number)
{
	return number < scheduling->clause->registers ||
	       number >= EVG_FIRST_TEMPORARY;
}

void place_open_registers(struct scheduling *scheduling)
{
	const struct unit *unit = &scheduling->unit;

	for (unsigned g = 0; g < CODEGEN_REGISTERS; g++)
		for (unsigned c = 0; c < CODEGEN_CHANNELS; c++) {
			bool taken =
			    !exists(scheduling, g) ||
			    (g < EVG_FIRST_TEMPORARY && unit->indexed) ||
			    codegen_has(scheduling->clause->live, g, c);

			scheduling->in_register[g][c] =
			    taken ? PLACE_TAKEN : PLACE_FREE;
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
			*place = PLACE_TAKEN;
		else if (*place == PLACE_FREE)
			*place = (int16_t)i;
	}
}

/* Whether an operation is the last that reads a value. */
static bool reads_last(const struct scheduling *scheduling,
		       const struct unit_op *op, int value)
{
	unsigned reads = 0;

	for (unsigned part = 0; part < op->parts; part++)
		for (unsigned k = 0; k < op->inst[part].source_count; k++)
			reads += op->source[part][k].value == value;
	return reads && scheduling->unread[value] == reads;
}

/* A register in a channel for a result, the kernel's own first: a free one, or one
 * whose value the operation is the last to read. -1 when there is none. */
static int find_register(const struct scheduling *scheduling,
			 const struct unit_op *op, unsigned channel)
{
	for (unsigned g = 0; g < CODEGEN_REGISTERS; g++) {
		int value = scheduling->in_register[g][channel];

		if (value == PLACE_FREE ||
		    (value >= 0 && reads_last(scheduling, op, value)))
			return (int)g;
	}
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
		*place = PLACE_FREE;
}

void place_release_unread(struct scheduling *scheduling)
{
	for (unsigned g = 0; g < CODEGEN_REGISTERS; g++)
		for (unsigned c = 0; c < CODEGEN_CHANNELS; c++) {
			int16_t *place = &scheduling->in_register[g][c];

			if (*place >= 0 && !scheduling->unread[*place])
				*place = PLACE_FREE;
		}
}

/* --- Placing -------------------------------------------------------------- */

void place_open_order(struct scheduling *scheduling)
{
	const struct unit *unit = &scheduling->unit;

	for (unsigned i = 0; i < unit->op_count; i++) {
		scheduling->group_of[i] = PLACE_NOT_YET;
		scheduling->earliest[i] = 0;
		scheduling->waits_for[i] = 0;
		for (unsigned j = 0; j < unit->op_count; j++)
			scheduling->waits_for[i] += unit->apart[j][i] != 0;
	}
}

bool place_is_ready(const struct scheduling *scheduling, unsigned op)
{
	return !scheduling->waits_for[op] &&
	       scheduling->earliest[op] <= scheduling->count;
}

/* What comes behind an operation waits for it no more. */
static void let_follow(struct scheduling *scheduling, unsigned number)
{
	for (unsigned i = 0; i < scheduling->unit.op_count; i++) {
		unsigned apart = scheduling->unit.apart[number][i];
		unsigned earliest = scheduling->count + apart - 1;

		if (!apart)
			continue;
		scheduling->waits_for[i]--;
		if (scheduling->earliest[i] < earliest)
			scheduling->earliest[i] = earliest;
	}
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
 * result: the t slot is for those whose vector slot is taken, and for those
 * that have no other. */
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

		if (!leads_to(scheduling, op, slot, c) ||
		    (scheduling->policy->keeps_channels &&
		     scheduling->wide[op->value[part]] && c != value->channel))
			continue;
		/* Nobody reads it, and it need not be written. */
		if (!value->uses && !op3)
			found = 0;
		else
			found = find_register(scheduling, op, c);
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

/* All parts, each as many slots behind its own as `shift` says, or none. */
static bool place_parts(struct scheduling *scheduling, unsigned number,
			unsigned shift)
{
	const struct unit_op *op = &scheduling->unit.op[number];
	struct evg_alu_inst inst[EVG_SLOT_COUNT];
	struct pack before = scheduling->pack;

	for (unsigned part = 0; part < op->parts; part++) {
		unsigned slot = op->slot[part] ^ shift;

		if (!settle(scheduling, op, part, slot, &inst[part]) ||
		    !pack_put(&scheduling->pack, slot, &inst[part],
			      op->source[part])) {
			scheduling->pack = before;
			return false;
		}
	}
	for (unsigned part = 0; part < op->parts; part++) {
		unsigned slot = op->slot[part] ^ shift;

		scheduling->pack.made.line[slot] = op->line;
		book(scheduling, number, part, slot, &inst[part]);
	}
	return true;
}

/* The slots in the order in which they are given away: t last, since every
 * channel of a result fits there, and some operations go nowhere else; x late,
 * for local memory. */
static const uint8_t slot_order[EVG_SLOT_COUNT] = {EVG_W, EVG_Z, EVG_Y, EVG_X,
						   EVG_T};

/* Whether an operation of one slot has a result that must be in one channel. */
static bool has_channel(const struct scheduling *scheduling,
			const struct unit_op *op)
{
	return op->parts == 1 && op->value[0] != UNIT_NONE &&
	       scheduling->unit.value[op->value[0]].fixed;
}

unsigned place_slots(const struct scheduling *scheduling,
		     const struct unit_op *op)
{
	if (has_channel(scheduling, op) && op->slots != EVG_SLOTS_T)
		return op->slots &
		       (1u << op->inst[0].dest_channel | EVG_SLOTS_T);
	return op->slots;
}

/* Slots that operations want which are ready and have no other. */
static unsigned wanted_slots(const struct scheduling *scheduling,
			     unsigned besides)
{
	unsigned wanted = 0;

	for (unsigned i = 0; i < scheduling->unit.op_count; i++) {
		const struct unit_op *op = &scheduling->unit.op[i];
		unsigned slots = place_slots(scheduling, op);

		/* Of t and a vector slot, t comes second. */
		if (slots != EVG_SLOTS_T)
			slots &= EVG_SLOTS_VECTOR;
		if (i != besides && op->parts == 1 && !(slots & (slots - 1)) &&
		    scheduling->group_of[i] == PLACE_NOT_YET &&
		    place_is_ready(scheduling, i))
			wanted |= slots;
	}
	return wanted;
}

/* In a slot of a set. */
static bool place_in(struct scheduling *scheduling, unsigned number,
		     unsigned slots)
{
	for (unsigned i = 0; i < EVG_SLOT_COUNT; i++)
		if (slots >> slot_order[i] & 1 &&
		    place_part(scheduling, number, 0, slot_order[i]))
			return true;
	return false;
}

bool place_operation(struct scheduling *scheduling, unsigned number)
{
	const struct unit_op *op = &scheduling->unit.op[number];
	unsigned wanted = wanted_slots(scheduling, number);
	bool placed;

	if (scheduling->pack.alone ||
	    (op->alone && scheduling->pack.made.group.inst_count))
		return false;
	if (op->parts > 1)
		placed = place_parts(scheduling, number, 0) ||
			 (op->either_pair &&
			  place_parts(scheduling, number, OTHER_PAIR));
	else
		placed = place_in(scheduling, number, op->slots & ~wanted) ||
			 place_in(scheduling, number, op->slots & wanted);
	if (!placed)
		return false;
	scheduling->pack.alone = op->alone;
	scheduling->group_of[number] = (int)scheduling->count;
	scheduling->done++;
	let_follow(scheduling, number);
	return true;
}
