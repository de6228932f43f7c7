/* Load and store queues: forwarding, stores that cannot be forwarded, commits.
 *
 * The store that a load depends on is known from the execution. order.c has what a
 * processor does that does not know it yet. */
#include <string.h>

#include "x86/timing/core/loadstore/loadstore.h"
#include "x86/timing/core/loadstore/order.h"
#include "x86/timing/core/loadstore/pending.h"
#include "x86/timing/core/loadstore/renaming.h"
#include "x86/timing/core/memo/memo.h"

/* Adds a store to the table of addresses, or removes it. */
static void count_bytes(struct x86_core *core, const struct core_store *store,
			int by)
{
	uint64_t first = store->address / 8;
	uint64_t last = (store->address + store->size - 1) / 8;

	if (!store->size)
		return;
	if (last - first > 511)
		last = first + 511;
	for (uint64_t i = first; i <= last; i++)
		core->store_bytes[i % 512] += (uint8_t)by;
}

uint64_t core_store_of(struct x86_core *core, struct core_flow *flow,
		       unsigned memory)
{
	unsigned which = core_store_which(flow, memory);
	struct core_access access;
	struct core_store *store;

	if (!flow->stores)
		flow->store_number[0] = flow->store_number[1] = 0;
	flow->stores = true;
	if (flow->store_number[which])
		return flow->store_number[which];
	store = core_store(core, core->store_tail++);
	access = which < flow->store_count ? flow->store[which]
					   : (struct core_access){ 0 };
	store->address = access.address;
	store->linear = access.linear;
	store->size = access.size;
	store->instruction = flow->address;
	store->masked = flow->form->masked;
	store->past = flow->form->past;
	store->accessed = flow->accessed;
	store->modifies = flow->load_count && flow->load[0].size &&
			  flow->load[0].address == store->address;
	store->address_uop = store->data_uop = NO_SEQUENCE;
	store->form = 0;
	store->general = false;
	store->retired = false;
	count_bytes(core, store, 1);
	if (core->tapes)
		core_memo_note(core, core_new_store_word(
			core, memo_operand_word(MEMO_NEW_STORE, memory,
				memo_flow(core, (unsigned)(flow - core->flow)))));
	return flow->store_number[which] = core->store_tail;
}

uint64_t core_new_store_word(struct x86_core *core, uint64_t word)
{
	return word | (uint64_t)(core_store(core, core->store_tail - 1)->size !=
				 0) << 19;
}

void core_stores_count_anew(struct x86_core *core)
{
	memset(core->store_bytes, 0, sizeof core->store_bytes);
	for (uint64_t i = core->store_head; i < core->store_tail; i++)
		count_bytes(core, core_store(core, i), 1);
}

void core_stores_retire(struct x86_core *core, struct core_flow *flow,
			uint64_t number)
{
	for (unsigned i = 0; i < 2; i++) {
		struct core_store *store;

		if (!flow->store_number[i])
			continue;
		store = core_store(core, flow->store_number[i] - 1);
		store->retired = true;
		store->number = number;
		if (!core->memory.own || !store->size || store->past ||
		    store->accessed)
			continue;
		if (core->tapes)
			core_memo_own(core, store);
		else if (core->memo && core->memo->mode == MEMO_PLAYS)
			core_memo_play_own(core, store);
		else
			core->memory.own(core->memory.owner, store->linear,
					 store->size, core->now);
		core->memory_due = 0;
	}
}

uint64_t x86_core_committed(const struct x86_core *core)
{
	const struct core_store *store =
		&core->store[core->store_head % CORE_STORES];

	return core->store_head < core->store_tail && store->retired
		       ? store->number
		       : core->flow_retired;
}

void core_stores_drop(struct x86_core *core, uint64_t from)
{
	while (core->store_tail > from)
		count_bytes(core, core_store(core, --core->store_tail), -1);
	if (core->addressed > core->store_tail)
		core->addressed = core->store_tail;
}

static bool may_hit(const struct x86_core *core,
		    const struct core_access *access)
{
	uint64_t first = access->address / 8;
	uint64_t last = (access->address + access->size - 1) / 8;

	if (last - first > 511)
		return true;
	for (uint64_t i = first; i <= last; i++)
		if (core->store_bytes[i % 512])
			return true;
	return false;
}

/* Makes a load wait for a uop of a store, unless its time is known. */
static void wait_for_store(struct x86_core *core, unsigned index,
			   unsigned edge, uint64_t sequence)
{
	struct core_uop *uop = &core->uop[index], *from;

	if (sequence == NO_SEQUENCE || sequence < core->uop_head)
		return;
	from = core_uop(core, sequence);
	if (from->state == UOP_KNOWN) {
		uop->value_at = core_later(uop->value_at, from->value_at +
						uop->latency[edge]);
		return;
	}
	uop->forwards++;
	core_wait_for(core, index, edge, from);
}

static bool overlap(uint64_t a, uint32_t a_size, uint64_t b, uint32_t b_size)
{
	return a < b + b_size && b < a + a_size;
}

/* Whether a store that a load overlaps can be forwarded to it. Forwarding compares
 * the program's addresses: a load through another address of the same memory waits
 * for the commit. */
static bool forwards(const struct core_store *store,
		     const struct core_access *access)
{
	return !store->masked && access->address >= store->address &&
	       access->address + access->size <=
		       store->address + store->size &&
	       access->linear - access->address ==
		       store->linear - store->address;
}

struct core_dependence core_load_depends(const struct x86_core *core,
					 const struct core_flow *flow,
					 const struct core_access *access)
{
	struct core_dependence found = { .store = 0 };

	if (!access->size || flow->form->hint || !may_hit(core, access))
		return found;
	for (uint64_t number = core->store_tail; number-- > core->store_head;) {
		const struct core_store *store =
			&core->store[number % CORE_STORES];

		if (overlap(access->address, access->size, store->address,
			    store->size)) {
			found.store = number + 1;
			found.forwarded = forwards(store, access);
			found.modifies = store->modifies && flow->store_count &&
					 flow->store[0].size &&
					 flow->store[0].address ==
						 access->address;
			return found;
		}
		if (!found.alias &&
		    overlap(access->address % 4096, access->size,
			    store->address % 4096, store->size))
			found.alias = number + 1;
	}
	return found;
}

uint64_t core_dependence_word(const struct x86_core *core, uint64_t word,
			      const struct core_flow *flow,
			      const struct core_access *access,
			      const struct core_dependence *found)
{
	uint64_t head = core->store_head;

	return word | (uint64_t)(access == &flow->load[1]) << 19 |
	       (uint64_t)found->forwarded << 20 |
	       (uint64_t)found->modifies << 21 |
	       (found->store ? found->store - head : 0) << 22 |
	       (found->alias ? found->alias - head : 0) << 32 |
	       (uint64_t)(access->size != 0) << 42;
}

/* A load's data comes from a store. */
static void forward(struct x86_core *core, unsigned index,
		    const struct core_dependence *found)
{
	const struct x86_core_figures *figure = &core->figure;
	const struct core_store *store = core_store(core, found->store - 1);
	struct core_uop *uop = &core->uop[index];

	core->load[index].forwarder = found->store;
	uop->latency[EDGE_DATA] = (uint16_t)
		(uop->what->load == X86_LOAD_GENERAL ?
			 figure->forward_general :
		 uop->what->load == X86_LOAD_YMM ? figure->forward_wide :
						   figure->forward_vector);
	if (found->modifies)
		uop->latency[EDGE_DATA] += (uint16_t)figure->forward_modify;
	uop->latency[EDGE_ADDRESS] = (uint16_t)figure->forward_address;
	wait_for_store(core, index, EDGE_DATA, store->data_uop);
	wait_for_store(core, index, EDGE_ADDRESS, store->address_uop);
}

/* The store whose register a load gets, + 1. *word gets what a memo has to know. */
static uint64_t rename_memory(struct x86_core *core, unsigned index,
			      const struct core_dependence *found,
			      uint64_t *word)
{
	struct core_load *load = &core->load[index];
	struct core_uop *uop = &core->uop[index];
	struct core_flow *flow = &core->flow[uop->flow];
	uint64_t store = core_renaming_find(core, flow, uop->what);
	bool right = store == found->store && found->forwarded, passes = right;

	if (!store)
		return 0;
	if (core->figure.disambiguation == X86_CORE_ORDER_PREDICTED)
		passes = core_order_asks(core, flow, right, word);
	if (!passes)
		return 0;
	load->mistaken = !right;
	core->counts.order_renamed++;
	return store;
}

uint64_t core_load_renamed(struct x86_core *core, unsigned index,
			   const struct core_access *access)
{
	struct core_uop *uop = &core->uop[index];
	const struct core_flow *flow = &core->flow[uop->flow];
	struct core_load *load = &core->load[index];
	struct core_dependence found = core_load_depends(core, flow, access);
	uint64_t word = 0, renamed = 0;

	load->mistaken = false;
	if (core->figure.memory_renaming && access->size)
		renamed = rename_memory(core, index, &found, &word);
	if (core->tapes)
		core_memo_note(core, word | core_dependence_word(
			core, memo_operand_word(MEMO_ALIAS, uop->what->memory,
						memo_flow(core, uop->flow)),
			flow, access, &found));
	load->store = found.alias;
	load->forwarder = 0;
	core_order_renamed(core, index, renamed);
	uop->blocked = false;
	if (found.store && found.forwarded) {
		forward(core, index, &found);
	} else if (found.store) {
		load->store = found.store;
		uop->blocked = true;
	}
	return renamed;
}

static unsigned cache_latency(const struct x86_core *core,
			      const struct core_uop *uop)
{
	switch (uop->what->load) {
	case X86_LOAD_GENERAL:
		return uop->chased ? core->figure.load_chased :
				     core->figure.load_general;
	case X86_LOAD_YMM:
		return core->figure.load_wide;
	default:
		return core->figure.load_vector;
	}
}

/* Sends a load to the cache in this cycle. */
static void begin(struct x86_core *core, unsigned index)
{
	struct core_uop *uop = &core->uop[index];
	const struct core_flow *flow = &core->flow[uop->flow];
	const struct core_access *access = core_load_access(flow, uop);
	uint32_t latency = cache_latency(core, uop);
	unsigned more = 0;
	bool waits = false;

	if (core_splits(core, access))
		latency += core->figure.split_delay;
	if (core->load[index].store > core->store_head && !uop->blocked)
		latency += core->figure.alias_delay;
	if (core->tapes && flow->load_count && !access->size)
		core_memo_drop(core);
	if (core->memory.begin && access->size) {
		waits = core_load_waits(core, index, access, latency, &more);
	} else if (core->memory.access && access->size && !flow->form->hint) {
		more = core->memory.access(core->memory.owner, access->linear,
					   access->size, false, core->now);
		uop->part = more ? X86_CORE_MEMORY : 0;
	}
	latency += more;
	if (!waits)
		core_load_has_line(core, uop);
	uop->state = UOP_STARTED;
	if (core->load[index].store > core->store_head) {
		if (uop->blocked) {
			core->blocked[core->blocked_count++] =
				(uint16_t)index;
			return;
		}
	}
	uop->blocked = false;
	if (!waits)
		uop->value_at = core_later(uop->value_at,
					   (uint32_t)core->now + latency);
	if (waits || uop->forwards)
		return;
	uop->state = UOP_KNOWN;
	core_wake(core, index);
}

void core_load_started(struct x86_core *core, unsigned index)
{
	struct core_uop *uop = &core->uop[index];
	const struct core_access *access =
		core_load_access(&core->flow[uop->flow], uop);

	if (core_splits(core, access))
		core->ports->port_free[uop->port] += !core->figure.pools.used;
	uop->part = 0;
	core->counts.loads++;
	if (core->load[index].mistaken)
		core_order_mistaken(core, index);
	if (core->load[index].before > core->addressed &&
	    core_order_holds(core, index, access))
		return;
	begin(core, index);
}

void core_loads_held(struct x86_core *core)
{
	for (unsigned i = 0; i < core->begin_count; i++) {
		unsigned index = core->begins[i];

		core->load[index].held = false;
		core->uop[index].awaits = false;
		core->progress = true;
		begin(core, index);
	}
	core->begin_count = 0;
}

/* Releases the loads that waited for the commit of a store. */
static void release(struct x86_core *core, uint64_t number)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < core->blocked_count; i++) {
		unsigned index = core->blocked[i];
		struct core_uop *uop = &core->uop[index];

		if (core->load[index].store != number + 1) {
			core->blocked[kept++] = (uint16_t)index;
			continue;
		}
		uop->value_at = (uint32_t)core->now +
				core->figure.forward_failed;
		if (uop->awaits) {
			uop->blocked = false;
			continue;
		}
		uop->state = UOP_KNOWN;
		core_wake(core, index);
	}
	core->blocked_count = kept;
}

/* What retired instructions do to caches when older stores have been committed. */
static void take_effects(struct x86_core *core, unsigned most)
{
	while (core->effect_tail - core->effect_head > 0) {
		const struct core_effect *effect =
			&core->effect[core->effect_head % CORE_EFFECTS];

		if (core->store_head < effect->stores &&
		    core->effect_tail - core->effect_head <= most)
			return;
		if (effect->drains)
			core->memory.drain(core->memory.owner, core->now);
		else
			core->memory.flush(core->memory.owner, effect->address,
					   core->now);
		core->effect_head++;
		core->memory_due = 0;
	}
}

void core_effect_add(struct x86_core *core, const struct core_flow *flow)
{
	const struct x86_template *form = flow->form;
	struct core_effect *effect;

	if (!(form->flushes && core->memory.flush && flow->load_count) &&
	    !(form->drains && core->memory.drain))
		return;
	core_memo_cannot(core);
	/* More than there is room for do not wait. */
	take_effects(core, CORE_EFFECTS - 1);
	effect = &core->effect[core->effect_tail++ % CORE_EFFECTS];
	effect->stores = core->store_head;
	for (uint64_t i = core->store_head; i < core->store_tail; i++)
		if (core_store(core, i)->retired)
			effect->stores = i + 1;
	effect->drains = !form->flushes;
	effect->address = form->flushes ? flow->load[0].linear : 0;
	take_effects(core, CORE_EFFECTS);
}

uint64_t core_commit_word(struct x86_core *core)
{
	const struct core_store *store = core_store(core, core->store_head);
	const struct core_access access = { .address = store->address,
					    .size = store->size };

	return MEMO_COMMIT | (unsigned)core_splits(core, &access) << 4 |
	       (unsigned)(store->size != 0) << 5;
}

void core_store_leaves(struct x86_core *core)
{
	count_bytes(core, core_store(core, core->store_head++), -1);
}

void core_commit(struct x86_core *core)
{
	struct core_store *store;
	struct core_access access;
	unsigned more = 0;

	if (core->store_head == core->store_tail ||
	    core->now < core->commit_free)
		return;
	store = core_store(core, core->store_head);
	if (!store->retired || !core_room(core, STAGE_COMMIT, 1))
		return;
	access = (struct core_access){ .address = store->address,
				       .size = store->size };
	if (core->memory.begin && store->size) {
		if (core_store_waits(core, &more))
			return;
	} else if (core->memory.access && store->size) {
		more = core->memory.access(core->memory.owner, store->linear,
					   store->size, true, core->now);
	}
	core->progress = true;
	core->commit_free = core->now + 1 + core_splits(core, &access) + more;
	core_use(core, STAGE_COMMIT, 1);
	core->counts.stores++;
	if (core->tapes)
		core_memo_note(core, core_commit_word(core));
	core_store_leaves(core);
	release(core, core->store_head - 1);
	take_effects(core, CORE_EFFECTS);
}
