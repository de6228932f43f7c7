/* The ultra-threaded dispatcher: maps work-groups to compute units, in order,
 * as long as all limits allow. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/timing/compute-unit.h"
#include "evergreen/timing/occupancy.h"

uint64_t unit_cycle(struct compute_unit *cu)
{
	picoseconds now = event_queue_now(cu->events);

	/* Asked for many times a cycle: divides once. */
	if (now != cu->cycle_time) {
		cu->cycle_time = now;
		cu->cycle = now / cu->timing->period;
	}
	return cu->cycle;
}

void unit_after(struct compute_unit *cu, uint64_t cycles,
		event_action *action, void *owner, uint64_t tag)
{
	event_schedule(cu->events, cycles * cu->timing->period, cu->source,
		       action, owner, tag);
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

	account_move(&cu->account, unit_cycle(cu), resident->place,
		     place);
	resident->place = place;
}

void unit_fail(struct compute_unit *cu)
{
	if (!cu->commit_count)
		event_queue_raise(cu->events, cu);
	cu->failed = cu->stopped = true;
	cu->failed_at = event_queue_now(cu->events);
}

bool unit_step(struct compute_unit *cu, struct resident *resident)
{
	struct evg_wavefront *wavefront = resident->wavefront;
	uint64_t cycle = unit_cycle(cu);

	if (cu->stopped)
		return false;
	evg_wavefront_set_time(wavefront, cycle);
	if (evg_wavefront_step(wavefront, &cu->step, &cu->error)) {
		unit_fail(cu);
		return false;
	}
	cu->n.instructions++;
	if (evg_wavefront_deferred(wavefront)) {
		if (!cu->commit_count)
			event_queue_raise(cu->events, cu);
		ARRAY_GROW(cu->commits, cu->commit_count, cu->commit_capacity);
		cu->commits[cu->commit_count++] =
			(struct store_commit){ cycle, wavefront };
	}
	return true;
}

/* What units have stored in a window takes effect in the order (cycle, unit,
 * order in the unit). `units`: by number. */
static void commit_stores(struct compute_unit *const *units, size_t count)
{
	uint64_t cycle;

	do {
		cycle = UINT64_MAX;
		for (size_t i = 0; i < count; i++) {
			const struct compute_unit *cu = units[i];

			if (cu->committed < cu->commit_count &&
			    cu->commits[cu->committed].cycle < cycle)
				cycle = cu->commits[cu->committed].cycle;
		}
		for (size_t i = 0; i < count; i++) {
			struct compute_unit *cu = units[i];

			while (cu->committed < cu->commit_count &&
			       cu->commits[cu->committed].cycle == cycle)
				evg_wavefront_commit(
					cu->commits[cu->committed++].wavefront);
		}
	} while (cycle != UINT64_MAX);
	for (size_t i = 0; i < count; i++)
		units[i]->committed = units[i]->commit_count = 0;
}

/* The units that have stored or failed. */
static void settle(void *owner, void *const *raised, size_t count)
{
	struct evg_timing *timing = owner;
	struct compute_unit **units = timing->raised;

	for (size_t i = 0; i < count; i++) {
		struct compute_unit *cu = raised[i];
		size_t at = i;

		for (; at > 0 && units[at - 1]->id > cu->id; at--)
			units[at] = units[at - 1];
		units[at] = cu;
		timing->any_failed |= cu->failed;
	}
	commit_stores(units, count);
}

/* As long as all that crosses takes: see evg_timing_window. */
picoseconds evg_timing_window(const struct evg_config *config)
{
	picoseconds period = (picoseconds)(1e6 / config->frequency + 0.5);
	uint32_t cycles = cf_store_distance(config);

	if (cycles > config->dispatch_latency)
		cycles = config->dispatch_latency;
	return cycles * period;
}

struct evg_timing *evg_timing_create(const struct evg_config *config,
				     struct event_queue *events,
				     struct memsys *memsys,
				     struct error *error)
{
	struct evg_timing *timing = xcalloc_aligned(sizeof *timing);

	timing->config = *config;
	timing->events = events;
	timing->memsys = memsys;
	timing->source = memsys_dispatcher_source(memsys);
	timing->islands = memsys_islands(memsys);
	if (!timing->islands) {
		timing->islands = islands_create(events);
		islands_set_window(timing->islands, evg_timing_window(config));
		timing->owns_islands = true;
	}
	islands_set_settle(timing->islands, settle, timing);
	timing->period = (picoseconds)(1e6 / config->frequency + 0.5);
	timing->sub_wavefronts =
		(EVG_WAVEFRONT_SIZE + config->stream_cores - 1) /
		config->stream_cores;
	timing->units = xcalloc_aligned(config->compute_units *
					sizeof *timing->units);
	timing->raised = xcalloc(config->compute_units,
				 sizeof *timing->raised);
	for (unsigned i = 0; i < config->compute_units; i++) {
		struct compute_unit *cu = &timing->units[i];

		cu->timing = timing;
		cu->id = i;
		cu->entry = memsys_entry(memsys, MEMSYS_EVERGREEN, i, 0);
		if (!cu->entry) {
			error_set(error, "compute unit %u has no entry in the "
				  "memory configuration", i);
			evg_timing_free(timing);
			return NULL;
		}
		cu->source = memsys_unit_source(memsys, i);
		cu->block_size = module_block_size(cu->entry);
		global_create(cu);
		code_caches_create(cu);
		local_memory_create(cu);
		cu->events = module_events(cu->entry);
	}
	return timing;
}

static void free_unit(struct compute_unit *cu)
{
	free(cu->global.ring);
	free(cu->commits);
	code_caches_free(cu);
	local_memory_free(cu);
	while (cu->memory_instructions) {
		struct memory_instruction *next =
			cu->memory_instructions->next_made;

		free(cu->memory_instructions);
		cu->memory_instructions = next;
	}
}

void evg_timing_free(struct evg_timing *timing)
{
	if (!timing)
		return;
	for (unsigned i = 0; i < timing->config.compute_units; i++)
		free_unit(&timing->units[i]);
	while (timing->groups) {
		struct resident_group *group = timing->groups;

		timing->groups = group->next_made;
		free(group->residents);
		free(group->wave_slots);
		free(group);
	}
	if (timing->owns_islands)
		islands_free(timing->islands);
	free(timing->units);
	free(timing->raised);
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

static struct resident_group *group_make(struct evg_timing *timing)
{
	struct resident_group *group = xcalloc_aligned(sizeof *group);
	uint32_t most = timing->config.max_wavefronts;

	group->residents = xcalloc_aligned(most * sizeof *group->residents);
	group->wave_slots = xcalloc_aligned(most * sizeof *group->wave_slots);
	group->next_made = timing->groups;
	timing->groups = group;
	return group;
}

static struct resident_group *group_create(struct evg_timing *timing,
					   struct compute_unit *cu)
{
	struct resident_group *group = cu->free_groups;

	if (group) {
		cu->free_groups = group->next;
		return group;
	}
	group = timing->free_groups;
	if (group)
		timing->free_groups = group->next;
	else
		group = group_make(timing);
	group->group = evg_work_group_take(timing->ndrange);
	group->cu = cu;
	group->wavefronts = timing->wavefronts_per_group;
	return group;
}

static void group_free(struct evg_timing *timing, struct resident_group *group)
{
	evg_work_group_free(group->group);
	group->group = NULL;
	group->next = timing->free_groups;
	timing->free_groups = group;
}

/* Keeps the group for its unit, unless others may wait for its scratch
 * memory. */
static void group_release(struct evg_timing *timing,
			  struct resident_group *group)
{
	if (evg_ndrange_launch(timing->ndrange)->kernel->scratch_size) {
		group_free(timing, group);
		return;
	}
	group->next = group->cu->free_groups;
	group->cu->free_groups = group;
}

/* The next ND-range has others. */
static void free_groups(struct evg_timing *timing)
{
	for (unsigned i = 0; i < timing->config.compute_units; i++) {
		struct compute_unit *cu = &timing->units[i];

		while (cu->free_groups) {
			struct resident_group *group = cu->free_groups;

			cu->free_groups = group->next;
			group_free(timing, group);
		}
	}
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

/* A wavefront at its start. */
static void resident_start(struct resident_group *group, uint32_t i)
{
	struct resident *resident = &group->residents[i];

	*resident = (struct resident){
		.cu = group->cu,
		.group = group,
		.wavefront = evg_work_group_wavefront(group->group, i),
		.age = group->first_age + i,
		.slot = group->wave_slots[i],
		.place = ACCOUNT_EMPTY,
	};
	evg_wavefront_place(resident->wavefront, resident->slot);
	evg_wavefront_set_owner(resident->wavefront, resident);
	if (group->cu->timing->defers)
		evg_wavefront_defer(resident->wavefront);
	resident_place(resident, ACCOUNT_CF);
	cf_ready(resident, 1);
}

/* In the compute unit: a new work-group. */
static void unit_begin(void *owner, uint64_t tag)
{
	struct resident_group *group = owner;
	struct compute_unit *cu = group->cu;

	(void)tag;
	if (cu->stopped)
		return;
	if (!cu->groups_here++)
		cu->busy_since = unit_cycle(cu);
	evg_work_group_start(group->group, group->index);
	evg_work_group_place(group->group, cu->id,
			     cu->timing->config.compute_units, group->slot);
	group->ended = group->waiting = group->pending_writes = 0;
	for (uint32_t i = 0; i < group->wavefronts; i++)
		resident_start(group, i);
}

static void map_group(struct evg_timing *timing, struct compute_unit *cu)
{
	struct resident_group *group = group_create(timing, cu);

	group->index = timing->next_group++;
	group->slot = slot_take(&cu->group_slots);
	group->first_age = timing->ages;
	timing->ages += group->wavefronts;
	for (uint32_t i = 0; i < group->wavefronts; i++)
		group->wave_slots[i] = slot_take(&cu->wave_slots);
	cu->work_groups++;
	cu->wavefronts += group->wavefronts;
	cu->registers += timing->group_registers;
	cu->local += timing->group_local;
	cu->n.work_groups++;
	timing->wavefronts += group->wavefronts;
	raise(&cu->n.peak_work_groups, cu->work_groups);
	raise(&cu->n.peak_wavefronts, cu->wavefronts);
	raise(&timing->peak_wavefronts, timing->wavefronts);
	event_send(timing->events, cu->events,
		   timing->config.dispatch_latency * timing->period,
		   timing->source, unit_begin, group, 0);
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
	event_schedule(timing->events, timing->period, timing->source,
		       dispatch, timing, 0);
}

/* In the dispatcher: its work-group has ended. */
static void unmap_group(void *owner, uint64_t tag)
{
	struct resident_group *group = owner;
	struct compute_unit *cu = group->cu;
	struct evg_timing *timing = cu->timing;

	(void)tag;
	if (timing->stopped)
		return;
	slot_give(&cu->group_slots, group->slot);
	for (uint32_t i = 0; i < group->wavefronts; i++)
		slot_give(&cu->wave_slots, group->wave_slots[i]);
	cu->work_groups--;
	cu->wavefronts -= group->wavefronts;
	cu->registers -= timing->group_registers;
	cu->local -= timing->group_local;
	timing->wavefronts -= group->wavefronts;
	group_release(timing, group);
	timing->end = event_queue_now(timing->events);
	timing->groups_done++;
	if (!timing->dispatch_scheduled) {
		timing->dispatch_scheduled = true;
		event_schedule(timing->events, timing->period, timing->source,
			       dispatch, timing, 0);
	}
}

/* In the compute unit: tells the dispatcher. */
static void unit_end(struct resident_group *group)
{
	struct compute_unit *cu = group->cu;
	struct evg_timing *timing = cu->timing;

	if (cu->stopped)
		return;
	for (uint32_t i = 0; i < group->wavefronts; i++)
		resident_place(&group->residents[i], ACCOUNT_EMPTY);
	if (!--cu->groups_here)
		cu->n.cycles += unit_cycle(cu) - cu->busy_since;
	event_send(cu->events, timing->events,
		   timing->config.dispatch_latency * timing->period,
		   cu->source, unmap_group, group, 0);
}

void dispatcher_wavefront_ended(struct resident *resident)
{
	struct resident_group *group = resident->group;

	if (++group->ended < group->wavefronts)
		barrier_check(group);
	else if (!group->pending_writes)
		unit_end(group);
}

void dispatcher_writes_drained(struct resident_group *group)
{
	if (group->ended == group->wavefronts)
		unit_end(group);
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
	timing->defers = evg_ndrange_may_defer(ndrange);
	timing->serial = evg_ndrange_is_serial(ndrange);
	timing->next_group = timing->groups_done = 0;
	timing->group_count = evg_ndrange_group_count(ndrange);
	timing->wavefronts_per_group = occupancy.group_wavefronts;
	timing->group_registers = occupancy.group_registers;
	timing->group_local = occupancy.group_local;
}

uint64_t timing_cycle(const struct evg_timing *timing)
{
	return islands_now(timing->islands) / timing->period;
}

/* The first unit that failed, by time and number. */
static const struct compute_unit *failed_unit(const struct evg_timing *timing)
{
	const struct compute_unit *first = NULL;

	if (!timing->any_failed)
		return NULL;
	for (unsigned i = 0; i < timing->config.compute_units; i++) {
		const struct compute_unit *cu = &timing->units[i];

		if (cu->failed && (!first || cu->failed_at < first->failed_at))
			first = cu;
	}
	return first;
}

/* The time from which the limit on cycles is reached. */
static picoseconds last_time(const struct evg_timing *timing,
			     const struct evg_timing_limits *limits)
{
	picoseconds now = timing->start_cycle * timing->period;
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

	/* The row at the end of the run is its caller's. */
	if (!limits->sample_cycles || timing->groups_done == timing->group_count)
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

/* Stores that have not reached the memory outlive their work-groups. */
static bool stores_pending(const struct evg_timing *timing)
{
	for (unsigned i = 0; i < timing->config.compute_units; i++)
		if (timing->units[i].global.stores)
			return true;
	return false;
}

/* When the last work-group and the last store had ended. */
static picoseconds end_time(const struct evg_timing *timing)
{
	picoseconds end = timing->end;

	for (unsigned i = 0; i < timing->config.compute_units; i++)
		if (end < timing->units[i].global.stored)
			end = timing->units[i].global.stored;
	return end;
}

/* Runs windows until all work-groups and their stores are done. */
static int run_windows(struct evg_timing *timing,
		       const struct evg_timing_limits *limits,
		       struct error *error)
{
	enum { PROGRESS_WINDOWS = 256, BALANCE_WINDOWS = 1024 };
	picoseconds last = last_time(timing, limits);

	watchdog_start(timing);
	for (uint64_t windows = 1; timing->groups_done < timing->group_count ||
				   stores_pending(timing);
	     windows++) {
		const struct compute_unit *failed;

		if (islands_now(timing->islands) >= last ||
		    (limits->instructions &&
		     evg_timing_instructions(timing) >= limits->instructions))
			return 1;
		if (!islands_step(timing->islands, last, timing->serial))
			return watchdog_no_event(timing, error);
		failed = failed_unit(timing);
		if (failed) {
			*error = failed->error;
			return -1;
		}
		sample(timing, limits);
		if (watchdog_check(timing, error))
			return -1;
		if (windows % BALANCE_WINDOWS == 0)
			memsys_balance(timing->memsys);
		if (windows % PROGRESS_WINDOWS == 0 && limits->progress &&
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

		cu->stopped = true;
		if (cu->groups_here)
			cu->n.cycles += timing_cycle(timing) - cu->busy_since;
	}
}

static void close_accounts(struct evg_timing *timing, uint64_t end)
{
	memset(&timing->account, 0, sizeof timing->account);
	for (unsigned i = 0; i < timing->config.compute_units; i++) {
		struct account *account = &timing->units[i].account;

		account_close(account, end);
		account_add(&timing->account, account);
	}
}

int evg_timing_run(struct evg_timing *timing, struct evg_ndrange *ndrange,
		   const struct evg_timing_limits *limits, struct error *error)
{
	picoseconds now;
	uint64_t end;
	int status;

	if (timing->failed)
		return error_set(error, "kernel '%s': an earlier kernel has "
				 "failed, and the GPU has stopped",
				 evg_ndrange_launch(ndrange)->kernel->name);
	if (timing->stopped)
		return 1;
	prepare(timing, ndrange);
	if (check_fit(timing, error))
		return -1;
	/* All islands have come as far as islands_now. */
	now = islands_now(timing->islands);
	timing->start_cycle = (now + timing->period - 1) / timing->period;
	for (unsigned i = 0; i < timing->config.compute_units; i++)
		account_open(&timing->units[i].account, timing->start_cycle);
	timing->dispatch_scheduled = true;
	event_schedule(timing->events,
		       (timing->start_cycle + 1) * timing->period -
			       event_queue_now(timing->events),
		       timing->source, dispatch, timing, 0);
	status = run_windows(timing, limits, error);
	if (status)
		stop(timing);
	else
		free_groups(timing);
	timing->failed = status < 0;
	end = status ? timing_cycle(timing)
		     : end_time(timing) / timing->period;
	close_accounts(timing, end);
	timing->total_cycles += end - timing->start_cycle;
	timing->start_cycle = end;
	timing->ndranges++;
	islands_meet(timing->islands);
	memsys_balance(timing->memsys);
	return status;
}

uint64_t evg_timing_cycles(const struct evg_timing *timing)
{
	return timing->total_cycles;
}

uint64_t evg_timing_instructions(const struct evg_timing *timing)
{
	uint64_t instructions = 0;

	for (unsigned i = 0; i < timing->config.compute_units; i++)
		instructions += timing->units[i].n.instructions;
	return instructions;
}
