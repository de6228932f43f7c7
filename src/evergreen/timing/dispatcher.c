/* The ultra-threaded dispatcher: maps work-groups to compute units, in order,
 * as long as all limits allow. It and the units are run by different threads:
 * each has records of its own, and what one tells the other is copied. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/timing/compute-unit.h"
#include "evergreen/timing/occupancy.h"

/* A work-group in a compute unit, as the dispatcher knows it: till it has
 * retired. */
struct mapped_group {
	struct unit_load *load;
	struct evg_work_group *group; /* with scratch memory, else NULL */
	struct mapped_group *next;    /* free list */
	struct mapped_group *next_made; /* all that there are */
	struct mapped_group *later;   /* mapped after it */
	uint32_t slot;                /* of the unit's work-groups */
	bool retires;                 /* when all earlier ones have */
	uint64_t waves[];             /* its wavefronts' places, as taken[] */
};

/* What a unit gets to know of it. */
struct group_start {
	struct mapped_group *mapped;
	struct evg_work_group *group; /* or NULL: the unit has its own */
	uint64_t index, first_age;
	uint64_t slot;
	uint64_t waves[];
};

void dispatcher_free(struct evg_timing *timing)
{
	while (timing->groups) {
		struct mapped_group *group = timing->groups;

		timing->groups = group->next_made;
		free(group);
	}
	free(timing->loads);
	free(timing->start);
}

void dispatcher_count(struct evg_timing *timing)
{
	for (unsigned i = 0; i < timing->config.compute_units; i++) {
		const struct unit_load *load = timing_load(timing, i);
		struct compute_unit_stats *n = &timing->units[i].n;

		n->work_groups = load->all_work_groups;
		n->peak_work_groups = load->peak_work_groups;
		n->peak_wavefronts = load->peak_wavefronts;
	}
}

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
	timing->launch++;
	timing->code_address = (uint64_t)launch->text_address +
			       launch->kernel->code_offset;
	timing->defers = evg_ndrange_may_defer(ndrange);
	timing->serial = evg_ndrange_is_serial(ndrange);
	timing->next_group = timing->groups_done = 0;
	timing->order.first = NULL;
	for (unsigned i = 0; i < timing->config.compute_units; i++)
		timing_load(timing, i)->order.first = NULL;
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
		     const struct unit_load *load)
{
	const struct evg_config *config = &timing->config;

	return load->work_groups < config->max_work_groups &&
	       load->wavefronts + timing->wavefronts_per_group <=
		       config->max_wavefronts &&
	       load->registers + timing->group_registers <=
		       config->registers - config->reserved_registers &&
	       load->local + timing->group_local <= config->local_size;
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

		if (has_room(timing, timing_load(timing, unit))) {
			timing->next_unit = (unit + 1) % count;
			return &timing->units[unit];
		}
	}
	return NULL;
}

static struct mapped_group *mapped_take(struct evg_timing *timing)
{
	struct mapped_group *mapped = timing->free_groups;

	if (mapped) {
		timing->free_groups = mapped->next;
		return mapped;
	}
	mapped = xcalloc_aligned(sizeof *mapped + timing->wave_words *
						  sizeof *mapped->waves);
	mapped->next_made = timing->groups;
	timing->groups = mapped;
	return mapped;
}

static void mapped_give(struct evg_timing *timing, struct mapped_group *mapped)
{
	/* Others may wait for its scratch memory. */
	evg_work_group_free(mapped->group);
	mapped->group = NULL;
	mapped->next = timing->free_groups;
	timing->free_groups = mapped;
}

/* --- In the compute unit --------------------------------------------------- */

static struct resident_group *group_make(struct compute_unit *cu)
{
	struct resident_group *group = xcalloc_aligned(sizeof *group);
	uint32_t most = cu->timing->config.max_wavefronts;

	group->residents = xcalloc_aligned(most * sizeof *group->residents);
	group->wave_slots = xcalloc_aligned(most * sizeof *group->wave_slots);
	group->next_made = cu->groups;
	cu->groups = group;
	return group;
}

/* What the dispatcher says of a work-group: the unit has a record of its own. */
static struct resident_group *group_enter(struct compute_unit *cu,
					  const struct group_start *start)
{
	struct resident_group *group = cu->free_groups;
	uint32_t wavefronts = 0;

	if (group)
		cu->free_groups = group->next;
	else
		group = group_make(cu);
	group->mapped = start->mapped;
	if (start->group)
		group->group = start->group;
	group->lent = start->group;
	group->index = start->index;
	group->first_age = start->first_age;
	group->slot = (uint32_t)start->slot;
	for (uint32_t word = 0; word < cu->timing->wave_words; word++)
		for (uint64_t rest = start->waves[word]; rest;
		     rest &= rest - 1)
			group->wave_slots[wavefronts++] =
				(uint16_t)(64 * word +
					   (uint32_t)__builtin_ctzll(rest));
	group->wavefronts = wavefronts;
	return group;
}

/* A wavefront at its start. */
static void resident_start(struct compute_unit *cu,
			   struct resident_group *group, uint32_t i)
{
	struct resident *resident = &group->residents[i];

	*resident = (struct resident){
		.cu = cu,
		.group = group,
		.wavefront = evg_work_group_wavefront(group->group, i),
		.age = group->first_age + i,
		.slot = group->wave_slots[i],
		.place = ACCOUNT_EMPTY,
	};
	evg_wavefront_place(resident->wavefront, resident->slot);
	evg_wavefront_set_owner(resident->wavefront, resident);
	if (cu->timing->defers)
		evg_wavefront_defer(resident->wavefront, &cu->stores);
	resident->free = resident->passed = unit_cycle(cu);
	resident_place(resident, ACCOUNT_CF);
	cf_ready(resident, 1);
}

/* A new work-group. */
static void unit_begin(void *owner, uint64_t tag)
{
	struct compute_unit *cu = owner;
	struct resident_group *group = (void *)(uintptr_t)tag;
	const struct evg_timing *timing = cu->timing;

	if (cu->stopped)
		return;
	if (!cu->groups_here++)
		cu->busy_since = unit_cycle(cu);
	/* What there is of earlier launches is gone. */
	if (cu->launch != timing->launch) {
		cu->launch = timing->launch;
		cu->tally = evg_tally_create(timing->ndrange);
	}
	if (!group->lent &&
	    (!group->group || group->launch != timing->launch)) {
		group->group = evg_work_group_take(timing->ndrange, cu->tally);
		group->launch = timing->launch;
	}
	evg_work_group_start(group->group, group->index);
	evg_work_group_place(group->group, cu->id,
			     timing->config.compute_units, group->slot);
	group->ended = group->waiting = group->pending_writes = 0;
	group->runs = true;
	group->begun = unit_cycle(cu);
	for (uint32_t i = 0; i < group->wavefronts; i++)
		resident_start(cu, group, i);
}

static uint64_t group_land(const struct event_mail *mail)
{
	return (uintptr_t)group_enter(mail->way->owner,
				      (const void *)mail->contents);
}

void dispatcher_connect(struct compute_unit *cu)
{
	const struct evg_timing *timing = cu->timing;

	event_way_set(&cu->way, timing->events, cu->events, timing->source,
		      unit_begin, cu, group_land);
}

/* --- In the dispatcher ------------------------------------------------------ */

/* Where the order is kept in which work-groups retire. */
static struct group_order *group_order(struct evg_timing *timing,
				       struct unit_load *load)
{
	return timing->config.retire_order == EVG_RETIRE_UNIT ? &load->order
							       : &timing->order;
}

static void order_add(struct group_order *order, struct mapped_group *mapped)
{
	mapped->retires = false;
	mapped->later = NULL;
	if (order->first)
		order->last->later = mapped;
	else
		order->first = mapped;
	order->last = mapped;
}

static void map_group(struct evg_timing *timing, struct compute_unit *cu)
{
	struct unit_load *load = timing_load(timing, cu->id);
	struct mapped_group *mapped = mapped_take(timing);
	struct group_start *start = timing->start;
	uint32_t count = timing->wavefronts_per_group;
	picoseconds delay = timing->config.dispatch_latency * timing->period;
	uint32_t size = (uint32_t)(sizeof *start + timing->wave_words *
						   sizeof *start->waves);
	uint64_t *taken = load->taken + timing->group_words;

	mapped->load = load;
	/* The others come from the unit's own thread: see unit_begin. */
	if (evg_ndrange_launch(timing->ndrange)->kernel->scratch_size)
		mapped->group = evg_work_group_take(timing->ndrange, NULL);
	order_add(group_order(timing, load), mapped);
	mapped->slot = load_slot_take(load->taken);
	*start = (struct group_start){
		.mapped = mapped,
		.group = mapped->group,
		.index = timing->next_group++,
		.first_age = timing->ages,
		.slot = mapped->slot,
	};
	timing->ages += count;
	/* The lowest free ones, in this order. */
	memcpy(mapped->waves, taken,
	       timing->wave_words * sizeof *mapped->waves);
	for (uint32_t i = 0; i < count; i++)
		load_slot_take(taken);
	for (uint32_t i = 0; i < timing->wave_words; i++)
		start->waves[i] = mapped->waves[i] ^= taken[i];
	load_add(timing, load);
	if (cu->events == timing->events)
		event_schedule(cu->events, delay, timing->source, unit_begin,
			       cu, (uintptr_t)group_enter(cu, start));
	else
		event_send_data(timing->events, &cu->way, delay, 0, start, size);
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
			 struct mapped_group *mapped)
{
	struct unit_load *load = mapped->load;
	uint32_t count = timing->wavefronts_per_group;

	load_slot_give(load->taken, mapped->slot);
	for (uint32_t i = 0; i < timing->wave_words; i++)
		load->taken[timing->group_words + i] ^= mapped->waves[i];
	load->work_groups--;
	load->wavefronts -= (uint16_t)count;
	load->registers -= timing->group_registers;
	load->local -= timing->group_local;
	timing->wavefronts -= count;
	mapped_give(timing, mapped);
}

/* After those that were mapped before: in the device, or in its unit. */
static void retire_in_order(struct evg_timing *timing,
			    struct mapped_group *mapped)
{
	struct group_order *order = group_order(timing, mapped->load);

	mapped->retires = true;
	while (order->first && order->first->retires) {
		mapped = order->first;
		order->first = mapped->later;
		retire_group(timing, mapped);
	}
}

/* Its work-group has ended. */
static void unmap_group(void *owner, uint64_t tag)
{
	struct evg_timing *timing = owner;
	struct mapped_group *mapped = (void *)(uintptr_t)tag;

	if (timing->stopped)
		return;
	if (timing->config.retire_order == EVG_RETIRE_ANY)
		retire_group(timing, mapped);
	else
		retire_in_order(timing, mapped);
	timing->end = event_queue_now(timing->events);
	timing->groups_done++;
	if (!timing->dispatch_scheduled) {
		timing->dispatch_scheduled = true;
		event_schedule(timing->events, timing->period, timing->source,
			       dispatch, timing, 0);
	}
}

static uint32_t words(uint32_t bits)
{
	return (bits + 63) / 64;
}

void dispatcher_create(struct evg_timing *timing)
{
	enum { LINE = 64 };
	const struct evg_config *config = &timing->config;
	size_t size = sizeof(struct unit_load);

	timing->unmap = unmap_group;
	timing->group_words = words(config->max_work_groups);
	timing->wave_words = words(config->max_wavefronts);
	size += (timing->group_words + timing->wave_words) * sizeof(uint64_t);
	timing->load_size = (size + LINE - 1) / LINE * LINE;
	timing->loads = xcalloc_aligned(config->compute_units *
					timing->load_size);
	timing->start = xcalloc_aligned(
		sizeof *timing->start +
		timing->wave_words * sizeof *timing->start->waves);
}

void dispatcher_start(struct evg_timing *timing)
{
	timing->dispatch_scheduled = true;
	event_schedule(timing->events,
		       (timing->start_cycle + 1) * timing->period -
			       event_queue_now(timing->events),
		       timing->source, dispatch, timing, 0);
}
