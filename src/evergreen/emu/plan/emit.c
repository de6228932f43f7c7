/* Plans of ALU clauses: where results go, and the order of a group's units. */
#include "evergreen/emu/memory/indexed.h"
#include "evergreen/emu/plan/alu.h"

#include <string.h>

#include "evergreen/emu/mode.h"

/* --- Results ------------------------------------------------------------ */

/* Whether group `next` reads PV or PS of a slot. */
static bool reads_previous(const struct evg_alu_group *next, unsigned slot)
{
	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
		const struct evg_alu_inst *inst = &next->inst[s];
		unsigned count = inst->op == EVG_ALU_LDS_IDX_OP
				     ? 3
				     : evg_alu_info[inst->op].source_count;

		if (!(next->slot_mask >> s & 1))
			continue;
		for (unsigned k = 0; k < count; k++) {
			const struct evg_source *source = &inst->source[k];

			if (slot == EVG_T ? source->select == EVG_SELECT_PS
					  : source->select == EVG_SELECT_PV &&
						source->channel == slot)
				return true;
		}
	}
	return false;
}

/* The row for a result that goes to no register, or not at once. */
static uint32_t side_row(struct clause_builder *clause, unsigned slot)
{
	return plan_row(clause->shared,
			&clause->shared->result_row[clause->index & 1][slot]);
}

/* Instructions with three sources cannot mask their write: AMD's compiler
 * names a register that the kernel does not have where it only wants PV. */
static bool is_discarded(const struct clause_builder *clause,
			 const struct evg_alu_inst *inst)
{
	const struct plan_builder *shared = clause->shared;
	const struct evg_program *program = shared->kernel->program;

	return program && program->convention == EVG_CONVENTION_CAL &&
	       !inst->dest_relative &&
	       inst->dest_gpr >= shared->plan->register_count &&
	       inst->dest_gpr < EVG_FIRST_TEMPORARY;
}

static void plan_result(struct clause_builder *clause, unsigned slot,
			const struct evg_alu_group *next)
{
	const struct evg_alu_inst *inst = &clause->group->inst[slot];
	struct result *result = &clause->results[slot];

	memset(result, 0, sizeof *result);
	result->dest = EVG_NO_ROW;
	if (!(clause->group->slot_mask >> slot & 1) ||
	    !clause->shared->plan->simd->alu[inst->op] ||
	    (clause->shared->plan->simd->alu[inst->op]->shape ==
		 EVG_SHAPE_SPECIAL &&
	     inst->op != EVG_ALU_MOVA_INT))
		return;
	result->issued = true;
	result->writes = evg_alu_info[inst->op].op3 ? !is_discarded(clause, inst)
						    : inst->write_mask;
	result->relative = result->writes && inst->dest_relative;
	result->wanted = next && reads_previous(next, slot);
	for (unsigned k = 0; k < clause->unit_count; k++)
		result->wanted |= clause->units[k].previous == (int)slot;
	result->register_row =
	    plan_register(clause->shared, inst->dest_gpr, inst->dest_channel);
	if (result->writes && result->register_row == EVG_NO_ROW &&
	    !(result->relative && inst->index_mode))
		clause_trap(clause,
			    "a destination beyond the kernel's registers");
}

/* An operation has one mask for all its results: when one of them is wanted in
 * lanes that a predicate keeps out of the register, none goes there at once. */
static void put_aside_together(struct clause_builder *clause,
			       const struct unit *unit)
{
	bool aside = false;

	if (!unit->inst->predicate_select)
		return;
	for (unsigned k = 0; k < unit->slot_count; k++) {
		const struct result *r = &clause->results[unit->slots[k]];

		aside |= !r->direct && r->dest != EVG_NO_ROW;
	}
	for (unsigned k = 0; aside && k < unit->slot_count; k++) {
		struct result *r = &clause->results[unit->slots[k]];

		if (r->direct)
			r->dest = side_row(clause, unit->slots[k]);
		r->direct = false;
	}
}

void clause_results(struct clause_builder *clause,
		    const struct evg_alu_group *next)
{
	bool scattered = false;

	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
		plan_result(clause, s, next);
		scattered |= clause->results[s].relative;
	}
	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
		struct result *r = &clause->results[s];
		bool twice = false;

		for (unsigned o = 0; o < EVG_SLOT_COUNT; o++)
			twice |=
			    o != s && r->writes && clause->results[o].writes &&
			    clause->results[o].register_row == r->register_row;
		if (!r->issued || (!r->writes && !r->wanted))
			continue;
		/* PV keeps what a predicate kept out of the register, or what
		 * another slot overwrote there. */
		r->direct =
		    r->writes && !r->relative &&
		    !(r->wanted && (twice || scattered ||
				    clause->group->inst[s].predicate_select));
		r->dest = r->direct ? r->register_row : side_row(clause, s);
	}
	for (unsigned k = 0; k < clause->unit_count; k++)
		put_aside_together(clause, &clause->units[k]);
	for (unsigned k = 0; k < clause->unit_count; k++)
		if (clause->units[k].previous >= 0 &&
		    !clause->results[clause->units[k].previous].issued)
			clause_trap(clause, "the next lower slot, whose result "
					    "is wanted, has none");
}

/* --- Emission ----------------------------------------------------------- */

static bool reads_row(const struct unit *unit, uint32_t row)
{
	for (unsigned k = 0; k < unit->source_count; k++)
		if (unit->source[k].base == EVG_BASE_STATE &&
		    unit->source[k].offset == row)
			return true;
	return false;
}

/* Whether writing this slot's result now would destroy an operand of a unit
 * still to come. */
static bool is_needed(const struct clause_builder *clause,
		      const struct unit *unit, unsigned slot)
{
	const struct result *result = &clause->results[slot];

	if (!result->direct)
		return false;
	for (unsigned k = 0; k < clause->unit_count; k++)
		if (&clause->units[k] != unit && !clause->units[k].done &&
		    reads_row(&clause->units[k], result->dest))
			return true;
	return false;
}

static bool is_ready(const struct clause_builder *clause,
		     const struct unit *unit)
{
	if (unit->previous < 0)
		return true;
	for (unsigned k = 0; k < clause->unit_count; k++) {
		const struct unit *other = &clause->units[k];

		for (unsigned s = 0; s < other->slot_count; s++)
			if (other->slots[s] == unit->previous)
				return other->done;
	}
	return true;
}

static bool is_modified(const struct unit *unit)
{
	for (unsigned k = 0; k < unit->source_count; k++)
		if (unit->source_and[k] != 0xffffffff || unit->source_xor[k])
			return true;
	return unit->inst->output_modifier || unit->inst->clamp;
}

static void check_output(struct clause_builder *clause,
			 const struct evg_alu_inst *inst)
{
	const struct evg_alu_info *info = &evg_alu_info[inst->op];

	if (info->gives_double) {
		if (inst->output_modifier)
			clause_trap(clause, "OMOD on a double");
	} else if ((inst->output_modifier || inst->clamp) && !info->is_float) {
		clause_trap(clause, "an output modifier on a result that is "
				    "not a float");
	}
}

static void emit_wide(struct clause_builder *clause, const struct unit *unit)
{
	struct evg_plan *plan = clause->shared->plan;
	struct evg_wide *wide = plan_allocate(plan, sizeof *wide);
	struct evg_uop *uop = clause_uop(clause, unit->inst);
	bool is_direct = false;

	wide->source_count = unit->source_count;
	wide->odd = unit->inst->dest_channel & 1;
	for (unsigned k = 0; k < unit->source_count; k++) {
		wide->source[k] = unit->source[k];
		wide->source_and[k] = unit->source_and[k];
		wide->source_xor[k] = unit->source_xor[k];
	}
	for (unsigned k = 0; k < 4; k++)
		wide->dest[k] = EVG_NO_ROW;
	for (unsigned k = 0; k < unit->slot_count; k++) {
		const struct evg_alu_inst *inst =
		    &clause->group->inst[unit->slots[k]];

		check_output(clause, inst);
		wide->dest[k] = clause->results[unit->slots[k]].dest;
		is_direct |= clause->results[unit->slots[k]].direct;
		wide->output_modifier[k] = inst->output_modifier;
		if (evg_alu_info[inst->op].gives_double)
			wide->clamp_double |= inst->clamp; /* as a whole */
		else
			wide->clamp[k] = inst->clamp;
	}
	wide->clamp_keeps_nan = plan->float_mode.clamp_keeps_nan;
	/* As in emit_value. */
	if (!is_direct)
		uop->mask = EVG_MASK_ACTIVE;
	uop_set_body(uop, unit->body->body[0][0], unit->body->body[0][1]);
	uop->extra = wide;
}

static void emit_value(struct clause_builder *clause, const struct unit *unit)
{
	const struct result *result = &clause->results[unit->slots[0]];
	bool modified = is_modified(unit);
	evg_body *const *body = unit->body->body[modified];
	struct evg_uop *uop;

	check_output(clause, unit->inst);
	if (result->dest == EVG_NO_ROW && unit->body->shape == EVG_SHAPE_VALUE)
		return; /* nobody looks at the result */
	uop = clause_uop(clause, unit->inst);
	uop->op = (uint16_t)(unit->inst->op + 1);
	uop->dest = result->dest;
	/* A predicate stores under its mask, and asks nothing else of it. */
	if (unit->body->shape == EVG_SHAPE_PREDICATE && !result->direct &&
	    result->dest != EVG_NO_ROW)
		uop->mask = EVG_MASK_ACTIVE;
	for (unsigned k = 0; k < unit->source_count; k++)
		uop->source[k] = unit->source[k];
	/* Lanes that are not active may be overwritten in a side row. */
	uop_set_body(uop, result->direct ? body[0] : body[1], body[1]);
	if (modified) {
		struct evg_modifiers *m =
		    plan_allocate(clause->shared->plan, sizeof *m);

		for (unsigned k = 0; k < 3; k++)
			m->source_and[k] = 0xffffffff;
		for (unsigned k = 0; k < unit->source_count && k < 3; k++) {
			m->source_and[k] = unit->source_and[k];
			m->source_xor[k] = unit->source_xor[k];
		}
		m->output_modifier = unit->inst->output_modifier;
		m->clamp = unit->inst->clamp;
		m->clamp_keeps_nan =
			clause->shared->plan->float_mode.clamp_keeps_nan;
		uop->extra = m;
	}
}

static void emit_lds(struct clause_builder *clause, const struct unit *unit)
{
	struct plan_builder *shared = clause->shared;
	const struct evg_simd *simd = shared->plan->simd;
	struct evg_lds_plan *lds = plan_allocate(shared->plan, sizeof *lds);
	struct evg_uop *uop = clause_uop(clause, unit->inst);

	for (unsigned k = 0; k < unit->source_count; k++)
		uop->source[k] = unit->source[k];
	lds->line = clause->plan->groups[clause->index].code->line;
	lds->offset = unit->lds_offset;
	lds->queue_row[0] = unit->queue_row[0];
	lds->queue_row[1] = unit->queue_row[1];
	uop->extra = lds;
	uop_set_body(uop, simd->lds[unit->inst->lds_op],
		     simd->lds[unit->inst->lds_op]);
	for (unsigned queue = 0; clause->lanes_apart && queue < 2; queue++) {
		struct evg_queue *lanes;

		if (unit->queue_row[queue] == EVG_NO_ROW)
			continue;
		lanes = plan_allocate(shared->plan, sizeof *lanes);
		lanes->tail_row = plan_row(shared, &shared->tail_row[queue]);
		lanes->first_row = shared->lane_queue_row[queue];
		uop = clause_uop(clause, unit->inst);
		uop->source[0] = plan_state(unit->queue_row[queue]);
		uop->extra = lanes;
		uop_set_body(uop, simd->queue_push, simd->queue_push);
	}
}

/* `lanes`: 0 for active lanes, 1 for all. */
static void make_move(const struct clause_builder *clause,
		      struct evg_uop *uop, uint32_t row, int lanes)
{
	const struct evg_alu_body *mov =
	    clause->shared->plan->simd->alu[EVG_ALU_MOV];

	uop->dest = row;
	uop->op = EVG_ALU_MOV + 1;
	uop_set_body(uop, mov->body[0][lanes], mov->body[0][1]);
}

static void emit_move(struct clause_builder *clause, const struct unit *unit,
		      uint32_t row)
{
	struct evg_uop *uop = clause_uop(clause, unit->inst);

	uop->source[0] = unit->source[0];
	make_move(clause, uop, row, 0);
}

/* To AR, and like any other result to a register. */
static void emit_mova(struct clause_builder *clause, const struct unit *unit)
{
	struct plan_builder *shared = clause->shared;
	const struct result *result = &clause->results[unit->slots[0]];

	emit_move(clause, unit, plan_row(shared, &shared->address_row));
	if (result->dest != EVG_NO_ROW)
		emit_move(clause, unit, result->dest);
}

/* The operand is put aside now; the instruction counts from the next group. */
static void emit_mode(struct clause_builder *clause, const struct unit *unit)
{
	uint32_t row = clause_temp_row(clause);
	struct evg_uop *uop = clause_uop(clause, unit->inst);

	uop->source[0] = unit->source[0];
	make_move(clause, uop, row, 1);
	clause->late[clause->late_count].inst = unit->inst;
	clause->late[clause->late_count].body = evg_run_set_mode;
	clause->late[clause->late_count++].row = row;
}

static void emit_bounds(struct clause_builder *clause, const struct unit *unit)
{
	struct evg_uop *uop = clause_uop(clause, unit->inst);

	uop->source[0] = unit->source[0];
	uop->source[1] = unit->source[1];
	uop_set_body(uop, evg_set_local_bounds, evg_set_local_bounds);
}

static void emit_cf_index(struct clause_builder *clause,
			  const struct unit *unit)
{
	struct plan_builder *shared = clause->shared;
	struct evg_special *special =
	    plan_allocate(shared->plan, sizeof *special);
	struct evg_uop *uop = clause_uop(clause, unit->inst);

	special->which = unit->body->action == EVG_SPECIAL_CF_INDEX_1;
	special->address_row = plan_row(shared, &shared->address_row);
	uop->extra = special;
	uop_set_body(uop, evg_set_cf_index, evg_set_cf_index);
}

/* Without those that clause_add_unit() has done. */
static void (*const emit_special[EVG_SPECIAL_COUNT])(struct clause_builder *,
						     const struct unit *) = {
    [EVG_SPECIAL_LDS] = emit_lds,
    [EVG_SPECIAL_ADDRESS] = emit_mova,
    [EVG_SPECIAL_CF_INDEX_0] = emit_cf_index,
    [EVG_SPECIAL_CF_INDEX_1] = emit_cf_index,
    [EVG_SPECIAL_LDS_BOUNDS] = emit_bounds,
    [EVG_SPECIAL_MODE] = emit_mode,
};

static void emit_unit(struct clause_builder *clause, struct unit *unit)
{
	unit->done = true;
	if (unit->previous >= 0) {
		uint32_t row = clause->results[unit->previous].dest;

		unit->source_and[unit->source_count] = 0xffffffff;
		unit->source_xor[unit->source_count] = 0;
		unit->source[unit->source_count++] = plan_state(row);
	}
	switch (unit->body->shape) {
	case EVG_SHAPE_VALUE:
	case EVG_SHAPE_PREDICATE:
		emit_value(clause, unit);
		break;
	case EVG_SHAPE_WIDE:
		emit_wide(clause, unit);
		break;
	case EVG_SHAPE_SPECIAL:
		emit_special[unit->body->action](clause, unit);
		break;
	}
}

/* The next unit that destroys nobody's operand; if there is none, the first
 * one, with its result put aside. */
void clause_emit_next(struct clause_builder *clause)
{
	struct unit *fallback = NULL;

	for (unsigned k = 0; k < clause->unit_count; k++) {
		struct unit *unit = &clause->units[k];
		bool needed = false;

		if (unit->done || !is_ready(clause, unit))
			continue;
		for (unsigned s = 0; s < unit->slot_count; s++)
			needed |= is_needed(clause, unit, unit->slots[s]);
		if (!needed) {
			emit_unit(clause, unit);
			return;
		}
		if (!fallback)
			fallback = unit;
	}
	for (unsigned s = 0; s < fallback->slot_count; s++) {
		unsigned slot = fallback->slots[s];

		if (!is_needed(clause, fallback, slot))
			continue;
		clause->results[slot].direct = false;
		clause->results[slot].dest = side_row(clause, slot);
	}
	emit_unit(clause, fallback);
}

/* Results that were put aside go to their registers. */
void clause_emit_commits(struct clause_builder *clause)
{
	struct plan_builder *shared = clause->shared;
	const struct evg_simd *simd = shared->plan->simd;

	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
		const struct result *result = &clause->results[s];
		const struct evg_alu_inst *inst = &clause->group->inst[s];
		struct evg_uop *uop;

		if (!result->issued || !result->writes || result->direct)
			continue;
		uop = clause_uop(clause, inst);
		uop->source[0] = plan_state(result->dest);
		if (result->relative && inst->index_mode) {
			struct evg_indexed *indexed =
			    plan_allocate(shared->plan, sizeof *indexed);

			*indexed = clause_indexed_register(
			    clause, inst->index_mode, inst->dest_gpr,
			    inst->dest_channel);
			indexed->address_row =
			    plan_row(shared, &shared->address_row);
			uop->extra = indexed;
			uop_set_body(uop, evg_indexed_store, evg_indexed_store);
		} else if (result->relative) {
			struct evg_relative *relative =
			    plan_allocate(shared->plan, sizeof *relative);

			relative->index = inst->dest_gpr;
			relative->limit = shared->plan->register_count;
			relative->channel = inst->dest_channel;
			relative->address_row =
			    plan_row(shared, &shared->address_row);
			uop->extra = relative;
			uop_set_body(uop, simd->scatter, simd->scatter);
		} else {
			make_move(clause, uop, result->register_row, 0);
		}
	}
	for (unsigned k = 0; k < clause->late_count; k++) {
		struct evg_uop *uop = clause_uop(clause, clause->late[k].inst);

		uop->source[0] = plan_state(clause->late[k].row);
		uop_set_body(uop, clause->late[k].body, clause->late[k].body);
	}
}
