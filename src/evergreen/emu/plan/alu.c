/* Plans of ALU clauses: VLIW groups to lists of functions over rows. */
#include "evergreen/emu/plan/alu.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void close_segment(struct clause_builder *clause)
{
	struct evg_segment *segment =
	    &clause->segments[clause->plan->segment_count - 1];

	segment->uop_count = clause->uop_count - segment->first_uop;
	segment->group_count = clause->index + 1 - segment->first_group;
	segment->instruction_count =
	    segment->group_count + !segment->first_group;
}

static void open_segment(struct clause_builder *clause)
{
	struct evg_plan *plan = clause->shared->plan;
	struct evg_segment *segment;

	ARRAY_GROW(clause->segments, clause->plan->segment_count,
		   clause->segment_capacity);
	segment = &clause->segments[clause->plan->segment_count++];
	memset(segment, 0, sizeof *segment);
	segment->first_uop = clause->uop_count;
	segment->first_group = clause->index;
	if (clause->plan->segment_count == 1) /* with the CF instruction */
		segment->counter = plan->cf[clause->cf - plan->code->cf].counter;
	else
		segment->counter = plan->counter_count++;
}

static void finish_group(struct clause_builder *clause)
{
	struct evg_segment *segment =
	    &clause->segments[clause->plan->segment_count - 1];
	struct evg_group_plan *group = &clause->plan->groups[clause->index];
	unsigned predicates = 0;

	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
		const struct evg_alu_inst *inst = &clause->group->inst[s];

		if (!(clause->group->slot_mask >> s & 1))
			continue;
		clause->plan->slot_count++;
		group->lds_count += inst->op == EVG_ALU_LDS_IDX_OP;
		if (inst->op == EVG_ALU_GROUP_BARRIER) {
			segment->barrier = true;
			clause->plan->has_barrier = true;
		}
		if (inst->predicate_select)
			clause->plan->uses_predicate = true;
		if (!evg_alu_info[inst->op].is_predicate)
			continue;
		predicates++;
		segment->update_execute_mask |= inst->update_execute_mask;
		segment->update_predicate |= inst->update_predicate;
		segment->predicate_mask = clause_predicate_mask(inst);
	}
	group->uses_queues = group_queue_use(clause->group, &group->queues);
	/* A pair or all four slots of a 64-bit one count as one. */
	if (predicates > 1 &&
	    (segment->update_execute_mask || segment->update_predicate) &&
	    !(clause->unit_count == 1))
		clause_trap(clause, "more than one predicate in a group");
}

/* Whether an instruction reads AR. */
static bool reads_address(const struct evg_alu_inst *inst)
{
	bool relative = inst->dest_relative;

	if (inst->op == EVG_ALU_SET_CF_IDX0 || inst->op == EVG_ALU_SET_CF_IDX1)
		return true;
	for (unsigned k = 0; k < 3; k++)
		relative |= inst->source[k].relative;
	return relative && (inst->index_mode == EVG_INDEX_AR ||
			    inst->index_mode == EVG_INDEX_GLOBAL_AR);
}

/* Effects inside a group have no order: what sets and what uses a thing may
 * not stand together. */
static void check_neighbours(struct clause_builder *clause)
{
	const struct evg_alu_group *group = clause->group;
	bool moves_address = false, uses_address = false;
	bool bounds = false, local = false;

	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
		const struct evg_alu_inst *inst = &group->inst[s];

		if (!(group->slot_mask >> s & 1))
			continue;
		moves_address |= inst->op == EVG_ALU_MOVA_INT;
		uses_address |= reads_address(inst);
		bounds |= inst->op == EVG_ALU_SET_LDS_SIZE;
		local |= inst->op == EVG_ALU_LDS_IDX_OP;
	}
	if (moves_address && uses_address)
		clause_trap(clause, "MOVA_INT beside a reader of AR");
	if (bounds && local)
		clause_trap(clause, "SET_LDS_SIZE beside an LDS operation");
}

static void plan_group(struct clause_builder *clause,
		       const struct evg_alu_group *next)
{
	struct evg_group_plan *plan = &clause->plan->groups[clause->index];
	unsigned taken = 0;

	clause->unit_count = clause->temp_count = clause->late_count = 0;
	clause->trap = NULL;
	plan->code = clause->code;
	plan->first_uop = clause->uop_count;
	plan->segment = clause->plan->segment_count - 1;
	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++)
		if ((clause->group->slot_mask & ~taken) >> s & 1)
			clause_add_unit(clause, s, &taken);
	clause_results(clause, next);
	finish_group(clause);
	check_neighbours(clause);
	if (!clause->trap) {
		for (;;) {
			unsigned left = 0;

			for (unsigned k = 0; k < clause->unit_count; k++)
				left += !clause->units[k].done;
			if (!left)
				break;
			clause_emit_next(clause);
		}
		clause_emit_commits(clause);
	}
	if (clause->trap) {
		clause->uop_count = plan->first_uop;
		clause_add_trap(clause);
	}
	plan->uop_count = clause->uop_count - plan->first_uop;
	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++)
		clause->previous[s] = clause->results[s].wanted
					  ? clause->results[s].dest
					  : EVG_NO_ROW;
}

/* --- Clauses ------------------------------------------------------------ */

static void copy_out(struct clause_builder *clause)
{
	struct evg_plan *plan = clause->shared->plan;
	size_t uops = clause->uop_count * sizeof *clause->uops;
	size_t segments =
	    clause->plan->segment_count * sizeof *clause->segments;

	clause->plan->uops = plan_allocate(plan, uops);
	clause->plan->segments = plan_allocate(plan, segments);
	if (uops)
		memcpy(clause->plan->uops, clause->uops, uops);
	if (segments)
		memcpy(clause->plan->segments, clause->segments, segments);
	free(clause->uops);
	free(clause->segments);
}

struct evg_clause_plan *plan_alu_clause(struct plan_builder *builder,
					const struct evg_code_cf *cf)
{
	struct clause_builder clause = {.shared = builder, .cf = cf};
	const struct evg_code_group *groups = &builder->code->groups[cf->first];
	bool open = false;

	clause.plan = plan_allocate(builder->plan, sizeof *clause.plan);
	clause.plan->group_count = cf->count;
	clause.plan->groups = plan_allocate(
	    builder->plan, cf->count * sizeof *clause.plan->groups);
	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++)
		clause.previous[s] = EVG_NO_ROW;
	clause_queues(&clause);
	for (uint32_t i = 0; i < cf->count; i++) {
		struct evg_segment *segment;

		clause.index = i;
		clause.code = &groups[i];
		clause.group = &groups[i].group;
		if (!open)
			open_segment(&clause);
		if (i == 0 && clause.lanes_apart)
			clause_reset_queues(&clause);
		plan_group(&clause,
			   i + 1 < cf->count ? &groups[i + 1].group : NULL);
		if (i == 0 && clause.lanes_apart) {
			/* The reset belongs to the first group. */
			clause.plan->groups[0].uop_count +=
			    clause.plan->groups[0].first_uop;
			clause.plan->groups[0].first_uop = 0;
		}
		segment = &clause.segments[clause.plan->segment_count - 1];
		open = !(segment->update_execute_mask ||
			 segment->update_predicate || segment->barrier);
		if (!open || i + 1 == cf->count)
			close_segment(&clause);
	}
	copy_out(&clause);
	return clause.plan;
}
