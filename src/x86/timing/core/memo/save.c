#include "base/optimize.h"

/* Saves a core's state. */
#include "x86/timing/core/memo/state.h"

#include <string.h>

#include "x86/timing/core/loadstore/order.h"

bool core_memo_can_save(const struct x86_core *core)
{
	const struct core_flow *next =
		&core->flow[core->flow_decoded % CORE_FLOWS];

	return core->diverting <= DIVERTING_MOST && !core->lost &&
	       !core->microcode && !core->flushing && !core->last &&
	       core->effect_head == core->effect_tail &&
	       core->flow_predecoded < core->flow_pushed &&
	       core->flow_renamed <= core->flow_decoded &&
	       !next->delivered && !next->entered && !next->fused &&
	       core->flow_predecoded - core->flow_retired <= FLOWS_MOST;
}

static uint32_t ahead(const struct x86_core *core, uint64_t time)
{
	return time > core->now ? (uint32_t)(time - core->now) : 0;
}

static int32_t relative(const struct x86_core *core, uint32_t time)
{
	return (int32_t)(time - (uint32_t)core->now);
}

static unsigned place_of_uop(const struct x86_core *core, unsigned index)
{
	return (unsigned)(index - core->uop_head) % CORE_UOPS;
}

static int16_t near(int32_t time, int32_t least)
{
	return (int16_t)(time < least ? least : time);
}

static void save_divert(const struct x86_core *core,
			const struct core_divert *divert,
			struct saved_divert *to)
{
	memset(to, 0, sizeof *to);
	to->number = (uint32_t)(divert->number - core->flow_retired);
	to->executed = divert->executed_at == UINT64_MAX
			       ? 0 : ahead(core, divert->executed_at) + 1;
	core_memo_save_names(core, &divert->names, NULL, &to->names);
}

/* The addresses of a loop's body that still count. */
static unsigned body_kept(const struct x86_core *core)
{
	if (!core->figure.loop_slots || core->body_long)
		return 0;
	return core->source != SOURCE_LOOP && core->body_equal &&
			       core->body_before > core->body_count
		       ? core->body_before : core->body_count;
}

static void save_loop(const struct x86_core *core, struct saved_core *to)
{
	if (!core->figure.loop_slots)
		return;
	to->body_long = core->body_long;
	if (core->body_long)
		return;
	to->loop_target = core->loop_target;
	to->body_count = core->body_count;
	to->body_slots = core->body_slots;
	to->body_taken = core->body_taken;
	to->body_before = core->body_before;
	to->body_stack = (uint32_t)core->body_stack;
	to->body_good = core->body_good;
	to->body_equal = core->body_equal;
	if (core->source != SOURCE_LOOP)
		return;
	to->loop_at = core->loop_at;
	to->loop_turn = core->loop_turn;
	to->loop_turns = core->loop_turns;
}

/* The predecoder, and the lines that are being collected for the uop cache. */
static void save_fetch(const struct x86_core *core, struct saved_core *to)
{
	if (core->source == SOURCE_DECODERS)
		to->predecode_block = core->predecode_block;
	to->fetch_line = core->fetch_line;
	to->fetch_pending = core->fetch_ticket != 0;
	to->fetch_waits = core->fetch_waits;
	if (core->fetch_waits != X86_CORE_FETCH_ON)
		to->fetch_for = (uint16_t)(
			core->fetch_for < core->flow_retired
				? RETIRED : core->fetch_for - core->flow_retired);
	to->fills = core->fills;
	if (!core->fill_lines)
		return;
	to->fill_lines = (uint8_t)core->fill_lines;
	to->fill_uops = (uint8_t)core->fill_uops;
	to->fill_branches = (uint8_t)core->fill_branches;
	to->fill_window = core->fill_window;
	to->fill_end = core->fill_end;
	to->fill_failed = core->fill_failed;
	to->fill_closed = core->fill_closed;
}

static void save_head(const struct x86_core *core, struct saved_core *to)
{
	const struct core_flow *next =
		&core->flow[core->flow_renamed % CORE_FLOWS];

	memset(to, 0, sizeof *to);
	core_memo_save_names(core, &core->names,
		   core->flow_renamed < core->flow_decoded ? next : NULL,
		   &to->names);
	save_loop(core, to);
	if (core->source == SOURCE_CACHE && core->line_end) {
		to->line_first = core->line_first;
		to->line_end = core->line_end;
	}
	to->rename_free = ahead(core, core->rename_free);
	to->decode_free = ahead(core, core->decode_free);
	to->predecode_free = ahead(core, core->predecode_free);
	to->commit_free = ahead(core, core->commit_free);
	to->units_free = ahead(core, core->ports->units_free);
	for (unsigned i = 0; i < CORE_PORTS; i++) {
		to->port_free[i] = ahead(core, core->ports->port_free[i]);
		to->port_count[i] = core->ports->port_count[i];
	}
	for (unsigned i = 0; i < CORE_UNITS; i++)
		to->unit_free[i] = ahead(core, core->ports->unit_free[i]);
	to->load_turn = core->load_turn;
	for (unsigned i = 0; i < CORE_FILES; i++)
		to->registers[i] = core->registers[i];
	to->waiting = core->waiting;
	to->loads = core->loads;
	to->queue_used = core->queue_used;
	to->source = (uint8_t)core->source;
	to->to_cache = core->to_cache;
	save_fetch(core, to);
	to->refill = core->refill;
	if (core->refill) {
		to->refill_for = (uint16_t)(core->refill_for -
					    core->flow_retired);
		to->refill_part = core->refill_part;
	}
	to->serialize = core->serialize;
	to->stall = core->stall;
	to->store_pending = core->store_ticket != 0;
	to->store_owned = core->store_owned;
	to->store_refused = core->store_refused;
	to->flows = (uint16_t)(core->flow_predecoded - core->flow_retired);
	to->decoded = (uint16_t)(core->flow_decoded - core->flow_retired);
	to->renamed = (uint16_t)(core->flow_renamed - core->flow_retired);
	to->uops = (uint16_t)(core->uop_tail - core->uop_head);
	to->entries = (uint16_t)(core->entry_tail - core->entry_head);
	to->stores = (uint16_t)(core->store_tail - core->store_head);
	to->begins = core->entry_head == core->entry_tail ||
		     core_begins(core, &core->entry[core->entry_head %
						    CORE_ENTRIES]);
	to->blocked = (uint16_t)core->blocked_count;
	to->refused = (uint16_t)core->refused_count;
	to->held = (uint16_t)core->held_count;
	to->diverting = (uint16_t)core->diverting;
	to->body = (uint16_t)body_kept(core);
}

static void save_flow(struct x86_core *core, uint64_t number,
		      struct saved_flow *to)
{
	const struct core_flow *flow = core_flow(core, number);
	struct core_flow bits;

	*to = (struct saved_flow){ .form = flow->form };
	bits.bits = flow->bits;
	if (number >= core->flow_renamed) {
		to->address = flow->address;
		to->course = flow->course;
		to->division_latency = flow->division_latency;
		to->division_busy = flow->division_busy;
	} else {
		to->course = (uint64_t)flow->uops << COURSE_UOPS;
		bits.ends_group = false;
	}
	to->bits = bits.bits;
	if (number >= core->flow_decoded) {
		to->next = flow->next;
		to->first_uop = near(relative(core, flow->predecoded_at),
				     -PREDECODED);
	}
	if (flow->entered)
		to->first_uop = (int16_t)(flow->first_uop - core->uop_head);
	for (unsigned i = 0; i < 2 && flow->stores; i++)
		if (flow->store_number[i])
			to->store_number[i] = (uint8_t)(
				flow->store_number[i] - core->store_head);
}

/* A store of a load, by its number + 1: 0: none; 1: it has been committed. */
static uint8_t save_store_number(const struct x86_core *core, uint64_t number)
{
	if (!number)
		return 0;
	return number <= core->store_head
		       ? 1 : (uint8_t)(number - core->store_head + 1);
}

static void save_uop(const struct x86_core *core, unsigned index, bool wheel,
		     struct saved_uop *to)
{
	const struct core_uop *uop = &core->uop[index];
	bool load = uop->what->kind == X86_UOP_LOAD;
	int32_t value = relative(core, uop->value_at);
	bool held;

	*to = (struct saved_uop){
		.what = uop->what,
		.flow = (uint16_t)((uop->flow - core->flow_retired) %
				   CORE_FLOWS),
		.longest = uop->longest,
		.state = uop->state,
	};
	if (load)
		to->forwarder = save_store_number(core,
						  core->load[index].forwarder);
	if (uop->state == UOP_KNOWN) {
		/* Whoever is renamed now starts no sooner than the results are
		 * there; stores are forwarded later. */
		int32_t needed = uop->longest;

		if (uop->what->kind >= X86_UOP_STORE_ADDRESS)
			needed += FORWARDING;
		if (uop->what->domain)
			needed += (int32_t)core->figure.domain_delay;
		to->value = value + needed <= 0 ? (int16_t)LONG_AGO
						: (int16_t)value;
		return;
	}
	to->value = near(value, -1);
	to->port = uop->port;
	to->unit = uop->unit;
	to->unit_cycles = uop->unit_cycles;
	to->pending = uop->pending;
	to->forwards = uop->forwards;
	if (wheel)
		to->flags |= SAVED_WHEEL;
	if (uop->state < UOP_STARTED &&
	    (uop->state == UOP_WAITING || wheel))
		to->ready = near(relative(core, uop->ready_at), 0);
	if (!load)
		return;
	to->store = save_store_number(core, core->load[index].store);
	held = uop->state >= UOP_STARTED && core->load[index].held;
	/* Only a load that has not begun asks for addresses. */
	if ((uop->state < UOP_STARTED || held) &&
	    core->load[index].before > core->addressed &&
	    core->load[index].before > core->store_head)
		to->before = (uint8_t)(core->load[index].before -
				       core->store_head);
	to->flags |= held ? SAVED_HELD : 0;
	to->flags |= (uint8_t)((uop->chased ? SAVED_CHASED : 0) |
			       (uop->blocked ? SAVED_BLOCKED : 0));
	if (uop->state < UOP_STARTED) {
		if (core->load[index].mistaken)
			to->flags |= SAVED_MISTAKEN;
		return;
	}
	to->hit_latency = uop->awaits && !held ? uop->hit_latency : 0;
	to->flags |= uop->awaits ? SAVED_AWAITS : 0;
}

static int16_t save_sequence(const struct x86_core *core, uint64_t sequence)
{
	uint64_t at = sequence - core->uop_head;

	return at < core->uop_tail - core->uop_head ? (int16_t)at : -1;
}

static void save_store(struct x86_core *core, uint64_t number,
		       struct saved_store *to)
{
	const struct core_store *store = core_store(core, number);
	int16_t at;

	*to = (struct saved_store){
		.address_uop = save_sequence(core, store->address_uop),
		.data_uop = save_sequence(core, store->data_uop),
		.size = store->size,
		.flags = store->masked | (unsigned)store->past << 1 |
			 (unsigned)store->modifies << 2 |
			 (unsigned)store->accessed << 3 |
			 (unsigned)store->retired << 4,
	};
	if (!core->figure.memory_renaming || !store->form)
		return;
	to->form = store->form;
	to->displacement = store->displacement;
	if ((store->form & 0xff) == X86_RSP)
		to->displacement -= core->names.stack_depth;
	to->flags |= (unsigned)store->general << 5;
	at = save_sequence(core, store->data.sequence);
	if (!store->general || at < 0)
		return;
	to->source = (uint16_t)(at + 1);
	to->latency = (uint16_t)store->data.latency;
}

/* The lists of consumers, each behind its uop. */
static uint16_t *save_consumers(const struct x86_core *core, uint16_t *to)
{
	for (uint64_t i = core->uop_head; i < core->uop_tail; i++) {
		unsigned link = core->uop[i % CORE_UOPS].consumers;

		if (link == CORE_NONE)
			continue;
		*to++ = (uint16_t)(i - core->uop_head);
		while (link != CORE_NONE) {
			const struct core_uop *consumer =
				&core->uop[link / CORE_EDGES];
			unsigned edge = link % CORE_EDGES;

			*to++ = (uint16_t)(place_of_uop(core,
							link / CORE_EDGES) *
						   CORE_EDGES + edge);
			*to++ = consumer->latency[edge];
			link = consumer->next[edge];
		}
		*to++ = END_OF_LIST;
	}
	*to++ = END_OF_LIST;
	return to;
}

/* The wheel's lists, each behind the number of cycles that it lies ahead. NULL:
 * it has a uop that has left. */
static uint16_t *save_wheel(const struct x86_core *core, bool *wheel,
			    uint16_t *to)
{
	unsigned uops = (unsigned)(core->uop_tail - core->uop_head);

	for (unsigned i = 0; i < CORE_WHEEL; i++) {
		unsigned bucket = (unsigned)(core->now + i) % CORE_WHEEL;
		unsigned index = core->wheel[bucket];

		if (index == CORE_NONE)
			continue;
		*to++ = (uint16_t)i;
		for (; index != CORE_NONE;
		     index = core->uop[index].wheel_next) {
			unsigned at = place_of_uop(core, index);

			if (at >= uops)
				return NULL;
			wheel[at] = true;
			*to++ = (uint16_t)at;
		}
		*to++ = END_OF_LIST;
	}
	*to++ = END_OF_LIST;
	return to;
}

unsigned core_memo_save(struct x86_core *core, uint64_t *saved)
{
	struct saved_core *head = (struct saved_core *)saved;
	struct saved_flow *flow = (struct saved_flow *)(head + 1);
	bool wheel[CORE_UOPS];
	struct saved_uop *uop;
	struct saved_entry *entry;
	struct saved_store *store;
	struct saved_divert *divert;
	uint64_t *body, *line;
	uint16_t *list, *lists;

	core_order_look(core);
	save_head(core, head);
	for (unsigned i = 0; i < head->flows; i++) {
		/* Others ask when its line has come: x86_core_locked(). */
		if (core_flow(core, core->flow_retired + i)->form->locked)
			return 0;
		save_flow(core, core->flow_retired + i, flow++);
	}
	entry = (struct saved_entry *)flow;
	for (uint64_t i = core->entry_head; i < core->entry_tail; i++) {
		const struct core_entry *from = &core->entry[i % CORE_ENTRIES];

		*entry++ = (struct saved_entry){
			.flow = (uint16_t)((from->flow - core->flow_retired) %
					   CORE_FLOWS),
			.first = (uint16_t)(from->uops
						    ? place_of_uop(core,
								   from->first)
						    : 0),
			.uops = from->uops, .last = from->last,
			.loads = from->loads, .stores = from->stores,
			.registers = { from->registers[0], from->registers[1],
				       from->registers[2] },
		};
	}
	store = (struct saved_store *)entry;
	for (uint64_t i = core->store_head; i < core->store_tail; i++)
		save_store(core, i, store++);
	divert = (struct saved_divert *)store;
	for (unsigned i = 0; i < core->diverting; i++)
		save_divert(core, &core->divert[i], divert++);
	body = (uint64_t *)divert;
	memcpy(body, core->body, head->body * sizeof *body);
	line = body + head->body;
	for (unsigned i = 0; i < head->fill_lines; i++) {
		*line++ = core->fill[i].first;
		*line++ = core->fill[i].length;
	}
	uop = (struct saved_uop *)line;
	lists = list = (uint16_t *)(uop + head->uops);
	memset(wheel, 0, head->uops * sizeof *wheel);
	list = save_wheel(core, wheel, list);
	if (!list)
		return 0;
	for (unsigned i = 0; i < head->uops; i++) {
		unsigned index = (unsigned)(core->uop_head + i) % CORE_UOPS;

		if (relative(core, core->uop[index].value_at) > FAR_AHEAD ||
		    relative(core, core->uop[index].ready_at) > FAR_AHEAD)
			return 0;
		save_uop(core, index, wheel[i], uop++);
	}
	list = save_consumers(core, list);
	for (unsigned i = 0; i < core->blocked_count; i++)
		*list++ = (uint16_t)place_of_uop(core, core->blocked[i]);
	for (unsigned i = 0; i < core->refused_count; i++)
		*list++ = (uint16_t)place_of_uop(core, core->refused[i]);
	for (unsigned i = 0; i < core->held_count; i++)
		*list++ = (uint16_t)place_of_uop(core, core->held_loads[i]);
	while ((list - lists) % 4)
		*list++ = 0;
	head->lists = (uint16_t)(list - lists);
	return (unsigned)((char *)list - (char *)saved);
}
