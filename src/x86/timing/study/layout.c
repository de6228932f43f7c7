#include "x86/timing/study/layout.h"

#include <string.h>

#include "x86/timing/predict/counter.h"

enum kind { TAKEN, NOT_TAKEN, BACKWARD, BY_HISTORY, TWO_LEVEL, COMBINED,
	    TOURNAMENT, UNKNOWN };

/* The tournament's, as in predict/tournament.c. */
enum { LOCAL_HISTORIES = 1024, LOCAL_BITS = 10, GLOBAL_BITS = 12 };

enum { FIRST_FREE = 2 }; /* words: history and top of the stack before it */

static enum kind kind_of(const struct predict_config *config)
{
	switch (config->kind) {
	case DIRECTION_taken:
		return TAKEN;
	case DIRECTION_not_taken:
		return NOT_TAKEN;
	case DIRECTION_backward_taken:
		return BACKWARD;
	case DIRECTION_bimodal:
	case DIRECTION_gshare:
		return BY_HISTORY;
	case DIRECTION_two_level:
		return TWO_LEVEL;
	case DIRECTION_combined:
		return COMBINED;
	case DIRECTION_tournament:
		return TOURNAMENT;
	default:
		return UNKNOWN;
	}
}

int layout_knows(const struct predict_config *config, struct error *error)
{
	if (kind_of(config) == UNKNOWN)
		return error_set(error, "Kind: --opencl has Taken, NotTaken, "
				 "BackwardTaken, Bimodal, TwoLevel, Gshare, "
				 "Combined and Tournament");
	if (config->indirect != TARGET_none)
		return error_set(error, "Indirect: --opencl has None");
	return 0;
}

/* Takes words and says where they begin. */
static uint32_t take(uint32_t *at, size_t words)
{
	uint32_t first = *at;

	*at += (uint32_t)words;
	return first;
}

/* 16 counters of two bits in a word. */
static uint32_t take_counters(uint32_t *at, size_t counters)
{
	return take(at, (counters + 15) / 16);
}

static void lay_directions(const struct predict_config *config,
			   uint32_t words[LAYOUT_WORDS], uint32_t *at)
{
	enum kind kind = kind_of(config);
	uint32_t size = config->kind == DIRECTION_gshare ? config->gshare_size
							 : config->bimodal_size;
	size_t histories = 0, second = 0, locals = 0;

	words[LAYOUT_MASK] = size - 1;
	words[LAYOUT_COLUMNS] = config->two_level_second;
	words[LAYOUT_CHOICE_MASK] = config->choice_size - 1;
	if (config->kind == DIRECTION_gshare) {
		words[LAYOUT_HISTORY] = (1u << config->gshare_history) - 1;
		words[LAYOUT_SHIFT] = log2_of(size) - config->gshare_history;
	}
	if (kind == TWO_LEVEL || kind == COMBINED) {
		words[LAYOUT_HISTORY] = (1u << config->two_level_history) - 1;
		words[LAYOUT_FIRST] = config->two_level_first - 1;
		histories = config->two_level_first;
		second = (size_t)config->two_level_second
			 << config->two_level_history;
	}
	if (kind == TOURNAMENT) {
		words[LAYOUT_MASK] = (1u << LOCAL_BITS) - 1;
		words[LAYOUT_HISTORY] = (1u << GLOBAL_BITS) - 1;
		words[LAYOUT_FIRST] = LOCAL_HISTORIES - 1;
		histories = LOCAL_HISTORIES;
		second = 1u << GLOBAL_BITS;
		locals = 1u << LOCAL_BITS;
	}
	words[LAYOUT_COUNTERS] = take_counters(
		at, kind == BY_HISTORY || kind == COMBINED ? size : 0);
	words[LAYOUT_SECOND] = take_counters(at, second);
	words[LAYOUT_CHOICES] =
		take_counters(at, kind == COMBINED     ? config->choice_size
				  : kind == TOURNAMENT ? second
						       : 0);
	words[LAYOUT_LOCALS] = take(at, locals / 8);
	words[LAYOUT_LOCAL_HISTORIES] = take(at, histories);
}

void layout_make(const struct predict_config *config, uint32_t stream,
		 uint32_t words[LAYOUT_WORDS])
{
	uint32_t at = FIRST_FREE;

	memset(words, 0, LAYOUT_WORDS * sizeof *words);
	words[LAYOUT_KIND] = kind_of(config);
	lay_directions(config, words, &at);
	words[LAYOUT_BTB_SETS] = config->btb_sets;
	words[LAYOUT_BTB_WAYS] = config->btb_ways;
	words[LAYOUT_BTB] =
		take(&at, 2 * (size_t)config->btb_sets * config->btb_ways);
	words[LAYOUT_BTB2_SETS] = config->btb2_sets;
	words[LAYOUT_BTB2_WAYS] = config->btb2_ways;
	words[LAYOUT_BTB2] =
		take(&at, 2 * (size_t)config->btb2_sets * config->btb2_ways);
	words[LAYOUT_FALLS_THROUGH] =
		config->btb_miss == PREDICT_MISS_FALL_THROUGH;
	words[LAYOUT_RAS_SIZE] = config->ras_size;
	words[LAYOUT_RAS] = take(&at, config->ras_size);
	words[LAYOUT_STREAM] = stream;
	words[LAYOUT_TOTAL] = at;
}

void layout_count(struct predict_counts counts[BRANCH_KINDS], size_t code,
		  uint64_t count)
{
	struct predict_counts *own =
		&counts[code / (4 * PREDICT_SOURCES)];
	size_t source = code / 4 % PREDICT_SOURCES;
	bool wrong_way = code & 1, wrong = code & 2;
	/* The way was right, or taken was said and was wrong, or it was not. */
	bool said = source != PREDICT_FROM_FALL_THROUGH;

	own->branches += count;
	own->taken += said != wrong_way ? count : 0;
	own->wrong += wrong ? count : 0;
	own->wrong_way += wrong_way ? count : 0;
	own->sources[source] += count;
}
