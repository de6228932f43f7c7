/* Groups to operations and values: every source that is a register, PV or PS
 * becomes the value that it reads. */
#include <string.h>

#include "opencl-rt/codegen/unit.h"

/* What each register has, and PV and PS, at the place that has been reached. */
struct lifting {
	struct unit *unit;
	int16_t in_register[CODEGEN_REGISTERS][CODEGEN_CHANNELS];
	int16_t last[EVG_SLOT_COUNT];
};

static int16_t new_value(struct unit *unit, struct unit_value value)
{
	unit->value[unit->value_count] = value;
	return (int16_t)unit->value_count++;
}

/* Operations of a slot that read what the slot before it gives, and those that
 * change how the others work. */
static const char *unsuitable(const struct evg_alu_inst *inst)
{
	switch (inst->op) {
	case EVG_ALU_SAD_ACCUM_PREV_UINT:
	case EVG_ALU_BCNT_ACCUM_PREV_INT:
	case EVG_ALU_MBCNT_32LO_ACCUM_PREV_INT:
		return "a sum along its slots";
	case EVG_ALU_SET_MODE:
	case EVG_ALU_SET_LDS_SIZE:
	case EVG_ALU_SET_CF_IDX0:
	case EVG_ALU_SET_CF_IDX1:
		return "an instruction that sets a mode";
	default:
		break;
	}
	if (!evg_alu_info[inst->op].compute)
		return "an instruction that kernels do not have";
	if (inst->index_mode != EVG_INDEX_AR)
		return "an index other than AR";
	return NULL;
}

static const char *unsuitable_source(const struct evg_source *source)
{
	switch (source->select) {
	case EVG_SELECT_LDS_OQ_A_POP:
	case EVG_SELECT_LDS_OQ_B_POP:
	case EVG_SELECT_LITERAL:
	case EVG_SELECT_PV:
	case EVG_SELECT_PS:
		return NULL;
	default:
		break;
	}
	if (source->select < CODEGEN_REGISTERS)
		return NULL;
	if (source->relative)
		return "an index of something else than registers";
	if (source->select < EVG_SELECT_KCACHE1 + 32 ||
	    (source->select >= EVG_SELECT_1_DOUBLE_LOW &&
	     source->select <= EVG_SELECT_HALF) ||
	    (source->select >= EVG_SELECT_KCACHE2 &&
	     source->select < EVG_SELECT_KCACHE3 + 32))
		return NULL;
	return "a source that depends on its place";
}

static const char *lift_source(struct lifting *lifting,
			       const struct codegen_group *group,
			       struct unit_op *op, unsigned part, unsigned k)
{
	struct unit *unit = lifting->unit;
	struct evg_source *source = &op->inst[part].source[k];
	struct unit_source *lifted = &op->source[part][k];
	const char *why = unsuitable_source(source);
	int16_t *place;

	lifted->value = UNIT_NONE;
	if (why)
		return why;
	if (source->select == EVG_SELECT_LITERAL) {
		lifted->literal = group->group.literal[source->channel];
		return NULL;
	}
	if (source->relative)
		unit->indexed = true;
	if (source->select == EVG_SELECT_PV) {
		lifted->value = lifting->last[source->channel];
	} else if (source->select == EVG_SELECT_PS) {
		lifted->value = lifting->last[EVG_T];
	} else if (source->select < CODEGEN_REGISTERS && !source->relative) {
		place = &lifting->in_register[source->select][source->channel];
		if (*place == UNIT_NONE)
			*place = new_value(unit, (struct unit_value){
				.op = UNIT_NONE,
				.gpr = (uint8_t)source->select,
				.channel = source->channel,
				.fixed = true,
			});
		lifted->value = *place;
	} else {
		return NULL;
	}
	if (lifted->value == UNIT_NONE)
		return "a PV or PS that no group gives";
	unit->value[lifted->value].uses++;
	return NULL;
}

static bool has_result(const struct evg_alu_inst *inst)
{
	return inst->op != EVG_ALU_LDS_IDX_OP &&
	       evg_alu_info[inst->op].has_result;
}

static void lift_result(struct unit *unit, int16_t number, unsigned part)
{
	struct unit_op *op = &unit->op[number];
	const struct evg_alu_inst *inst = &op->inst[part];
	bool kept = inst->write_mask || evg_alu_info[inst->op].op3;

	op->value[part] = UNIT_NONE;
	if (!has_result(inst))
		return;
	if (inst->dest_relative)
		unit->indexed = true;
	op->value[part] = new_value(unit, (struct unit_value){
		.op = number,
		.part = (uint8_t)part,
		.gpr = kept ? inst->dest_gpr : UNIT_NO_REGISTER,
		.channel = inst->dest_channel,
	});
}

/* The slots of the operation that a group has in `slot`: itself, or those that
 * work together with it. */
static unsigned slots_together(const struct evg_alu_group *group, unsigned slot)
{
	unsigned slots = evg_alu_info[group->inst[slot].op].slots;
	unsigned together = 1u << slot;

	if (slots == EVG_SLOTS_FOUR)
		together = EVG_SLOTS_VECTOR;
	else if (slots == EVG_SLOTS_PAIR)
		together = slot < EVG_Z ? 0x3 : 0xc;
	return together & group->slot_mask;
}

static const char *lift_op(struct lifting *lifting,
			   const struct codegen_group *group, unsigned number,
			   unsigned slots)
{
	struct unit *unit = lifting->unit;
	struct unit_op *op = &unit->op[unit->op_count];
	const char *why = NULL;

	memset(op, 0, sizeof *op);
	op->group = (uint8_t)number;
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT && !why; slot++) {
		unsigned part = op->parts;

		if (!(slots >> slot & 1))
			continue;
		op->inst[part] = group->group.inst[slot];
		op->slot[part] = (uint8_t)slot;
		op->line = group->line[slot];
		op->parts++;
		why = unsuitable(&op->inst[part]);
		for (unsigned k = 0;
		     k < op->inst[part].source_count && !why; k++)
			why = lift_source(lifting, group, op, part, k);
	}
	op->slots = (uint8_t)slots;
	if (op->parts == 1 && evg_alu_info[op->inst[0].op].slots <= EVG_SLOTS_ANY)
		op->slots = evg_alu_info[op->inst[0].op].slots;
	op->alone = op->inst[0].op == EVG_ALU_GROUP_BARRIER;
	unit->op_count++;
	return why;
}

static void define(struct lifting *lifting, unsigned first)
{
	struct unit *unit = lifting->unit;

	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
		lifting->last[slot] = UNIT_NONE;
	for (unsigned i = first; i < unit->op_count; i++)
		for (unsigned part = 0; part < unit->op[i].parts; part++) {
			const struct unit_op *op = &unit->op[i];
			const struct unit_value *value;

			lift_result(unit, (int16_t)i, part);
			if (op->value[part] == UNIT_NONE)
				continue;
			value = &unit->value[op->value[part]];
			/* PV has nothing for the lanes that a predicate
			 * leaves out. */
			if (!op->inst[part].dest_relative &&
			    !op->inst[part].predicate_select)
				lifting->last[op->slot[part]] =
					op->value[part];
			if (value->gpr != UNIT_NO_REGISTER &&
			    !op->inst[part].dest_relative)
				lifting->in_register[value->gpr]
						    [value->channel] =
					op->value[part];
		}
}

/* Values that must be in the registers that they had: those that are read
 * behind the clause; all where an index could mean any register; and those of
 * a register that some lanes keep. */
static void fix_values(struct lifting *lifting,
		       const struct codegen_clause *clause)
{
	struct unit *unit = lifting->unit;

	for (unsigned g = 0; g < CODEGEN_REGISTERS; g++)
		for (unsigned c = 0; c < CODEGEN_CHANNELS; c++)
			if (lifting->in_register[g][c] != UNIT_NONE &&
			    codegen_has(clause->live, g, c))
				unit->value[lifting->in_register[g][c]].fixed =
					true;
	for (unsigned i = 0; i < unit->value_count; i++) {
		struct unit_value *value = &unit->value[i];
		const struct evg_alu_inst *inst;

		if (value->gpr == UNIT_NO_REGISTER)
			continue;
		value->fixed |= unit->indexed;
		if (value->op == UNIT_NONE)
			continue;
		inst = &unit->op[value->op].inst[value->part];
		if (!inst->predicate_select)
			continue;
		for (unsigned j = 0; j < unit->value_count; j++)
			if (unit->value[j].gpr == value->gpr &&
			    unit->value[j].channel == value->channel)
				unit->value[j].fixed = true;
	}
}

/* Where the results of a pair are is free when nothing says in which channels
 * they must be. */
static void find_pairs(struct unit *unit)
{
	for (unsigned i = 0; i < unit->op_count; i++) {
		struct unit_op *op = &unit->op[i];

		op->either_pair = op->parts == 2;
		for (unsigned part = 0; part < op->parts; part++)
			op->either_pair &= op->value[part] != UNIT_NONE &&
					   !op->inst[part].dest_relative &&
					   !unit->value[op->value[part]].fixed;
	}
}

/* Whether a queue is named twice in a group. */
static bool takes_twice(const struct evg_alu_group *group)
{
	unsigned taken[2] = { 0 };

	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
		for (unsigned k = 0; k < group->inst[slot].source_count; k++) {
			unsigned queue = group->inst[slot].source[k].select -
					 EVG_SELECT_LDS_OQ_A_POP;

			if (group->slot_mask >> slot & 1 && queue < 2)
				taken[queue]++;
		}
	return taken[0] > 1 || taken[1] > 1;
}

const char *unit_lift(struct unit *unit, const struct codegen_clause *clause)
{
	struct lifting lifting = { .unit = unit };
	const char *why = NULL;

	unit->op_count = unit->value_count = 0;
	unit->indexed = false;
	memset(lifting.in_register, 0xff, sizeof lifting.in_register);
	memset(lifting.last, 0xff, sizeof lifting.last);
	for (unsigned i = 0; i < clause->count && !why; i++) {
		const struct codegen_group *group = &clause->groups[i];
		unsigned left = group->group.slot_mask;
		unsigned first = unit->op_count;

		if (takes_twice(&group->group))
			why = "a queue that is read twice in a group";
		while (left && !why) {
			unsigned slots = slots_together(
				&group->group,
				(unsigned)__builtin_ctz(left));

			why = lift_op(&lifting, group, i, slots);
			left &= ~slots;
		}
		define(&lifting, first);
	}
	if (!why)
		fix_values(&lifting, clause);
	if (!why)
		find_pairs(unit);
	return why;
}
