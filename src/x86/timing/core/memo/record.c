#include "base/optimize.h"

/* Notes what a core does and what comes from outside; and tells it again what has
 * come while the core played, when it repeats that. */
#include "x86/timing/core/memo/memo.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void core_memo_record_begin(struct x86_core *core, struct memo_state *from)
{
	struct core_memo *memo = core->memo;

	memo->mode = MEMO_RECORDS;
	memo->dropped = false;
	memo->from = from;
	memo->place = core_memo_place(core);
	memo->actions = memo->inputs = memo->charges = 0;
	memo->in_front = memo->in_answers = false;
	memo->counts = core->counts;
	memo->slots = core->slots_retired;
	memo->last_retired = core->flow_retired;
	memo->last_decoded = core->flow_decoded;
	memo->last_predecoded = core->flow_predecoded;
	core->tapes = true;
}

void core_memo_drop(struct x86_core *core)
{
	struct core_memo *memo = core->memo;

	memo->dropped = true;
	if (memo->mode == MEMO_REPEATS) {
		/* No path has this, so the core is behind where it left one. */
		core_memo_told(core);
		return;
	}
	memo->mode = MEMO_LIVE;
	core->tapes = false;
	memo->vain += memo->vain < 6;
	memo->wait = core->now + (8u << memo->vain);
}

void core_memo_note(struct x86_core *core, uint64_t word)
{
	struct core_memo *memo = core->memo;

	if (memo->dropped)
		return;
	if (memo->actions == MEMO_ACTIONS) {
		core_memo_drop(core);
		return;
	}
	memo->action[memo->actions++] = word;
}

void core_memo_note_answer(struct x86_core *core, uint64_t word)
{
	struct core_memo *memo = core->memo;

	if (!memo->in_answers) {
		memo->in_answers = true;
		memo->answers = memo->actions;
		core_memo_note(core, MEMO_ANSWERS);
	}
	if (memo->dropped)
		return;
	memo->action[memo->answers] += 16;
	core_memo_note(core, word);
}

void core_memo_note_front(struct x86_core *core)
{
	struct core_memo *memo = core->memo;

	memo->in_front = true;
	memo->front = memo->actions;
	core_memo_note(core, MEMO_FRONT);
}

/* The instructions that the front end has looked at: one more than it has
 * found. */
static void note_inputs(struct x86_core *core)
{
	struct core_memo *memo = core->memo;
	uint64_t from = memo->place.predecoded + memo->inputs;
	uint64_t end = core->flow_predecoded + 1, count = 0;

	if (end > core->flow_pushed ||
	    (end > from && end - memo->place.predecoded > MEMO_INPUTS)) {
		core_memo_drop(core);
		return;
	}
	for (; from < end; from++, count++)
		memo->input[memo->inputs++] =
			core_memo_input(core_flow(core, from));
	if (count)
		memo->action[memo->front] |= count << 4;
	else if (memo->front == memo->actions - 1)
		memo->actions--;
}

void core_memo_note_charge(struct x86_core *core, unsigned index,
			   enum x86_core_part part, uint64_t slots)
{
	struct core_memo *memo = core->memo;
	struct memo_charge *charge = &memo->charge[memo->charges];
	unsigned uop = memo_uop(core, index);

	/* It is none of the figures that the path always adds. */
	memo->counts.part[part] += slots;
	if (memo->charges && charge[-1].uop == uop &&
	    charge[-1].slots + slots <= UINT32_MAX) {
		charge[-1].slots += (uint32_t)slots;
		return;
	}
	if (memo->charges == MEMO_CHARGES || slots > UINT32_MAX) {
		core_memo_drop(core);
		return;
	}
	*charge = (struct memo_charge){ uop, (uint32_t)slots };
	memo->charges++;
}

void core_memo_note_cycle(struct x86_core *core)
{
	struct core_memo *memo = core->memo;

	if (memo->dropped)
		return;
	if (memo->in_front)
		note_inputs(core);
	if (memo->dropped)
		return;
	core_memo_note(core, memo_cycle_word(
		core->flow_decoded - memo->last_decoded,
		core->flow_predecoded - memo->last_predecoded,
		core->flow_retired - memo->last_retired, core->progress,
		core->refused_count + core->store_refused));
	memo->in_front = memo->in_answers = false;
	memo->last_decoded = core->flow_decoded;
	memo->last_predecoded = core->flow_predecoded;
	memo->last_retired = core->flow_retired;
}

/* ---- What comes from outside ---- */

/* What is repeated differs from what was played. */
_Noreturn static void fail(const struct x86_core *core)
{
	fprintf(stderr, "m2s: cycle %" PRIu64 ": an error of the model: a core that "
		"repeats what it has remembered comes to something else "
		"([ General ] Memoize = No goes without it)\n", core->now);
	abort();
}

void core_memo_told(struct x86_core *core)
{
	struct core_memo *memo = core->memo;

	if (!memo->told)
		core->memory_due = memo->due;
	memo->told = true;
}

/* What has come at this point while the core played; NULL: it had not come so
 * far. */
static const struct memo_event *repeated(struct x86_core *core,
					 enum memo_kind kind)
{
	struct core_memo *memo = core->memo;
	const struct memo_event *event = &memo->event[memo->event_at];

	if (memo->mode != MEMO_REPEATS)
		return NULL;
	if (memo->event_at == memo->events) {
		core_memo_told(core);
		return NULL;
	}
	if (event->kind != kind || event->cycle != core->now)
		fail(core);
	memo->event_at++;
	return event;
}

unsigned core_memo_begin(struct x86_core *core, struct x86_core_request *request,
			 enum memo_kind kind)
{
	const struct memo_event *event = repeated(core, kind);

	if (!event)
		return core->memory.begin(core->memory.owner, request);
	request->part = event->part;
	return (unsigned)event->value;
}

unsigned core_memo_fetch(struct x86_core *core, uint64_t address,
			 uint64_t ticket)
{
	const struct memo_event *event = repeated(core, MEMO_FETCH);
	unsigned answer = event ? (unsigned)event->value
				: core->memory.fetch(core->memory.owner,
						     address, core->now,
						     ticket);

	core_memo_note(core, memo_fetch_word(answer));
	core_memo_note(core, address);
	return answer;
}

bool core_memo_asked(struct x86_core *core, enum memo_kind kind, uint64_t *word)
{
	const struct memo_event *event = repeated(core, kind);

	if (!event)
		return false;
	*word = event->value;
	return true;
}

bool core_memo_filled(struct x86_core *core)
{
	return repeated(core, MEMO_FILL);
}

bool core_memo_learned(struct x86_core *core)
{
	return repeated(core, MEMO_RETIRED);
}

void core_memo_own(struct x86_core *core, const struct core_store *store)
{
	if (!repeated(core, MEMO_RETIRED))
		core->memory.own(core->memory.owner, store->linear, store->size,
				 core->now);
}

static uint64_t distance_to(const struct x86_core *core, uint64_t own)
{
	return own == UINT64_MAX ? 0 : own - core->now;
}

unsigned core_memo_waits(struct x86_core *core, uint64_t own, uint64_t *next)
{
	const struct memo_event *event = repeated(core, MEMO_SKIP);
	unsigned place = core->memo->actions;

	*next = event ? event->value : 0;
	core_memo_note(core, MEMO_SKIP | distance_to(core, own) << 32);
	return place;
}

void core_memo_waited(struct x86_core *core, unsigned place, uint64_t own,
		      uint64_t next, uint64_t until)
{
	struct core_memo *memo = core->memo;
	uint64_t passed = next - core->now;

	if (memo->dropped)
		return;
	if (next > until || passed >= 1 << 24 || distance_to(core, own) >> 31)
		core_memo_drop(core);
	else
		memo->action[place] |= passed << 4;
}

/* The core has come to where it left the path. */
void core_memo_repeated(struct x86_core *core)
{
	struct core_memo *memo = core->memo;

	if (memo->event_at < memo->events)
		fail(core);
	memo->mode = memo->dropped ? MEMO_LIVE : MEMO_RECORDS;
	core->tapes = !memo->dropped;
	core->memory_room |= memo->room_comes;
	core_memo_told(core);
}

bool core_memo_room(struct x86_core *core)
{
	if (!core->refused_count && !core->store_refused)
		return false;
	core_memo_note(core, MEMO_ROOM);
	return true;
}

bool core_memo_repeats(struct x86_core *core)
{
	struct core_memo *memo = core->memo;

	if (memo->mode == MEMO_REPEATS && core->now > memo->advanced)
		core_memo_repeated(core);
	return memo->mode == MEMO_REPEATS;
}

const struct memo_event *core_memo_next_event(struct x86_core *core,
					      enum memo_kind kind)
{
	struct core_memo *memo = core->memo;
	const struct memo_event *event = &memo->event[memo->event_at];

	if (memo->event_at == memo->events || event->kind != kind ||
	    event->cycle != core->now)
		return NULL;
	memo->event_at++;
	return event;
}

/* ---- While a core plays ---- */

void core_memo_play_answer(struct x86_core *core, uint64_t ticket,
			   uint64_t cycle)
{
	struct core_memo *memo = core->memo;
	unsigned index = ticket % 512;

	if (core->store_ticket == ticket)
		core->store_ticket = 0;
	else if (core->fetch_ticket == ticket)
		core->fetch_ticket = 0;
	else
		core->uop[index].awaits = false;
	memo->answer[memo->answer_count++] = (struct memo_event){
		.kind = MEMO_ANSWER, .cycle = core->now, .value = cycle,
		.ticket = ticket };
}

void core_memo_play_own(struct x86_core *core, const struct core_store *store)
{
	core->memory.own(core->memory.owner, store->linear, store->size,
			 core->now);
	core_memo_log(core, &(struct memo_event){ .kind = MEMO_RETIRED,
						    .cycle = core->now });
}
