#include "base/optimize.h"

/* Plays paths: what a core would do is known, and only what comes from outside is
 * asked for, and compared. */
#include "x86/timing/core/memo/memo.h"

#include <stdlib.h>
#include <string.h>

#include "x86/timing/core/front/front.h"
#include "x86/timing/core/loadstore/loadstore.h"
#include "x86/timing/core/loadstore/pending.h"

static void begin_path(struct core_memo *memo)
{
	memo->path = memo->from->path;
	memo->at = memo->input_at = memo->events = memo->event_at = 0;
	memo->advanced = 0;
	memo->refused = memo->from->refused;
}

void core_memo_play_begin(struct x86_core *core, struct memo_state *state)
{
	struct core_memo *memo = core->memo;

	memo->mode = MEMO_PLAYS;
	core->tapes = false;
	memo->from = state;
	memo->answer_count = 0;
	memo->place = core_memo_place(core);
	begin_path(memo);
}

/* ---- Other paths ---- */

static bool equal_inputs(const struct memo_input *a, const struct memo_input *b,
			 unsigned count)
{
	return !memcmp(a, b, count * sizeof *a);
}

static bool inputs_come(struct x86_core *core, const struct memo_path *path,
			uint64_t word)
{
	struct core_memo *memo = core->memo;
	unsigned count = word >> 4 & 0xfff;
	uint64_t number = memo->place.predecoded + memo->input_at;

	if (number + count > core->flow_pushed)
		return false;
	for (unsigned i = 0; i < count; i++) {
		const struct core_flow *flow = core_flow(core, number + i);
		const struct memo_input *known =
			&path->input[memo->input_at + i];

		/* Without a branch for each member. */
		if ((flow->address ^ known->address) |
		    (flow->next ^ known->next) | (flow->pushed ^ known->rest) |
		    ((uintptr_t)flow->form ^ (uintptr_t)known->form))
			return false;
	}
	return true;
}

/* Whether a path fits to what has come: `word` is the action, or MEMO_FRONT for
 * instructions, or MEMO_CYCLE for an action other than answers. */
static bool fits(struct x86_core *core, const struct memo_path *path,
		 uint64_t word)
{
	uint64_t action = path->action[core->memo->at];

	switch (memo_kind(word)) {
	case MEMO_FRONT:
		return memo_kind(action) == MEMO_FRONT &&
		       inputs_come(core, path, action);
	case MEMO_CYCLE:
		return memo_kind(action) != MEMO_ANSWERS &&
		       memo_kind(action) != MEMO_ROOM;
	default:
		return action == word;
	}
}

/* Another path of the state that is the same so far, and fits. */
static bool change_path(struct x86_core *core, uint64_t word)
{
	struct core_memo *memo = core->memo;
	struct memo_path *now = memo->path, *path, **link;

	for (link = &memo->from->path; (path = *link); link = &path->next) {
		if (path == now || path->actions <= memo->at ||
		    path->inputs < memo->input_at ||
		    memcmp(path->action, now->action,
			   memo->at * sizeof path->action[0]) ||
		    !equal_inputs(path->input, now->input, memo->input_at) ||
		    !fits(core, path, word))
			continue;
		*link = path->next;
		path->next = memo->from->path;
		memo->from->path = memo->path = path;
		return true;
	}
	return false;
}

/* ---- Leaving ---- */

/* The store queue is what it was at the path's beginning. Its entries are still
 * there. */
static void return_stores(struct x86_core *core)
{
	core->store_head = core->memo->place.store_head;
	core->store_tail = core->memo->place.store_tail;
	core_stores_count_anew(core);
}

uint64_t core_memo_leave(struct x86_core *core)
{
	struct core_memo *memo = core->memo;
	uint64_t now = core->now, due = core->memory_due;
	bool room = core->memory_room;
	struct memo_state *from = memo->from;

	memo->gain -= MEMO_LEAVING;
	for (uint64_t i = memo->place.predecoded; i < core->flow_pushed; i++)
		core_flow_begin(core_flow(core, i));
	return_stores(core);
	core->tickets = memo->place.tickets;
	core->store_ticket = memo->place.store_ticket;
	core->fetch_ticket = memo->place.fetch_ticket;
	core_memo_load(core, from, &memo->place);
	core_memo_record_begin(core, from);
	memo->mode = MEMO_REPEATS;
	memo->event_at = 0;
	memo->due = due;
	memo->room_comes = room;
	memo->told = false;
	return now;
}

bool core_memo_loads(struct x86_core *core, uint64_t first, uint64_t last)
{
	for (uint64_t i = core->flow_retired; i < core->flow_decoded; i++) {
		const struct core_flow *flow = core_flow(core, i);

		for (unsigned k = 0; k < flow->load_count; k++) {
			uint64_t begin = flow->load[k].linear;
			uint64_t end = begin + flow->load[k].size;

			if (begin / core->figure.line <= last &&
			    (end - 1) / core->figure.line >= first)
				return true;
		}
	}
	return false;
}

/* ---- Actions ---- */

/* The memory's time comes to this cycle. */
static void advance(struct x86_core *core)
{
	struct core_memo *memo = core->memo;

	core_memory_advance_now(core);
	memo->advanced = core->now;
}

/* Notes what the memory has brought, before it is compared. Returns whether there
 * may be room for something that waits for it. */
static bool note_answers(struct x86_core *core)
{
	struct core_memo *memo = core->memo;
	bool room = core->memory_room && memo->refused;

	for (unsigned i = 0; i < memo->answer_count; i++)
		core_memo_log(core, &memo->answer[i]);
	if (room)
		core_memo_log(core, &(struct memo_event){ .kind = MEMO_ROOM,
						      .cycle = core->now });
	core->memory_room = false;
	return room;
}

/* Whether a word comes next, on this path or another one. */
static bool play_word(struct x86_core *core, uint64_t word)
{
	struct core_memo *memo = core->memo;

	if (memo->path->action[memo->at] != word && !change_path(core, word))
		return false;
	memo->at++;
	return true;
}

/* Begins a cycle: what the memory has brought is compared. */
static bool play_answers(struct x86_core *core)
{
	struct core_memo *memo = core->memo;
	bool room = note_answers(core);

	if (memo->answer_count) {
		if (!play_word(core, MEMO_ANSWERS |
					     (uint64_t)memo->answer_count << 4))
			return false;
		for (unsigned i = 0; i < memo->answer_count; i++)
			if (!play_word(core, memo_answer_word(
					core, memo->answer[i].ticket,
					memo->answer[i].value)))
				return false;
		memo->answer_count = 0;
	}
	if (room)
		return play_word(core, MEMO_ROOM);
	return fits(core, memo->path, MEMO_CYCLE) ||
	       change_path(core, MEMO_CYCLE);
}

static uint64_t play_asked(struct x86_core *core, enum memo_kind kind,
			   uint64_t word)
{
	core_memo_log(core, &(struct memo_event){
		.kind = kind, .cycle = core->now, .value = word });
	return word;
}

static uint64_t play_fetch(struct x86_core *core, uint64_t word,
			   uint64_t address)
{
	uint64_t ticket;
	unsigned answer;

	if (word == MEMO_FETCH_NO_LONGER) {
		core->fetch_ticket = 0;
		return word;
	}
	ticket = core_fetch_take_ticket(core);
	answer = core->memory.fetch(core->memory.owner, address, core->now,
				    ticket);
	core->memory_due = 0;
	if (answer == X86_CORE_PENDING)
		core->fetch_ticket = ticket;
	core_memo_log(core, &(struct memo_event){
		.kind = MEMO_FETCH, .cycle = core->now, .value = answer });
	return memo_fetch_word(answer);
}

/* Plays the next action, within a cycle. False: nothing known fits. */
static bool play_action(struct x86_core *core, uint64_t word)
{
	struct core_memo *memo = core->memo;
	uint64_t comes = word;
	uint64_t address = memo_has_address(word)
				   ? memo->path->action[memo->at + 1] : 0;

	switch (memo_kind(word)) {
	case MEMO_LOAD:
		comes = core_memo_play_load(core, word);
		break;
	case MEMO_STORE:
		comes = core_memo_play_store(core);
		break;
	case MEMO_COMMIT:
		comes = core_memo_play_commit(core);
		break;
	case MEMO_RETIRED:
		core_memo_play_retired(core, word);
		break;
	case MEMO_ALIAS:
		comes = core_memo_play_alias(core, word);
		break;
	case MEMO_NEW_STORE:
		comes = core_memo_play_new_store(core, word);
		break;
	case MEMO_FRONT:
		if (!inputs_come(core, memo->path, word)) {
			if (!change_path(core, MEMO_FRONT))
				return false;
			comes = word = memo->path->action[memo->at];
		}
		memo->input_at += word >> 4 & 0xfff;
		break;
	case MEMO_OPEN:
		comes = play_asked(core, MEMO_OPEN, core_cache_open_word(core,
							address));
		break;
	case MEMO_HOLDS:
		comes = play_asked(core, MEMO_HOLDS,
				   core_cache_holds_word(core, address));
		break;
	case MEMO_FETCH:
		comes = play_fetch(core, word, address);
		break;
	case MEMO_FILL:
		core_cache_fill_word(core, word, address);
		play_asked(core, MEMO_FILL, word);
		break;
	default:
		break;
	}
	if (comes != word && !change_path(core, comes))
		return false;
	memo->at += 1 + memo_has_address(word);
	return true;
}

/* Passes the time in which nothing happens: MEMO_UNTIL, or why that cannot be. */
static enum memo_outcome play_skip(struct x86_core *core, uint64_t word,
				   uint64_t until)
{
	uint64_t cycles = word >> 4 & 0xffffff, own = word >> 32;
	uint64_t next = core_memory_wait(core, own ? core->now + own
						   : UINT64_MAX, until);
	uint64_t passed = next - core->now;

	if (next > until)
		return MEMO_LEAVES;
	core_memo_log(core, &(struct memo_event){
		.kind = MEMO_SKIP, .cycle = core->now, .value = next });
	core->now = next;
	if (passed != cycles &&
	    !change_path(core, MEMO_SKIP | passed << 4 | own << 32))
		return MEMO_ENDS;
	core->memo->at++;
	return MEMO_UNTIL;
}

void core_memo_count(const struct x86_core *core, const struct memo_path *path,
		     struct x86_core_counts *counts)
{
	uint64_t *words = (uint64_t *)counts;

	for (unsigned i = 0; i < path->counts; i++)
		words[path->count[i].index] += path->count[i].by;
	for (unsigned i = 0; i < path->charges; i++) {
		unsigned index = (unsigned)(core->memo->place.uop_head +
					    path->charge[i].uop) % CORE_UOPS;
		unsigned part = core->uop[index].part;

		counts->part[part ? part : X86_CORE_LOAD] +=
			path->charge[i].slots;
	}
}

/* Where the next path begins. An answer that has come for its first cycle belongs to
 * that: until then the store, or the code, waits. */
static struct memo_place next_place(const struct x86_core *core)
{
	const struct core_memo *memo = core->memo;
	struct memo_place place = core_memo_place(core);

	for (unsigned i = 0; i < memo->answer_count; i++)
		core_ticket_waits(memo->answer[i].ticket, &place.store_ticket,
				  &place.fetch_ticket);
	return place;
}

/* The path has come to its end. */
static void end_path(struct x86_core *core)
{
	struct core_memo *memo = core->memo;
	const struct memo_path *path = memo->path;

	core_memo_count(core, path, &core->counts);
	core->slots_retired += path->slots;
	core->uop_head += path->uops_left;
	memo->played += core->flow_retired - memo->place.retired;
	memo->from = path->end;
	memo->place = next_place(core);
	begin_path(memo);
	if (!memo->from->resolves)
		return;
	core_memo_load(core, memo->from, &memo->place);
	memo->mode = MEMO_LIVE;
}

enum memo_outcome core_memo_play(struct x86_core *core, uint64_t until,
				 uint64_t lookahead)
{
	struct core_memo *memo = core->memo;

	for (;;) {
		uint64_t word;

		if (core->now >= until)
			return MEMO_UNTIL;
		if (core->flow_pushed - core->flow_predecoded < lookahead)
			return MEMO_HUNGRY;
		if (!memo->path || memo->events > MEMO_EVENTS / 2)
			break;
		advance(core);
		if (!play_answers(core)) {
			return MEMO_LEAVES;
		}
		for (;;) {
			word = memo->path->action[memo->at];
			if (memo_kind(word) == MEMO_CYCLE)
				break;
			if (!play_action(core, word)) {
				return MEMO_LEAVES;
			}
		}
		memo->at++;
		core->flow_decoded += word >> 4 & 0xff;
		core->flow_retired += word >> 12 & 0xff;
		core->flow_predecoded += (uint64_t)(int64_t)(int16_t)(word >> 32);
		memo->refused = word >> 21 & 0x1ff;
		if (word >> 20 & 1) {
			core->now++;
		} else {
			enum memo_outcome outcome = play_skip(
				core, memo->path->action[memo->at], until);

			if (outcome != MEMO_UNTIL)
				return outcome;
		}
		if (memo->at == memo->path->actions) {
			if (memo->checks)
				return MEMO_CHECKS;
			end_path(core);
			if (memo->mode == MEMO_LIVE)
				return MEMO_RESOLVES;
		}
	}
	return MEMO_ENDS;
}
