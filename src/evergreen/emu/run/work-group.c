/* The objects for work-groups in flight. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/count/records.h"
#include "evergreen/emu/count/traffic.h"
#include "evergreen/emu/machine.h"
#include "evergreen/emu/memory/combine.h"
#include "evergreen/emu/memory/indexed.h"
#include "evergreen/emu/memory/memory.h"

/* Scratch memory of a new work-group object, which others may use at the same
 * time only in other places: see evg_ndrange_reserve. */
static void allocate_scratch(struct evg_work_group *group)
{
	const struct evg_ndrange *ndrange = group->ndrange;
	uint64_t each = ndrange->launch.kernel->scratch_size;
	uint64_t bytes = each * EVG_WAVEFRONT_SIZE;

	if (!each)
		return;
	if (bytes * ndrange->wavefronts <= UINT32_MAX)
		group->scratch = evg_memory_allocate(
			ndrange->launch.memory,
			(uint32_t)(bytes * ndrange->wavefronts), false,
			"scratch memory");
	for (uint32_t i = 0; i < ndrange->wavefronts; i++) {
		struct evg_wavefront *wavefront = &group->wavefronts[i];

		wavefront->scratch.dwords = (uint32_t)(each / 4);
		if (group->scratch)
			wavefront->scratch.address =
			    group->scratch + (uint32_t)(i * bytes);
	}
}

/* What a work-item should not look at is the same in every run. */
static void clear_scratch(struct evg_wavefront *wavefront)
{
	if (wavefront->scratch.used)
		memset(wavefront->global.base + wavefront->scratch.address, 0,
		       (size_t)wavefront->scratch.dwords * EVG_ROW_BYTES);
	wavefront->scratch.used = false;
}

struct evg_tally *evg_tally_create(struct evg_ndrange *ndrange)
{
	size_t counters = (size_t)ndrange->plan->counter_count *
				  ndrange->counter_sets + 1;
	struct evg_tally *tally = xcalloc_aligned(sizeof *tally);

	tally->ndrange = ndrange;
	tally->recent = xcalloc_aligned(counters * sizeof *tally->recent);
	tally->counts = xcalloc_aligned(counters * sizeof *tally->counts);
	pthread_mutex_lock(&ndrange->lock);
	tally->next = ndrange->tallies;
	ndrange->tallies = tally;
	pthread_mutex_unlock(&ndrange->lock);
	return tally;
}

static struct evg_work_group *new_group(struct evg_ndrange *ndrange)
{
	const struct evg_plan *plan = ndrange->plan;
	size_t state = (size_t)plan->row_count * EVG_ROW_BYTES;
	struct evg_work_group *group = xcalloc_aligned(sizeof *group);

	/* Work-groups may be run by different threads: no common lines. */
	group->ndrange = ndrange;
	group->wavefronts =
		xcalloc_aligned(ndrange->wavefronts * sizeof *group->wavefronts);
	/* Cleared at every start. */
	group->rows = xmalloc_aligned(ndrange->wavefronts * state);
	group->frames = xcalloc_aligned(
		(ndrange->wavefronts * plan->stack_elements + 1) *
		sizeof *group->frames);
	group->local = xmalloc_aligned(ndrange->launch.local_memory + 64);
	group->windows = xcalloc_aligned((plan->window_count + 1) *
					 sizeof *group->windows);
	if (ndrange->traffic.block_size)
		group->traffic = evg_traffic_create(&ndrange->traffic,
						    ndrange->code->line_count,
						    plan->simd);
	if (ndrange->records)
		group->trails = evg_trails_create(ndrange);
	if (ndrange->combines)
		group->combiner = evg_combiner_create();
	for (uint32_t i = 0; i < ndrange->wavefronts; i++) {
		struct evg_wavefront *wavefront = &group->wavefronts[i];

		wavefront->group = group;
		wavefront->plan = plan;
		wavefront->index = i;
		wavefront->start_bytes = EVG_ROW_BYTES;
		wavefront->registers.base[EVG_BASE_STATE] =
		    group->rows + i * state;
		wavefront->registers.base[EVG_BASE_POOL] = ndrange->pool;
		wavefront->stack.frames =
		    group->frames + i * plan->stack_elements;
		wavefront->global.memory = ndrange->launch.memory;
		wavefront->global.base =
		    evg_memory_base(ndrange->launch.memory);
		wavefront->global.size =
		    (uint32_t)evg_memory_size(ndrange->launch.memory);
		wavefront->global.find = evg_memory_find;
		wavefront->buffers.bindings = ndrange->launch.bindings;
		wavefront->buffers.constants = ndrange->constants;
		wavefront->global.windows = group->windows;
	}
	allocate_scratch(group);
	return group;
}

void evg_work_group_destroy(struct evg_work_group *group)
{
	evg_traffic_free(group->traffic);
	evg_trails_free(group->trails);
	evg_combiner_free(group->combiner);
	free(group->wavefronts);
	free(group->rows);
	free(group->packed_rows);
	free(group->frames);
	free(group->local);
	free(group->windows);
	free(group);
}

/* Adds a free object, unless there is no room for its scratch memory. */
static bool add_free_group(struct evg_ndrange *ndrange)
{
	struct evg_work_group *group = new_group(ndrange);

	if (!group->scratch) {
		evg_work_group_destroy(group);
		return false;
	}
	group->next = ndrange->all;
	ndrange->all = group;
	evg_work_group_free(group);
	return true;
}

uint64_t evg_ndrange_reserve(struct evg_ndrange *ndrange, uint64_t count)
{
	uint64_t found = 0;

	if (!ndrange->launch.kernel->scratch_size)
		return count;
	for (struct evg_work_group *group = ndrange->free;
	     group && found < count; group = group->next_free)
		found++;
	while (found < count && add_free_group(ndrange))
		found++;
	return found;
}

bool evg_ndrange_has_room(struct evg_ndrange *ndrange)
{
	return evg_ndrange_reserve(ndrange, 1);
}

/* The shared registers of a compute unit, zero at the launch. */
static uint32_t *shared_registers(struct evg_ndrange *ndrange, uint32_t unit)
{
	uint32_t *registers;

	pthread_mutex_lock(&ndrange->lock);
	if (unit >= ndrange->shared_count) {
		ndrange->shared = xrealloc(ndrange->shared,
					   (unit + 1) * sizeof registers);
		while (ndrange->shared_count <= unit)
			ndrange->shared[ndrange->shared_count++] = NULL;
	}
	if (!ndrange->shared[unit])
		ndrange->shared[unit] =
			xcalloc_aligned(EVG_SHARED_REGISTERS * 4 * EVG_ROW_BYTES);
	registers = ndrange->shared[unit];
	pthread_mutex_unlock(&ndrange->lock);
	return registers;
}

void evg_work_group_place(struct evg_work_group *group, uint32_t unit,
			  uint32_t units, uint32_t group_slot)
{
	struct evg_ndrange *ndrange = group->ndrange;
	uint32_t each = (units + EVG_SHADER_ENGINES - 1) / EVG_SHADER_ENGINES;
	uint32_t *shared = ndrange->plan->shares_registers
				   ? shared_registers(ndrange, unit)
				   : NULL;

	for (uint32_t i = 0; i < ndrange->wavefronts; i++) {
		group->wavefronts[i].timing.place = (struct evg_place){
		    .unit = unit,
		    .engine = unit / each,
		    .simd = unit % each,
		    .group_slot = group_slot,
		    .wave_slot = i,
		    .odd = i & 1,
		};
		group->wavefronts[i].registers.shared = shared;
	}
}

/* Not all work-groups may be looked at. */
static void choose_traffic(struct evg_work_group *group)
{
	uint64_t every = group->ndrange->traffic.every;
	bool looked_at = every < 2 || group->index % every == 0;

	for (uint32_t i = 0; i < group->ndrange->wavefronts; i++)
		group->wavefronts[i].observers.traffic =
		    looked_at ? group->traffic : NULL;
}

void evg_work_group_start(struct evg_work_group *group, uint64_t index)
{
	const struct evg_ndrange *ndrange = group->ndrange;
	uint64_t generation =
		evg_memory_generation(ndrange->launch.memory);
	uint32_t units = ndrange->launch.compute_units;

	if (group->trails)
		evg_trails_end(group);
	group->index = index;
	group->id[0] = (uint32_t)(index % ndrange->groups[0]);
	group->id[1] = (uint32_t)(index / ndrange->groups[0] %
				  ndrange->groups[1]);
	group->id[2] = (uint32_t)(index / ndrange->groups[0] /
				  ndrange->groups[1]);
	if (group->generation != generation) {
		const struct evg_window empty = {.start = 1, .last = 0};

		for (uint32_t i = 0; i < ndrange->plan->window_count; i++)
			group->windows[i] = empty;
		group->generation = generation;
	}
	group->budget = INT64_MAX;
	group->tally->work_groups++;
	group->tally->wavefront_count += ndrange->wavefronts;
	group->tally->work_items += ndrange->group_items;
	memset(group->local, 0, ndrange->launch.local_memory);
	units += !units;
	evg_work_group_place(group, (uint32_t)(index % units), units, 0);
	if (group->traffic)
		choose_traffic(group);
	for (uint32_t i = 0; i < ndrange->wavefronts; i++) {
		clear_scratch(&group->wavefronts[i]);
		evg_wavefront_start(&group->wavefronts[i]);
	}
	if (group->trails)
		evg_trails_start(group);
}

struct evg_work_group *evg_work_group_take(struct evg_ndrange *ndrange,
					   struct evg_tally *tally)
{
	struct evg_work_group *group;

	pthread_mutex_lock(&ndrange->lock);
	group = ndrange->free;
	if (group)
		ndrange->free = group->next_free;
	pthread_mutex_unlock(&ndrange->lock);
	if (!group) {
		group = new_group(ndrange);
		pthread_mutex_lock(&ndrange->lock);
		group->next = ndrange->all;
		ndrange->all = group;
		pthread_mutex_unlock(&ndrange->lock);
	}
	/* Records want to know of each work-group. */
	if (!group->tally)
		group->tally = tally && !ndrange->records
				       ? tally
				       : evg_tally_create(ndrange);
	return group;
}

struct evg_work_group *evg_work_group_create(struct evg_ndrange *ndrange,
					     uint64_t index)
{
	struct evg_work_group *group = evg_work_group_take(ndrange, NULL);

	evg_work_group_start(group, index);
	return group;
}

void evg_work_group_free(struct evg_work_group *group)
{
	struct evg_ndrange *ndrange;

	if (!group)
		return;
	ndrange = group->ndrange;
	pthread_mutex_lock(&ndrange->lock);
	group->next_free = ndrange->free;
	ndrange->free = group;
	pthread_mutex_unlock(&ndrange->lock);
}

struct evg_wavefront *evg_work_group_wavefront(struct evg_work_group *group,
					       uint32_t index)
{
	return &group->wavefronts[index];
}
