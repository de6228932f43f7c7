/* Plans of ALU clauses: instructions to units, which are one operation each
 * over one or several slots. */
#include "evergreen/emu/plan/alu.h"

#include <string.h>

/* Whether source `k` of joined slot `slot` is the low half of a double, on
 * which sign modifiers have no effect. */
static bool is_low_half(const struct unit *unit, unsigned slot, unsigned k)
{
	if (!evg_alu_info[unit->inst->op].takes_doubles)
		return false;
	if (unit->slot_count == 1)
		return k == 1;
	return slot == unit->slot_count - 1u;
}

static void add_source(struct clause_builder *clause, struct unit *unit,
		       const struct evg_alu_inst *inst, unsigned slot,
		       unsigned k)
{
	const struct evg_source *source = &inst->source[k];
	unsigned n = unit->source_count++;
	bool sign = !is_low_half(unit, slot, k);

	unit->source[n] = clause_source(clause, inst, source);
	unit->source_and[n] =
	    sign && source->absolute ? 0x7fffffff : 0xffffffff;
	unit->source_xor[n] = sign && source->negate ? 0x80000000 : 0;
}

/* Slots that the operation in `slot` needs beside it, it included. What joins
 * slots and may be issued in each of x y z w takes all four. */
static unsigned joined_slots(const struct evg_alu_body *body,
			     enum evg_alu_op op, unsigned slot)
{
	switch (evg_alu_info[op].slots) {
	case EVG_SLOTS_FOUR:
		return 0xf;
	case EVG_SLOTS_PAIR:
		return slot < EVG_Z ? 0x3 : 0xc;
	case EVG_SLOTS_VECTOR:
		return body->shape == EVG_SHAPE_WIDE ? 0xf : 1u << slot;
	default:
		return 1u << slot;
	}
}

static void add_lds(struct clause_builder *clause, struct unit *unit)
{
	struct plan_builder *shared = clause->shared;
	enum evg_lds_op op = unit->inst->lds_op;
	unsigned offset = unit->inst->lds_offset;

	for (unsigned k = 0; k < evg_lds_info[op].source_count; k++)
		add_source(clause, unit, unit->inst, 0, k);
	unit->lds_offset = evg_lds_info[op].step * offset;
	if (offset && !evg_lds_info[op].step)
		clause_trap(clause, "an LDS offset on an operation with one "
				    "address");
	if (!shared->plan->simd->lds[op])
		clause_trap(
		    clause,
		    plan_text(shared->plan,
			      "LDS operation %s is not supported by the "
			      "emulator",
			      evg_lds_info[op].name));
	for (unsigned queue = 0; queue < evg_lds_info[op].returns; queue++)
		unit->queue_row[queue] =
		    clause->lanes_apart
			? clause_temp_row(clause)
			: plan_row(shared,
				   &shared->queue_row[queue]
						     [clause->pushed[queue]++ %
						      clause->ring[queue]]);
}

static const char *unsupported(struct clause_builder *clause,
			       enum evg_alu_op op)
{
	return plan_text(clause->shared->plan,
			 "%s is not supported by the emulator",
			 evg_alu_info[op].name);
}

static void add_special(struct clause_builder *clause, struct unit *unit)
{
	switch (unit->inst->op) {
	case EVG_ALU_ALU_NOP:
		unit->done = true;
		break;
	case EVG_ALU_GROUP_BARRIER:
		unit->done = true;
		if (clause->group->inst_count != 1)
			clause_trap(clause,
				    "GROUP_BARRIER shares its group; expected "
				    "a group of its own");
		break;
	case EVG_ALU_LDS_IDX_OP:
		add_lds(clause, unit);
		break;
	case EVG_ALU_SET_MODE:
		add_source(clause, unit, unit->inst, 0, 0);
		if (unit->inst->write_mask)
			clause_trap(clause, "SET_MODE has no result");
		break;
	case EVG_ALU_MOVA_INT:
		add_source(clause, unit, unit->inst, 0, 0);
		break;
	case EVG_ALU_SET_CF_IDX0:
	case EVG_ALU_SET_CF_IDX1:
		break;
	case EVG_ALU_SET_LDS_SIZE:
		add_source(clause, unit, unit->inst, 0, 0);
		add_source(clause, unit, unit->inst, 0, 1);
		break;
	default:
		clause_trap(clause, unsupported(clause, unit->inst->op));
	}
}

void clause_add_unit(struct clause_builder *clause, unsigned slot,
		     unsigned *taken)
{
	const struct evg_alu_group *group = clause->group;
	struct unit *unit = &clause->units[clause->unit_count++];
	const struct evg_alu_inst *inst = &group->inst[slot];
	unsigned joined;

	memset(unit, 0, sizeof *unit);
	unit->inst = inst;
	unit->previous = -1;
	unit->queue_row[0] = unit->queue_row[1] = EVG_NO_ROW;
	unit->body = clause->shared->plan->simd->alu[inst->op];
	*taken |= 1u << slot;
	if (inst->predicate_select == 1)
		clause_trap(clause, "the reserved PRED_SEL 1");
	if (!unit->body) {
		clause_trap(clause, unsupported(clause, inst->op));
		unit->done = true;
		return;
	}
	joined = joined_slots(unit->body, inst->op, slot);
	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
		if (!(joined >> s & 1))
			continue;
		if (!(group->slot_mask >> s & 1) ||
		    group->inst[s].op != inst->op ||
		    group->inst[s].predicate_select != inst->predicate_select) {
			clause_trap(clause, "an operation over several slots "
					    "that does not fill them");
			unit->done = true;
			return;
		}
		*taken |= 1u << s;
		unit->slots[unit->slot_count++] = (uint8_t)s;
	}
	if (unit->body->shape == EVG_SHAPE_SPECIAL) {
		add_special(clause, unit);
		return;
	}
	for (unsigned k = 0; k < unit->slot_count; k++) {
		const struct evg_alu_inst *joint = &group->inst[unit->slots[k]];
		unsigned count = evg_alu_info[inst->op].source_count;

		for (unsigned n = 0; n < count; n++)
			add_source(clause, unit, joint, k, n);
	}
	if (!unit->body->previous)
		return;
	if (slot >= EVG_W || !(group->slot_mask >> (slot + 1) & 1))
		clause_trap(clause, "the result of the next lower slot in slot "
				    "x, which has none");
	else
		unit->previous = (int)slot + 1;
}
