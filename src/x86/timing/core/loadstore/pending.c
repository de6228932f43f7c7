/* Memory that answers later: accesses that wait for it, by tickets. */
#include <string.h>

#include "x86/timing/core/loadstore/pending.h"
#include "x86/timing/core/front/front.h"
#include "x86/timing/core/loadstore/loadstore.h"
#include "x86/timing/core/loadstore/order.h"
#include "x86/timing/core/memo/memo.h"

/* A ticket: number * 2048 + kind * 512 + index of the uop. Numbers begin with
 * 1 and are not used again. */
enum ticket_kind { TICKET_LOAD, TICKET_STORE, TICKET_FETCH };

_Static_assert(CORE_UOPS <= 512, "an uop's index fits into a ticket");

static uint64_t take_ticket(struct x86_core *core, enum ticket_kind kind,
			    unsigned index)
{
	return ++core->tickets * 2048 + kind * 512u + index;
}

void core_memory_reset(struct x86_core *core)
{
	for (unsigned i = 0; i < CORE_UOPS; i++)
		core->uop[i].awaits = false;
	core->fetch_line = UINT64_MAX;
}

uint64_t core_memory_next(const struct x86_core *core)
{
	uint64_t next = core->memory.next(core->memory.owner);

	return next > core->now ? next : core->now + 1;
}

/* --- Loads ---------------------------------------------------------------- */

void core_load_request(struct x86_core *core, const struct core_flow *flow,
		       const struct core_access *access, unsigned index,
		       struct x86_core_request *request)
{
	*request = (struct x86_core_request){
		.address = access->linear,
		.instruction = flow->address,
		.cycle = core->now,
		.ticket = take_ticket(core, TICKET_LOAD, index),
		.size = access->size,
		.locked = flow->form->locked,
		.hint = flow->form->hint,
		.part = X86_CORE_MEMORY,
	};
}

/* Notes a load's answer. */
static void note_load(struct x86_core *core, unsigned index,
		      const struct core_access *access, bool forwarded,
		      unsigned answer)
{
	const struct core_uop *uop = &core->uop[index];
	const struct core_flow *flow = &core->flow[uop->flow];
	const struct memo_load load = {
		.memory = uop->what->memory,
		.uop = memo_uop(core, index),
		.flow = memo_flow(core, uop->flow),
		.forwarded = forwarded,
	};

	if (flow->form->locked ||
	    (answer < X86_CORE_PENDING && answer > 0xfffff))
		core_memo_drop(core);
	else
		core_memo_note(core, memo_load_word(
			&load, access == &flow->load[1],
			core_splits(core, access), answer) |
			(core->load[index].asked ? MEMO_LOAD_ASKED : 0));
	core->load[index].asked = false;
}

static unsigned begin(struct x86_core *core, unsigned index,
		      const struct core_access *access)
{
	struct core_uop *uop = &core->uop[index];
	const struct core_flow *flow = &core->flow[uop->flow];
	struct x86_core_request request;
	unsigned answer;

	core_load_request(core, flow, access, index, &request);
	request.forwarded = core->load[index].forwarder > core->store_head ||
			    flow->form->flushes || flow->accessed;
	answer = core->tapes
			 ? core_memo_begin(core, &request, MEMO_LOAD)
			 : core->memory.begin(core->memory.owner, &request);
	core->load[index].ticket = request.ticket;
	uop->part = answer ? request.part : 0;
	if (answer == X86_CORE_PENDING || request.soon)
		core->memory_due = 0;
	if (core->tapes)
		note_load(core, index, access, request.forwarded, answer);
	return answer;
}

bool core_load_waits(struct x86_core *core, unsigned index,
		     const struct core_access *access, uint32_t hit_latency,
		     unsigned *more)
{
	struct core_uop *uop = &core->uop[index];
	unsigned answer = begin(core, index, access);

	if (answer < X86_CORE_PENDING) {
		*more = answer;
		return false;
	}
	uop->awaits = true;
	uop->hit_latency = (uint16_t)hit_latency;
	/* Its consumers are dispatched as if it hit. */
	uop->ready_at = (uint32_t)core->now + hit_latency;
	core_into_wheel(core, index);
	if (answer == X86_CORE_BUSY)
		core->refused[core->refused_count++] = (uint16_t)index;
	return true;
}

void core_load_has_line(struct x86_core *core, const struct core_uop *uop)
{
	uint64_t number = core->flow_retired, index = uop->flow;

	if (!core->flow[index].form->locked)
		return;
	number += (index - number) % CORE_FLOWS;
	if (core->locked <= number)
		core->locked = number + 1;
}

static void load_answered(struct x86_core *core, unsigned index,
			  uint64_t cycle)
{
	struct core_uop *uop = &core->uop[index];

	uop->awaits = false;
	core_load_has_line(core, uop);
	uop->value_at = core_later(uop->value_at,
				   (uint32_t)cycle + uop->hit_latency);
	if (uop->blocked || uop->forwards)
		return;
	uop->state = UOP_KNOWN;
	core_wake(core, index);
}

void core_loads_dropped(struct x86_core *core, const bool *dropped)
{
	core_list_drop(core->refused, &core->refused_count, dropped);
	core_order_dropped(core, dropped);
}

/* The loads without an answer, in the order in which they started. */
static void try_again(struct x86_core *core)
{
	unsigned kept = 0, i = 0;

	for (; i < core->refused_count; i++) {
		unsigned index = core->refused[i], answer;
		const struct core_uop *uop = &core->uop[index];
		const struct core_flow *flow = &core->flow[uop->flow];

		answer = begin(core, index, core_load_access(flow, uop));
		if (answer == X86_CORE_BUSY)
			break;
		if (answer < X86_CORE_PENDING)
			load_answered(core, index, core->now + answer);
	}
	for (; i < core->refused_count; i++)
		core->refused[kept++] = core->refused[i];
	core->refused_count = kept;
	core->store_refused = false;
}

void core_memory_advance_now(struct x86_core *core)
{
	/* Room that another thread's access has left is not due at any time. */
	if (core->memory.advance &&
	    (core->group || core->now >= core->memory_due)) {
		core->memory.advance(core->memory.owner, core->now);
		core->memory_due = core->memory.next(core->memory.owner);
	}
}

/* Something has come that the core waits for. */
static bool has_come(const struct x86_core *core)
{
	unsigned refused = core->memo && core->memo->mode == MEMO_PLAYS
				   ? core->memo->refused
				   : core->refused_count + core->store_refused;

	return core->answered || (core->memory_room && refused);
}

uint64_t core_memory_wait(struct x86_core *core, uint64_t own, uint64_t until)
{
	uint64_t start = core->now, next;

	/* What the memory does by itself is no reason to simulate a cycle. */
	core->answered = false;
	while ((next = core_memory_next(core)) < own && next < until) {
		core->now = next;
		core_memory_advance_now(core);
		if (has_come(core))
			break;
		core->memory_room = false;
	}
	core->now = start;
	return next < own ? next : own;
}

/* The memory's answers in this cycle, which came while the core played. */
static void repeat_answers(struct x86_core *core)
{
	const struct memo_event *event;

	while ((event = core_memo_next_event(core, MEMO_ANSWER)))
		x86_core_memory_done(core, event->ticket, event->value);
	core->memory_room = core_memo_next_event(core, MEMO_ROOM) != NULL;
}

void core_memory_advance(struct x86_core *core)
{
	if (core->tapes && core_memo_repeats(core))
		repeat_answers(core);
	else
		core_memory_advance_now(core);
	if (core->memory_room) {
		core->memory_room = false;
		if (!core->tapes || core_memo_room(core))
			try_again(core);
	}
}

/* --- Stores --------------------------------------------------------------- */

void core_store_request(struct x86_core *core,
			struct x86_core_request *request)
{
	const struct core_store *store = core_store(core, core->store_head);

	*request = (struct x86_core_request){
		.address = store->linear,
		.instruction = store->instruction,
		.cycle = core->now,
		.ticket = take_ticket(core, TICKET_STORE, 0),
		.size = store->size,
		.store = true,
		.past = store->past,
		.part = X86_CORE_MEMORY,
	};
}

bool core_store_waits(struct x86_core *core, unsigned *more)
{
	const struct core_store *store = core_store(core, core->store_head);
	struct x86_core_request request;

	if (store->accessed)
		return false;
	if (core->store_owned) {
		core->store_owned = false;
		return false;
	}
	if (core->store_ticket || core->store_refused)
		return true;
	core_store_request(core, &request);
	*more = core->tapes
			? core_memo_begin(core, &request, MEMO_STORE)
			: core->memory.begin(core->memory.owner, &request);
	core_memo_tape(core, memo_store_word(*more));
	if (request.soon)
		core->memory_due = 0;
	if (*more < X86_CORE_PENDING)
		return false;
	core->progress = true;
	core->memory_due = 0;
	if (*more == X86_CORE_PENDING)
		core->store_ticket = request.ticket;
	else
		core->store_refused = true;
	return true;
}

/* --- Code ----------------------------------------------------------------- */

uint64_t core_fetch_take_ticket(struct x86_core *core)
{
	return take_ticket(core, TICKET_FETCH, 0);
}

bool core_fetch_misses(struct x86_core *core)
{
	uint64_t address = core->predecode_block *
			   core->figure.predecode_bytes;
	uint64_t line = address / core->figure.line, ticket;
	unsigned answer;

	if (core->fetch_ticket)
		return true;
	if (line == core->fetch_line)
		return false;
	core->progress = true;
	ticket = core_fetch_take_ticket(core);
	answer = core->tapes ? core_memo_fetch(core, address, ticket)
			     : core->memory.fetch(core->memory.owner, address,
						  core->now, ticket);
	core->memory_due = 0;
	if (answer == X86_CORE_BUSY) {
		core->predecode_free = core->now + 1;
		return true;
	}
	core->fetch_line = line;
	if (answer == X86_CORE_PENDING)
		core->fetch_ticket = ticket;
	else if (answer)
		core->predecode_free = core->now + answer;
	return answer != 0;
}

/* --- Answers -------------------------------------------------------------- */

bool core_takes_answer(const struct x86_core *core, uint64_t ticket)
{
	unsigned index = ticket % 512;

	switch ((enum ticket_kind)(ticket / 512 % 4)) {
	case TICKET_LOAD:
		return core->uop[index].awaits &&
		       core->load[index].ticket == ticket;
	case TICKET_STORE:
		return core->store_ticket == ticket;
	default:
		return core->fetch_ticket == ticket;
	}
}

void core_ticket_waits(uint64_t ticket, uint64_t *store, uint64_t *fetch)
{
	enum ticket_kind kind = ticket / 512 % 4;

	if (kind == TICKET_STORE)
		*store = ticket;
	else if (kind == TICKET_FETCH)
		*fetch = ticket;
}

void x86_core_memory_done(struct x86_core *core, uint64_t ticket,
			  uint64_t cycle)
{
	unsigned index = ticket % 512;

	if (core->memo && core->memo->mode == MEMO_PLAYS) {
		core->memory_room = true;
		if (!core_takes_answer(core, ticket))
			return;
		core->answered = true;
		core_memo_play_answer(core, ticket, cycle);
		return;
	}
	core->memory_room = true;
	core->answered |= core_takes_answer(core, ticket);
	if (core->tapes && core_takes_answer(core, ticket))
		core_memo_note_answer(core, memo_answer_word(core, ticket,
							     cycle));
	switch ((enum ticket_kind)(ticket / 512 % 4)) {
	case TICKET_LOAD:
		if (core->uop[index].awaits &&
		    core->load[index].ticket == ticket)
			load_answered(core, index, cycle);
		break;
	case TICKET_STORE:
		if (core->store_ticket != ticket)
			break;
		core->store_ticket = 0;
		core->store_owned = true;
		if (core->commit_free < cycle)
			core->commit_free = cycle;
		break;
	case TICKET_FETCH:
		if (core->fetch_ticket != ticket)
			break;
		core->fetch_ticket = 0;
		if (core->predecode_free < cycle)
			core->predecode_free = cycle;
		break;
	}
}

void x86_core_memory_room(struct x86_core *core)
{
	core->memory_room = true;
}

void x86_core_memory_soon(struct x86_core *core)
{
	core->memory_due = 0;
}
