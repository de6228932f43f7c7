/* Plans of ALU clauses: the LDS output queues. */
#include "evergreen/emu/plan-alu.h"

static unsigned queue_reads(const struct evg_alu_inst *inst, unsigned queue)
{
	unsigned count = 0;

	for (unsigned k = 0; k < inst->source_count; k++)
		count +=
		    inst->source[k].select == EVG_SELECT_LDS_OQ_A_POP + queue;
	return count;
}

/* Whether all lanes push and pop together, and how many values a queue holds
 * at most. Lanes that UPDATE_EXEC_MASK takes out stay out to the clause's end,
 * so that those left have pushed and popped the same; only predicated
 * instructions make lanes differ. */
void clause_queues(struct clause_builder *clause)
{
	const struct evg_code_group *groups =
	    &clause->shared->code->groups[clause->cf->first];
	unsigned pushed[2] = {0}, popped[2] = {0}, most[2] = {0};

	for (uint32_t i = 0; i < clause->cf->count; i++) {
		const struct evg_alu_group *group = &groups[i].group;

		for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
			const struct evg_alu_inst *inst = &group->inst[s];
			unsigned uses = 0;

			if (!(group->slot_mask >> s & 1))
				continue;
			for (unsigned q = 0; q < 2; q++) {
				unsigned pushes =
				    inst->op == EVG_ALU_LDS_IDX_OP &&
				    evg_lds_info[inst->lds_op].returns > q;
				unsigned pops = queue_reads(inst, q);

				pushed[q] += pushes;
				if (pushed[q] - popped[q] > most[q] &&
				    pushed[q] > popped[q])
					most[q] = pushed[q] - popped[q];
				popped[q] += pops;
				uses += pushes + pops;
			}
			if (uses && inst->predicate_select)
				clause->lanes_apart = true;
		}
	}
	for (unsigned q = 0; q < 2; q++)
		clause->ring[q] =
		    most[q] + 1 < EVG_QUEUE_ROWS ? most[q] + 1 : EVG_QUEUE_ROWS;
	for (unsigned q = 0; clause->lanes_apart && q < 2; q++) {
		struct plan_builder *shared = clause->shared;

		if (pushed[q] <= shared->lane_queue_depth[q])
			continue;
		shared->lane_queue_depth[q] = pushed[q];
		shared->lane_queue_row[q] = plan_rows(shared, pushed[q]);
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
