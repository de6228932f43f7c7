#include "base/optimize.h"

/* The states that a core knows, and when it looks for one. */
#include "x86/timing/core/memo/memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/timing/core/front/front.h"

enum {
	BUCKETS = 1 << 16,    /* of states */
	OUTLINES = 1 << 16,
	SEEN = 1 << 15,       /* tags of states that have been met once */
	ROOM = 1 << 20,       /* bytes that are got at once; more than a state has */

	/* Cycles of a path; more and more where states have not been met before,
	 * as a core keeps what is new for a while. A path with so many
	 * instructions may end in any case. */
	SHORTEST = 12, LONGEST = 64, GROWS = 2, MANY = 100,
	/* A path ends behind a taken branch. In code without one it ends at one
	 * of so many addresses when it has taken so many cycles, or anywhere when
	 * it is long. */
	STRAIGHT = 48, MARKS = 8, LONG = 160,
	/* Of a path, with those before it: fewer than there are places. */
	UOPS_MOST = 400, STORES_MOST = CORE_STORES - 32,

	/* A look costs as much as this number of played instructions saves, and
	 * so many looks may be in vain before the core pauses for so many cycles,
	 * which are doubled so often. */
	GAIN = 20, GAIN_MOST = 1000,
	PAUSE = 2000, PAUSES = 4,
};

struct memo_room {
	struct memo_room *next;
	size_t size;
	uint64_t data[ROOM / sizeof(uint64_t)];
};

static void *take(struct core_memo *memo, size_t size)
{
	struct memo_room *room = memo->room;

	size = (size + 7) & ~(size_t)7;
	if (!room || room->size + size > ROOM) {
		struct memo_room *next = room ? room->next : memo->first;

		if (!next) {
			next = xmalloc(sizeof *next);
			next->next = NULL;
			if (room)
				room->next = next;
			else
				memo->first = next;
		}
		next->size = 0;
		memo->room = room = next;
	}
	memo->used += size;
	room->size += size;
	return (char *)room->data + room->size - size;
}

/* The room stays for what comes. */
static void forget_all(struct core_memo *memo)
{
	memo->room = NULL;
	memo->used = 0;
	memset(memo->bucket, 0, BUCKETS * sizeof memo->bucket[0]);
	memset(memo->outlines, 0, OUTLINES / 8);
}

void core_memo_create(struct x86_core *core, size_t most, bool checks)
{
	struct core_memo *memo = xcalloc(1, sizeof *memo);

	memo->bucket = xcalloc(BUCKETS, sizeof memo->bucket[0]);
	memo->outlines = xcalloc(OUTLINES / 64, sizeof memo->outlines[0]);
	memo->saved = xmalloc(MEMO_SAVED);
	memo->seen = xcalloc(SEEN, sizeof memo->seen[0]);
	memo->action = xmalloc(MEMO_ACTIONS * sizeof memo->action[0]);
	memo->input = xmalloc(MEMO_INPUTS * sizeof memo->input[0]);
	memo->charge = xmalloc(MEMO_CHARGES * sizeof memo->charge[0]);
	memo->event = xmalloc(MEMO_EVENTS * sizeof memo->event[0]);
	memo->answer = xmalloc(MEMO_ANSWERS_MOST * sizeof memo->answer[0]);
	memo->shortest = SHORTEST;
	memo->most = most;
	memo->checks = checks;
	core->memo = memo;
}

void core_memo_free(struct x86_core *core)
{
	struct core_memo *memo = core->memo;

	if (!memo)
		return;
	while (memo->first) {
		memo->room = memo->first;
		memo->first = memo->room->next;
		free(memo->room);
	}
	free(memo->bucket);
	free(memo->outlines);
	free(memo->saved);
	free(memo->seen);
	free(memo->action);
	free(memo->input);
	free(memo->charge);
	free(memo->event);
	free(memo->answer);
	free(memo);
	core->memo = NULL;
}

/* Whether a state may have been met before. Most states of a program without much
 * repetition are never met again, and are not even saved. */
static bool seen(struct core_memo *memo, uint64_t signature)
{
	uint32_t *place = &memo->seen[signature % SEEN];
	uint32_t tag = (uint32_t)(signature >> 32);

	if (*place == tag)
		return true;
	*place = tag;
	return false;
}

static struct memo_state **bucket_of(const struct core_memo *memo,
				     uint64_t signature)
{
	return &memo->bucket[signature / SEEN % BUCKETS];
}

/* Whether a state with this signature is known; and one from which paths lead. */
static bool is_known(const struct core_memo *memo, uint64_t signature)
{
	const struct memo_state *state = *bucket_of(memo, signature);

	while (state && state->signature != signature)
		state = state->next;
	return state;
}

static bool has_path(const struct core_memo *memo, uint64_t signature)
{
	const struct memo_state *state = *bucket_of(memo, signature);

	while (state && (state->signature != signature || !state->path))
		state = state->next;
	return state;
}

/* Whether a state with this outline may be. */
static bool has_outline(const struct core_memo *memo, uint64_t outline)
{
	return memo->outlines[outline % OUTLINES / 64] >> outline % 64 & 1;
}

/* The state that has been saved, if it is known. */
static struct memo_state *find(const struct core_memo *memo, uint64_t signature,
			       unsigned size)
{
	struct memo_state *state = *bucket_of(memo, signature);

	while (state &&
	       (state->signature != signature || state->size != size ||
		memcmp(state->data, memo->saved, size)))
		state = state->next;
	return state;
}

/* Adds the state that has been saved. */
static struct memo_state *add(struct x86_core *core, uint64_t outline,
			      uint64_t signature, unsigned size, bool resolves)
{
	struct core_memo *memo = core->memo;
	struct memo_state **bucket = bucket_of(memo, signature);
	struct memo_state *state = take(memo, sizeof *state + size);

	state->next = *bucket;
	state->path = NULL;
	state->signature = signature;
	state->size = size;
	state->refused = (uint16_t)(core->refused_count + core->store_refused);
	state->resolves = resolves;
	memcpy(state->data, memo->saved, size);
	*bucket = state;
	memo->outlines[outline % OUTLINES / 64] |= UINT64_C(1) << outline % 64;
	return state;
}

/* The present state among those that are known, else it is added when it is met
 * again. NULL: it is met for the first time, or cannot be saved. */
static struct memo_state *present(struct x86_core *core, bool resolves)
{
	struct core_memo *memo = core->memo;
	uint64_t outline = core_memo_outline(core);
	uint64_t signature = core_memo_signature(core, outline);
	struct memo_state *state;
	unsigned size;

	if (!seen(memo, signature) && !is_known(memo, signature))
		return NULL;
	size = core_memo_save(core, memo->saved);
	if (!size)
		return NULL;
	state = find(memo, signature, size);
	return state ? state : add(core, outline, signature, size, resolves);
}

/* The same, only if paths lead from it: a look that costs little. */
static struct memo_state *present_with_path(struct x86_core *core)
{
	struct core_memo *memo = core->memo;
	uint64_t outline = core_memo_outline(core), signature;
	struct memo_state *state;
	unsigned size;

	if (!has_outline(memo, outline))
		return NULL;
	signature = core_memo_signature(core, outline);
	if (!has_path(memo, signature))
		return NULL;
	size = core_memo_save(core, memo->saved);
	state = size ? find(memo, signature, size) : NULL;
	return state && state->path ? state : NULL;
}

/* The recorded path ends in a state. */
static void keep(struct x86_core *core, struct memo_state *end)
{
	struct core_memo *memo = core->memo;
	struct memo_path *path = take(memo, sizeof *path);
	uint64_t *now = (uint64_t *)&core->counts;
	const uint64_t *before = (const uint64_t *)&memo->counts;
	unsigned words = sizeof core->counts / sizeof *now, counts = 0;
	size_t size = memo->actions * sizeof memo->action[0];
	struct memo_input *input;
	struct memo_charge *charge;
	struct memo_count *count;
	uint64_t *action;

	for (unsigned i = 0; i < words; i++)
		counts += now[i] != before[i];
	action = take(memo, size);
	memcpy(action, memo->action, size);
	size = memo->inputs * sizeof memo->input[0];
	input = take(memo, size);
	memcpy(input, memo->input, size);
	size = memo->charges * sizeof memo->charge[0];
	charge = take(memo, size);
	memcpy(charge, memo->charge, size);
	count = take(memo, counts * sizeof *count);
	*path = (struct memo_path){
		.next = memo->from->path, .end = end,
		.action = action, .input = input, .count = count,
		.charge = charge, .charges = memo->charges,
		.actions = memo->actions, .inputs = memo->inputs,
		.counts = counts,
		.slots = (uint32_t)(core->slots_retired - memo->slots),
		.uops_left = (uint32_t)(core->uop_head - memo->place.uop_head),
	};
	for (unsigned i = 0; i < words; i++)
		if (now[i] != before[i])
			*count++ = (struct memo_count){
				i, (uint32_t)(now[i] - before[i]) };
	memo->from->path = path;
}

/* Whether the last cycle has come to a place where paths end: it depends on the
 * program alone, so that equal states meet there. */
static bool at_mark(struct x86_core *core, uint64_t cycles)
{
	struct core_memo *memo = core->memo;
	const struct core_flow *last;

	if (core->flow_decoded == memo->marked && !memo->anew)
		return false;
	memo->marked = core->flow_decoded;
	if (memo->anew || core->source == SOURCE_LOOP) {
		memo->anew = false;
		return true;
	}
	last = core_flow(core, core->flow_decoded - 1);
	return core_taken(last) ||
	       (cycles >= STRAIGHT && !(last->next / 2 % MARKS)) ||
	       cycles >= LONG;
}

/* A path that can no longer be kept is dropped. */
static bool is_too_long(struct x86_core *core)
{
	const struct core_memo *memo = core->memo;
	bool is = core->flow_retired - memo->place.retired >
			  MEMO_RETIRED_MOST ||
		  core->uop_tail - memo->place.uop_head > UOPS_MOST ||
		  core->store_tail - memo->place.store_head > STORES_MOST;

	if (is)
		core_memo_drop(core);
	return is;
}

static void stop(struct x86_core *core)
{
	core->memo->mode = MEMO_LIVE;
	core->tapes = false;
}

void core_memo_resolved(struct x86_core *core)
{
	struct core_memo *memo = core->memo;
	struct memo_state *state = NULL;

	if (memo->mode == MEMO_REPEATS)
		core_memo_repeated(core);
	if (memo->mode == MEMO_RECORDS && !memo->in_answers &&
	    !is_too_long(core) && core_memo_can_save(core))
		state = present(core, true);
	if (state)
		keep(core, state);
	stop(core);
}

/* A look has been in vain, or a state is new, at some cost. False: too many have
 * been, and the core only simulates for a while. */
static bool is_worth(struct x86_core *core, int cost)
{
	struct core_memo *memo = core->memo;

	if (memo->shortest < LONGEST)
		memo->shortest += memo->shortest / GROWS;
	memo->gain += (int)((memo->played - memo->gained) / GAIN);
	memo->gained = memo->played;
	if (memo->gain > GAIN_MOST)
		memo->gain = GAIN_MOST;
	if (memo->gain > 0)
		memo->pauses = 0;
	memo->gain -= cost;
	if (memo->gain > -GAIN_MOST)
		return true;
	memo->wait = core->now + (PAUSE << memo->pauses);
	memo->pauses += memo->pauses < PAUSES;
	memo->gain = -GAIN_MOST / 2;
	return false;
}

static bool is_too_short(const struct x86_core *core, uint64_t cycles)
{
	const struct core_memo *memo = core->memo;

	return cycles < memo->shortest &&
	       core->flow_retired - memo->place.retired < MANY &&
	       core->uop_tail - memo->place.uop_head < 3 * MANY;
}

/* Whether a core that simulates has not done so for long enough to look for a
 * state; or a path that is recorded is too short. */
static bool is_early(const struct x86_core *core, uint64_t cycles)
{
	const struct core_memo *memo = core->memo;

	return memo->mode == MEMO_LIVE ? cycles < memo->shortest && !memo->anew
				       : is_too_short(core, cycles);
}

/* Plays or records a path from a state. True: plays. */
static bool go_on(struct x86_core *core, struct memo_state *state)
{
	struct core_memo *memo = core->memo;

	if (!state) {
		is_worth(core, 1);
		return false;
	}
	if (memo->used > memo->most)
		return false;
	if (state->path) {
		memo->vain = 0;
		memo->shortest = SHORTEST;
		core_memo_play_begin(core, state);
		return true;
	}
	if (is_worth(core, MEMO_COST))
		core_memo_record_begin(core, state);
	return false;
}

bool core_memo_look(struct x86_core *core)
{
	struct core_memo *memo = core->memo;
	uint64_t cycles = core->now - memo->place.now;
	bool records = memo->mode == MEMO_RECORDS, early;
	struct memo_state *state;

	if (memo->mode == MEMO_REPEATS || core->profile || core->retired ||
	    core->group || (!records && core->now < memo->wait))
		return false;
	/* What has come belongs to the cycle that begins. */
	if (records && (is_too_long(core) || memo->in_answers))
		return false;
	early = is_early(core, cycles);
	if (early && records && (cycles < SHORTEST || memo->anew))
		return false;
	if (!at_mark(core, cycles) || !core_memo_can_save(core))
		return false;
	if (!records && memo->used > memo->most)
		forget_all(memo);
	state = early ? present_with_path(core) : present(core, false);
	if (early && !state)
		return false;
	if (state && records)
		keep(core, state);
	stop(core);
	memo->place.now = core->now;
	return go_on(core, state);
}
