/* What the renamer does for each uop: finds the values that the uop waits for,
 * names its results, and puts it into the scheduler. */
#include "x86/timing/core/rename/issue.h"

#include "x86/timing/core/execute/limits.h"
#include "x86/timing/core/loadstore/loadstore.h"
#include "x86/timing/core/loadstore/renaming.h"

/* The place that holds a value: x87 registers by their number; AH with its
 * register, unless AH is newer. */
static unsigned kept(const struct x86_core *core, unsigned place, unsigned top)
{
	if (place - X86_AT_ST < 8u)
		return X86_AT_ST + (top + place - X86_AT_ST) % 8;
	if (place - X86_PLACE_HIGH < 4u &&
	    !(core->names.high_apart >> (place - X86_PLACE_HIGH) & 1))
		return place - X86_PLACE_HIGH;
	return place;
}

/* The cycles that a value takes longer to a uop of another kind of units. */
static inline unsigned crosses(const struct x86_core *core,
			       const struct x86_uop *what,
			       const struct core_uop *from)
{
	unsigned domain = what->domain, other = from->what->domain;

	return domain && other && domain != other ? core->figure.domain_delay
						  : 0;
}

static void read_sources(struct x86_core *core, unsigned index,
			 const struct x86_uop *what)
{
	struct core_uop *uop = &core->uop[index];

	for (unsigned i = 0; i < what->source_count; i++) {
		const struct core_value *value =
			&core->names.map[kept(core, what->source[i], core->names.x87_top)];
		struct core_uop *from;

		if (value->sequence == VALUE_READY ||
		    value->sequence < core->uop_head)
			continue;
		from = core_uop(core, value->sequence);
		uop->latency[i] = (uint16_t)(value->latency +
					     crosses(core, what, from));
		if (from->state == UOP_KNOWN) {
			uop->ready_at = core_later(uop->ready_at,
				from->value_at + uop->latency[i]);
			continue;
		}
		uop->pending++;
		core_wait_for(core, index, i, from);
	}
}

/* Whether an instruction writes only the lowest byte of a register. */
static bool writes_byte(const struct x86_inst *inst, unsigned place)
{
	bool any = false;

	for (unsigned i = 0; i < inst->operand_count; i++) {
		const struct x86_operand *o = &inst->operand[i];

		if (o->kind != X86_OPERAND_REGISTER || o->location != place ||
		    !o->write)
			continue;
		if (o->size != 1)
			return false;
		any = true;
	}
	return any;
}

void core_set_value(struct x86_core *core, const struct core_flow *flow,
		    unsigned place, struct core_value value)
{
	int push = flow->inst->x87_push;

	if (place - X86_PLACE_HIGH < 4u)
		core->names.high_apart |= (uint8_t)(1u << (place - X86_PLACE_HIGH));
	else if (place < 4 && core->names.high_apart >> place & 1 &&
		 !writes_byte(flow->inst, place))
		core->names.high_apart &= (uint8_t)~(1u << place);
	place = kept(core, place, core->names.x87_top - (push > 0 ? push : 0));
	if (core->figure.memory_renaming)
		core_renaming_written(core, place);
	core_move_forget(core, place);
	core_move_join(core, place, value);
}

/* Whether the address of a load comes from a load, without an index. */
static bool is_chased(const struct x86_core *core, const struct core_flow *flow,
		      const struct x86_uop *what)
{
	const struct x86_memory *memory = &flow->inst->memory[
		what->memory < flow->inst->memory_count ? what->memory : 0];

	return flow->inst->memory_count && memory->base < 16 &&
	       memory->index == X86_NO_REGISTER && memory->displacement >= 0 &&
	       memory->displacement < core->figure.chased_displacement &&
	       core->names.map[memory->base].loaded;
}

/* What a uop of a store takes. */
static struct core_value stored_value(const struct x86_core *core,
				      const struct x86_uop *what)
{
	if (!what->source_count)
		return (struct core_value){ .sequence = VALUE_READY };
	return core->names.map[kept(core, what->source[0],
				    core->names.x87_top)];
}

/* Renames a load or a part of a store. Returns the store from which the load's
 * result comes by memory renaming; NULL: none. */
static const struct core_store *
memory_part(struct x86_core *core, struct core_flow *flow, unsigned index,
	    uint64_t sequence, struct core_entry *entry)
{
	struct core_uop *uop = &core->uop[index];
	const struct x86_uop *what = uop->what;
	const struct core_access *access;
	struct core_store *store;
	uint64_t renamed;

	if (what->kind == X86_UOP_LOAD) {
		access = core_load_access(flow, uop);
		uop->chased = is_chased(core, flow, what);
		renamed = core_load_renamed(core, index, access);
		entry->loads++;
		core->loads++;
		return renamed ? core_store(core, renamed - 1) : NULL;
	}
	store = core_store(core, core_store_of(core, flow, what->memory) - 1);
	if (core->figure.memory_renaming)
		core_renaming_store(core, flow, what, store,
				    stored_value(core, what));
	if (what->kind == X86_UOP_STORE_ADDRESS)
		store->address_uop = sequence;
	else
		store->data_uop = sequence;
	return NULL;
}

/* The results of a load by memory renaming: who needs them waits for what the store
 * waits for. */
static void name_stored(struct x86_core *core, const struct core_flow *flow,
			const struct x86_uop *what,
			const struct core_store *store)
{
	for (unsigned i = 0; i < what->result_count; i++) {
		unsigned place = what->result[i].place;
		struct core_value value = store->data;

		value.group = value.loaded = 0;
		value.latency = (value.latency + what->result[i].latency +
				 (place < X86_PLACE_INTERNAL
					  ? core->figure.renamed_latency : 0)) &
				1023;
		core_set_value(core, flow, place, value);
	}
}

void core_issue_uop(struct x86_core *core, struct core_flow *flow,
		    const struct x86_uop *what, unsigned slot,
		    struct core_entry *entry, unsigned ports)
{
	uint64_t sequence = core->uop_tail;
	unsigned index = sequence % CORE_UOPS;
	struct core_uop *uop = &core->uop[index];
	struct core_value value = { .sequence = VALUE_READY };
	const struct core_store *renamed = NULL;

	/* What is read before the instruction writes it: uop.h. */
	if (!ports && what->source_count) {
		core->names.map[what->result[0].place] =
			core->names.map[kept(core, what->source[0], core->names.x87_top)];
		core->names.map[what->result[0].place].latency +=
			what->result[0].latency;
		/* It is no register's name, so it frees no slot of move
		 * elimination when it is overwritten. */
		core->names.map[what->result[0].place].group = 0;
		return;
	}
	if (ports) {
		uop->what = what;
		core->times[index].issued = (uint32_t)core->now;
		uop->ready_at = (uint32_t)core->now + core->figure.issue_delay;
		uop->value_at = (uint32_t)core->now;
		uop->flow = (uint16_t)(flow - core->flow);
		uop->consumers = CORE_NONE;
		uop->pending = uop->forwards = 0;
		uop->state = UOP_WAITING;
		/* A load is complete when its data is there. */
		uop->longest = what->kind != X86_UOP_LOAD;
		uop->port = (uint8_t)core_choose_port(core, ports, slot);
		core->ports->port_count[uop->port]++;
		core_unit_give(uop, flow, what);
		read_sources(core, index, what);
		if (what->kind != X86_UOP_COMPUTE)
			renamed = memory_part(core, flow, index, sequence,
					      entry);
		core->uop_tail++;
		core->counts.uops++;
		core->waiting += core_is_scheduled(core, what);
		entry->uops++;
		flow->uops++;
		if (core->limited)
			core_registers_take(core, entry, what);
		value.sequence = sequence & VALUE_READY;
		value.loaded = what->kind == X86_UOP_LOAD;
	}
	for (unsigned i = 0; i < what->result_count && !flow->form->exchanges;
	     i++) {
		value.latency = what->result[i].latency;
		if (what->result[i].place < X86_PLACE_INTERNAL)
			value.latency = (value.latency +
					 (unsigned)flow->division_latency) &
					1023;
		if (ports && value.latency > uop->longest)
			uop->longest = (uint16_t)value.latency;
		core_set_value(core, flow, what->result[i].place, value);
	}
	if (renamed)
		name_stored(core, flow, what, renamed);
	if (ports)
		core_schedule(core, index);
}

/* ---- Simple instructions (template.simple) ---- */

static bool simple_fits(const struct x86_core *core,
			const struct x86_template *form)
{
	const struct x86_core_figures *figure = &core->figure;

	return core->entry_tail - core->entry_head < figure->reorder_buffer &&
	       core->waiting + form->scheduled <= figure->scheduler &&
	       core->uop_tail - core->uop_head + form->scheduled <= CORE_UOPS &&
	       core->loads + form->loads <= figure->load_queue &&
	       core_stores_fit(core, form->stores);
}

/* `word` is a core_value without a latency. */
static inline void name_results(struct x86_core *core,
				const struct x86_uop *what, uint64_t word)
{
	for (unsigned i = 0; i < what->result_count; i++) {
		const struct x86_result *result = &what->result[i];
		struct core_value *value = &core->names.map[result->place];

		if (value->word >> VALUE_GROUP)
			core_move_leave_group(core, result->place);
		value->word = word | (uint64_t)result->latency << VALUE_LATENCY;
	}
}

/* Counts the sources whose time is not known, and finds the earliest cycle of
 * the dispatch. */
static uint32_t read_simple(struct x86_core *core, unsigned index,
			    const struct x86_uop *what, unsigned *pending)
{
	uint32_t ready_at = (uint32_t)core->now + core->figure.issue_delay;
	uint64_t head = core->uop_head, inside = core->uop_tail - head;

	for (unsigned i = 0; i < what->source_count; i++) {
		uint64_t word = core->names.map[what->source[i]].word;
		unsigned latency = word >> VALUE_LATENCY & VALUE_LATENCIES;
		struct core_uop *from;

		/* VALUE_READY is none of those in flight. */
		if ((word & VALUE_READY) - head >= inside)
			continue;
		from = core_uop(core, word);
		latency += crosses(core, what, from);
		if (from->state == UOP_KNOWN) {
			ready_at = core_later(ready_at,
					      from->value_at + latency);
			continue;
		}
		++*pending;
		core->uop[index].latency[i] = (uint16_t)latency;
		core_wait_for(core, index, i, from);
	}
	return ready_at;
}

static inline void issue_simple(struct x86_core *core, struct core_flow *flow,
				const struct x86_uop *what, unsigned slot,
				struct core_entry *entry, unsigned ports)
{
	uint64_t sequence = core->uop_tail;
	unsigned index = sequence % CORE_UOPS, pending = 0;
	unsigned port = core_choose_port(core, ports, slot);
	uint32_t ready_at = read_simple(core, index, what, &pending);
	struct core_uop *uop = &core->uop[index];

	uop->what = what;
	uop->ready_at = ready_at;
	uop->value_at = (uint32_t)core->now;
	uop->flow = (uint16_t)entry->flow;
	uop->consumers = CORE_NONE;
	uop->longest = what->longest;
	uop->bytes = core_uop_bytes(pending, pending ? UOP_WAITING : UOP_READY,
				    port);
	core->times[index].issued = (uint32_t)core->now;
	core->ports->port_count[port]++;
	if (what->kind != X86_UOP_COMPUTE)
		memory_part(core, flow, index, sequence, entry);
	core->uop_tail = sequence + 1;
	name_results(core, what,
		     (sequence & VALUE_READY) |
			     (uint64_t)(what->kind == X86_UOP_LOAD)
				     << VALUE_LOADED);
	if (pending)
		return;
	if (core_past(core, ready_at))
		core_set_ready(core, index);
	else
		core_into_wheel(core, index);
}

bool core_issue_simple(struct x86_core *core, struct core_flow *flow,
		       unsigned slot)
{
	const struct x86_template *form = flow->form;
	const struct x86_uop *what = form->uop, *end = what + form->uop_count;
	uint64_t before = core->uop_tail;
	struct core_value value;
	struct core_entry *entry;
	unsigned uops;

	if (!simple_fits(core, form))
		return false;
	entry = core_new_entry(core, flow);
	entry->last = true;
	if (form->eliminable && core_move_eliminate(core, form, &value)) {
		core_set_value(core, flow, form->move_to, value);
	} else {
		for (; what < end; what++) {
			unsigned ports = what->ports;

			if (flow->branch_ports && what + 1 == end)
				ports = flow->branch_ports;
			if (ports)
				issue_simple(core, flow, what, slot, entry,
					     ports);
			else
				name_results(core, what, VALUE_READY);
		}
	}
	uops = (unsigned)(core->uop_tail - before);
	core->counts.uops += uops;
	core->waiting += uops;
	entry->uops = (uint8_t)uops;
	flow->uops += (uint8_t)uops; /* behind one of the renamer itself */
	flow->next_uop = form->uop_count;
	flow->next_slot = 1;
	core->queue_used--;
	return true;
}
