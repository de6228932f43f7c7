/* The slow core: dispatch, loads and stores, retirement; a whole run. */
#include "x86/timing/reference.h"

#include <stdlib.h>

#include "base/memory.h"
#include "x86/timing/reference-state.h"

/* ---- Values ---- */

static bool known(const struct reference *r, int uop);

/* When a known uop's results count from. */
static uint64_t value_at(const struct reference *r, int uop)
{
	const struct ref_uop *u = &r->uop[uop];
	uint64_t at = u->cache;

	if (u->what->kind != X86_UOP_LOAD)
		return u->started;
	if (u->waits)
		return r->store[u->blocks].committed +
		       r->figure.forward_failed;
	if (u->data >= 0 && value_at(r, u->data) + u->from_data > at)
		at = value_at(r, u->data) + u->from_data;
	if (u->address >= 0 && value_at(r, u->address) + u->from_address > at)
		at = value_at(r, u->address) + u->from_address;
	return at;
}

static bool known(const struct reference *r, int uop)
{
	const struct ref_uop *u = &r->uop[uop];

	if (u->started == NEVER || u->held)
		return false;
	if (u->what->kind != X86_UOP_LOAD)
		return true;
	if (u->waits)
		return r->store[u->blocks].committed != NEVER;
	return (u->data < 0 || known(r, u->data)) &&
	       (u->address < 0 || known(r, u->address));
}

static bool ready(const struct reference *r, const struct ref_uop *u)
{
	if (u->started != NEVER || u->issued + r->figure.issue_delay > r->now)
		return false;
	for (unsigned s = 0; s < u->what->source_count; s++)
		if (u->from[s] >= 0 &&
		    (!known(r, u->from[s]) ||
		     value_at(r, u->from[s]) + u->after[s] > r->now))
			return false;
	return !u->unit || r->now >= r->unit_free[u->unit];
}

/* ---- Loads and stores ---- */

static bool meet(uint64_t a, uint32_t a_size, uint64_t b, uint32_t b_size)
{
	return a < b + b_size && b < a + a_size;
}

const struct ref_access *ref_load_access(const struct reference *r,
					 const struct ref_uop *uop)
{
	const struct ref_instruction *i = &r->instruction[uop->instruction];
	unsigned which = uop->what->memory;

	return &i->load[which < 2 && i->load[which].size ? which : 0];
}

void ref_find_store(struct reference *r, struct ref_uop *load,
		    const struct ref_access *access)
{
	const struct ref_instruction *i = &r->instruction[load->instruction];

	if (!access->size)
		return;
	for (int n = (int)r->stores - 1; n >= 0; n--) {
		const struct ref_store *s = &r->store[n];
		const struct ref_access *a = &s->access;
		int first;

		if (s->committed != NEVER)
			continue;
		if (!meet(a->address, a->size, access->address, access->size)) {
			if (load->alias < 0 &&
			    meet(a->address % 4096, a->size,
				 access->address % 4096, access->size))
				load->alias = n;
			continue;
		}
		load->source = n;
		if (s->masked || access->address < a->address ||
		    access->address + access->size > a->address + a->size ||
		    access->linear - access->address !=
			    a->linear - a->address) {
			load->blocks = n;
			return;
		}
		/* Its uops, unless they have retired. */
		first = r->slots_retired < r->slots ?
				(int)r->slot[r->slots_retired].first :
				(int)r->uops;
		load->data = s->data_uop < first ? -1 : s->data_uop;
		load->address = s->address_uop < first ? -1 : s->address_uop;
		load->from_address = r->figure.forward_address;
		load->from_data = load->what->load == X86_LOAD_GENERAL ?
					  r->figure.forward_general :
				  load->what->load == X86_LOAD_YMM ?
					  r->figure.forward_wide :
					  r->figure.forward_vector;
		if (s->modifies && i->store[0].size &&
		    i->store[0].address == access->address)
			load->from_data += r->figure.forward_modify;
		return;
	}
}

static bool two_lines(const struct reference *r, const struct ref_access *a)
{
	return a->size && a->address / r->figure.line !=
				  (a->address + a->size - 1) / r->figure.line;
}

/* ---- Loads and stores without addresses ---- */

/* Whether a store's address is unknown to a load that starts now. */
static bool no_address(const struct reference *r, unsigned store)
{
	int uop = r->store[store].address_uop;

	return uop >= 0 && (r->uop[uop].started == NEVER ||
			    r->uop[uop].started >= r->now);
}

/* Whether a load that starts has to wait. */
static bool has_to_wait(struct reference *r, struct ref_uop *u)
{
	struct ref_instruction *i = &r->instruction[u->instruction];
	unsigned entry = (unsigned)(i->input->address %
				    r->figure.order_counters);
	bool any = false, needed = false, wait;

	for (unsigned n = 0; n < u->older && !u->copied; n++) {
		any |= no_address(r, n);
		needed |= no_address(r, n) && (int)n == u->source;
	}
	if (!any || !ref_load_access(r, u)->size)
		return false;
	if (!r->figure.disambiguation)
		return false;
	if (r->figure.disambiguation == 1 || i->form->locked)
		return true;
	if (r->figure.disambiguation == 3)
		return needed;
	wait = r->trust[entry] < r->figure.order_trust;
	i->unknown = true;
	i->needed |= needed;
	i->wrong |= needed && !wait;
	return wait;
}

/* An instruction retires, or is fetched again because it was wrong. */
static void teach(struct reference *r, const struct ref_instruction *i)
{
	unsigned *trust = &r->trust[i->input->address %
				    r->figure.order_counters];

	if (i->needed)
		*trust = 0;
	else if (i->unknown && *trust < r->figure.order_trust)
		++*trust;
}

static void begin_load(struct reference *r, struct ref_uop *u);

/* Loads that have waited long enough. */
static void begin_held(struct reference *r)
{
	for (unsigned n = 0; n < r->uops; n++) {
		struct ref_uop *u = &r->uop[n];
		uint64_t last = 0;

		if (!u->held)
			continue;
		for (unsigned s = 0; s < u->older && last != NEVER; s++) {
			int uop = r->store[s].address_uop;

			if (uop >= 0 && r->uop[uop].started > last)
				last = r->uop[uop].started;
		}
		if (last == NEVER || last + r->figure.order_delay > r->now)
			continue;
		u->held = false;
		begin_load(r, u);
	}
}

static void start_load(struct reference *r, struct ref_uop *u)
{
	r->port_free[u->port] += two_lines(r, ref_load_access(r, u));
	if (u->mistaken)
		r->instruction[u->instruction].wrong =
			r->instruction[u->instruction].needed = true;
	if (has_to_wait(r, u))
		u->held = true;
	else
		begin_load(r, u);
}

static void begin_load(struct reference *r, struct ref_uop *u)
{
	const struct ref_access *access = ref_load_access(r, u);
	uint64_t latency;

	switch (u->what->load) {
	case X86_LOAD_GENERAL:
		latency = u->chased ? r->figure.load_chased
				    : r->figure.load_general;
		break;
	case X86_LOAD_YMM:
		latency = r->figure.load_wide;
		break;
	default:
		latency = r->figure.load_vector;
	}
	if (two_lines(r, access))
		latency += r->figure.split_delay;
	if (r->memory.access && access->size)
		latency += r->memory.access(r->memory.owner, access->linear,
					    access->size, false, r->now);
	if (u->blocks >= 0)
		u->waits = r->store[u->blocks].committed == NEVER;
	else if (u->alias >= 0 && r->store[u->alias].committed == NEVER)
		latency += r->figure.alias_delay;
	u->cache = r->now + latency;
}

static void commit(struct reference *r)
{
	for (unsigned n = 0; n < r->stores; n++) {
		struct ref_store *s = &r->store[n];

		if (s->committed != NEVER)
			continue;
		if (s->retired == NEVER || r->now < r->commit_free)
			return;
		s->committed = r->now;
		r->commit_free = r->now + 1 + two_lines(r, &s->access);
		if (r->memory.access && s->access.size)
			r->commit_free += r->memory.access(
				r->memory.owner, s->access.linear,
				s->access.size, true, r->now);
		return;
	}
}

/* ---- Dispatch and retirement ---- */

/* Of several ready uops for one unit the oldest gets it. */
static bool is_first(const struct reference *r, const struct ref_uop *u)
{
	for (const struct ref_uop *older = r->uop; u->unit && older < u;
	     older++)
		if (older->unit == u->unit && ready(r, older))
			return false;
	return true;
}

static void dispatch(struct reference *r)
{
	begin_held(r);
	for (unsigned port = 0; port < 16; port++) {
		struct ref_uop *u = NULL;

		if (r->now < r->port_free[port])
			continue;
		for (unsigned n = 0; n < r->uops && !u; n++)
			if (r->uop[n].port == port && ready(r, &r->uop[n]) &&
			    is_first(r, &r->uop[n]))
				u = &r->uop[n];
		if (!u)
			continue;
		u->started = r->now;
		r->port_free[port] = r->now + u->what->port_cycles;
		r->unit_free[u->unit] = r->now + u->unit_cycles;
		if (u->what->kind == X86_UOP_LOAD)
			start_load(r, u);
	}
}

static bool finished(const struct reference *r, const struct ref_slot *slot)
{
	for (unsigned n = slot->first; n < slot->first + slot->uops; n++)
		if (!known(r, (int)n) ||
		    value_at(r, (int)n) + r->uop[n].longest > r->now)
			return false;
	return true;
}

static void note(struct reference *r, struct ref_instruction *i,
		 struct x86_core_retired *time)
{
	*time = (struct x86_core_retired){
		.inst = i->input->inst, .form = i->form,
		.number = (uint64_t)(i - r->instruction),
		.address = i->input->address,
		.predecoded = i->predecoded, .decoded = i->decoded,
		.issued = i->issued, .retired = r->now,
		.fused = i->fused, .uops = i->uops,
	};
	for (unsigned n = 0; n < i->uops && n < 16; n++) {
		const struct ref_uop *u = &r->uop[i->first_uop + (int)n];

		time->uop[n].issued = u->issued;
		time->uop[n].dispatched = u->started;
		time->uop[n].done = value_at(r, i->first_uop + (int)n) +
				    u->longest;
		time->uop[n].port = (uint8_t)u->port;
		time->uop[n].kind = u->what->kind;
	}
	teach(r, i);
	i->retired = r->now;
	for (unsigned n = 0; n < 2; n++)
		if (i->store_number[n] >= 0)
			r->store[i->store_number[n]].retired = r->now;
}

static void set_up(struct reference *r, struct ref_instruction *i,
		   const struct x86_core_input *input);

/* All from an instruction on is fetched again. */
static void fetch_again(struct reference *r, unsigned from)
{
	r->uops = r->slot[r->slots_retired].first;
	r->slots = r->slots_retired;
	while (r->stores && r->store[r->stores - 1].retired == NEVER)
		r->stores--;
	for (unsigned n = from; n < r->count; n++)
		set_up(r, &r->instruction[n], r->instruction[n].input);
	/* All values are there. */
	for (unsigned p = 0; p < X86_PLACE_COUNT; p++)
		r->map[p] = (struct ref_name){ .uop = -1 };
	for (unsigned k = 0; k < 4; k++)
		r->high[k] = false;
	/* And nothing that stores have named. */
	r->writes++;
	for (unsigned p = 0; p < 16; p++)
		r->written[p] = r->writes;
	r->stack = 0;
	r->drain = r->microcode = false;
	r->source = REF_DECODERS;
	r->to_cache = r->block_known = false;
	r->open_end = 0;
	r->mark = r->mark_before = from;
	r->mark_branch = false;
	r->decode_free = r->now;
	r->predecode_free = r->now + r->figure.redirect;
}

static void retire(struct reference *r, struct x86_core_retired *times)
{
	for (unsigned n = 0; n < r->figure.retire_width; n++) {
		const struct ref_slot *slot = &r->slot[r->slots_retired];
		struct ref_instruction *i;

		if (r->slots_retired == r->slots)
			return;
		i = &r->instruction[slot->instruction];
		if (i->wrong && (!r->slots_retired ||
				 slot[-1].instruction != slot->instruction)) {
			teach(r, i);
			fetch_again(r, slot->instruction);
			return;
		}
		if (!finished(r, slot))
			return;
		r->slots_retired++;
		if (!slot->last)
			continue;
		i = &r->instruction[slot->instruction];
		note(r, i, &times[slot->instruction]);
		if (i->fuses) {
			i[1].issued = i->issued;
			note(r, i + 1, &times[slot->instruction + 1]);
		}
	}
}

/* ---- A run ---- */

static void set_up(struct reference *r, struct ref_instruction *i,
		   const struct x86_core_input *input)
{
	unsigned loads = 0, stores = 0;

	*i = (struct ref_instruction){
		.input = input, .form = input->form, .first_uop = -1,
		.store_number = { -1, -1 }, .issue_slots = input->form->slots,
		.queue_slots = input->form->slots_fused, .predecoded = NEVER,
		.decoded = NEVER, .issued = NEVER, .retired = NEVER,
	};
	for (unsigned n = 0; n < input->references; n++) {
		const struct x86_reference *from = &input->reference[n];
		struct ref_access a = {
			.address = from->address, .linear = from->address,
			.size = from->size * from->count,
		};

		if (r->memory.place)
			a.address = r->memory.place(r->memory.owner,
						    from->address);
		if (from->direction & X86_LOAD && loads < 2)
			i->load[loads++] = a;
		i->load_references = loads;
		if (from->direction & X86_STORE && stores < 2)
			i->store[stores++] = a;
	}
}

static void begin_cycle(struct reference *r)
{
	for (unsigned p = 0; p < 16; p++)
		r->before[p] = 0;
	for (unsigned n = 0; n < r->uops; n++)
		r->before[r->uop[n].port] += r->uop[n].started == NEVER;
}

static void own_uops(struct reference *r)
{
	r->sync = (struct x86_uop){
		.ports = (uint16_t)r->figure.simple_ports, .port_cycles = 1,
		.source_count = 1, .source = { 4 },
		.result_count = 1, .result = { { 4, 1 } },
	};
	for (unsigned k = 0; k < 4; k++)
		r->merge[k] = (struct x86_uop){
			.ports = (uint16_t)r->figure.merge_ports,
			.port_cycles = 1, .source_count = 2,
			.source = { (uint8_t)k,
				    (uint8_t)(X86_PLACE_HIGH + k) },
			.result_count = 1, .result = { { (uint8_t)k, 1 } },
		};
}

uint64_t reference_run(const struct x86_core_figures *figures,
		       const struct x86_core_memory *memory,
		       const struct x86_core_input *program, unsigned count,
		       struct x86_core_retired *times)
{
	struct reference *r = xcalloc(1, sizeof *r);
	uint64_t quiet = 0, cycles;

	r->figure = *figures;
	r->memory = *memory;
	r->count = count;
	r->instruction = xcalloc(count + 1, sizeof *r->instruction);
	r->uop = xcalloc(count * 300 + 1, sizeof *r->uop);
	r->store = xcalloc(count * 2 + 1, sizeof *r->store);
	r->slot = xcalloc(count * 300 + 1, sizeof *r->slot);
	r->elimination = xcalloc(count + 1, sizeof *r->elimination);
	r->elimination_vector = xcalloc(count + 1, 1);
	for (unsigned n = 0; n < count; n++)
		set_up(r, &r->instruction[n], &program[n]);
	for (unsigned p = 0; p < X86_PLACE_COUNT; p++)
		r->map[p].uop = -1;
	own_uops(r);
	for (unsigned n = 0; n < 4096; n++)
		r->trust[n] = figures->order_start;
	while (r->instruction[count - 1].retired == NEVER && quiet < 20000) {
		unsigned before = r->slots_retired;

		begin_cycle(r);
		dispatch(r);
		commit(r);
		retire(r, times);
		ref_rename(r);
		ref_front(r);
		ref_predecode(r);
		r->now++;
		quiet = r->slots_retired > before ? 0 : quiet + 1;
	}
	cycles = r->instruction[count - 1].retired == NEVER ? 0 : r->now;
	free(r->instruction);
	free(r->uop);
	free(r->store);
	free(r->slot);
	free(r->elimination);
	free(r->elimination_vector);
	free(r);
	return cycles;
}
