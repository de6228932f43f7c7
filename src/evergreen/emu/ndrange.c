/* ND-ranges: checks, constants, and the objects for work-groups in flight. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "evergreen/emu/memory/combine.h"
#include "evergreen/emu/memory/indexed.h"
#include "evergreen/emu/machine.h"
#include "evergreen/emu/memory/memory.h"
#include "evergreen/emu/count/records.h"
#include "evergreen/emu/count/traffic.h"

/* --- Checks ------------------------------------------------------------- */

static int check_sizes(const struct evg_launch *launch, struct error *error)
{
	const char *name = launch->kernel->name;
	uint64_t items = 1, groups = 1;

	if (launch->work_dim < 1 || launch->work_dim > 3)
		return error_set(error, "kernel '%s': %u work dimensions: "
					"must be 1, 2 or 3",
				 name, launch->work_dim);
	for (int d = 0; d < 3; d++) {
		uint32_t global = launch->global_size[d];
		uint32_t local = launch->local_size[d];

		if (!global || !local)
			return error_set(error, "kernel '%s': the size of "
						"dimension %d is 0",
					 name, d);
		if (global % local)
			return error_set(error,
					 "kernel '%s': global size %" PRIu32
					 " of dimension %d is not a multiple "
					 "of the local size %" PRIu32,
					 name, global, d, local);
		items *= local;
		groups *= global / local;
		if (items > EVG_MAX_GROUP_ITEMS)
			return error_set(error,
					 "kernel '%s': a work-group of "
					 "%" PRIu32 " x %" PRIu32 " x %" PRIu32
					 " work-items: the machine has at most "
					 "%d",
					 name, launch->local_size[0],
					 launch->local_size[1],
					 launch->local_size[2],
					 EVG_MAX_GROUP_ITEMS);
		if (groups > UINT64_C(1) << 48)
			return error_set(error, "kernel '%s': too many "
						"work-groups",
					 name);
	}
	return 0;
}

static int check_kernel(const struct evg_launch *launch, struct error *error)
{
	const struct evg_kernel *kernel = launch->kernel;

	if (kernel->registers > EVG_MAX_REGISTERS)
		return error_set(error,
				 "kernel '%s' needs %" PRIu32
				 " registers per work-item: the machine has %d",
				 kernel->name, kernel->registers,
				 EVG_MAX_REGISTERS);
	if (launch->local_memory > EVG_MAX_LOCAL_MEMORY)
		return error_set(error,
				 "kernel '%s' needs %" PRIu32
				 " bytes of local memory per work-group: the "
				 "machine has %d",
				 kernel->name, launch->local_memory,
				 EVG_MAX_LOCAL_MEMORY);
	for (int d = 0; d < 3; d++)
		if (kernel->reqd_work_group_size[d] &&
		    kernel->reqd_work_group_size[d] != launch->local_size[d])
			return error_set(
				error,
				"kernel '%s' requires a work-group size of "
				"%" PRIu32 " in dimension %d, not %" PRIu32,
				kernel->name, kernel->reqd_work_group_size[d],
				d, launch->local_size[d]);
	return 0;
}

/* The kernel's code, decoded when this is its first launch. */
static struct evg_code *decode(const struct evg_kernel *kernel,
				     struct error *error)
{
	const struct evg_program *program = kernel->program;
	struct evg_kernel *own = &program->kernels[kernel - program->kernels];

	if (!own->code)
		own->code = evg_code_decode(program->text +
						    kernel->code_offset,
					    kernel->code_size, error);
	if (!own->code)
		error_prefix(error, "kernel '%s'", kernel->name);
	return own->code;
}

static void free_plan(void *plan)
{
	evg_plan_free(plan);
}

/* The plan is made at the first launch, too, and kept with the code. Only
 * tests ask for another instruction set than the first time. */
static void choose_plan(struct evg_ndrange *ndrange, struct evg_code *code,
			const struct evg_simd *simd)
{
	const struct evg_kernel *kernel = ndrange->launch.kernel;

	if (!code->plan) {
		code->plan = evg_plan_create(kernel, simd);
		code->plan_free = free_plan;
	}
	ndrange->plan = code->plan;
	ndrange->owns_plan = ndrange->plan->simd != simd;
	if (ndrange->owns_plan)
		ndrange->plan = evg_plan_create(kernel, simd);
}

/* --- Contents ----------------------------------------------------------- */

static void put_dword(uint8_t *buffer, uint32_t offset, uint32_t value)
{
	memcpy(buffer + offset, &value, sizeof value);
}

static void fill_constants(struct evg_ndrange *ndrange)
{
	for (unsigned bank = 0; bank < EVG_CONSTANT_BUFFERS; bank++) {
		struct evg_constants *constants = &ndrange->constants[bank];

		constants->size = evg_constants_size(ndrange->launch.kernel,
						     bank);
		if (!constants->size)
			continue;
		constants->bytes = xcalloc_aligned(constants->size + 64);
		evg_constants_fill(&ndrange->launch, bank, constants->bytes);
	}
}

static void fill_pool(struct evg_ndrange *ndrange)
{
	const struct evg_plan *plan = ndrange->plan;

	ndrange->pool =
		xcalloc_aligned((size_t)plan->constant_count * EVG_CONSTANT_BYTES);
	for (uint32_t i = 0; i < plan->constant_count; i++) {
		const struct evg_constant *constant = &plan->constants[i];
		uint32_t value = constant->value;

		if (constant->kind == EVG_CONSTANT_TEXT)
			value += ndrange->launch.text_address;
		else if (constant->kind == EVG_CONSTANT_BUFFER)
			memcpy(&value,
			       ndrange->constants[constant->bank].bytes +
				       4 * value,
			       4);
		for (uint32_t k = 0; k < EVG_CONSTANT_BYTES; k += 4)
			put_dword(ndrange->pool, i * EVG_CONSTANT_BYTES + k,
				  value);
	}
}

static void fill_local_ids(struct evg_ndrange *ndrange)
{
	const uint32_t *size = ndrange->launch.local_size;
	size_t row = EVG_WAVEFRONT_SIZE;

	ndrange->local_ids =
		xcalloc_aligned(ndrange->wavefronts * 3 * EVG_ROW_BYTES);
	ndrange->valid = xcalloc(ndrange->wavefronts, sizeof *ndrange->valid);
	for (uint32_t item = 0; item < ndrange->group_items; item++) {
		uint32_t wavefront = item / EVG_WAVEFRONT_SIZE;
		uint32_t lane = item % EVG_WAVEFRONT_SIZE;
		uint32_t *ids = ndrange->local_ids + 3 * row * wavefront + lane;

		ids[0] = item % size[0];
		ids[row] = item / size[0] % size[1];
		ids[2 * row] = item / size[0] / size[1];
		ndrange->valid[wavefront] |= UINT64_C(1) << lane;
	}
}

/* --- Creation ----------------------------------------------------------- */

struct evg_ndrange *evg_ndrange_create_for(const struct evg_launch *launch,
					   const struct evg_simd *simd,
					   struct error *error)
{
	struct evg_ndrange *ndrange;
	struct evg_code *code;

	if (check_sizes(launch, error) || check_kernel(launch, error))
		return NULL;
	code = decode(launch->kernel, error);
	if (!code)
		return NULL;
	ndrange = xcalloc(1, sizeof *ndrange);
	ndrange->launch = *launch;
	ndrange->isa_log = log_stream(launch->log, LOG_EVG_ISA);
	ndrange->stack_log = log_stream(launch->log, LOG_EVG_STACK);
	ndrange->code = code;
	choose_plan(ndrange, code, simd);
	ndrange->group_count = 1;
	ndrange->group_items = 1;
	for (int d = 0; d < 3; d++) {
		ndrange->groups[d] =
			launch->global_size[d] / launch->local_size[d];
		ndrange->group_count *= ndrange->groups[d];
		ndrange->group_items *= launch->local_size[d];
	}
	ndrange->wavefronts = (ndrange->group_items + EVG_WAVEFRONT_SIZE - 1) /
			      EVG_WAVEFRONT_SIZE;
	fill_constants(ndrange);
	/* The caller's need not outlive this call. */
	ndrange->launch.arguments = NULL;
	fill_pool(ndrange);
	fill_local_ids(ndrange);
	ndrange->rows = xcalloc(code->line_count + 1, sizeof *ndrange->rows);
	ndrange->counter_sets = 1;
	if (ndrange->plan->uses_gds)
		ndrange->gds = xcalloc(1, sizeof *ndrange->gds);
	pthread_mutex_init(&ndrange->lock, NULL);
	return ndrange;
}

struct evg_ndrange *evg_ndrange_create(const struct evg_launch *launch,
				       struct error *error)
{
	return evg_ndrange_create_for(launch, evg_simd_best(), error);
}

static void free_group(struct evg_work_group *group)
{
	evg_traffic_free(group->traffic);
	evg_trails_free(group->trails);
	evg_combiner_free(group->combiner);
	free(group->wavefronts);
	free(group->rows);
	free(group->frames);
	free(group->local);
	free(group->windows);
	free(group);
}

void evg_ndrange_free(struct evg_ndrange *ndrange)
{
	if (!ndrange)
		return;
	for (struct evg_work_group *group = ndrange->all, *next; group;
	     group = next) {
		next = group->next;
		if (group->scratch)
			evg_memory_release(ndrange->launch.memory,
					   group->scratch);
		free_group(group);
	}
	while (ndrange->tallies) {
		struct evg_tally *tally = ndrange->tallies;

		ndrange->tallies = tally->next;
		free(tally->recent);
		free(tally->counts);
		free(tally);
	}
	if (ndrange->owns_plan)
		evg_plan_free(ndrange->plan);
	pthread_mutex_destroy(&ndrange->lock);
	for (uint32_t unit = 0; unit < ndrange->shared_count; unit++)
		free(ndrange->shared[unit]);
	free(ndrange->shared);
	for (unsigned bank = 0; bank < EVG_CONSTANT_BUFFERS; bank++)
		free(ndrange->constants[bank].bytes);
	free(ndrange->pool);
	free(ndrange->gds);
	free(ndrange->local_ids);
	free(ndrange->valid);
	free(ndrange->rows);
	evg_records_free(ndrange);
	free(ndrange);
}

uint64_t evg_ndrange_group_count(const struct evg_ndrange *ndrange)
{
	return ndrange->group_count;
}

uint32_t evg_ndrange_wavefronts_per_group(const struct evg_ndrange *ndrange)
{
	return ndrange->wavefronts;
}

uint32_t evg_ndrange_resident_groups(const struct evg_ndrange *ndrange)
{
	/* As the timing model's built-in configuration. */
	enum { GROUPS = 8, WAVEFRONTS = 32, ALL_WAVEFRONTS = 496,
	       REGISTERS = 16384 - 512, LOCAL_STEP = 4 };
	uint32_t waves = ndrange->wavefronts, unit = GROUPS, all;
	uint32_t registers = waves * EVG_WAVEFRONT_SIZE *
			     ndrange->launch.kernel->registers;
	uint32_t local = (ndrange->launch.local_memory + LOCAL_STEP - 1) /
			 LOCAL_STEP * LOCAL_STEP;

	if (unit > WAVEFRONTS / waves)
		unit = WAVEFRONTS / waves;
	if (registers && unit > REGISTERS / registers)
		unit = REGISTERS / registers;
	if (local && unit > EVG_MAX_LOCAL_MEMORY / local)
		unit = EVG_MAX_LOCAL_MEMORY / local;
	all = unit * EVG_COMPUTE_UNITS;
	if (all > ALL_WAVEFRONTS / waves)
		all = ALL_WAVEFRONTS / waves;
	return all ? all : 1;
}

const struct evg_launch *evg_ndrange_launch(const struct evg_ndrange *ndrange)
{
	return &ndrange->launch;
}

bool evg_ndrange_is_serial(const struct evg_ndrange *ndrange)
{
	const struct log *log = ndrange->launch.log;

	return ndrange->plan->uses_gds || ndrange->plan->synchronizes ||
	       ndrange->plan->shares_registers || ndrange->isa_log ||
	       ndrange->stack_log || log_stream(log, LOG_MEM) ||
	       log_stream(log, LOG_NET);
}

bool evg_ndrange_may_defer(const struct evg_ndrange *ndrange)
{
	return !ndrange->plan->shares_registers;
}

/* --- Work-groups -------------------------------------------------------- */

void evg_ndrange_count_traffic(struct evg_ndrange *ndrange,
			       const struct evg_traffic_model *model)
{
	ndrange->traffic = *model;
}

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
	group->rows = xmalloc_aligned((ndrange->wavefronts + 1) * state);
	memset(group->rows + ndrange->wavefronts * state, 0, state);
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
		wavefront->registers.base[EVG_BASE_STATE] =
		    group->rows + i * state;
		wavefront->native.packed_rows =
		    group->rows + ndrange->wavefronts * state;
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

/* Adds a free object, unless there is no room for its scratch memory. */
static bool add_free_group(struct evg_ndrange *ndrange)
{
	struct evg_work_group *group = new_group(ndrange);

	if (!group->scratch) {
		free_group(group);
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
	evg_work_group_place(group, (uint32_t)(index % EVG_COMPUTE_UNITS),
			     EVG_COMPUTE_UNITS, 0);
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
