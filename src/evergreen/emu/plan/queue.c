/* Plans of ALU clauses: the LDS output queues. */
#include "evergreen/emu/plan/alu.h"

static unsigned sources(const struct evg_alu_inst *inst, unsigned select)
{
	unsigned count = 0;

	for (unsigned k = 0; k < inst->source_count; k++)
		count += inst->source[k].select == select;
	return count;
}

static unsigned queue_reads(const struct evg_alu_inst *inst, unsigned queue)
{
	return sources(inst, EVG_SELECT_LDS_OQ_A_POP + queue);
}

static unsigned queue_pushes(const struct evg_alu_inst *inst, unsigned queue)
{
	return inst->op == EVG_ALU_LDS_IDX_OP &&
	       evg_lds_info[inst->lds_op].returns > queue;
}

bool group_queue_use(const struct evg_alu_group *group,
		     struct evg_queue_use *use)
{
	bool any = false;

	for (unsigned q = 0; q < 2; q++) {
		use->takes[q] = use->pushes[q] = 0;
		use->looks[q] = false;
		for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
			const struct evg_alu_inst *inst = &group->inst[s];

			if (!(group->slot_mask >> s & 1))
				continue;
			use->takes[q] += queue_reads(inst, q);
			use->pushes[q] += queue_pushes(inst, q);
			use->looks[q] |=
			    sources(inst, EVG_SELECT_LDS_OQ_A + q) > 0;
		}
		any |= use->takes[q] || use->pushes[q] || use->looks[q];
	}
	return any;
}

/* What a queue that is not empty was filled under. */
struct use {
	unsigned pushed, popped, most;
	unsigned predicate_select;
	bool predicate_changed; /* since */
};

/* Notes that an instruction uses the queue. False when lanes that have pushed
 * and lanes that have not may meet in it. */
static bool note_use(struct use *use, const struct evg_alu_inst *inst,
		     unsigned pushes, unsigned pops)
{
	bool together = true;

	if (use->pushed == use->popped) {
		use->predicate_select = inst->predicate_select;
		use->predicate_changed = false;
	}
	if (use->predicate_select != inst->predicate_select ||
	    (inst->predicate_select && use->predicate_changed))
		together = false;
	use->pushed += pushes;
	if (use->pushed > use->popped + use->most)
		use->most = use->pushed - use->popped;
	use->popped += pops;
	return together;
}

/* Whether all lanes push and pop together, and how many values a queue holds
 * at most. Lanes that UPDATE_EXEC_MASK takes out stay out to the clause's end,
 * so that those left have pushed and popped the same; only predicated
 * instructions make lanes differ, unless those that use what is in a queue
 * have the same predicate. */
void clause_queues(struct clause_builder *clause)
{
	const struct evg_code_group *groups =
	    &clause->shared->code->groups[clause->cf->first];
	struct use use[2] = {{0}};

	for (uint32_t i = 0; i < clause->cf->count; i++) {
		const struct evg_alu_group *group = &groups[i].group;

		for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
			const struct evg_alu_inst *inst = &group->inst[s];

			if (!(group->slot_mask >> s & 1))
				continue;
			for (unsigned q = 0; q < 2; q++) {
				unsigned pushes = queue_pushes(inst, q);
				unsigned pops = queue_reads(inst, q);

				if ((pushes || pops) &&
				    !note_use(&use[q], inst, pushes, pops))
					clause->lanes_apart = true;
			}
		}
		for (unsigned s = 0; s < EVG_SLOT_COUNT; s++)
			if (group->slot_mask >> s & 1 &&
			    group->inst[s].update_predicate)
				use[0].predicate_changed =
				    use[1].predicate_changed = true;
	}
	for (unsigned q = 0; q < 2; q++)
		clause->ring[q] =
		    use[q].most + 1 < EVG_QUEUE_ROWS ? use[q].most + 1 : EVG_QUEUE_ROWS;
	for (unsigned q = 0; clause->lanes_apart && q < 2; q++) {
		struct plan_builder *shared = clause->shared;

		if (use[q].pushed <= shared->lane_queue_depth[q])
			continue;
		shared->lane_queue_depth[q] = use[q].pushed;
		shared->lane_queue_row[q] = plan_rows(shared, use[q].pushed);
	}
}

void clause_reset_queues(struct clause_builder *clause)
{
	struct plan_builder *shared = clause->shared;
	static const struct evg_alu_inst always;

	for (unsigned q = 0; q < 2; q++) {
		struct evg_queue *lanes =
		    plan_allocate(shared->plan, sizeof *lanes);
		struct evg_uop *uop = clause_uop(clause, &always);

		lanes->head_row = plan_row(shared, &shared->head_row[q]);
		lanes->tail_row = plan_row(shared, &shared->tail_row[q]);
		uop->extra = lanes;
		uop_set_body(uop, shared->plan->simd->queue_reset,
			     shared->plan->simd->queue_reset);
	}
}
