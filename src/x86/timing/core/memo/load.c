#include "base/optimize.h"

/* Gives a core a saved state, at a place. */
#include "x86/timing/core/memo/state.h"

#include <string.h>

#include "x86/timing/core/loadstore/loadstore.h"

static void load_divert(struct x86_core *core, const struct saved_divert *from)
{
	struct core_divert *divert = &core->divert[core->diverting++];

	divert->number = core->flow_retired + from->number;
	divert->executed_at = from->executed ? core->now + from->executed - 1
					     : UINT64_MAX;
	core_memo_load_names(core, &from->names, &divert->names);
}

static void load_loop(struct x86_core *core, const struct saved_core *from,
		      const uint64_t *body)
{
	core->body_long = from->body_long;
	core->loop_target = from->loop_target;
	core->body_count = from->body_long ? LOOP_BODY : from->body_count;
	core->body_slots = from->body_slots;
	core->body_taken = from->body_taken;
	core->body_before = from->body_before;
	core->body_stack = (int)from->body_stack;
	core->body_good = from->body_good;
	core->body_equal = from->body_equal;
	core->loop_at = from->loop_at;
	core->loop_turn = from->loop_turn;
	core->loop_turns = from->loop_turns;
	memcpy(core->body, body, from->body * sizeof *body);
}

static void load_fetch(struct x86_core *core, const struct saved_core *from)
{
	core->predecode_block = from->predecode_block;
	core->fetch_line = from->fetch_line;
	core->fetch_waits = from->fetch_waits;
	core->fetch_for = from->fetch_for == RETIRED
				  ? core->flow_retired - 1
				  : core->flow_retired + from->fetch_for;
	core->fills = from->fills;
	core->fill_lines = from->fill_lines;
	core->fill_uops = from->fill_uops;
	core->fill_branches = from->fill_branches;
	core->fill_window = from->fill_window;
	core->fill_end = from->fill_end;
	core->fill_failed = from->fill_failed;
	core->fill_closed = from->fill_closed;
}

static void load_head(struct x86_core *core, const struct saved_core *from)
{
	core_memo_load_names(core, &from->names, &core->names);
	core->line_first = from->line_first;
	core->line_end = from->line_end;
	core->rename_free = core->now + from->rename_free;
	core->decode_free = core->now + from->decode_free;
	core->predecode_free = core->now + from->predecode_free;
	core->commit_free = core->now + from->commit_free;
	core->ports->units_free = core->now + from->units_free;
	for (unsigned i = 0; i < CORE_PORTS; i++) {
		core->ports->port_free[i] = core->now + from->port_free[i];
		core->ports->port_count[i] = from->port_count[i];
	}
	for (unsigned i = 0; i < CORE_UNITS; i++)
		core->ports->unit_free[i] = core->now + from->unit_free[i];
	core->load_turn = from->load_turn;
	for (unsigned i = 0; i < CORE_FILES; i++)
		core->registers[i] = from->registers[i];
	core->waiting = from->waiting;
	core->loads = from->loads;
	core->queue_used = from->queue_used;
	core->source = (enum core_source)from->source;
	core->to_cache = from->to_cache;
	load_fetch(core, from);
	core->refill = from->refill;
	core->refill_for = core->flow_retired + from->refill_for;
	core->refill_part = from->refill_part;
	core->serialize = from->serialize;
	core->stall = from->stall;
	core->store_owned = from->store_owned;
	core->flow_renamed = core->flow_retired + from->renamed;
	core->flow_decoded = core->flow_retired + from->decoded;
	core->flow_predecoded = core->flow_retired + from->flows;
	core->uop_tail = core->uop_head + from->uops;
	core->entry_head = CORE_ENTRIES;
	core->entry_tail = core->entry_head + from->entries;
	core->addressed = core->store_head;
	core->microcode = core->lost = core->flushing = false;
	core->diverting = 0;
	core->store_refused = from->store_refused;
	core->memory_room = false;
	memset(core->ready, 0, sizeof core->ready);
	memset(core->ready_words, 0, sizeof core->ready_words);
	core->ready_ports = 0;
	for (unsigned i = 0; i < CORE_WHEEL; i++)
		core->wheel[i] = CORE_NONE;
	memset(core->wheel_used, 0, sizeof core->wheel_used);
}

static void load_flow(struct x86_core *core, uint64_t number,
		      const struct saved_flow *from)
{
	struct core_flow *flow = core_flow(core, number);

	flow->bits = from->bits;
	flow->first_uop = core->uop_head + (uint64_t)(int64_t)from->first_uop;
	flow->predecoded_at = flow->decoded_at = flow->issued_at =
		(uint32_t)core->now;
	if (number >= core->flow_decoded)
		flow->predecoded_at += (uint32_t)(int32_t)from->first_uop;
	if (number >= core->flow_renamed)
		flow->course = from->course;
	else
		flow->uops = (uint8_t)(from->course >> COURSE_UOPS);
	for (unsigned i = 0; i < 2 && flow->stores; i++)
		flow->store_number[i] = from->store_number[i]
			? core->store_head + from->store_number[i] : 0;
}

static uint64_t load_store_number(const struct x86_core *core, unsigned number)
{
	return number ? core->store_head + number - 1 : 0;
}

static void load_uop(struct x86_core *core, unsigned index,
		     const struct saved_uop *from)
{
	struct core_uop *uop = &core->uop[index];

	uop->what = from->what;
	uop->flow = (uint16_t)((core->flow_retired + from->flow) % CORE_FLOWS);
	uop->ready_at = (uint32_t)core->now + (uint32_t)(int32_t)from->ready;
	uop->value_at = (uint32_t)core->now + (uint32_t)(int32_t)from->value;
	uop->longest = from->longest;
	uop->hit_latency = from->hit_latency;
	uop->state = from->state;
	uop->port = from->port;
	uop->unit = from->unit;
	uop->unit_cycles = from->unit_cycles;
	uop->pending = from->pending;
	uop->forwards = from->forwards;
	uop->chased = from->flags & SAVED_CHASED;
	uop->awaits = from->flags & SAVED_AWAITS;
	uop->blocked = from->flags & SAVED_BLOCKED;
	uop->consumers = CORE_NONE;
	if (from->what->kind == X86_UOP_LOAD) {
		core->load[index].forwarder =
			load_store_number(core, from->forwarder);
		core->load[index].store = load_store_number(core, from->store);
		core->load[index].before =
			from->before ? core->store_head + from->before : 0;
		core->load[index].held = from->flags & SAVED_HELD;
		core->load[index].mistaken = from->flags & SAVED_MISTAKEN;
		core->load[index].asked = false;
		if (core->load[index].held)
			core->load[index].ticket = 0;
		/* One without an access has asked nothing: PREFETCH. */
		if (!core_load_access(&core->flow[uop->flow], uop)->size)
			uop->part = 0;
	}
	core->times[index] = (struct core_times){ (uint32_t)core->now,
						  (uint32_t)core->now };
	if (from->state == UOP_READY && !(from->flags & SAVED_WHEEL))
		core_set_ready(core, index);
}

static unsigned index_of(const struct x86_core *core, unsigned place)
{
	return (unsigned)(core->uop_head + place) % CORE_UOPS;
}

static const uint16_t *load_wheel(struct x86_core *core, const uint16_t *list)
{
	while (*list != END_OF_LIST) {
		unsigned bucket = (unsigned)(core->now + *list++) % CORE_WHEEL;
		uint16_t *link = &core->wheel[bucket];

		core->wheel_used[bucket / 64] |= UINT64_C(1) << bucket % 64;
		while (*list != END_OF_LIST) {
			*link = (uint16_t)index_of(core, *list++);
			link = &core->uop[*link].wheel_next;
		}
		*link = CORE_NONE;
		list++;
	}
	return list + 1;
}

static const uint16_t *load_consumers(struct x86_core *core,
				      const uint16_t *list)
{
	while (*list != END_OF_LIST) {
		uint16_t *link = &core->uop[index_of(core, *list++)].consumers;

		while (*list != END_OF_LIST) {
			unsigned index = index_of(core, *list / CORE_EDGES);
			unsigned edge = *list % CORE_EDGES;

			*link = (uint16_t)(index * CORE_EDGES + edge);
			link = &core->uop[index].next[edge];
			core->uop[index].latency[edge] = list[1];
			list += 2;
		}
		*link = CORE_NONE;
		list++;
	}
	return list + 1;
}

static uint64_t load_sequence(const struct x86_core *core, int16_t place)
{
	return place < 0 ? NO_SEQUENCE : core->uop_head + (uint64_t)place;
}

void core_memo_load(struct x86_core *core, const struct memo_state *state,
		    const struct memo_place *place)
{
	const struct saved_core *head = (const struct saved_core *)state->data;
	const struct saved_flow *flow = (const struct saved_flow *)(head + 1);
	const struct saved_entry *entry =
		(const struct saved_entry *)(flow + head->flows);
	const struct saved_store *store =
		(const struct saved_store *)(entry + head->entries);
	const struct saved_divert *divert =
		(const struct saved_divert *)(store + head->stores);
	const uint64_t *body = (const uint64_t *)(divert + head->diverting);
	const uint64_t *line = body + head->body;
	const struct saved_uop *uop =
		(const struct saved_uop *)(line + 2 * head->fill_lines);
	const uint16_t *list = (const uint16_t *)(uop + head->uops);

	core->now = place->now;
	core->flow_retired = place->retired;
	core->uop_head = place->uop_head;
	load_head(core, head);
	load_loop(core, head, body);
	for (unsigned i = 0; i < head->fill_lines; i++, line += 2)
		core->fill[i] = (struct core_line){
			.first = line[0], .length = (uint32_t)line[1] };
	for (unsigned i = 0; i < head->flows; i++)
		load_flow(core, core->flow_retired + i, flow++);
	for (unsigned i = 0; i < head->entries; i++, entry++)
		core->entry[(core->entry_head + i) % CORE_ENTRIES] =
			(struct core_entry){
				.flow = (uint32_t)((core->flow_retired +
						    entry->flow) % CORE_FLOWS),
				.first = (uint16_t)index_of(core, entry->first),
				.uops = entry->uops, .last = entry->last,
				.loads = entry->loads, .stores = entry->stores,
				.registers = { entry->registers[0],
					       entry->registers[1],
					       entry->registers[2] },
			};
	core->entry[(core->entry_head - 1) % CORE_ENTRIES] = (struct core_entry){
		.flow = core->entry[core->entry_head % CORE_ENTRIES].flow,
		.last = head->begins };
	for (unsigned i = 0; i < head->stores; i++, store++) {
		struct core_store *to = core_store(core, core->store_head + i);

		to->address_uop = load_sequence(core, store->address_uop);
		to->data_uop = load_sequence(core, store->data_uop);
		to->retired = store->flags >> 4 & 1;
		to->form = store->form;
		to->displacement = store->displacement;
		to->general = store->flags >> 5 & 1;
		to->data = (struct core_value){
			.sequence = store->source
				? (core->uop_head + store->source - 1u) &
					  VALUE_READY
				: VALUE_READY,
			.latency = store->latency };
	}
	for (unsigned i = 0; i < head->diverting; i++)
		load_divert(core, divert++);
	for (unsigned i = 0; i < head->uops; i++)
		load_uop(core, index_of(core, i), uop++);
	list = load_wheel(core, list);
	list = load_consumers(core, list);
	core->blocked_count = head->blocked;
	for (unsigned i = 0; i < head->blocked; i++)
		core->blocked[i] = (uint16_t)index_of(core, *list++);
	core->refused_count = head->refused;
	for (unsigned i = 0; i < head->refused; i++)
		core->refused[i] = (uint16_t)index_of(core, *list++);
	core->held_count = head->held;
	for (unsigned i = 0; i < head->held; i++)
		core->held_loads[i] = (uint16_t)index_of(core, *list++);
}
