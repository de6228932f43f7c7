#include "x86/timing/study/place-lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/timing/study/vectors.h"

/* A level of the target buffer: rows of tags and of targets, for each set its
 * ways in the order of their use, the newest first. */
struct level {
	uint32_t sets, ways;
	uint32_t *tags, *targets;
};

/* Rows of what became of the branches of a kind. */
struct tally {
	uint64_t branches, taken;
	uint32_t *sources[PREDICT_SOURCES], *wrong;
};

struct place_lanes {
	size_t lanes;
	struct level levels[2];
	bool falls_through;
	uint32_t ring_size, top;
	uint32_t *ring; /* rows */
	struct tally tallies[BRANCH_KINDS];
};

bool place_lanes_know(const struct predict_config *config)
{
	return config->indirect == TARGET_none;
}

static uint32_t *new_rows(const struct place_lanes *places, size_t rows)
{
	return xcalloc_aligned((rows + 1) * places->lanes * sizeof(uint32_t));
}

static void create_level(struct place_lanes *places, struct level *level,
			 uint32_t sets, uint32_t ways)
{
	*level = (struct level){ .sets = sets, .ways = ways };
	level->tags = new_rows(places, (size_t)sets * ways);
	level->targets = new_rows(places, (size_t)sets * ways);
}

struct place_lanes *place_lanes_create(const struct predict_config *config,
				       size_t lanes)
{
	struct place_lanes *places = xcalloc(1, sizeof *places);

	places->lanes = lanes;
	places->falls_through = config->btb_miss == PREDICT_MISS_FALL_THROUGH;
	places->ring_size = config->ras_size;
	places->ring = new_rows(places, config->ras_size);
	create_level(places, &places->levels[0], config->btb_sets,
		     config->btb_ways);
	create_level(places, &places->levels[1], config->btb2_sets,
		     config->btb2_sets ? config->btb2_ways : 0);
	for (int kind = 1; kind < BRANCH_KINDS; kind++) {
		struct tally *tally = &places->tallies[kind];

		tally->wrong = new_rows(places, 1);
		for (int i = 0; i < PREDICT_SOURCES; i++)
			tally->sources[i] = new_rows(places, 1);
	}
	return places;
}

void place_lanes_free(struct place_lanes *places)
{
	if (!places)
		return;
	for (int i = 0; i < 2; i++) {
		free(places->levels[i].tags);
		free(places->levels[i].targets);
	}
	for (int kind = 1; kind < BRANCH_KINDS; kind++) {
		free(places->tallies[kind].wrong);
		for (int i = 0; i < PREDICT_SOURCES; i++)
			free(places->tallies[kind].sources[i]);
	}
	free(places->ring);
	free(places);
}

/* What is asked of a vector of lanes at one branch. */
struct question {
	uint32_t id, target, next; /* target: of a direct branch */
	bool conditional, taken, falls_through;
	size_t stride;             /* lanes of a row */
	/* The first ways of the set; ways 0: there is no such level. */
	uint32_t *tags[2], *targets[2];
	uint32_t ways[2];
	const uint32_t *returned;  /* a row, or NULL */
	uint8_t *codes;
	struct tally *tally;
};

static inline __attribute__((always_inline)) words chosen(words mask, words yes,
							  words no)
{
	return (yes & mask) | (no & ~mask);
}

static inline __attribute__((always_inline)) bool is_all(words mask)
{
	uint64_t parts[8], all = UINT64_MAX;

	memcpy(parts, &mask, sizeof parts);
	for (int i = 0; i < 8; i++)
		all &= parts[i];
	return all == UINT64_MAX;
}

/* The way that has the branch, or the number of ways, and its target. */
static inline __attribute__((always_inline)) words
look(const struct question *q, int level, size_t at, words *target)
{
	uint32_t ways = q->ways[level];
	words way = (words){ 0 } + ways;

	*target = (words){ 0 };
	for (uint32_t i = ways; i-- > 0;) {
		size_t place = i * q->stride + at;
		words hit = (words)(*(words *)(q->tags[level] + place) == q->id);

		way = chosen(hit, (words){ 0 } + i, way);
		*target = chosen(hit, *(words *)(q->targets[level] + place),
				 *target);
	}
	return way;
}

/* Makes the branch the newest of its set. */
static inline __attribute__((always_inline)) void
enter(const struct question *q, int level, size_t at, words way)
{
	uint32_t *tags = q->tags[level] + at;
	uint32_t *targets = q->targets[level] + at;

	for (uint32_t i = q->ways[level] - 1; i > 0; i--) {
		/* Those up to its way, or all if it is new, move back. */
		words moves = (words)(way >= i);
		words *tag = (words *)(tags + i * q->stride);
		words *target = (words *)(targets + i * q->stride);

		*tag = chosen(moves, *(words *)(tags + (i - 1) * q->stride),
			      *tag);
		*target = chosen(moves,
				 *(words *)(targets + (i - 1) * q->stride),
				 *target);
	}
	*(words *)tags = (words){ 0 } + q->id;
	*(words *)targets = (words){ 0 } + q->next;
}

/* Whether the first level has the branch as its newest in all lanes, with the
 * target that it goes to, and there is no second level. */
static inline __attribute__((always_inline)) bool
is_newest(const struct question *q, size_t at)
{
	return !q->ways[1] &&
	       is_all((words)(*(words *)(q->tags[0] + at) == q->id)) &&
	       (!q->taken ||
		is_all((words)(*(words *)(q->targets[0] + at) == q->next)));
}

MANY_WIDTHS
static void answer(const struct question *q)
{
	for (size_t at = 0; at < q->stride; at += VECTOR_WORDS) {
		words none = { 0 }, known, known2, way, way2, in, in2, next;
		words code;

		if (is_newest(q, at)) {
			way = none;
			in = ~none;
			in2 = none;
			way2 = none;
			known = *(words *)(q->targets[0] + at);
		} else {
			way = look(q, 0, at, &known);
			way2 = look(q, 1, at, &known2);
			in = (words)(way < q->ways[0]);
			in2 = (words)(way2 < q->ways[1]) & ~in;
			known = chosen(in, known, known2);
			if (q->taken) {
				enter(q, 0, at, way);
				if (q->ways[1])
					enter(q, 1, at, way2);
			}
		}
		next = known;
		if (q->target) {
			next = none + q->target;
		} else if (q->returned) {
			words returned = *(const words *)(q->returned + at);

			next = chosen((words)(returned != 0), returned, next);
		}
		code = chosen(in, none + PREDICT_FROM_BTB,
			      chosen(in2, none + PREDICT_FROM_BTB2,
				     none + PREDICT_FROM_DECODE));
		if (q->target)
			code = chosen((words)(known == q->target), code,
				      none + PREDICT_FROM_DECODE);
		code = chosen((words)(next == 0), none + PREDICT_FROM_NOTHING,
			      code);
		if (q->falls_through)
			code = chosen(in | in2, code,
				      none + PREDICT_FROM_FALL_THROUGH);
		if (q->conditional) {
			*(small_vector *)(q->codes + at) =
				__builtin_convertvector(code, small_vector);
			continue;
		}
		for (uint32_t i = 0; i < PREDICT_SOURCES; i++)
			*(words *)(q->tally->sources[i] + at) -=
				(words)(code == i);
		*(words *)(q->tally->wrong + at) -=
			(words)(next != q->next) |
			(words)(code == PREDICT_FROM_FALL_THROUGH);
	}
}

/* Calls push in all lanes; a return pops. */
static const uint32_t *use_ring(struct place_lanes *places,
				enum branch_kind kind, uint32_t behind)
{
	uint32_t *row;

	if (kind == BRANCH_CALL || kind == BRANCH_INDIRECT_CALL) {
		places->top = (places->top + 1) % places->ring_size;
		row = places->ring + places->top * places->lanes;
		for (size_t i = 0; i < places->lanes; i++)
			row[i] = behind;
		return NULL;
	}
	if (kind != BRANCH_RETURN)
		return NULL;
	row = places->ring + places->top * places->lanes;
	places->top = places->top ? places->top - 1 : places->ring_size - 1;
	return row;
}

void place_lanes_step(struct place_lanes *places, const struct numbered *event,
		      uint8_t *codes)
{
	enum branch_kind kind = numbered_kind(event);
	uint32_t address = numbered_address(event);
	struct question question = {
		.id = event->word[1],
		.next = event->word[2],
		.conditional = kind == BRANCH_CONDITIONAL,
		.taken = numbered_taken(event),
		.falls_through = places->falls_through,
		.stride = places->lanes,
		.returned = use_ring(places, kind, event->word[3]),
		.codes = codes,
		.tally = &places->tallies[kind],
	};

	if (kind == BRANCH_CALL)
		question.target = event->word[2];
	else if (kind <= BRANCH_JUMP)
		question.target = event->word[3];
	for (int i = 0; i < 2; i++) {
		const struct level *level = &places->levels[i];
		size_t row = level->sets ? (address & (level->sets - 1)) *
						   (size_t)level->ways
					 : 0;

		question.ways[i] = level->ways;
		question.tags[i] = level->tags + row * places->lanes;
		question.targets[i] = level->targets + row * places->lanes;
	}
	question.tally->branches++;
	question.tally->taken += question.taken;
	answer(&question);
}

void place_lanes_count(const struct place_lanes *places, size_t lane,
		       struct predict_counts counts[BRANCH_KINDS])
{
	for (int kind = 1; kind < BRANCH_KINDS; kind++) {
		const struct tally *tally = &places->tallies[kind];

		counts[kind].branches += tally->branches;
		counts[kind].taken += tally->taken;
		counts[kind].wrong += tally->wrong[lane];
		for (int i = 0; i < PREDICT_SOURCES; i++)
			counts[kind].sources[i] += tally->sources[i][lane];
		counts[kind].wrong_way +=
			tally->sources[PREDICT_FROM_FALL_THROUGH][lane];
	}
}
