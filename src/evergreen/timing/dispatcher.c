/* The ultra-threaded dispatcher: maps work-groups to compute units, in order,
 * as long as all limits allow. */
#include "base/memory.h"
#include "evergreen/timing/compute-unit.h"
#include "evergreen/timing/occupancy.h"

void dispatcher_prepare(struct evg_timing *timing, struct evg_ndrange *ndrange)
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
	timing->order.first = NULL;
	for (unsigned i = 0; i < timing->config.compute_units; i++)
		timing->units[i].order.first = NULL;
	timing->group_count = evg_ndrange_group_count(ndrange);
	timing->wavefronts_per_group = occupancy.group_wavefronts;
	timing->group_registers = occupancy.group_registers;
	timing->group_local = occupancy.group_local;
}

int dispatcher_check_fit(const struct evg_timing *timing, struct error *error)
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
	/* The others come from the unit's own thread: see unit_begin. */
	if (evg_ndrange_launch(timing->ndrange)->kernel->scratch_size)
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

void dispatcher_free_groups(struct evg_timing *timing)
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
	if (!group->group)
		group->group = evg_work_group_take(cu->timing->ndrange);
	evg_work_group_start(group->group, group->index);
	evg_work_group_place(group->group, cu->id,
			     cu->timing->config.compute_units, group->slot);
	group->ended = group->waiting = group->pending_writes = 0;
	for (uint32_t i = 0; i < group->wavefronts; i++)
		resident_start(group, i);
}

/* Where the order is kept in which work-groups retire. */
static struct group_order *group_order(struct evg_timing *timing,
				       struct compute_unit *cu)
{
	return timing->config.retire_order == EVG_RETIRE_UNIT ? &cu->order
							       : &timing->order;
}

static void map_group(struct evg_timing *timing, struct compute_unit *cu)
{
	struct resident_group *group = group_create(timing, cu);
	struct group_order *order = group_order(timing, cu);

	group->retires = false;
	group->later = NULL;
	if (order->first)
		order->last->later = group;
	else
		order->first = group;
	order->last = group;

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

/* Its place is free for another work-group. */
static void retire_group(struct evg_timing *timing,
			 struct resident_group *group)
{
	struct compute_unit *cu = group->cu;

	slot_give(&cu->group_slots, group->slot);
	for (uint32_t i = 0; i < group->wavefronts; i++)
		slot_give(&cu->wave_slots, group->wave_slots[i]);
	cu->work_groups--;
	cu->wavefronts -= group->wavefronts;
	cu->registers -= timing->group_registers;
	cu->local -= timing->group_local;
	timing->wavefronts -= group->wavefronts;
	group_release(timing, group);
}

/* After those that were mapped before: in the device, or in its unit. */
static void retire_in_order(struct evg_timing *timing,
			    struct resident_group *group)
{
	struct group_order *order = group_order(timing, group->cu);

	group->retires = true;
	while (order->first && order->first->retires) {
		group = order->first;
		order->first = group->later;
		retire_group(timing, group);
	}
}

/* In the dispatcher: its work-group has ended. */
static void unmap_group(void *owner, uint64_t tag)
{
	struct resident_group *group = owner;
	struct evg_timing *timing = group->cu->timing;

	(void)tag;
	if (timing->stopped)
		return;
	if (timing->config.retire_order == EVG_RETIRE_ANY)
		retire_group(timing, group);
	else
		retire_in_order(timing, group);
	timing->end = event_queue_now(timing->events);
	timing->groups_done++;
	if (!timing->dispatch_scheduled) {
		timing->dispatch_scheduled = true;
		event_schedule(timing->events, timing->period, timing->source,
			       dispatch, timing, 0);
	}
}

/* In the compute unit: tells the dispatcher, who knows a cycle later. */
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
	event_send(cu->events, timing->events, timing->period, cu->source,
		   unmap_group, group, 0);
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

void dispatcher_start(struct evg_timing *timing)
{
	timing->dispatch_scheduled = true;
	event_schedule(timing->events,
		       (timing->start_cycle + 1) * timing->period -
			       event_queue_now(timing->events),
		       timing->source, dispatch, timing, 0);
}
