/* The ultra-threaded dispatcher: maps work-groups to compute units, in order,
 * as long as all limits allow. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/timing/compute-unit.h"
#include "evergreen/timing/occupancy.h"

uint64_t timing_cycle(struct evg_timing *timing)
{
	picoseconds now = event_queue_now(timing->events);

	/* Asked for many times a cycle: divides once. */
	if (now != timing->cycle_time) {
		timing->cycle_time = now;
		timing->cycle = now / timing->period;
	}
	return timing->cycle;
}

void unit_after(struct compute_unit *cu, uint64_t cycles,
		event_action *action, void *owner, uint64_t tag)
{
	event_schedule(cu->timing->events, cycles * cu->timing->period,
		       cu->source, action, owner, tag);
}

void resident_push(struct resident_queue *queue, struct resident *resident)
{
	resident->next = NULL;
	if (queue->head)
		queue->tail->next = resident;
	else
		queue->head = resident;
	queue->tail = resident;
}

struct resident *resident_pop(struct resident_queue *queue)
{
	struct resident *resident = queue->head;

	queue->head = resident->next;
	if (!queue->head)
		queue->tail = NULL;
	return resident;
}

void resident_place(struct resident *resident, enum account_reason place)
{
	struct compute_unit *cu = resident->cu;

	account_move(&cu->account, timing_cycle(cu->timing), resident->place,
		     place);
	resident->place = place;
}

bool unit_step(struct compute_unit *cu, struct resident *resident)
{
	struct evg_timing *timing = cu->timing;

	if (timing->stopped)
		return false;
	evg_wavefront_set_time(resident->wavefront, timing_cycle(timing));
	if (evg_wavefront_step(resident->wavefront, &cu->step,
			       timing->error)) {
		timing->failed = timing->stopped = true;
		return false;
	}
	timing->instructions++;
	cu->n.instructions++;
	return true;
}

struct evg_timing *evg_timing_create(const struct evg_config *config,
				     struct event_queue *events,
				     struct memsys *memsys,
				     struct error *error)
{
	struct evg_timing *timing = xcalloc(1, sizeof *timing);

	timing->config = *config;
	timing->events = events;
	timing->memsys = memsys;
	timing->period = (picoseconds)(1e6 / config->frequency + 0.5);
	timing->sub_wavefronts =
		(EVG_WAVEFRONT_SIZE + config->stream_cores - 1) /
		config->stream_cores;
	timing->units = xcalloc(config->compute_units, sizeof *timing->units);
	for (unsigned i = 0; i < config->compute_units; i++) {
		struct compute_unit *cu = &timing->units[i];

		cu->timing = timing;
		cu->id = i;
		cu->source = i + 1;
		cu->entry = memsys_entry(memsys, MEMSYS_EVERGREEN, i, 0);
		if (!cu->entry) {
			error_set(error, "compute unit %u has no entry in the "
				  "memory configuration", i);
			evg_timing_free(timing);
			return NULL;
		}
		cu->block_size = module_block_size(cu->entry);
		code_caches_create(cu);
	}
	return timing;
}

void evg_timing_free(struct evg_timing *timing)
{
	if (!timing)
		return;
	for (unsigned i = 0; i < timing->config.compute_units; i++) {
		free(timing->units[i].global.ring);
		code_caches_free(&timing->units[i]);
	}
	while (timing->groups) {
		struct resident_group *group = timing->groups;

		timing->groups = group->next_made;
		free(group->residents);
		free(group);
	}
	while (timing->memory_instructions) {
		struct memory_instruction *next =
			timing->memory_instructions->next_made;

		free(timing->memory_instructions);
		timing->memory_instructions = next;
	}
	free(timing->units);
	free(timing);
}

/* A work-group that can never be mapped is an error, not a wait. */
static int check_fit(const struct evg_timing *timing, struct error *error)
{
	const struct evg_config *config = &timing->config;
	const char *name = evg_ndrange_launch(timing->ndrange)->kernel->name;
	uint32_t registers = config->registers - config->reserved_registers;

	if (timing->group_registers > registers)
		return error_set(error, "kernel '%s': a work-group needs %u "
				 "registers, a compute unit has %u "
				 "([Device] NumRegisters, less "
				 "ReservedRegisters): use smaller work-groups",
				 name, timing->group_registers, registers);
	if (timing->group_local > config->local_size)
		return error_set(error, "kernel '%s': a work-group needs %u "
				 "bytes of local memory, a compute unit has "
				 "%u ([LocalMemory] Size)", name,
				 timing->group_local, config->local_size);
	if (timing->wavefronts_per_group > config->max_wavefronts)
		return error_set(error, "kernel '%s': a work-group has %u "
				 "wavefronts, a compute unit takes %u "
				 "([Device] MaxWavefrontsPerComputeUnit)",
				 name, timing->wavefronts_per_group,
				 config->max_wavefronts);
	if (timing->wavefronts_per_group > config->max_device_wavefronts)
		return error_set(error, "kernel '%s': a work-group has %u "
				 "wavefronts, the device takes %u "
				 "([Device] MaxWavefronts)", name,
				 timing->wavefronts_per_group,
				 config->max_device_wavefronts);
	return 0;
}

static bool has_room(const struct evg_timing *timing,
		     const struct compute_unit *cu)
{
	const struct evg_config *config = &timing->config;

	return cu->work_groups < config->max_work_groups &&
	       cu->wavefronts + timing->wavefronts_per_group <=
		       config->max_wavefronts &&
	       cu->registers + timing->group_registers <=
		       config->registers - config->reserved_registers &&
	       cu->local + timing->group_local <= config->local_size;
}

static struct compute_unit *find_unit(struct evg_timing *timing)
{
	unsigned count = timing->config.compute_units;

	if (timing->wavefronts + timing->wavefronts_per_group >
	    timing->config.max_device_wavefronts)
		return NULL;
	/* Scratch memory may be short; a lone work-group goes on. */
	if (timing->wavefronts && !evg_ndrange_has_room(timing->ndrange))
		return NULL;
	for (unsigned i = 0; i < count; i++) {
		unsigned unit = (timing->next_unit + i) % count;

		if (has_room(timing, &timing->units[unit])) {
			timing->next_unit = (unit + 1) % count;
			return &timing->units[unit];
		}
	}
	return NULL;
}

static struct resident_group *group_create(struct evg_timing *timing)
{
	struct resident_group *group = timing->free_groups;

	if (group) {
		timing->free_groups = group->next;
	} else {
		group = xcalloc(1, sizeof *group);
		group->residents = xcalloc(timing->config.max_wavefronts,
					   sizeof *group->residents);
		group->next_made = timing->groups;
		timing->groups = group;
	}
	group->wavefronts = timing->wavefronts_per_group;
	group->ended = group->waiting = group->pending_writes = 0;
	memset(group->residents, 0,
	       group->wavefronts * sizeof *group->residents);
	return group;
}

static void raise(uint64_t *peak, uint64_t value)
{
	if (*peak < value)
		*peak = value;
}

/* The lowest free place, which is then taken. There is one: the unit's limits
 * have been looked at. */
static uint32_t slot_take(struct slots *slots)
{
	uint32_t word = 0, bit;

	while (slots->taken[word] == UINT64_MAX)
		word++;
	bit = (uint32_t)__builtin_ctzll(~slots->taken[word]);
	slots->taken[word] |= UINT64_C(1) << bit;
	return 64 * word + bit;
}

static void slot_give(struct slots *slots, uint32_t slot)
{
	slots->taken[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

static void map_group(struct evg_timing *timing, struct compute_unit *cu)
{
	struct resident_group *group = group_create(timing);

	group->group = evg_work_group_create(timing->ndrange,
					     timing->next_group++);
	group->slot = slot_take(&cu->group_slots);
	evg_work_group_place(group->group, cu->id,
			     timing->config.compute_units, group->slot);
	if (!cu->work_groups++)
		cu->busy_since = timing_cycle(timing);
	cu->wavefronts += group->wavefronts;
	cu->registers += timing->group_registers;
	cu->local += timing->group_local;
	cu->n.work_groups++;
	timing->wavefronts += group->wavefronts;
	raise(&cu->n.peak_work_groups, cu->work_groups);
	raise(&cu->n.peak_wavefronts, cu->wavefronts);
	raise(&timing->peak_wavefronts, timing->wavefronts);
	for (uint32_t i = 0; i < group->wavefronts; i++) {
		struct resident *resident = &group->residents[i];

		resident->cu = cu;
		resident->group = group;
		resident->wavefront = evg_work_group_wavefront(group->group,
							       i);
		resident->age = timing->ages++;
		resident->slot = slot_take(&cu->wave_slots);
		evg_wavefront_place(resident->wavefront, resident->slot);
		evg_wavefront_set_owner(resident->wavefront, resident);
		resident->place = ACCOUNT_EMPTY;
		resident_place(resident, ACCOUNT_CF);
		cf_ready(resident, 1);
	}
}

/* One work-group a cycle. */
static void dispatch(void *owner, uint64_t tag)
{
	struct evg_timing *timing = owner;
	struct compute_unit *cu;

	(void)tag;
	timing->dispatch_scheduled = false;
	if (timing->next_group == timing->group_count || timing->stopped)
		return;
	cu = find_unit(timing);
	if (!cu)
		return;
	map_group(timing, cu);
	timing->dispatch_scheduled = true;
	event_schedule(timing->events, timing->period, 0, dispatch, timing, 0);
}

static void unmap_group(struct resident_group *group)
{
	struct compute_unit *cu = group->residents[0].cu;
	struct evg_timing *timing = cu->timing;

	if (timing->stopped)
		return;
	evg_work_group_free(group->group);
	slot_give(&cu->group_slots, group->slot);
	for (uint32_t i = 0; i < group->wavefronts; i++) {
		slot_give(&cu->wave_slots, group->residents[i].slot);
		resident_place(&group->residents[i], ACCOUNT_EMPTY);
	}
	cu->wavefronts -= group->wavefronts;
	cu->registers -= timing->group_registers;
	cu->local -= timing->group_local;
	timing->wavefronts -= group->wavefronts;
	if (!--cu->work_groups)
		cu->n.cycles += timing_cycle(timing) - cu->busy_since;
	group->next = timing->free_groups;
	timing->free_groups = group;
	timing->groups_done++;
	if (!timing->dispatch_scheduled) {
		timing->dispatch_scheduled = true;
		event_schedule(timing->events, timing->period, 0, dispatch,
			       timing, 0);
	}
}

void dispatcher_wavefront_ended(struct resident *resident)
{
	struct resident_group *group = resident->group;

	if (++group->ended < group->wavefronts)
		barrier_check(group);
	else if (!group->pending_writes)
		unmap_group(group);
}

void dispatcher_writes_drained(struct resident_group *group)
{
	if (group->ended == group->wavefronts)
		unmap_group(group);
}

static void prepare(struct evg_timing *timing, struct evg_ndrange *ndrange)
{
	const struct evg_launch *launch = evg_ndrange_launch(ndrange);
	struct evg_occupancy_use use = {
		.work_items = evg_ndrange_wavefronts_per_group(ndrange) *
			      EVG_WAVEFRONT_SIZE,
		.registers = launch->kernel->registers,
		.local_memory = launch->local_memory,
	};
	struct evg_occupancy occupancy =
		evg_occupancy_find(&timing->config, &use);

	timing->ndrange = ndrange;
	timing->next_group = timing->groups_done = 0;
	timing->group_count = evg_ndrange_group_count(ndrange);
	timing->wavefronts_per_group = occupancy.group_wavefronts;
	timing->group_registers = occupancy.group_registers;
	timing->group_local = occupancy.group_local;
}

/* Nothing can happen any more: a bug, or memory that loses accesses. */
static int deadlock(struct evg_timing *timing, struct error *error)
{
	const char *name = evg_ndrange_launch(timing->ndrange)->kernel->name;

	if (evg_ndrange_waits_globally(timing->ndrange)) {
		evg_fault_sync(timing->ndrange, timing->groups_done,
			       timing->next_group - timing->groups_done,
			       error);
		return -1;
	}
	for (unsigned i = 0; i < timing->config.compute_units; i++)
		if (timing->units[i].work_groups)
			return error_set(error, "kernel '%s': nothing can "
					 "happen any more in cycle %llu; "
					 "compute unit %u still holds %u "
					 "work-groups",
					 name,
					 (unsigned long long)timing_cycle(
						 timing),
					 i, timing->units[i].work_groups);
	return error_set(error, "kernel '%s': the dispatcher stopped with %llu "
			 "of %llu work-groups done", name,
			 (unsigned long long)timing->groups_done,
			 (unsigned long long)timing->group_count);
}

/* The time from which the limit on cycles is reached. */
static picoseconds last_time(const struct evg_timing *timing,
			     const struct evg_timing_limits *limits)
{
	picoseconds now = event_queue_now(timing->events);
	uint64_t left;

	if (!limits->cycles)
		return UINT64_MAX;
	left = limits->cycles > timing->total_cycles
		       ? limits->cycles - timing->total_cycles
		       : 0;
	return left > (UINT64_MAX - now) / timing->period
		       ? UINT64_MAX
		       : now + left * timing->period;
}

static void sample(struct evg_timing *timing,
		   const struct evg_timing_limits *limits)
{
	uint64_t cycles;

	if (!limits->sample_cycles)
		return;
	cycles = timing->total_cycles + timing_cycle(timing) -
		 timing->start_cycle;
	if (cycles < timing->next_sample)
		return;
	if (timing->next_sample)
		limits->sample(limits->owner);
	timing->next_sample = (cycles / limits->sample_cycles + 1) *
			      limits->sample_cycles;
}

/* Runs events until all work-groups are done. */
static int run_events(struct evg_timing *timing,
		      const struct evg_timing_limits *limits,
		      struct error *error)
{
	enum { PROGRESS_STEPS = 4096 };
	picoseconds last = last_time(timing, limits);
	uint64_t most = limits->instructions ? limits->instructions
					     : UINT64_MAX;

	for (uint64_t steps = 1; timing->groups_done < timing->group_count;
	     steps++) {
		if (event_queue_now(timing->events) >= last ||
		    timing->instructions >= most)
			return 1;
		if (!event_queue_step(timing->events))
			return deadlock(timing, error);
		if (timing->failed)
			return -1;
		sample(timing, limits);
		if (steps % PROGRESS_STEPS == 0 && limits->progress &&
		    limits->progress(limits->owner, timing->groups_done,
				     timing->group_count))
			return 1;
	}
	return 0;
}

/* What is mapped stays so: its cycles count up to now. */
static void stop(struct evg_timing *timing)
{
	timing->stopped = true;
	for (unsigned i = 0; i < timing->config.compute_units; i++) {
		struct compute_unit *cu = &timing->units[i];

		if (cu->work_groups)
			cu->n.cycles += timing_cycle(timing) - cu->busy_since;
	}
}

static void close_accounts(struct evg_timing *timing)
{
	memset(&timing->account, 0, sizeof timing->account);
	for (unsigned i = 0; i < timing->config.compute_units; i++) {
		struct account *account = &timing->units[i].account;

		account_close(account, timing_cycle(timing));
		account_add(&timing->account, account);
	}
}

int evg_timing_run(struct evg_timing *timing, struct evg_ndrange *ndrange,
		   const struct evg_timing_limits *limits, struct error *error)
{
	int status;

	if (timing->failed)
		return error_set(error, "kernel '%s': an earlier kernel has "
				 "failed, and the GPU has stopped",
				 evg_ndrange_launch(ndrange)->kernel->name);
	if (timing->stopped)
		return 1;
	prepare(timing, ndrange);
	timing->error = error;
	if (check_fit(timing, error))
		return -1;
	timing->start_cycle = timing_cycle(timing);
	for (unsigned i = 0; i < timing->config.compute_units; i++)
		account_open(&timing->units[i].account, timing->start_cycle);
	timing->dispatch_scheduled = true;
	event_schedule(timing->events, timing->period, 0, dispatch, timing, 0);
	status = run_events(timing, limits, error);
	if (status)
		stop(timing);
	timing->failed = status < 0;
	close_accounts(timing);
	timing->total_cycles += timing_cycle(timing) - timing->start_cycle;
	timing->start_cycle = timing_cycle(timing);
	timing->ndranges++;
	return status;
}

uint64_t evg_timing_cycles(const struct evg_timing *timing)
{
	return timing->total_cycles;
}

uint64_t evg_timing_instructions(const struct evg_timing *timing)
{
	return timing->instructions;
}
