#include "x86/timing/study/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/timing/predict/counter.h"
#include "x86/timing/study/place-lanes.h"
#include "x86/timing/study/vectors.h"

enum {
	WIDTH = VECTOR_BYTES, /* the number of lanes is a multiple of it */
	MOST = 255, /* the largest count of a byte */
	/* The tournament's, as in predict/tournament.c. */
	LOCAL_HISTORIES = 1024,
	LOCAL_BITS = 10,
	GLOBAL_BITS = 12,
};

/* Totals of each lane. */
struct totals {
	uint64_t wrong, sources[PREDICT_SOURCES];
};

struct lanes {
	const struct predict_config *config;
	size_t count, padded;
	/* Rows of counters: an index's row has the counters of all lanes. */
	uint8_t *counters, *second, *choices;
	/* Of two-level predictors. In a trace outcomes are known, so it is the
	 * same history in all lanes. */
	uint32_t *histories;
	struct place_lanes *places; /* NULL: all lanes share the study's */
	/* Of the present branch, a byte a lane: whether it is said to be taken,
	 * and who knows its target. */
	uint8_t *ways, *codes;
	/* Since the last settlement, a byte a lane. */
	uint8_t *wrong, *sources[PREDICT_SOURCES];
	unsigned pending;
	struct totals *totals;
	uint64_t branches, taken;
};

static size_t pad(size_t count)
{
	return (count + WIDTH - 1) / WIDTH * WIDTH;
}

static uint8_t *new_rows(const struct lanes *lanes, size_t rows, uint8_t value)
{
	uint8_t *table = xmalloc_aligned(rows * lanes->padded);

	memset(table, value, rows * lanes->padded);
	return table;
}

static void create_two_level(struct lanes *lanes)
{
	const struct predict_config *config = lanes->config;

	lanes->second = new_rows(lanes,
				 (size_t)config->two_level_second
					 << config->two_level_history,
				 2);
	lanes->histories =
		xcalloc(config->two_level_first, sizeof *lanes->histories);
}

static void create_tables(struct lanes *lanes)
{
	const struct predict_config *config = lanes->config;

	switch (config->kind) {
	case DIRECTION_bimodal:
		lanes->counters = new_rows(lanes, config->bimodal_size, 2);
		break;
	case DIRECTION_gshare:
		lanes->counters = new_rows(lanes, config->gshare_size, 2);
		break;
	case DIRECTION_combined:
		lanes->counters = new_rows(lanes, config->bimodal_size, 2);
		lanes->choices = new_rows(lanes, config->choice_size, 2);
		create_two_level(lanes);
		break;
	case DIRECTION_two_level:
		create_two_level(lanes);
		break;
	case DIRECTION_tournament:
		lanes->counters = new_rows(lanes, 1 << LOCAL_BITS, 4);
		lanes->second = new_rows(lanes, 1 << GLOBAL_BITS, 2);
		lanes->choices = new_rows(lanes, 1 << GLOBAL_BITS, 2);
		lanes->histories =
			xcalloc(LOCAL_HISTORIES, sizeof *lanes->histories);
		break;
	}
}

struct lanes *lanes_create(const struct predict_config *config, size_t count)
{
	struct lanes *lanes = xcalloc(1, sizeof *lanes);

	lanes->config = config;
	lanes->count = count;
	lanes->padded = pad(count);
	create_tables(lanes);
	if (place_lanes_know(config))
		lanes->places = place_lanes_create(config, lanes->padded);
	lanes->ways = xcalloc_aligned(lanes->padded);
	lanes->codes = xcalloc_aligned(lanes->padded);
	lanes->wrong = xcalloc_aligned(lanes->padded);
	for (int i = 0; i < PREDICT_SOURCES; i++)
		lanes->sources[i] = xcalloc_aligned(lanes->padded);
	lanes->totals = xcalloc(lanes->padded, sizeof *lanes->totals);
	return lanes;
}

void lanes_free(struct lanes *lanes)
{
	if (!lanes)
		return;
	free(lanes->counters);
	free(lanes->second);
	free(lanes->choices);
	free(lanes->histories);
	place_lanes_free(lanes->places);
	free(lanes->ways);
	free(lanes->codes);
	free(lanes->wrong);
	for (int i = 0; i < PREDICT_SOURCES; i++)
		free(lanes->sources[i]);
	free(lanes->totals);
	free(lanes);
}

/* One branch in all lanes. A comparison of vectors is -1 where it holds. */
MANY_WIDTHS
static void step_taken(uint8_t *row, uint8_t *ways, size_t lanes)
{
	for (size_t i = 0; i < lanes; i += WIDTH) {
		vector *counters = (vector *)(row + i);

		*(vector *)(ways + i) = *counters >> 1;
		*counters -= (vector)(*counters < 3);
	}
}

MANY_WIDTHS
static void step_not_taken(uint8_t *row, uint8_t *ways, size_t lanes)
{
	for (size_t i = 0; i < lanes; i += WIDTH) {
		vector *counters = (vector *)(row + i);

		*(vector *)(ways + i) = *counters >> 1;
		*counters += (vector)(*counters > 0);
	}
}

/* Two predictors, the first with counters up to `most`, and a choice between
 * them that learns where they differ. */
MANY_WIDTHS
static void step_two(uint8_t *first, uint8_t *second, uint8_t *choice,
		     uint8_t *ways, size_t lanes, uint8_t most, uint8_t taken)
{
	unsigned shift = most == 3 ? 1 : 2;
	uint8_t flip = taken ^ 1;

	for (size_t i = 0; i < lanes; i += WIDTH) {
		vector *one = (vector *)(first + i);
		vector *other = (vector *)(second + i);
		vector *chosen = (vector *)(choice + i);
		vector said = *one >> shift, says = *other >> 1;
		vector mask = -(*chosen >> 1);
		vector right = said ^ flip, rights = says ^ flip;

		*(vector *)(ways + i) = (said & ~mask) | (says & mask);
		if (taken) {
			*one -= (vector)(*one < most);
			*other -= (vector)(*other < 3);
		} else {
			*one += (vector)(*one > 0);
			*other += (vector)(*other > 0);
		}
		*chosen += (rights & ~right & -(vector)(*chosen < 3)) -
			   (right & ~rights & -(vector)(*chosen > 0));
	}
}

/* Counts a branch of which the same one knows the target in all lanes. */
MANY_WIDTHS
static void count_same(const uint8_t *ways, uint8_t *wrong, uint8_t *source,
		       size_t lanes, uint8_t followed, uint8_t taken)
{
	for (size_t i = 0; i < lanes; i += WIDTH) {
		vector way = *(const vector *)(ways + i) & followed;

		*(vector *)(source + i) += way;
		*(vector *)(wrong + i) += way ^ taken;
	}
}

MANY_WIDTHS
static void count_each(const struct lanes *lanes, uint8_t taken)
{
	for (size_t i = 0; i < lanes->padded; i += WIDTH) {
		vector code = *(const vector *)(lanes->codes + i);
		vector way = *(const vector *)(lanes->ways + i) &
			     (vector)(code != PREDICT_FROM_FALL_THROUGH);

		*(vector *)(lanes->wrong + i) += way ^ taken;
		for (int k = 0; k < PREDICT_SOURCES; k++)
			*(vector *)(lanes->sources[k] + i) +=
				way & (vector)(code == (uint8_t)k);
	}
}

/* Adds the bytes to the totals before one overflows. */
static void settle(struct lanes *lanes)
{
	for (size_t i = 0; i < lanes->padded; i++) {
		lanes->totals[i].wrong += lanes->wrong[i];
		for (int k = 0; k < PREDICT_SOURCES; k++)
			lanes->totals[i].sources[k] += lanes->sources[k][i];
	}
	memset(lanes->wrong, 0, lanes->padded);
	for (int k = 0; k < PREDICT_SOURCES; k++)
		memset(lanes->sources[k], 0, lanes->padded);
	lanes->pending = 0;
}

static enum predict_source source_of(const struct places *places, size_t i)
{
	int source = 0;

	while (!(places->known[source][i / 64] >> i % 64 & 1))
		source++;
	return (enum predict_source)source;
}

static uint8_t *row(const struct lanes *lanes, uint8_t *table, size_t index)
{
	return table + index * lanes->padded;
}

/* The row of counters of a two-level predictor, whose history then has the
 * outcome. */
static uint8_t *two_level_row(struct lanes *lanes, uint64_t address,
			      uint8_t taken)
{
	const struct predict_config *config = lanes->config;
	uint32_t *history =
		&lanes->histories[address & (config->two_level_first - 1)];
	size_t index = (size_t)*history * config->two_level_second +
		       (address & (config->two_level_second - 1));

	*history = (*history << 1 | taken) &
		   ((UINT32_C(1) << config->two_level_history) - 1);
	return row(lanes, lanes->second, index);
}

static uint32_t gshare_index(const struct predict_config *config,
			     uint64_t address, uint32_t past)
{
	uint32_t history =
		past & ((UINT32_C(1) << config->gshare_history) - 1);
	unsigned shift = log2_of(config->gshare_size) - config->gshare_history;

	return ((uint32_t)address ^ history << shift) &
	       (config->gshare_size - 1);
}

static void step_counters(struct lanes *lanes, uint8_t *counters, uint8_t taken)
{
	(taken ? step_taken : step_not_taken)(counters, lanes->ways,
					      lanes->padded);
}

static void step_tournament(struct lanes *lanes, uint64_t address,
			    uint32_t past, uint8_t taken)
{
	uint32_t *history = &lanes->histories[address % LOCAL_HISTORIES];

	past &= (1u << GLOBAL_BITS) - 1;
	step_two(row(lanes, lanes->counters, *history),
		 row(lanes, lanes->second, past),
		 row(lanes, lanes->choices, past), lanes->ways, lanes->padded,
		 7, taken);
	*history = (*history << 1 | taken) & ((1u << LOCAL_BITS) - 1);
}

/* Says the ways of a conditional branch, and learns. */
static void step_ways(struct lanes *lanes, const struct study_chunk *chunk,
		      size_t i)
{
	const struct predict_config *config = lanes->config;
	uint64_t address = chunk->addresses[i];
	uint8_t taken = chunk->outcomes[i];

	switch (config->kind) {
	case DIRECTION_bimodal:
		step_counters(lanes,
			      row(lanes, lanes->counters,
				  address & (config->bimodal_size - 1)),
			      taken);
		break;
	case DIRECTION_gshare:
		step_counters(lanes,
			      row(lanes, lanes->counters,
				  gshare_index(config, address,
					       chunk->pasts[i])),
			      taken);
		break;
	case DIRECTION_two_level:
		step_counters(lanes, two_level_row(lanes, address, taken),
			      taken);
		break;
	case DIRECTION_combined:
		step_two(row(lanes, lanes->counters,
			     address & (config->bimodal_size - 1)),
			 two_level_row(lanes, address, taken),
			 row(lanes, lanes->choices,
			     address & (config->choice_size - 1)),
			 lanes->ways, lanes->padded, 3, taken);
		break;
	case DIRECTION_tournament:
		step_tournament(lanes, address, chunk->pasts[i], taken);
		break;
	case DIRECTION_backward_taken:
		memset(lanes->ways, chunk->backward[i / 64] >> i % 64 & 1,
		       lanes->padded);
		break;
	default:
		memset(lanes->ways, config->kind == DIRECTION_taken,
		       lanes->padded);
	}
}

static void count_branch(struct lanes *lanes, const struct places *places,
			 size_t i, uint8_t taken)
{
	enum predict_source source;

	if (lanes->places) {
		count_each(lanes, taken);
	} else {
		source = source_of(places, i);
		count_same(lanes->ways, lanes->wrong, lanes->sources[source],
			   lanes->padded, source != PREDICT_FROM_FALL_THROUGH,
			   taken);
	}
	if (++lanes->pending == MOST)
		settle(lanes);
}

void lanes_run(struct lanes *lanes, const struct study_chunk *chunk,
	       const struct places *places)
{
	size_t n = 0; /* conditional branches */

	for (size_t i = 0; i < chunk->count; i++) {
		bool conditional =
			chunk->events[i].branch.kind == BRANCH_CONDITIONAL;

		if (lanes->places)
			place_lanes_step(lanes->places, &chunk->numbered[i],
					 lanes->codes);
		if (!conditional)
			continue;
		step_ways(lanes, chunk, n);
		count_branch(lanes, places, n, chunk->outcomes[n]);
		n++;
	}
	settle(lanes);
	lanes->branches += chunk->conditional;
	lanes->taken += chunk->taken_count[BRANCH_CONDITIONAL];
}

bool lanes_have_places(const struct predict_config *config)
{
	return place_lanes_know(config);
}

void lanes_count(const struct lanes *lanes, size_t lane,
		 struct predict_counts counts[BRANCH_KINDS])
{
	struct predict_counts *conditional = &counts[BRANCH_CONDITIONAL];
	const struct totals *totals = &lanes->totals[lane];
	uint64_t elsewhere = lanes->branches;

	for (int k = 0; k < PREDICT_SOURCES; k++) {
		conditional->sources[k] += totals->sources[k];
		elsewhere -= totals->sources[k];
	}
	conditional->sources[PREDICT_FROM_FALL_THROUGH] += elsewhere;
	conditional->branches += lanes->branches;
	conditional->taken += lanes->taken;
	conditional->wrong += totals->wrong;
	conditional->wrong_way += totals->wrong;
	if (lanes->places)
		place_lanes_count(lanes->places, lane, counts);
}
