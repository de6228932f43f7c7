/* Mispredicted branches: fetch follows a wrong path until the branch has been
 * executed, and then the whole path is dropped. */
#include <string.h>

#include "x86/timing/core/execute/limits.h"
#include "x86/timing/core/front/front.h"
#include "x86/timing/core/loadstore/loadstore.h"
#include "x86/timing/core/loadstore/order.h"
#include "x86/timing/core/loadstore/pending.h"
#include "x86/timing/core/loadstore/renaming.h"
#include "x86/timing/core/memo/memo.h"

void core_fetch_anew(struct x86_core *core, uint64_t cycle,
		     enum x86_core_part part)
{
	/* The uop cache is asked first when it begins. */
	if (core->source == SOURCE_LOOP)
		core_loop_leave(core);
	core->source = SOURCE_DECODERS;
	core->to_cache = false;
	core->line_end = 0;
	core->predecode_block = UINT64_MAX;
	core->predecode_free = cycle;
	core->fetch_waits = X86_CORE_FETCH_ON;
	if (core->tapes && core->fetch_ticket) {
		core_memo_note(core, MEMO_FETCH_NO_LONGER);
		core_memo_note(core, 0);
	}
	core->fetch_ticket = 0;
	core->refill = true;
	core->refill_part = (uint8_t)part;
	core->refill_for = core->flow_predecoded;
}

void core_fetch_wait(struct x86_core *core, const struct core_flow *branch)
{
	bool late = branch->fetch == X86_CORE_FETCH_LATE;

	core_fetch_anew(core,
			core->now + 1 + (late ? core->figure.late_target : 0),
			branch->fetch == X86_CORE_FETCH_EXECUTED
				? X86_CORE_BRANCH
				: X86_CORE_RESTEER);
	if (late)
		return;
	core->fetch_waits = branch->fetch;
	core->fetch_for = core->flow_predecoded - 1;
}

void core_divert_renamed(struct x86_core *core, uint64_t number)
{
	struct core_divert *divert;

	if (!core_flow(core, number)->diverts)
		return;
	divert = &core->divert[core->diverting++];
	divert->number = number;
	divert->executed_at = UINT64_MAX;
	divert->names = core->names;
}

bool core_executed(struct x86_core *core, uint64_t number, uint64_t *time)
{
	const struct core_flow *flow = core_flow(core, number);
	uint32_t last = (uint32_t)core->now;

	*time = UINT64_MAX;
	if (number < core->flow_retired)
		return true;
	if (flow->fused)
		flow = core_flow(core, number - 1);
	for (unsigned i = 0; i < flow->uops; i++) {
		uint64_t sequence = flow->first_uop + i;
		const struct core_uop *uop = core_uop(core, sequence);

		if (sequence < core->uop_head ||
		    uop->what->kind >= X86_UOP_STORE_ADDRESS)
			continue;
		if (uop->state != UOP_KNOWN)
			return false;
		last = core_later(last, uop->value_at + uop->longest);
	}
	*time = core->now + (last - (uint32_t)core->now);
	return *time == core->now;
}

/* Whether an instruction, or the pair of which it is the second, is the oldest
 * one. */
static bool is_oldest(struct x86_core *core, uint64_t number)
{
	return number - core_flow(core, number)->fused == core->flow_retired;
}

bool core_resolve(struct x86_core *core)
{
	for (unsigned i = 0; i < core->diverting; i++) {
		struct core_divert *divert = &core->divert[i];

		if (core->figure.recover_at_commit &&
		    !is_oldest(core, divert->number))
			continue;
		/* A known time does not change. */
		if (divert->executed_at == UINT64_MAX
			    ? core_executed(core, divert->number,
					    &divert->executed_at)
			    : divert->executed_at <= core->now) {
			core->resolved = divert->number;
			return true;
		}
	}
	return false;
}

uint64_t x86_core_resolved(const struct x86_core *core)
{
	return core->resolved;
}

/* Removes dropped consumers from the list of a uop that stays. */
static void forget_consumers(struct x86_core *core, struct core_uop *uop,
			     const bool *dropped)
{
	uint16_t *link = &uop->consumers;

	while (*link != CORE_NONE) {
		struct core_uop *consumer = &core->uop[*link / CORE_EDGES];
		uint16_t *next = &consumer->next[*link % CORE_EDGES];

		if (dropped[*link / CORE_EDGES])
			*link = *next;
		else
			link = next;
	}
}

static void leave_wheel(struct x86_core *core, const bool *dropped)
{
	for (unsigned word = 0; word < CORE_WHEEL / 64; word++) {
		uint64_t bits = core->wheel_used[word];

		for (; bits; bits &= bits - 1) {
			unsigned bit = (unsigned)__builtin_ctzll(bits);
			uint16_t *link = &core->wheel[word * 64 + bit];

			while (*link != CORE_NONE)
				if (dropped[*link])
					*link = core->uop[*link].wheel_next;
				else
					link = &core->uop[*link].wheel_next;
			if (core->wheel[word * 64 + bit] == CORE_NONE)
				core->wheel_used[word] &=
					~(UINT64_C(1) << bit);
		}
	}
}

static void leave_blocked(struct x86_core *core, const bool *dropped)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < core->blocked_count; i++)
		if (!dropped[core->blocked[i]])
			core->blocked[kept++] = core->blocked[i];
	core->blocked_count = kept;
}

/* Drops the uops from sequence number `from` on. */
static void drop_uops(struct x86_core *core, uint64_t from)
{
	bool dropped[CORE_UOPS] = { false };

	if (from == core->uop_tail)
		return;
	core->counts.uops_squashed += core->uop_tail - from;
	for (uint64_t i = from; i < core->uop_tail; i++) {
		unsigned index = i % CORE_UOPS;
		struct core_uop *uop = &core->uop[index];

		dropped[index] = true;
		uop->awaits = false;
		core_not_ready(core, index);
		if (uop->state < UOP_STARTED) {
			core->waiting -= core_is_scheduled(core, uop->what);
			core->ports->port_count[uop->port]--;
		}
	}
	core->uop_tail = from;
	for (uint64_t i = core->uop_head; i < from; i++)
		forget_consumers(core, core_uop(core, i), dropped);
	leave_wheel(core, dropped);
	leave_blocked(core, dropped);
	core_loads_dropped(core, dropped);
}

/* Takes the instructions from number `from` on out of the pipeline: all of them
 * when that is the oldest one. */
static void take_out(struct x86_core *core, uint64_t from)
{
	uint64_t uop = core->uop_tail, store = core->store_tail;

	for (uint64_t i = from; i < core->flow_pushed; i++) {
		const struct core_flow *flow = core_flow(core, i);

		if (i >= core->flow_renamed + 1)
			break;
		if (flow->entered && !flow->fused && flow->first_uop < uop)
			uop = flow->first_uop;
		for (unsigned k = 0; k < 2 && flow->stores; k++)
			if (flow->store_number[k] &&
			    flow->store_number[k] - 1 < store)
				store = flow->store_number[k] - 1;
	}
	while (core->entry_tail > core->entry_head) {
		struct core_entry *entry =
			&core->entry[(core->entry_tail - 1) % CORE_ENTRIES];
		uint64_t behind = (entry->flow - from) % CORE_FLOWS;

		if (behind >= core->flow_pushed - from)
			break;
		core->loads -= entry->loads;
		if (core->limited)
			core_registers_free(core, entry);
		core->entry_tail--;
	}
	/* A part of the oldest instruction may have left. */
	drop_uops(core, uop > core->uop_head ? uop : core->uop_head);
	core_stores_drop(core, store);
	if (core->flow_predecoded > from)
		core->counts.squashed += core->flow_predecoded - from;
	core->flow_predecoded = core->flow_decoded = core->flow_renamed = from;
	core->queue_used = 0;
	core->microcode = false;
	core_loop_leave(core);
	core->serialize = false;
	core->decode_free = core->rename_free = core->now;
}

static void drop(struct x86_core *core, uint64_t from)
{
	bool lost = false;

	take_out(core, from);
	core->flow_pushed = from;
	for (uint64_t i = core->flow_retired; core->lost && i < from; i++)
		lost |= core_flow(core, i)->lost ||
			core_flow(core, i)->order == ORDER_VIOLATED;
	core->lost = lost;
}

void core_line_lost(struct x86_core *core, uint64_t first, uint64_t last)
{
	uint64_t line = core->figure.line, oldest = core->flow_retired;

	for (uint64_t i = core->uop_head; i < core->uop_tail; i++) {
		const struct core_uop *uop = core_uop(core, i);
		struct core_flow *flow = &core->flow[uop->flow];
		const struct core_access *access;

		if (uop->what->kind != X86_UOP_LOAD ||
		    uop->state != UOP_KNOWN ||
		    core->load[i % CORE_UOPS].forwarder || flow->form->hint ||
		    !core_past(core, uop->value_at) ||
		    flow == core_flow(core, oldest))
			continue;
		access = core_load_access(flow, uop);
		if (access->size && access->linear / line <= last &&
		    (access->linear + access->size - 1) / line >= first) {
			flow->lost = core->lost = true;
			core_memo_cannot(core);
		}
	}
}

void core_machine_clear(struct x86_core *core, enum x86_core_part part)
{
	core_memo_cannot(core);
	take_out(core, core->flow_retired);
	for (uint64_t i = core->flow_retired; i < core->flow_pushed; i++)
		core_flow_begin(core_flow(core, i));
	core->lost = false;
	core->diverting = 0;
	for (unsigned i = 0; i < X86_PLACE_COUNT; i++)
		core->names.map[i] = (struct core_value){ .sequence = VALUE_READY };
	memset(core->names.group_names, 0, sizeof core->names.group_names);
	memset(core->names.group_places, 0, sizeof core->names.group_places);
	core->names.groups[0] = core->names.groups[1] = 0;
	core->names.high_apart = 0;
	core->names.stack_offset = 0;
	core_renaming_forget(core);
	core_fetch_anew(core, core->now + core->figure.redirect, part);
}

void core_squash(struct x86_core *core)
{
	while (core->divert[core->diverting - 1].number != core->resolved)
		core->diverting--;
	core->diverting--;
	drop(core, core->resolved + 1);
	/* It may be fetched again: x86_core_push() tells where it goes. */
	core_flow(core, core->resolved)->diverts = false;
	core_flow(core, core->resolved)->next = 0;
	core->names = core->divert[core->diverting].names;
	core_fetch_anew(core, core->now + core->figure.redirect,
			X86_CORE_BRANCH);
}

void core_clear(struct x86_core *core)
{
	if (core->flow_retired < core->flow_pushed)
		drop(core, core->flow_retired);
	core->diverting = 0;
	for (unsigned i = 0; i < X86_PLACE_COUNT; i++)
		core->names.map[i].sequence = VALUE_READY;
	core_renaming_forget(core);
	core_fetch_anew(core, core->now, X86_CORE_FRONT_END);
}
