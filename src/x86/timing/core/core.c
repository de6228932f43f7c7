#include "base/optimize.h"

#include "x86/timing/core/core.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/timing/core/front.h"
#include "x86/timing/core/memo.h"
#include "x86/timing/core/pending.h"
#include "x86/timing/core/tracecache.h"
#include "x86/timing/uops/divide.h"

struct x86_core *x86_core_create(const struct x86_core_figures *figures,
				 const struct x86_core_memory *memory)
{
	struct x86_core *core = xcalloc_aligned(sizeof *core);

	core->figure = *figures;
	if (memory)
		core->memory = *memory;
	core->traces = core_traces_create(figures);
	x86_core_reset(core);
	return core;
}

void x86_core_free(struct x86_core *core)
{
	if (!core)
		return;
	if (core->group && !core->thread)
		free(core->group);
	core_memo_free(core);
	free(core->traces);
	free(core);
}

void x86_core_reset(struct x86_core *core)
{
	struct x86_core old = { .figure = core->figure,
				.memory = core->memory,
				.retired = core->retired,
				.owner = core->owner,
				.profile = core->profile,
				.tickets = core->tickets,
				.group = core->group,
				.traces = core->traces,
				.memo = core->memo,
				.thread = core->thread,
				.busy = core->busy };
	/* Members that the numbers below declare empty need not be cleared. */
	size_t size = offsetof(struct x86_core, line);

	core_memo_settle(core);
	core_memo_cannot(core);
	memset(core, 0, size);
	core->memo = old.memo;
	core->figure = old.figure;
	core->group = old.group;
	core->traces = old.traces;
	if (core->traces)
		core_traces_clear(core);
	core->thread = old.thread;
	core->busy = old.busy;
	core->ports = core->group ? &core->group->ports : &core->own_ports;
	core->memory = old.memory;
	core->retired = old.retired;
	core->owner = old.owner;
	core->profile = old.profile;
	core->tickets = old.tickets;
	core->limited = core->figure.memory_queue ||
			core->figure.registers_general ||
			core->figure.registers_x87 ||
			core->figure.registers_vector;
	core->simple = !core->limited && !core->group &&
		       !core->figure.pools.used && !core->figure.queue_ports_0;
	core->by_age = core->figure.pools.used || core->figure.dispatch_width;
	core->predecode_block = UINT64_MAX;
	core_cache_clear(core);
	core_rename_reset(core);
	core_memory_reset(core);
	for (unsigned i = 0; i < X86_PLACE_COUNT; i++)
		core->names.map[i].sequence = VALUE_READY;
	for (unsigned i = 0; i < CORE_WHEEL; i++)
		core->wheel[i] = CORE_NONE;
}

void x86_core_memoize(struct x86_core *core, bool check)
{
	if (!core->group && !core->figure.pools.used && !core->traces &&
	    core->memory.begin && !core->memo)
		core_memo_create(core, check);
}

uint64_t x86_core_remembered(const struct x86_core *core)
{
	return core->memo ? core->memo->played : 0;
}

void x86_core_observe(struct x86_core *core,
		      void (*retired)(void *owner,
				      const struct x86_core_retired *what),
		      void *owner)
{
	core_memo_settle(core);
	core->retired = retired;
	core->owner = owner;
}

uint64_t x86_core_room(const struct x86_core *core)
{
	return CORE_FLOWS - (core->flow_pushed - core->flow_retired);
}

/* Notes the references of memory operands: loads and stores apart, in their
 * order. Returns their numbers as core_flow.bits. A function of its own, as
 * most instructions have none. */
static __attribute__((noinline)) uint16_t
note_references(const struct x86_core *core, struct core_flow *flow,
		const struct x86_core_input *input)
{
	unsigned loads = 0, stores = 0;
	struct core_flow bits;

	for (unsigned i = 0; i < input->references; i++) {
		const struct x86_reference *r = &input->reference[i];
		uint64_t address = core->memory.place ?
				core->memory.place(core->memory.owner,
						   r->address) : r->address;
		uint32_t size = r->size * r->count;

		if (r->direction & X86_LOAD && loads < 2)
			flow->load[loads++] = (struct core_access){
				address, r->address, size };
		if (r->direction & X86_STORE && stores < 2)
			flow->store[stores++] = (struct core_access){
				address, r->address, size };
	}
	bits.bits = 0;
	bits.load_count = loads & 3;
	bits.store_count = stores & 3;
	return bits.bits;
}

uint64_t x86_core_push(struct x86_core *core,
		       const struct x86_core_input *input)
{
	struct core_flow *before = core_flow(core, core->flow_pushed - 1);
	struct core_flow *flow = core_flow(core, core->flow_pushed++);
	struct core_flow bits;

	if (!before->next)
		before->next = input->address;
	flow->inst = input->inst;
	flow->form = input->form;
	flow->address = input->address;
	flow->next = input->next;
	bits.bits = 0;
	bits.diverts = input->diverts;
	bits.decoded_only = input->decoded_only;
	bits.accessed = input->accessed;
	flow->course = core_course(input->form, input->fetch);
	if (input->references)
		bits.bits |= note_references(core, flow, input);
	flow->bits = bits.bits;
	/* Not zeroed beforehand: GCC would join that with the bits before it,
	 * and read them again while they are still being stored. */
	if (input->form->divide) {
		struct x86_division_time time =
			x86_division_time(input->form, input->division,
					  input->dividend);

		flow->division_latency = time.latency;
		flow->division_busy = time.busy;
		if (input->form->divide_less_half) {
			flow->division_busy -= core->less;
			core->less = !core->less;
		}
	} else {
		flow->division_latency = flow->division_busy = 0;
	}
	return core->flow_pushed - 1;
}

uint64_t x86_core_pushed(const struct x86_core *core)
{
	return core->flow_pushed;
}

uint64_t x86_core_ahead(const struct x86_core *core)
{
	return core->flow_pushed - core->flow_predecoded;
}

static void soonest(uint64_t *next, uint64_t now, uint64_t time)
{
	if (time > now && time < *next)
		*next = time;
}

static uint64_t whole(const struct x86_core *core, uint32_t time)
{
	return core->now + (uint64_t)(int64_t)(int32_t)(time -
						(uint32_t)core->now);
}

/* Passes the time to cycle `next`, in which nothing happens. */
static void pass(struct x86_core *core, uint64_t next)
{
	uint64_t cycles = next - core->now - 1;

	core_account(core, 0, cycles);
	core->counts.stall[core->stall] += cycles * core->figure.issue_width;
	core->now = next;
}

static void next_executed(struct x86_core *core, uint64_t number,
			  uint64_t *next)
{
	uint64_t time;

	if (number >= core->flow_renamed ||
	    core_executed(core, number, &time))
		return;
	soonest(next, core->now, time);
}

/* After a cycle without an event, the next cycle in which something can
 * happen. */
static uint64_t next_event(struct x86_core *core)
{
	uint64_t next = core_wheel_next(core), now = core->now;

	soonest(&next, now, core->predecode_free);
	soonest(&next, now, core->decode_free);
	soonest(&next, now, core->rename_free);
	if (core->ready_ports) {
		for (unsigned i = 0; i < CORE_UNITS; i++)
			soonest(&next, now, core->ports->unit_free[i]);
		for (uint32_t p = core->ready_ports; p; p &= p - 1)
			soonest(&next, now,
				core->ports->port_free[__builtin_ctz(p)]);
	}
	/* An instruction that may be fused waits for the next one, too. */
	for (uint64_t i = core->flow_decoded;
	     i < core->flow_predecoded && i < core->flow_decoded + 2; i++)
		soonest(&next, now,
			whole(core, core_flow(core, i)->predecoded_at) +
				core->figure.predecode_delay);
	if (core->entry_head < core->entry_tail) {
		const struct core_entry *entry =
			&core->entry[core->entry_head % CORE_ENTRIES];

		for (unsigned i = 0; i < entry->uops; i++) {
			const struct core_uop *uop =
				core_uop(core, entry->first + i);

			if (uop->state == UOP_KNOWN)
				soonest(&next, now,
					whole(core, uop->value_at +
							    uop->longest));
		}
	}
	if (core->store_head < core->store_tail)
		soonest(&next, now, core->commit_free);
	for (unsigned i = 0; i < core->diverting; i++)
		next_executed(core, core->divert[i].number, &next);
	if (core->fetch_waits == X86_CORE_FETCH_EXECUTED)
		next_executed(core, core->fetch_for, &next);
	if (core->tapes)
		return core_memo_next(core, next);
	if (core->memory.next)
		soonest(&next, now, core_memory_next(core));
	return next;
}

static void cycle(struct x86_core *core)
{
	uint64_t retired = core->slots_retired;

	core->progress = false;
	if (core->memory.begin)
		core_memory_advance(core);
	if (core->group)
		core_group_cycle(core);
	else
		memcpy(core->ports->port_before, core->ports->port_count,
		       sizeof core->ports->port_before);
	core_dispatch(core);
	core_commit(core);
	core_retire(core);
	retired = core->slots_retired - retired;
	core_use(core, STAGE_RETIRE, (unsigned)retired);
	core_account(core, (unsigned)retired, 1);
	core->denied = 0;
	core_rename(core);
	core_front(core);
	core_predecode(core);
}

uint64_t x86_core_lookahead(const struct x86_core *core)
{
	const struct x86_core_figures *figure = &core->figure;

	/* A slot has two instructions at most. In the cycle in which the loop
	 * buffer ends, the predecoder may begin. One more is looked at. */
	unsigned cache = 2 * figure->cache_width;
	unsigned others = (figure->loop_slots ? 4 * figure->issue_width : 0) +
			  figure->predecode_width;
	/* An instruction of a trace may have no slot, when it is fused. */
	unsigned trace = figure->trace.present ? X86_TRACE_UOPS : 0;

	if (trace > others)
		others = trace;
	return (cache > others ? cache : others) + 1;
}

/* Whether the front end may lack input. Its behaviour must not depend on the
 * time when input comes. */
static bool lacks_input(const struct x86_core *core)
{
	return x86_core_ahead(core) < x86_core_lookahead(core);
}

enum x86_core_state x86_core_run(struct x86_core *core, uint64_t instructions,
				 bool last)
{
	core->last = last;
	while (core->flow_retired < instructions) {
		uint64_t next;

		if (!last && lacks_input(core))
			return X86_CORE_HUNGRY;
		cycle(core);
		if (core->progress) {
			core->now++;
			continue;
		}
		if (core->flow_retired == core->flow_pushed)
			return X86_CORE_HUNGRY;
		next = next_event(core);
		if (next == UINT64_MAX)
			return X86_CORE_STUCK;
		pass(core, next);
	}
	return X86_CORE_DONE;
}

/* Simulates a cycle, and passes the time behind it in which nothing happens, up to
 * cycle `until`. False: nothing can happen any more. */
static bool simulate(struct x86_core *core, uint64_t until)
{
	uint64_t next;
	bool cut;

	cycle(core);
	if (core->tapes)
		core_memo_note_cycle(core);
	if (core->progress) {
		core->now++;
		return true;
	}
	/* Other threads may free what this one waits for. */
	next = core->group && core_group_others(core) ? core->now + 1
						      : next_event(core);
	if (next == UINT64_MAX)
		return false;
	cut = next > until;
	if (cut)
		next = until;
	if (core->tapes)
		core_memo_note_skip(core, next, cut);
	pass(core, next);
	return true;
}

void core_simulate_until(struct x86_core *core, uint64_t until)
{
	while (core->now < until)
		simulate(core, UINT64_MAX);
}

enum x86_core_state x86_core_advance(struct x86_core *core, uint64_t until,
				     bool last)
{
	if (last)
		core_memo_settle(core);
	core->last = last;
	while (core->now < until) {
		if (core->memo && core->memo->mode == MEMO_PLAYS) {
			switch (core_memo_play(core, until)) {
			case MEMO_UNTIL:
				return X86_CORE_DONE;
			case MEMO_HUNGRY:
				return X86_CORE_HUNGRY;
			case MEMO_LEAVES:
				break;
			}
			continue;
		}
		if (core->diverting && core_resolve(core)) {
			if (core->tapes)
				core_memo_resolved(core);
			return X86_CORE_RESOLVED;
		}
		if (!last && lacks_input(core))
			return X86_CORE_HUNGRY;
		if (core->flow_retired == core->flow_pushed &&
		    core->store_head == core->store_tail)
			return X86_CORE_HUNGRY;
		if (core->memo && core_memo_look(core))
			continue;
		if (!simulate(core, until))
			return X86_CORE_STUCK;
	}
	return X86_CORE_DONE;
}

/* Lets time pass in which nothing is in flight. */
static void pass_outside(struct x86_core *core, uint64_t until,
			 enum x86_core_part part, enum x86_core_stall stall)
{
	core->counts.part[part] +=
		(until - core->now) * core->figure.retire_width;
	if (core->profile)
		core_charge_outside(core, part,
				    (until - core->now) *
					    core->figure.retire_width);
	core->counts.stall[stall] +=
		(until - core->now) * core->figure.issue_width;
	core->now = until;
}

void x86_core_skip(struct x86_core *core, uint64_t until,
		   enum x86_core_part part)
{
	if (until <= core->now)
		return;
	core_memo_settle(core);
	core_memo_cannot(core);
	pass_outside(core, until, part, X86_CORE_STALL_NO_THREAD);
	core_fetch_anew(core, until, X86_CORE_FRONT_END);
}

bool x86_core_wait(struct x86_core *core, uint64_t until,
		   enum x86_core_part part)
{
	uint64_t next;

	core_memo_settle(core);
	core_memo_cannot(core);
	next = core->memory.next ? core_memory_next(core) : UINT64_MAX;
	if (next > until)
		next = until;
	if (next == UINT64_MAX)
		return false;
	pass_outside(core, next, part, X86_CORE_STALL_RENAME);
	core_memory_advance(core);
	return true;
}

void x86_core_move(struct x86_core *core, uint64_t cycle)
{
	if (cycle <= core->now)
		return;
	core_memo_settle(core);
	core_memo_cannot(core);
	core->now = cycle;
	core_fetch_anew(core, cycle, X86_CORE_FRONT_END);
}

const struct x86_core_counts *x86_core_counts(const struct x86_core *core)
{
	core_memo_settle_seen(core);
	return &core->counts;
}

uint64_t x86_core_cycle(const struct x86_core *core)
{
	return core->now;
}

uint64_t x86_core_instructions(const struct x86_core *core)
{
	return core->flow_retired;
}

uint64_t x86_core_oldest(const struct x86_core *core)
{
	/* It may have to simulate the path that it plays. */
	return core->memo && core->memo->mode == MEMO_PLAYS
		       ? core->memo->place.retired : core->flow_retired;
}

uint64_t x86_core_locked(const struct x86_core *core)
{
	return core->locked;
}

uint64_t x86_core_slots(const struct x86_core *core)
{
	core_memo_settle_seen(core);
	return core->slots_retired;
}

void x86_core_describe(const struct x86_core *core, FILE *stream)
{
	core_memo_settle_seen(core);
	fprintf(stream, "cycle %" PRIu64 ": instructions %" PRIu64
		" retired, %" PRIu64 " renamed, %" PRIu64 " decoded, %" PRIu64
		" predecoded, %" PRIu64 " known\n", core->now,
		core->flow_retired, core->flow_renamed, core->flow_decoded,
		core->flow_predecoded, core->flow_pushed);
	fprintf(stream, "reorder buffer %" PRIu64 ", scheduler %u, loads %u, "
		"stores %" PRIu64 ", queue of uops %u\n",
		core->entry_tail - core->entry_head, core->waiting,
		core->loads, core->store_tail - core->store_head,
		core->queue_used);
	for (uint64_t i = core->uop_head; i < core->uop_tail; i++) {
		const struct core_uop *uop = &core->uop[i % CORE_UOPS];

		if (uop->state != UOP_KNOWN)
			fprintf(stream, "uop %" PRIu64 " at %" PRIx64
				": port %u, state %u, waits for %u and %u\n",
				i, core->flow[uop->flow].address, uop->port,
				uop->state, uop->pending, uop->forwards);
	}
}
