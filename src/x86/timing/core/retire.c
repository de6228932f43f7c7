/* Retirement: in order, so many slots a cycle. */
#include <string.h>

#include "x86/timing/core/execute/limits.h"
#include "x86/timing/core/front/tracecache.h"
#include "x86/timing/core/loadstore/loadstore.h"
#include "x86/timing/core/loadstore/order.h"
#include "x86/timing/core/loadstore/pending.h"
#include "x86/timing/core/memo/memo.h"

static bool complete(struct x86_core *core, const struct core_entry *entry)
{
	for (unsigned i = 0; i < entry->uops; i++) {
		const struct core_uop *uop = core_uop(core, entry->first + i);

		if (uop->state != UOP_KNOWN ||
		    !core_past(core, uop->value_at + uop->longest))
			return false;
	}
	return true;
}

static uint64_t whole(const struct x86_core *core, uint32_t time)
{
	return core->now - ((uint32_t)core->now - time);
}

static void report(struct x86_core *core, const struct core_flow *flow,
		   uint64_t number)
{
	struct x86_core_retired what = {
		.inst = flow->inst,
		.form = flow->form,
		.number = number,
		.address = flow->address,
		.predecoded = whole(core, flow->predecoded_at),
		.decoded = whole(core, flow->decoded_at),
		.issued = whole(core, flow->issued_at),
		.retired = core->now,
		.fused = flow->fused,
		.uops = flow->uops,
	};

	for (unsigned i = 0; i < flow->uops && i < 16; i++) {
		const struct core_uop *uop =
			core_uop(core, flow->first_uop + i);
		const struct core_times *times =
			&core->times[(flow->first_uop + i) % CORE_UOPS];

		what.uop[i].issued = whole(core, times->issued);
		what.uop[i].dispatched = whole(core, times->started);
		what.uop[i].done = whole(core, uop->value_at + uop->longest);
		what.uop[i].port = uop->port;
		what.uop[i].kind = uop->what->kind;
	}
	core->retired(core->owner, &what);
}

static inline __attribute__((always_inline)) void
retire_instruction(struct x86_core *core)
{
	struct core_flow *flow = core_flow(core, core->flow_retired);

	if (flow->stores) {
		if (core->tapes)
			core_memo_note(core, memo_operand_word(
				MEMO_RETIRED, 0,
				memo_flow(core, (unsigned)(flow - core->flow))));
		core_stores_retire(core, flow, core->flow_retired);
	}
	if (flow->order)
		core_order_retired(core, flow);
	if (flow->form->flushes || flow->form->drains)
		core_effect_add(core, flow);
	if (core->retired)
		report(core, flow, core->flow_retired);
	if (core->traces)
		core_trace_retired(core, flow);
	core->flow_retired++;
}

/* A mispredicted branch stays until the machine has recovered from it. */
static bool waits_for_recovery(const struct x86_core *core,
			       const struct core_entry *entry)
{
	const struct core_flow *flow = &core->flow[entry->flow];

	return flow->diverts ||
	       (flow->fuses &&
		core->flow[(entry->flow + 1) % CORE_FLOWS].diverts);
}

/* Whether the oldest instruction has loaded what an older store wrote, before it
 * did. */
static bool violates(const struct x86_core *core,
		     const struct core_entry *entry)
{
	return core->flow[entry->flow].order == ORDER_VIOLATED &&
	       core_begins(core, entry);
}

/* It is fetched again. */
static void fetch_violator(struct x86_core *core, const struct core_flow *flow)
{
	core_memo_cannot(core);
	core->progress = true;
	core->counts.order_violations++;
	core_order_learn(core, flow, false);
	core_machine_clear(core, X86_CORE_ORDER);
}

void core_retire(struct x86_core *core)
{
	unsigned width = core_room(core, STAGE_RETIRE,
				   core->figure.retire_width);

	for (unsigned i = 0; i < width; i++) {
		struct core_entry *entry;

		if (core->entry_head == core->entry_tail)
			return;
		entry = &core->entry[core->entry_head % CORE_ENTRIES];
		if (core->lost && violates(core, entry)) {
			fetch_violator(core, &core->flow[entry->flow]);
			return;
		}
		if (!complete(core, entry))
			return;
		if (core->diverting && core->figure.recover_at_commit &&
		    waits_for_recovery(core, entry))
			return;
		core->progress = true;
		if (core->lost && core_begins(core, entry) &&
		    (core->flow[entry->flow].lost ||
		     (core->flow[entry->flow].fuses &&
		      core_flow(core, core->flow_retired + 1)->lost))) {
			core->counts.clears++;
			core_machine_clear(core, X86_CORE_CLEAR);
			return;
		}
		if (core->profile)
			core_charge_retired(core, entry);
		core->loads -= entry->loads;
		if (core->limited)
			core_registers_free(core, entry);
		if (entry->last) {
			unsigned left = 1 + core->flow[entry->flow].fuses;

			while (left--)
				retire_instruction(core);
		}
		core->uop_head += entry->uops;
		core->entry_head++;
		core->slots_retired++;
	}
}
