/* Figures of an ND-range: the counts of every tally, summed, and
 * shared out to the instructions that were counted together. */
#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/emu/count/count.h"
#include "evergreen/emu/count/statistics.h"
#include "evergreen/emu/count/traffic.h"

void evg_count_settle(struct evg_tally *tally)
{
	const struct evg_ndrange *ndrange = tally->ndrange;
	size_t count = (size_t)ndrange->plan->counter_count *
		       ndrange->counter_sets;

	for (size_t i = 0; i < count; i++) {
		struct evg_count parts = evg_count_parts(tally->recent[i]);

		tally->counts[i].executions += parts.executions;
		tally->counts[i].lanes += parts.lanes;
		tally->recent[i] = 0;
	}
	tally->unsettled = 0;
}

static void add_set(struct evg_count *sums, const struct evg_tally *tally,
		    uint32_t set, size_t count)
{
	const struct evg_count *counts = tally->counts + set * count;
	const uint64_t *recent = tally->recent + set * count;

	for (size_t i = 0; i < count; i++) {
		struct evg_count parts = evg_count_parts(recent[i]);

		sums[i].executions += counts[i].executions + parts.executions;
		sums[i].lanes += counts[i].lanes + parts.lanes;
	}
}

/* Each counter's total, to be freed. */
static struct evg_count *totals(const struct evg_ndrange *ndrange)
{
	uint32_t count = ndrange->plan->counter_count;
	struct evg_count *sums = xcalloc(count + 1, sizeof *sums);

	for (const struct evg_tally *tally = ndrange->tallies; tally;
	     tally = tally->next)
		for (uint32_t set = 0; set < ndrange->counter_sets; set++)
			add_set(sums, tally, set, count);
	return sums;
}

static void visit_cf(const struct evg_cf_plan *cf, evg_line_visitor *visit,
		     void *owner)
{
	visit(owner, cf->counter, cf->cf->line, NULL);
	for (uint32_t i = 0; i < cf->fetch_count; i++)
		visit(owner, cf->fetches[i].counter,
		      cf->fetches[i].fetch->line, &cf->fetches[i]);
	for (uint32_t i = 0; cf->alu && i < cf->alu->segment_count; i++) {
		const struct evg_segment *segment = &cf->alu->segments[i];

		for (uint32_t k = 0; k < segment->group_count; k++)
			visit(owner, segment->counter,
			      cf->alu->groups[segment->first_group + k]
				      .code->line,
			      NULL);
	}
}

void evg_plan_visit_lines(const struct evg_plan *plan, evg_line_visitor *visit,
			  void *owner)
{
	for (uint32_t i = 0; i < plan->cf_count; i++)
		if (plan->cf[i].cf)
			visit_cf(&plan->cf[i], visit, owner);
}

struct line_sums {
	struct evg_inst_stats *rows;
	const struct evg_count *counts;
};

static void add_line(void *owner, uint32_t counter, uint32_t line,
		     const struct evg_fetch_plan *fetch)
{
	const struct line_sums *sums = owner;

	(void)fetch;
	sums->rows[line].executions += sums->counts[counter].executions;
	sums->rows[line].active_lanes += sums->counts[counter].lanes;
}

const struct evg_inst_stats *evg_ndrange_inst_stats(
	const struct evg_ndrange *ndrange, size_t *count)
{
	const struct evg_code *code = ndrange->code;
	struct evg_inst_stats *rows = ndrange->rows;
	struct evg_count *counts = totals(ndrange);
	struct line_sums sums = { rows, counts };

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
	evg_plan_visit_lines(ndrange->plan, add_line, &sums);
	free(counts);
	for (const struct evg_work_group *group =
		     ndrange->traffic.block_size ? ndrange->all : NULL;
	     group; group = group->next)
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

void evg_stats_add_row(struct evg_stats *stats,
		       const struct evg_inst_stats *row)
{
	stats->instructions += row->executions;
	stats->transactions += row->transactions;
	stats->bank_conflicts += row->bank_conflicts;
	switch (row->kind) {
	case EVG_STEP_ALU:
		add_group(stats, row);
		return;
	case EVG_STEP_FETCH:
		stats->fetches += row->executions;
		stats->lane_operations += row->active_lanes;
		return;
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

void evg_ndrange_stats(const struct evg_ndrange *ndrange,
		       struct evg_stats *stats)
{
	size_t count;
	const struct evg_inst_stats *rows =
		evg_ndrange_inst_stats(ndrange, &count);

	*stats = (struct evg_stats){0};
	for (const struct evg_tally *tally = ndrange->tallies; tally;
	     tally = tally->next) {
		stats->work_groups += tally->work_groups;
		stats->wavefronts += tally->wavefront_count;
		stats->work_items += tally->work_items;
	}
	for (size_t i = 0; i < count; i++)
		evg_stats_add_row(stats, &rows[i]);
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
	for (const struct evg_tally *tally = ndrange->tallies; tally;
	     tally = tally->next)
		for (int n = 0; n < EVG_WAVEFRONT_SIZE; n++) {
			histogram[n] += tally->histogram[n];
			partial += tally->histogram[n];
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
	for (const struct evg_tally *tally = ndrange->tallies; tally;
	     tally = tally->next) {
		for (int i = 0; i <= EVG_WAVEFRONT_SIZE; i++)
			counts->wavefronts[i] += tally->paths.wavefronts[i];
		for (int i = 0; i < EVG_WAVEFRONT_SIZE; i++)
			counts->work_items[i] += tally->paths.work_items[i];
	}
}
