/* Cycle after cycle: simulated, passed over, or played (memo/memo.h). */
#include "base/optimize.h"

#include "x86/timing/core/run.h"

#include <string.h>

#include "x86/timing/core/front/front.h"
#include "x86/timing/core/loadstore/pending.h"
#include "x86/timing/core/memo/memo.h"

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
	if (core->occupancy)
		core_occupancy_count(core, cycles);
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

/* After a cycle without an event, the next cycle in which something can happen in
 * the core itself. */
static uint64_t own_event(struct x86_core *core)
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
	return next;
}

/* The same in the core or its memory. */
static uint64_t next_event(struct x86_core *core)
{
	uint64_t next = own_event(core);

	if (core->memory.next)
		soonest(&next, core->now, core_memory_next(core));
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
	if (core->occupancy)
		core_occupancy_count(core, 1);
}

uint64_t x86_core_ahead(const struct x86_core *core)
{
	return core->flow_pushed - core->flow_predecoded;
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

/* core_memory_wait() until the core acts by itself, which is noted. */
static uint64_t noted_wait(struct x86_core *core, uint64_t until)
{
	uint64_t own = own_event(core), next;
	unsigned place = core_memo_waits(core, own, &next);

	if (!next)
		next = core_memory_wait(core, own, until);
	core_memo_waited(core, place, own, next, until);
	return next;
}

/* The cycle, not behind `until` if that can be told, in which a core that can do
 * nothing now goes on. */
static uint64_t wait(struct x86_core *core, uint64_t until)
{
	/* Other threads may free what this one waits for. */
	if (core->group)
		return core_group_others(core) ? core->now + 1
					       : next_event(core);
	if (core->tapes)
		return noted_wait(core, until);
	if (!core->memory.next)
		return own_event(core);
	return core_memory_wait(core, own_event(core), until);
}

/* Simulates a cycle, and passes the time behind it in which nothing happens, up to
 * cycle `until`. False: nothing can happen any more. */
static bool simulate(struct x86_core *core, uint64_t until)
{
	uint64_t next;

	cycle(core);
	if (core->tapes)
		core_memo_note_cycle(core);
	if (core->progress) {
		core->now++;
		return true;
	}
	next = wait(core, until);
	if (next == UINT64_MAX)
		return false;
	pass(core, next < until ? next : until);
	return true;
}

/* ---- Memoization ---- */

/* Goes back to the beginning of the path that is played, and simulates it up to the
 * present cycle, a part of which may have been played. */
static void leave(struct x86_core *core)
{
	uint64_t until = core_memo_leave(core);

	while (core->now < until)
		simulate(core, UINT64_MAX);
}

/* Answers may have come for the next cycle. */
static void take_answers(struct x86_core *core)
{
	const struct core_memo *memo = core->memo;

	for (unsigned i = 0; i < memo->answer_count; i++)
		x86_core_memory_done(core, memo->answer[i].ticket,
				     memo->answer[i].value);
}

/* The same between two cycles: the core simulates again. */
static void end(struct x86_core *core)
{
	leave(core);
	core_memo_repeated(core);
	take_answers(core);
}

static void check(struct x86_core *core)
{
	core_memo_check_begin(core);
	leave(core);
	core_memo_repeated(core);
	core_memo_drop(core);
	core_memo_check_end(core);
	take_answers(core);
}

static enum memo_outcome play(struct x86_core *core, uint64_t until)
{
	enum memo_outcome outcome =
		core_memo_play(core, until, x86_core_lookahead(core));

	if (outcome == MEMO_LEAVES)
		leave(core);
	else if (outcome == MEMO_ENDS)
		end(core);
	else if (outcome == MEMO_CHECKS)
		check(core);
	return outcome;
}

void core_settle(struct x86_core *core)
{
	if (!core->memo || core->memo->mode != MEMO_PLAYS)
		return;
	end(core);
	core_memo_drop(core);
}

/* Before the state changes from outside. */
static void settle(struct x86_core *core)
{
	core_settle(core);
	core_memo_cannot(core);
}

/* ---- Runs ---- */

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

enum x86_core_state x86_core_advance(struct x86_core *core, uint64_t until,
				     bool last)
{
	if (last)
		core_settle(core);
	core->last = last;
	while (core->now < until) {
		if (core->memo && core->memo->mode == MEMO_PLAYS) {
			enum memo_outcome outcome = play(core, until);

			if (outcome == MEMO_UNTIL)
				return X86_CORE_DONE;
			if (outcome == MEMO_HUNGRY)
				return X86_CORE_HUNGRY;
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
	settle(core);
	pass_outside(core, until, part, X86_CORE_STALL_NO_THREAD);
	core_fetch_anew(core, until, X86_CORE_FRONT_END);
}

bool x86_core_wait(struct x86_core *core, uint64_t until,
		   enum x86_core_part part)
{
	uint64_t next;

	settle(core);
	next = core->memory.next ? core_memory_next(core) : UINT64_MAX;
	if (next > until)
		next = until;
	if (next == UINT64_MAX)
		return false;
	if (core->occupancy && next > core->now)
		core_occupancy_count(core, next - core->now);
	pass_outside(core, next, part, X86_CORE_STALL_RENAME);
	core_memory_advance(core);
	return true;
}

void x86_core_move(struct x86_core *core, uint64_t cycle)
{
	if (cycle <= core->now)
		return;
	settle(core);
	core->now = cycle;
	core_fetch_anew(core, cycle, X86_CORE_FRONT_END);
}

void x86_core_squash(struct x86_core *core)
{
	settle(core);
	if (core->memo)
		core->memo->anew = true;
	core_squash(core);
}

void x86_core_clear(struct x86_core *core)
{
	settle(core);
	core_clear(core);
}

void x86_core_line_lost(struct x86_core *core, uint64_t address, uint64_t size)
{
	uint64_t line = core->figure.line;
	uint64_t first = address / line, last = (address + size - 1) / line;

	if (core->memo && core->memo->mode == MEMO_PLAYS) {
		if (!core_memo_loads(core, first, last))
			return;
		core_settle(core);
	}
	core_line_lost(core, first, last);
}
