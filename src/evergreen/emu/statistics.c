/* Figures of an ND-range: the counts of every work-group object, summed, and
 * shared out to the instructions that were counted together. */
#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/emu/count.h"
#include "evergreen/emu/traffic.h"

void evg_count_settle(struct evg_work_group *group)
{
	uint32_t count = group->ndrange->plan->counter_count;

	for (uint32_t i = 0; i < count; i++) {
		struct evg_count parts = evg_count_parts(group->recent[i]);

		group->counts[i].executions += parts.executions;
		group->counts[i].lanes += parts.lanes;
		group->recent[i] = 0;
	}
	group->unsettled = 0;
}

static struct evg_count total(const struct evg_ndrange *ndrange,
			      uint32_t counter)
{
	struct evg_count sum = {0, 0};

	for (const struct evg_work_group *group = ndrange->all; group;
	     group = group->next) {
		const struct evg_count *count = &group->counts[counter];
		struct evg_count recent =
			evg_count_parts(group->recent[counter]);

		sum.executions += count->executions + recent.executions;
		sum.lanes += count->lanes + recent.lanes;
	}
	return sum;
}

static void add(struct evg_inst_stats *row, struct evg_count count)
{
	row->executions += count.executions;
	row->active_lanes += count.lanes;
}

static void add_cf(const struct evg_ndrange *ndrange,
		   struct evg_inst_stats *rows, const struct evg_cf_plan *cf)
{
	add(&rows[cf->cf->line], total(ndrange, cf->counter));
	for (uint32_t i = 0; i < cf->fetch_count; i++)
		add(&rows[cf->fetches[i].fetch->line],
		    total(ndrange, cf->fetches[i].counter));
	for (uint32_t i = 0; cf->alu && i < cf->alu->segment_count; i++) {
		const struct evg_segment *segment = &cf->alu->segments[i];
		struct evg_count count = total(ndrange, segment->counter);

		for (uint32_t k = 0; k < segment->group_count; k++)
			add(&rows[cf->alu->groups[segment->first_group + k]
					  .code->line],
			    count);
	}
}

const struct evg_inst_stats *evg_ndrange_inst_stats(
	const struct evg_ndrange *ndrange, size_t *count)
{
	const struct evg_code *code = ndrange->code;
	struct evg_inst_stats *rows = ndrange->rows;

	for (uint32_t i = 0; i < code->line_count; i++) {
		const struct evg_code_line *line = &code->lines[i];
		struct evg_inst_stats *row = &rows[i];

		*row = (struct evg_inst_stats){.address = line->address};
		switch (line->kind) {
		case EVG_LINE_CF:
			row->cf = &line->cf->inst;
			row->kind = line->cf->clause ? EVG_STEP_CLAUSE
				    : line->cf->inst.format ==
						    EVG_CF_EXPORT_RAT
					    ? EVG_STEP_STORE
					    : EVG_STEP_CF;
			break;
		case EVG_LINE_ALU:
			row->group = &line->group->group;
			row->kind = EVG_STEP_ALU;
			break;
		case EVG_LINE_FETCH:
			row->fetch = &line->fetch->inst;
			row->kind = EVG_STEP_FETCH;
			break;
		}
	}
	for (uint32_t i = 0; i < ndrange->plan->cf_count; i++)
		if (ndrange->plan->cf[i].cf)
			add_cf(ndrange, rows, &ndrange->plan->cf[i]);
	for (const struct evg_work_group *group = ndrange->all; group;
	     group = group->next)
		for (uint32_t i = 0; group->traffic && i < code->line_count;
		     i++) {
			rows[i].transactions +=
				group->traffic->counts[i].transactions;
			rows[i].bank_conflicts +=
				group->traffic->counts[i].conflicts;
		}
	*count = code->line_count;
	return rows;
}

static void add_group(struct evg_stats *stats,
		      const struct evg_inst_stats *row)
{
	const struct evg_alu_group *group = row->group;

	stats->alu_groups += row->executions;
	stats->alu_slots += row->executions * group->inst_count;
	stats->lane_operations += row->active_lanes * group->inst_count;
	if (group->inst_count >= 1)
		stats->vliw_slots[group->inst_count - 1] += row->executions;
	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++)
		if (group->slot_mask >> s & 1 &&
		    group->inst[s].op == EVG_ALU_LDS_IDX_OP)
			stats->lds_instructions += row->executions;
}

void evg_ndrange_stats(const struct evg_ndrange *ndrange,
		       struct evg_stats *stats)
{
	size_t count;
	const struct evg_inst_stats *rows =
		evg_ndrange_inst_stats(ndrange, &count);

	*stats = (struct evg_stats){0};
	for (const struct evg_work_group *group = ndrange->all; group;
	     group = group->next) {
		stats->work_groups += group->work_groups;
		stats->wavefronts += group->wavefront_count;
		stats->work_items += group->work_items;
	}
	for (size_t i = 0; i < count; i++) {
		const struct evg_inst_stats *row = &rows[i];

		stats->instructions += row->executions;
		stats->transactions += row->transactions;
		stats->bank_conflicts += row->bank_conflicts;
		switch (row->kind) {
		case EVG_STEP_ALU:
			add_group(stats, row);
			continue;
		case EVG_STEP_FETCH:
			stats->fetches += row->executions;
			stats->lane_operations += row->active_lanes;
			continue;
		case EVG_STEP_STORE:
			stats->global_writes += row->executions;
			stats->lane_operations += row->active_lanes;
			break;
		case EVG_STEP_CLAUSE:
			if (row->cf->format == EVG_CF_ALU_WORD)
				stats->alu_clauses += row->executions;
			else
				stats->tex_clauses += row->executions;
			break;
		case EVG_STEP_CF:
			break;
		}
		stats->cf_instructions += row->executions;
	}
}

void evg_ndrange_divergence(const struct evg_ndrange *ndrange,
			    uint64_t histogram[EVG_WAVEFRONT_SIZE + 1])
{
	uint64_t partial = 0;
	size_t count;
	const struct evg_inst_stats *rows =
		evg_ndrange_inst_stats(ndrange, &count);

	for (int n = 0; n <= EVG_WAVEFRONT_SIZE; n++)
		histogram[n] = 0;
	for (const struct evg_work_group *group = ndrange->all; group;
	     group = group->next)
		for (int n = 0; n < EVG_WAVEFRONT_SIZE; n++) {
			histogram[n] += group->histogram[n];
			partial += group->histogram[n];
		}
	/* The others had all lanes. */
	for (size_t i = 0; i < count; i++)
		histogram[EVG_WAVEFRONT_SIZE] += rows[i].executions;
	histogram[EVG_WAVEFRONT_SIZE] -= partial;
}

void evg_ndrange_paths(const struct evg_ndrange *ndrange,
		       struct evg_path_counts *counts)
{
	*counts = (struct evg_path_counts){0};
	for (const struct evg_work_group *group = ndrange->all; group;
	     group = group->next) {
		for (int i = 0; i <= EVG_WAVEFRONT_SIZE; i++)
			counts->wavefronts[i] += group->paths.wavefronts[i];
		for (int i = 0; i < EVG_WAVEFRONT_SIZE; i++)
			counts->work_items[i] += group->paths.work_items[i];
	}
}
