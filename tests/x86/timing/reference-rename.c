/* The slow core: the renamer. */
#include "x86/timing/reference-state.h"

/* Where the value of a place is. */
static unsigned where(const struct reference *r, unsigned place, unsigned top)
{
	if (place >= X86_AT_ST && place < X86_AT_ST + 8)
		return X86_AT_ST + (top + place - X86_AT_ST) % 8;
	for (unsigned k = 0; k < 4; k++)
		if (place == X86_PLACE_HIGH + k && !r->high[k])
			return k;
	return place;
}

/* Only the lowest byte of the register is written. */
static bool byte_only(const struct x86_inst *inst, unsigned place)
{
	unsigned bytes = 0, others = 0;

	for (unsigned n = 0; n < inst->operand_count; n++) {
		const struct x86_operand *o = &inst->operand[n];

		if (o->kind == X86_OPERAND_REGISTER && o->write &&
		    o->location == place)
			o->size == 1 ? bytes++ : others++;
	}
	return bytes && !others;
}

/* A group of registers with one value has ended when too few are left. */
static void end_groups(struct reference *r)
{
	for (unsigned g = 1; g <= r->groups; g++) {
		unsigned names = 0;

		for (unsigned p = 0; p < X86_PLACE_COUNT; p++)
			names += r->map[p].group == g;
		for (unsigned p = 0; p < X86_PLACE_COUNT; p++)
			if (names <= r->figure.move_free_at &&
			    r->map[p].group == g)
				r->map[p].group = 0;
	}
}

static unsigned groups_alive(const struct reference *r, bool vector)
{
	unsigned alive = 0;

	for (unsigned g = 1; g <= r->groups; g++) {
		bool any = false;

		for (unsigned p = 0; p < X86_PLACE_COUNT; p++)
			any |= r->map[p].group == g;
		alive += any && r->group_vector[g] == vector;
	}
	return alive;
}

static void give_value(struct reference *r, const struct ref_instruction *i,
		       unsigned place, struct ref_name value)
{
	const struct x86_inst *inst = i->input->inst;
	unsigned top = r->top;

	if (inst->x87_push > 0)
		top -= (unsigned)inst->x87_push;
	if (place >= X86_PLACE_HIGH && place < X86_PLACE_HIGH + 4)
		r->high[place - X86_PLACE_HIGH] = true;
	else if (place < 4 && !byte_only(inst, place))
		r->high[place] = false;
	place = where(r, place, top);
	r->map[place] = value;
	if (place < 16)
		r->written[place] = ++r->writes;
	end_groups(r);
}

static unsigned bits(unsigned mask)
{
	unsigned n = 0;

	for (unsigned p = 0; p < 16; p++)
		n += mask >> p & 1;
	return n;
}

static unsigned choose_port(struct reference *r, unsigned ports, unsigned slot)
{
	int best = -1, second = -1;

	if (bits(ports) > 1 && ports == r->figure.load_ports) {
		unsigned turn = r->turn++ % bits(ports);

		for (unsigned p = 0; p < 16; p++)
			if (ports >> p & 1 && !turn--)
				return p;
	}
	for (int p = 15; p >= 0; p--)
		if (ports >> p & 1 &&
		    (best < 0 || r->before[p] < r->before[best]))
			best = p;
	for (int p = 15; p >= 0; p--)
		if (ports >> p & 1 && p != best &&
		    (second < 0 || r->before[p] < r->before[second]))
			second = p;
	if (slot % 2 == 0 || second < 0 ||
	    r->before[second] >= r->before[best] + 3)
		return (unsigned)best;
	return (unsigned)second;
}

static bool chases(const struct reference *r, const struct x86_inst *inst,
		   unsigned operand)
{
	const struct x86_memory *m;

	if (!inst->memory_count)
		return false;
	m = &inst->memory[operand < inst->memory_count ? operand : 0];
	return m->base < 16 && m->index == X86_NO_REGISTER &&
	       m->displacement >= 0 &&
	       m->displacement < r->figure.chased_displacement &&
	       r->map[m->base].loaded;
}

static unsigned number_of_store(struct reference *r, struct ref_instruction *i,
				unsigned operand)
{
	unsigned which = operand < 2 && i->store[operand].size ? operand : 0;
	struct ref_store *store;

	if (i->store_number[which] < 0) {
		store = &r->store[r->stores];
		*store = (struct ref_store){
			.access = i->store[which],
			.address_uop = -1, .data_uop = -1,
			.retired = NEVER, .committed = NEVER,
		};
		store->writes = r->writes;
		store->masked = i->input->form->masked;
		store->modifies = i->load[0].size &&
				  i->load[0].address == store->access.address;
		i->store_number[which] = (int)r->stores++;
	}
	return (unsigned)i->store_number[which];
}

/* ---- Memory renaming ---- */

/* The operand of a load or store, if it may be renamed. */
static const struct x86_memory *operand_of(const struct reference *r,
					   const struct ref_instruction *i,
					   const struct x86_uop *what,
					   int64_t *pushed)
{
	const struct x86_inst *inst = i->input->inst;
	const struct x86_memory *m = &inst->memory[what->memory];
	const struct x86_template *form = i->form;

	if (what->memory >= inst->memory_count || m->base > 15 || m->vector ||
	    m->conditional || m->bits || form->locked || form->masked ||
	    form->past || form->hint || form->microcode_uops)
		return NULL;
	if (m->size != 4 && m->size != 8)
		return NULL;
	*pushed = m->base == X86_RSP ? r->pushed : 0;
	if (m->pushed)
		*pushed -= m->size;
	return (m->displacement + *pushed) % m->size ? NULL : m;
}

static bool alike(const struct x86_memory *a, int64_t a_pushed,
		  const struct x86_memory *b, int64_t b_pushed)
{
	return a->base == b->base && a->index == b->index &&
	       a->scale == b->scale && a->segment == b->segment &&
	       a->size == b->size && a->address_size == b->address_size &&
	       a->displacement + a_pushed == b->displacement + b_pushed;
}

/* The store whose register a load may have; -1: none. */
static int twin(const struct reference *r, const struct ref_uop *u)
{
	const struct ref_instruction *i = &r->instruction[u->instruction];
	int64_t pushed;
	const struct x86_memory *m = operand_of(r, i, u->what, &pushed);

	if (!m || u->what->load != X86_LOAD_GENERAL)
		return -1;
	for (int n = (int)u->older - 1; n >= 0; n--) {
		const struct ref_store *s = &r->store[n];

		if (s->committed != NEVER || !s->operand ||
		    !alike(s->operand, s->pushed, m, pushed) ||
		    r->written[m->base] > s->writes ||
		    (m->index < 16 && r->written[m->index] > s->writes))
			continue;
		return s->general ? n : -1;
	}
	return -1;
}

/* Whether a load gets the register of a store. */
static bool copies(struct reference *r, struct ref_uop *u, int store,
		   bool forwarded)
{
	struct ref_instruction *i = &r->instruction[u->instruction];
	bool right = store == u->source && forwarded;

	if (store < 0 || !ref_load_access(r, u)->size)
		return false;
	if (r->figure.disambiguation != 2)
		return right;
	if (r->trust[i->input->address % r->figure.order_counters] >=
	    r->figure.order_trust) {
		u->mistaken = !right;
		return true;
	}
	i->unknown = true;
	i->needed |= !right;
	return false;
}

static void note_store(struct reference *r, struct ref_instruction *i,
		       const struct x86_uop *what, struct ref_store *s)
{
	if (what->kind == X86_UOP_STORE_ADDRESS) {
		s->operand = s->address_uop < 0
				? operand_of(r, i, what, &s->pushed) : NULL;
		return;
	}
	s->value = (struct ref_name){ .uop = -1 };
	s->general = s->data_uop < 0 && what->source_count < 2;
	if (!what->source_count)
		return;
	s->value = r->map[where(r, what->source[0], r->top)];
	if (what->source[0] > 15 &&
	    (what->source[0] < X86_PLACE_INTERNAL || !i->load_references))
		s->general = false;
}

static void new_uop(struct reference *r, struct ref_instruction *i,
		    const struct x86_uop *what, unsigned slot, unsigned ports,
		    struct ref_slot *entry)
{
	struct ref_name value = { .uop = -1 };
	int number = (int)r->uops, from = -1;
	int retired = r->slots_retired < r->slots ?
			      (int)r->slot[r->slots_retired].first : number;

	if (!ports && what->source_count) {
		r->map[where(r, what->result[0].place, r->top)] =
			r->map[where(r, what->source[0], r->top)];
		r->map[where(r, what->result[0].place, r->top)].latency +=
			what->result[0].latency;
		return;
	}
	if (ports) {
		struct ref_uop *u = &r->uop[r->uops++];

		*u = (struct ref_uop){
			.what = what, .issued = r->now, .started = NEVER,
			.instruction = (unsigned)(i - r->instruction),
			.port = choose_port(r, ports, slot),
			.data = -1, .address = -1, .blocks = -1, .alias = -1,
			.source = -1,
			.longest = what->kind == X86_UOP_LOAD ? 0 : 1,
		};
		if (what->divider_cycles) {
			u->unit = 1;
			u->unit_cycles = what->divider_cycles;
			if (i->form->minimum_cycles > u->unit_cycles)
				u->unit_cycles = i->form->minimum_cycles;
		} else if (i->form->minimum_cycles && !i->uops) {
			u->unit = 2 + i->form->form % 16;
			u->unit_cycles = i->form->minimum_cycles;
		}
		for (unsigned s = 0; s < what->source_count; s++) {
			const struct ref_name *name = &r->map[
				where(r, what->source[s], r->top)];

			/* What retired uops have made is there, by memory
			 * renaming, too. */
			u->from[s] = name->uop < retired ? -1 : name->uop;
			u->after[s] = name->latency;
			if (u->from[s] >= 0 && what->domain &&
			    r->uop[u->from[s]].what->domain &&
			    r->uop[u->from[s]].what->domain != what->domain)
				u->after[s] += r->figure.domain_delay;
		}
		if (what->kind == X86_UOP_LOAD) {
			u->chased = chases(r, i->input->inst, what->memory);
			/* Its own stores are not older. */
			u->older = r->stores;
			for (unsigned k = 0; k < 2; k++)
				if (i->store_number[k] >= 0 &&
				    (unsigned)i->store_number[k] < u->older)
					u->older = (unsigned)i->store_number[k];
			ref_find_store(r, u, ref_load_access(r, u));
			if (r->figure.memory_renaming)
				from = twin(r, u);
			u->copied = copies(r, u, from, u->blocks < 0);
			if (!u->copied)
				from = -1;
			entry->loads++;
		} else if (what->kind != X86_UOP_COMPUTE) {
			unsigned at = number_of_store(r, i, what->memory);
			struct ref_store *s = &r->store[at];

			note_store(r, i, what, s);
			if (what->kind == X86_UOP_STORE_ADDRESS)
				s->address_uop = number;
			else
				s->data_uop = number;
		}
		for (unsigned n = 0; n < what->result_count; n++)
			if (what->result[n].latency > u->longest)
				u->longest = what->result[n].latency;
		entry->uops++;
		i->uops++;
		value.uop = number;
		value.loaded = what->kind == X86_UOP_LOAD;
	}
	for (unsigned n = 0; n < what->result_count; n++) {
		value.latency = what->result[n].latency;
		if (from >= 0) {
			value = r->store[from].value;
			value.latency += what->result[n].latency;
			if (what->result[n].place < X86_PLACE_INTERNAL)
				value.latency += r->figure.renamed_latency;
			value.loaded = false;
			value.group = 0;
		}
		give_value(r, i, what->result[n].place, value);
	}
}

static bool fits(const struct reference *r, unsigned uops, unsigned loads,
		 unsigned stores)
{
	unsigned waiting = 0, in_flight = 0, held = 0;

	for (unsigned n = 0; n < r->uops; n++)
		waiting += r->uop[n].started == NEVER;
	for (unsigned n = r->slots_retired; n < r->slots; n++)
		in_flight += r->slot[n].loads;
	for (unsigned n = 0; n < r->stores; n++)
		held += r->store[n].committed == NEVER;
	return r->slots - r->slots_retired < r->figure.reorder_buffer &&
	       waiting + uops <= r->figure.scheduler &&
	       in_flight + loads <= r->figure.load_queue &&
	       held + stores <= r->figure.store_queue;
}

static struct ref_slot *new_slot(struct reference *r,
				 struct ref_instruction *i)
{
	struct ref_slot *slot = &r->slot[r->slots++];

	*slot = (struct ref_slot){
		.instruction = (unsigned)(i - r->instruction),
		.first = r->uops,
	};
	if (i->first_uop < 0) {
		i->first_uop = (int)r->uops;
		i->issued = r->now;
	}
	return slot;
}

static bool eliminate(struct reference *r, struct ref_instruction *i)
{
	const struct x86_template *form = i->form;
	bool vector = form->vector_move;
	unsigned busy = groups_alive(r, vector);
	struct ref_name *from = &r->map[form->move_from];

	for (unsigned n = 0; n < r->eliminations; n++)
		busy += r->elimination_vector[n] == vector &&
			r->elimination[n] < r->now &&
			r->elimination[n] + r->figure.move_pipeline > r->now;
	if (busy >= (vector ? r->figure.move_slots_vector :
			      r->figure.move_slots_general))
		return false;
	if (!from->group) {
		from->group = ++r->groups;
		r->group_vector[r->groups] = vector;
	}
	r->elimination[r->eliminations] = r->now;
	r->elimination_vector[r->eliminations++] = vector;
	give_value(r, i, form->move_to, *from);
	return true;
}

/* One issue slot of an instruction. */
static bool issue_slot(struct reference *r, struct ref_instruction *i,
		       unsigned slot)
{
	const struct x86_template *form = i->form;
	bool last = i->renamed + 1 == i->issue_slots;
	unsigned end = i->next_uop, uops = 0, loads = 0;
	bool store[2] = { false };
	struct ref_slot *entry;

	for (; end < form->uop_count &&
	       (last || form->uop[end].slot <= i->renamed); end++) {
		const struct x86_uop *what = &form->uop[end];
		unsigned which = what->memory < 2 &&
				 i->store[what->memory].size ? what->memory : 0;

		uops += what->ports != 0;
		loads += what->kind == X86_UOP_LOAD;
		if (what->kind >= X86_UOP_STORE_ADDRESS &&
		    i->store_number[which] < 0)
			store[which] = true;
	}
	if (!fits(r, uops, loads, (unsigned)store[0] + store[1]))
		return false;
	entry = new_slot(r, i);
	entry->last = last;
	if (form->eliminable && eliminate(r, i))
		i->next_uop = end;
	for (; i->next_uop < end; i->next_uop++) {
		const struct x86_uop *what = &form->uop[i->next_uop];
		unsigned ports = what->ports;

		/* The last uop of a fused pair goes where the branch would. */
		if (i->fuses && i->next_uop + 1 == form->uop_count)
			for (unsigned k = 0; k < i[1].form->uop_count; k++)
				if (i[1].form->uop[k].ports)
					ports = i[1].form->uop[k].ports;
		new_uop(r, i, what, slot, ports, entry);
	}
	i->renamed++;
	return true;
}

/* More than the lowest byte of the register is read. */
static bool wants_all(const struct x86_inst *inst, unsigned place)
{
	unsigned bytes = 0;

	for (unsigned n = 0; n < inst->memory_count; n++)
		if (inst->memory[n].base == place ||
		    inst->memory[n].index == place)
			return true;
	if (!(inst->read >> place & 1))
		return false;
	for (unsigned n = 0; n < inst->operand_count; n++) {
		const struct x86_operand *o = &inst->operand[n];

		if (o->kind != X86_OPERAND_REGISTER || !o->read ||
		    o->location != place)
			continue;
		if (o->size != 1)
			return true;
		bytes++;
	}
	return !bytes;
}

static struct ref_instruction *next_instruction(struct reference *r)
{
	for (unsigned n = 0; n < r->count; n++) {
		struct ref_instruction *i = &r->instruction[n];

		if (i->done)
			continue;
		if (i->whole)
			return i;
		return i->delivered > ref_queue_slot(i, i->renamed) ? i : NULL;
	}
	return NULL;
}

static bool empty(const struct reference *r)
{
	return r->slots == r->slots_retired;
}

/* An uop of the renamer's own before instruction i. 0: none is needed; -1: it
 * has to wait; else the number of the cycle's slots that are used after it. */
static int own_uop(struct reference *r, struct ref_instruction *i,
		   unsigned used)
{
	const struct x86_uop *what = NULL;
	bool merge = false;
	unsigned written;

	for (unsigned k = 0; k < 4 && !what; k++)
		if (r->high[k] && wants_all(i->input->inst, k)) {
			what = &r->merge[k];
			merge = true;
		}
	if (!what && i->form->stack_explicit && r->stack)
		what = &r->sync;
	if (!what)
		return 0;
	if ((merge && r->figure.merge_alone && used) || !fits(r, 1, 0, 0))
		return -1;
	written = r->written[X86_RSP];
	new_uop(r, i, what, used, what->ports, new_slot(r, i));
	/* Synchronizing rsp does not change it. */
	if (!merge)
		r->written[X86_RSP] = written;
	if (merge)
		r->high[what->result[0].place] = false;
	else
		r->stack = 0;
	return merge && r->figure.merge_alone ? (int)r->figure.issue_width
					      : (int)used + 1;
}

void ref_rename(struct reference *r)
{
	unsigned width = r->figure.issue_width, used = 0;

	if (r->drain && !empty(r))
		return;
	r->drain = false;
	while (used < width) {
		struct ref_instruction *i = next_instruction(r);
		unsigned pairs;

		if (!i)
			return;
		if (!i->renamed) {
			int own;

			if (i->form->serializing && i->first_uop < 0 &&
			    !empty(r))
				return;
			own = own_uop(r, i, used);
			if (own < 0)
				return;
			if (own) {
				used = (unsigned)own;
				continue;
			}
		}
		pairs = i->issue_slots - i->queue_slots;
		if (i->renamed < 2 * pairs && i->renamed % 2 == 0 &&
		    width > 1 && used + 2 > width && !r->figure.pair_splits)
			return;
		if (!issue_slot(r, i, used))
			return;
		used++;
		if (i->renamed < i->issue_slots || !i->whole)
			continue;
		i->done = true;
		r->stack += i->form->stack_change;
		r->pushed += i->form->stack_change;
		r->top -= (unsigned)i->input->inst->x87_push;
		r->drain = i->form->serializing;
		if (i->fuses)
			i[1].done = true;
		if (i->ends_group)
			return;
	}
}
