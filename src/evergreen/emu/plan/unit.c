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

static void add_barrier(struct clause_builder *clause, struct unit *unit)
{
	unit->done = true;
	if (clause->group->inst_count != 1)
		clause_trap(clause, "GROUP_BARRIER shares its group; expected "
				    "a group of its own");
}

static void add_mode(struct clause_builder *clause, struct unit *unit)
{
	if (unit->inst->write_mask)
		clause_trap(clause, "SET_MODE has no result");
}

static void add_nothing(struct clause_builder *clause, struct unit *unit)
{
	(void)clause;
	unit->done = true;
}

static void add_special(struct clause_builder *clause, struct unit *unit)
{
	static void (*const add[EVG_SPECIAL_COUNT])(struct clause_builder *,
						    struct unit *) = {
	    [EVG_SPECIAL_NOTHING] = add_nothing,
	    [EVG_SPECIAL_BARRIER] = add_barrier,
	    [EVG_SPECIAL_LDS] = add_lds,
	    [EVG_SPECIAL_MODE] = add_mode,
	};

	for (unsigned k = 0; k < unit->body->source_count; k++)
		add_source(clause, unit, unit->inst, 0, k);
	if (add[unit->body->action])
		add[unit->body->action](clause, unit);
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
		clause_trap(clause,
			    plan_text(clause->shared->plan,
				      "%s is not supported by the emulator",
				      evg_alu_info[inst->op].name));
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
