#include "base/optimize.h"

/* Memory disambiguation. A table of counters, by the address of the load's
 * instruction, says which loads may start before the addresses of all older
 * stores are known. The others wait. One that has not waited, and needed such a
 * store's data, clears the machine when it is about to retire.
 *
 * The memory's values are those of the execution, so all of this costs time
 * only. */
#include "x86/timing/core/loadstore/order.h"

#include <string.h>

#include "x86/timing/core/loadstore/loadstore.h"
#include "x86/timing/core/memo/memo.h"

void core_order_reset(struct x86_core *core)
{
	memset(core->order, (int)core->figure.order_start, sizeof core->order);
}

void core_order_renamed(struct x86_core *core, unsigned index, bool stored)
{
	const struct core_flow *flow = &core->flow[core->uop[index].flow];
	struct core_load *load = &core->load[index];

	load->held = load->asked = false;
	load->before = 0;
	if (core->figure.disambiguation == X86_CORE_ORDER_KNOWN || stored)
		return;
	load->before = core->store_tail;
	/* Its own stores are not older. */
	for (unsigned i = 0; i < 2 && flow->stores; i++)
		if (flow->store_number[i] &&
		    flow->store_number[i] - 1 < load->before)
			load->before = flow->store_number[i] - 1;
}

/* Whether the address uop of a store has been dispatched. */
static bool is_dispatched(struct x86_core *core, uint64_t number)
{
	uint64_t sequence = core_store(core, number)->address_uop;

	return sequence == NO_SEQUENCE || sequence < core->uop_head ||
	       core_uop(core, sequence)->state == UOP_KNOWN;
}

/* Whether that was in an earlier cycle: loads that start now know the address. */
static bool is_known(struct x86_core *core, uint64_t number)
{
	uint64_t sequence = core_store(core, number)->address_uop;

	return is_dispatched(core, number) &&
	       (sequence == NO_SEQUENCE || sequence < core->uop_head ||
		core_uop(core, sequence)->value_at != (uint32_t)core->now);
}

void core_order_look(struct x86_core *core)
{
	if (core->addressed < core->store_head)
		core->addressed = core->store_head;
	while (core->addressed < core->store_tail &&
	       is_known(core, core->addressed))
		core->addressed++;
}

/* Asks the counter of a load. */
static bool ask(struct x86_core *core, unsigned index,
		const struct core_flow *flow)
{
	uint64_t passes;

	if (!core->tapes)
		return core_order_passes(core, flow);
	core->load[index].asked = true;
	if (!core_memo_asked(core, MEMO_ALIAS, &passes))
		passes = core_order_passes(core, flow);
	return passes;
}

/* What the loads of an instruction have met: the worst counts. */
static void meet(struct core_flow *flow, unsigned order)
{
	if (order > flow->order)
		flow->order = order & 3;
}

bool core_order_asks(struct x86_core *core, struct core_flow *flow, bool right,
		     uint64_t *word)
{
	uint64_t passes;

	if (!core->tapes || !core_memo_asked(core, MEMO_ALIAS, &passes))
		passes = core_order_passes(core, flow);
	*word = MEMO_ALIAS_ASKED | (passes ? MEMO_ALIAS_PASSES : 0);
	if (!passes)
		meet(flow, right ? ORDER_FREE : ORDER_WAITED);
	return passes;
}

void core_order_mistaken(struct x86_core *core, unsigned index)
{
	core->flow[core->uop[index].flow].order = ORDER_VIOLATED;
	core->lost = true;
	core->counts.order_mistaken++;
}

/* A load that waits begins so long after the last of the addresses. */
static void release(struct x86_core *core, unsigned index)
{
	core->uop[index].ready_at = (uint32_t)core->now +
				    core->figure.order_delay;
	core_into_wheel(core, index);
}

static bool all_dispatched(struct x86_core *core, uint64_t before)
{
	uint64_t number = core->store_head;

	if (number < core->addressed)
		number = core->addressed;
	for (; number < before; number++)
		if (!is_dispatched(core, number))
			return false;
	return true;
}

/* Notes that a load waits. */
static void note_held(struct x86_core *core, unsigned index,
		      const struct core_access *access)
{
	const struct core_uop *uop = &core->uop[index];
	const struct core_flow *flow = &core->flow[uop->flow];
	const struct memo_load load = {
		.memory = uop->what->memory,
		.uop = memo_uop(core, index),
		.flow = memo_flow(core, uop->flow),
	};

	if (flow->form->locked)
		core_memo_drop(core);
	else
		core_memo_note(core, memo_held_word(
			&load, access == &flow->load[1],
			core_splits(core, access), core->load[index].asked));
}

static void hold(struct x86_core *core, unsigned index,
		 const struct core_access *access)
{
	struct core_load *load = &core->load[index];
	struct core_uop *uop = &core->uop[index];

	if (core->tapes)
		note_held(core, index, access);
	load->held = true;
	load->asked = false;
	load->ticket = 0;
	uop->state = UOP_STARTED;
	uop->awaits = true;
	if (all_dispatched(core, load->before))
		release(core, index);
	else
		core->held_loads[core->held_count++] = (uint16_t)index;
}

/* Whether a load does not wait. It `collides` if it needs a store whose address is
 * not known. */
static bool may_pass(struct x86_core *core, unsigned index,
		     struct core_flow *flow, bool collides)
{
	bool passes;

	if (flow->form->locked)
		return false;
	if (core->figure.disambiguation == X86_CORE_ORDER_PERFECT)
		return !collides;
	if (core->figure.disambiguation != X86_CORE_ORDER_PREDICTED)
		return false;
	passes = ask(core, index, flow);
	meet(flow, !collides ? ORDER_FREE :
		   passes ? ORDER_VIOLATED : ORDER_WAITED);
	return passes;
}

bool core_order_holds(struct x86_core *core, unsigned index,
		      const struct core_access *access)
{
	struct core_load *load = &core->load[index];
	struct core_flow *flow = &core->flow[core->uop[index].flow];
	uint64_t needs = core->uop[index].blocked ? load->store
						  : load->forwarder;
	bool collides, passes;

	core_order_look(core);
	if (core->addressed >= load->before || !access->size ||
	    flow->form->hint)
		return false;
	collides = needs > core->addressed && needs <= load->before &&
		   !is_known(core, needs - 1);
	passes = may_pass(core, index, flow, collides);
	if (passes) {
		core->counts.order_early++;
		core->lost |= collides;
		return false;
	}
	core->counts.order_waits++;
	core->counts.order_needless += !collides;
	hold(core, index, access);
	return true;
}

void core_order_addressed(struct x86_core *core)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < core->held_count; i++) {
		unsigned index = core->held_loads[i];

		if (all_dispatched(core, core->load[index].before))
			release(core, index);
		else
			core->held_loads[kept++] = (uint16_t)index;
	}
	core->held_count = kept;
}

void core_order_dropped(struct x86_core *core, const bool *dropped)
{
	core_list_drop(core->held_loads, &core->held_count, dropped);
}

void core_order_learn(struct x86_core *core, const struct core_flow *flow,
		      bool independent)
{
	uint8_t *counter = core_order_counter(core, flow);

	core->order_learned = true;
	if (!independent)
		*counter = 0;
	else if (*counter < core->figure.order_trust)
		++*counter;
}

void core_order_retired(struct x86_core *core, const struct core_flow *flow)
{
	bool independent = flow->order == ORDER_FREE;

	if (core->tapes) {
		core_memo_note(core, memo_operand_word(
			MEMO_RETIRED, independent ? MEMO_FREE : MEMO_NEEDED,
			memo_flow(core, (unsigned)(flow - core->flow))));
		if (core_memo_learned(core))
			return;
	}
	core_order_learn(core, flow, independent);
}
