#include "evergreen/emu/count/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/count/count.h"
#include "evergreen/emu/count/statistics.h"
#include "evergreen/emu/count/wavefront-stats.h"

/* What one execution that a counter counts stands for. */
struct weight {
	/* lane_operations: of one active lane. */
	struct evg_stats n;
	uint64_t global_reads;
	uint64_t hash;
};

struct evg_records {
	struct weight *weights;                 /* by counter */
	struct evg_wavefront_stats *wavefronts; /* of the whole ND-range */
	uint64_t count;
};

/* Of a wavefront in flight. */
struct evg_trail {
	uint64_t digest[EVG_WAVEFRONT_SIZE]; /* by lane */
	uint64_t *lanes; /* by counter: summed up as far as digests know */
};

struct evg_trails {
	bool running; /* a work-group that evg_trails_end has not seen */
	uint64_t *lanes;
	struct evg_trail wavefronts[];
};

/* --- What counters stand for ---------------------------------------------- */

static bool reads_global(const struct evg_fetch_plan *fetch)
{
	enum evg_fetch_op op = fetch->fetch->inst.op;

	if (op == EVG_FETCH_VFETCH)
		return fetch->resource == EVG_RESOURCE_MEMORY;
	switch (evg_fetch_info[op].layout) {
	case EVG_LAYOUT_TEX:
		return op != EVG_FETCH_GET_TEXTURE_RESINFO;
	case EVG_LAYOUT_MEM_RD:
		return true;
	default:
		return false;
	}
}

struct weighing {
	const struct evg_inst_stats *rows;
	struct weight *weights;
};

static void weigh_line(void *owner, uint32_t counter, uint32_t line,
		       const struct evg_fetch_plan *fetch)
{
	const struct weighing *weighing = owner;
	struct weight *weight = &weighing->weights[counter];
	struct evg_inst_stats row = weighing->rows[line];

	row.executions = row.active_lanes = 1;
	evg_stats_add_row(&weight->n, &row);
	weight->global_reads += fetch && reads_global(fetch);
}

/* Numbers that are far apart (the finaliser of SplitMix64: Steele, Lea and
 * Flood, Fast splittable pseudorandom number generators, 2014). */
static uint64_t scatter(uint64_t number)
{
	number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
	return number ^ number >> 31;
}

static struct weight *weigh(const struct evg_ndrange *ndrange)
{
	uint32_t count = ndrange->plan->counter_count;
	struct weighing weighing = { 0 };
	size_t rows;

	weighing.rows = evg_ndrange_inst_stats(ndrange, &rows);
	weighing.weights = xcalloc(count + 1, sizeof *weighing.weights);
	evg_plan_visit_lines(ndrange->plan, weigh_line, &weighing);
	for (uint32_t i = 0; i < count; i++)
		weighing.weights[i].hash =
			scatter((i + 1) * UINT64_C(0x9e3779b97f4a7c15));
	return weighing.weights;
}

static void add_count(struct evg_wavefront_stats *sum,
		      const struct weight *weight,
		      const struct evg_count *count)
{
	const struct evg_stats *each = &weight->n;
	uint64_t times = count->executions;

	sum->n.instructions += times * each->instructions;
	sum->n.lane_operations += count->lanes * each->lane_operations;
	sum->n.cf_instructions += times * each->cf_instructions;
	sum->n.alu_clauses += times * each->alu_clauses;
	sum->n.tex_clauses += times * each->tex_clauses;
	sum->n.global_writes += times * each->global_writes;
	sum->n.alu_groups += times * each->alu_groups;
	sum->n.alu_slots += times * each->alu_slots;
	sum->n.lds_instructions += times * each->lds_instructions;
	sum->n.fetches += times * each->fetches;
	for (int i = 0; i < 5; i++)
		sum->n.vliw_slots[i] += times * each->vliw_slots[i];
	sum->global_reads += times * weight->global_reads;
}

struct read_sum {
	const struct evg_inst_stats *rows;
	uint64_t count;
};

static void add_reads(void *owner, uint32_t counter, uint32_t line,
		      const struct evg_fetch_plan *fetch)
{
	struct read_sum *sum = owner;

	(void)counter;
	if (fetch && reads_global(fetch))
		sum->count += sum->rows[line].executions;
}

uint64_t evg_ndrange_global_reads(const struct evg_ndrange *ndrange)
{
	struct read_sum sum = { 0 };
	size_t rows;

	sum.rows = evg_ndrange_inst_stats(ndrange, &rows);
	evg_plan_visit_lines(ndrange->plan, add_reads, &sum);
	return sum.count;
}

/* --- While a work-group runs ---------------------------------------------- */

struct evg_trails *evg_trails_create(const struct evg_ndrange *ndrange)
{
	size_t count = ndrange->plan->counter_count;
	struct evg_trails *trails =
		xcalloc(1, sizeof *trails +
				   ndrange->wavefronts *
					   sizeof *trails->wavefronts);

	trails->lanes = xcalloc(count * ndrange->wavefronts + 1,
				sizeof *trails->lanes);
	for (uint32_t i = 0; i < ndrange->wavefronts; i++)
		trails->wavefronts[i].lanes = trails->lanes + i * count;
	return trails;
}

void evg_trails_free(struct evg_trails *trails)
{
	if (!trails)
		return;
	free(trails->lanes);
	free(trails);
}

void evg_trails_start(struct evg_work_group *group)
{
	const struct evg_ndrange *ndrange = group->ndrange;

	group->trails->running = true;
	memset(group->trails->lanes, 0,
	       (size_t)ndrange->plan->counter_count * ndrange->wavefronts *
		       sizeof *group->trails->lanes);
	for (uint32_t i = 0; i < ndrange->wavefronts; i++) {
		memset(group->trails->wavefronts[i].digest, 0,
		       sizeof group->trails->wavefronts[i].digest);
		/* So that all masks are noted. */
		group->wavefronts[i].paths.seen = 0;
	}
}

void evg_trails_note(struct evg_wavefront *wavefront, uint64_t active)
{
	const struct evg_work_group *group = wavefront->group;
	const struct evg_ndrange *ndrange = group->ndrange;
	struct evg_trail *trail = &group->trails->wavefronts[wavefront->index];
	const struct evg_count *counts =
		group->tally->counts +
		(size_t)wavefront->index * ndrange->counter_stride;
	uint64_t lanes = (uint64_t)__builtin_popcountll(active), gained = 0;

	/* A sum: it is the same where work-items elsewhere part sooner. */
	for (uint32_t i = 0; i < ndrange->plan->counter_count; i++) {
		uint64_t now =
		    counts[i].lanes +
		    evg_count_parts(wavefront->count.counters[i]).lanes;

		if (now == trail->lanes[i])
			continue;
		gained += (now - trail->lanes[i]) / lanes *
			  ndrange->records->weights[i].hash;
		trail->lanes[i] = now;
	}
	for (uint64_t left = active; left; left &= left - 1)
		trail->digest[__builtin_ctzll(left)] += gained;
	wavefront->paths.seen = 0;
}

void evg_count_part(struct evg_wavefront *wavefront)
{
	uint64_t active = wavefront->mask_rows.expanded[EVG_MASK_ACTIVE];

	evg_paths_note(&wavefront->paths, active);
	if (wavefront->group->trails)
		evg_trails_note(wavefront, active);
}

/* --- When it ends --------------------------------------------------------- */

static int compare_paths(const void *a, const void *b)
{
	const struct evg_wavefront_path *left = a, *right = b;
	int more = __builtin_popcountll(right->lanes) -
		   __builtin_popcountll(left->lanes);

	return more ? more
		    : __builtin_ctzll(left->lanes) -
			      __builtin_ctzll(right->lanes);
}

static void record_paths(struct evg_wavefront_stats *record,
			 const struct evg_wavefront *wavefront,
			 const struct evg_trail *trail)
{
	const struct evg_paths *paths = &wavefront->paths;

	record->path_count = paths->count;
	record->paths = xcalloc(paths->count, sizeof *record->paths);
	for (uint32_t i = 0; i < paths->count; i++) {
		uint64_t lanes = paths->lanes[i];

		record->paths[i].lanes = lanes;
		record->paths[i].digest = trail->digest[__builtin_ctzll(lanes)];
	}
	qsort(record->paths, record->path_count, sizeof *record->paths,
	      compare_paths);
}

/* Takes the wavefront's counts into its record, and into the set behind those
 * of the wavefronts. */
static void record_counts(struct evg_wavefront_stats *record,
			  const struct evg_work_group *group, uint32_t index)
{
	const struct evg_ndrange *ndrange = group->ndrange;
	size_t count = ndrange->plan->counter_count;
	struct evg_count *all = group->tally->counts;
	struct evg_count *counts = all + index * count;
	struct evg_count *before = all + ndrange->wavefronts * count;

	for (size_t i = 0; i < count; i++) {
		if (!counts[i].executions)
			continue;
		add_count(record, &ndrange->records->weights[i], &counts[i]);
		before[i].executions += counts[i].executions;
		before[i].lanes += counts[i].lanes;
		counts[i] = (struct evg_count){ 0 };
	}
}

void evg_trails_end(struct evg_work_group *group)
{
	const struct evg_ndrange *ndrange = group->ndrange;
	struct evg_wavefront_stats *records =
		ndrange->records->wavefronts +
		group->index * ndrange->wavefronts;

	if (!group->trails->running)
		return;
	group->trails->running = false;
	evg_count_settle(group->tally);
	for (uint32_t i = 0; i < ndrange->wavefronts; i++) {
		records[i].started = true;
		record_counts(&records[i], group, i);
		record_paths(&records[i], &group->wavefronts[i],
			     &group->trails->wavefronts[i]);
	}
}

/* --- The whole ND-range --------------------------------------------------- */

void evg_ndrange_record_wavefronts(struct evg_ndrange *ndrange)
{
	struct evg_records *records = xcalloc(1, sizeof *records);

	records->weights = weigh(ndrange);
	records->count = ndrange->group_count * ndrange->wavefronts;
	records->wavefronts =
		xcalloc(records->count, sizeof *records->wavefronts);
	ndrange->records = records;
	ndrange->counter_sets = ndrange->wavefronts + 1;
	ndrange->counter_stride = ndrange->plan->counter_count;
}

const struct evg_wavefront_stats *evg_ndrange_wavefront_stats(
	struct evg_ndrange *ndrange, uint64_t *count)
{
	if (!ndrange->records)
		return NULL;
	for (struct evg_work_group *group = ndrange->all; group;
	     group = group->next)
		evg_trails_end(group);
	*count = ndrange->records->count;
	return ndrange->records->wavefronts;
}

void evg_records_free(struct evg_ndrange *ndrange)
{
	struct evg_records *records = ndrange->records;

	if (!records)
		return;
	for (uint64_t i = 0; i < records->count; i++)
		free(records->wavefronts[i].paths);
	free(records->wavefronts);
	free(records->weights);
	free(records);
}
