#include "x86/timing/study/ways.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/timing/predict/counter.h"

enum {
	/* The tournament's, as in predict/tournament.c. */
	LOCAL_HISTORIES = 1024,
	LOCAL_BITS = 10,
	GLOBAL_BITS = 12,
};

struct ways {
	const struct predict_config *config;
	uint8_t *counters, *second, *choices;
	uint32_t *histories;
};

bool ways_know(const struct predict_config *config)
{
	switch (config->kind) {
	case DIRECTION_taken:
	case DIRECTION_not_taken:
	case DIRECTION_backward_taken:
	case DIRECTION_bimodal:
	case DIRECTION_two_level:
	case DIRECTION_gshare:
	case DIRECTION_combined:
	case DIRECTION_tournament:
		return true;
	default:
		return false;
	}
}

static bool same_two_level(const struct predict_config *one,
			   const struct predict_config *other)
{
	return one->two_level_first == other->two_level_first &&
	       one->two_level_second == other->two_level_second &&
	       one->two_level_history == other->two_level_history;
}

bool ways_alike(const struct predict_config *one,
		const struct predict_config *other)
{
	if (one->kind != other->kind)
		return false;
	switch (one->kind) {
	case DIRECTION_bimodal:
		return one->bimodal_size == other->bimodal_size;
	case DIRECTION_two_level:
		return same_two_level(one, other);
	case DIRECTION_gshare:
		return one->gshare_size == other->gshare_size &&
		       one->gshare_history == other->gshare_history;
	case DIRECTION_combined:
		return one->bimodal_size == other->bimodal_size &&
		       one->choice_size == other->choice_size &&
		       same_two_level(one, other);
	default:
		return true;
	}
}

static size_t two_level_counters(const struct predict_config *config)
{
	return (size_t)config->two_level_second << config->two_level_history;
}

size_t ways_bytes(const struct predict_config *config)
{
	size_t two_level = two_level_counters(config) +
			   4 * (size_t)config->two_level_first;

	switch (config->kind) {
	case DIRECTION_bimodal:
		return config->bimodal_size;
	case DIRECTION_two_level:
		return two_level;
	case DIRECTION_gshare:
		return config->gshare_size;
	case DIRECTION_combined:
		return two_level + config->bimodal_size + config->choice_size;
	case DIRECTION_tournament:
		return 4 * LOCAL_HISTORIES + (1 << LOCAL_BITS) +
		       2 * (1 << GLOBAL_BITS);
	default:
		return 0;
	}
}

static uint8_t *new_table(size_t count, uint8_t value)
{
	uint8_t *table = xmalloc_aligned(count);

	memset(table, value, count);
	return table;
}

struct ways *ways_create(const struct predict_config *config)
{
	struct ways *ways = xcalloc(1, sizeof *ways);
	bool combined = config->kind == DIRECTION_combined;

	ways->config = config;
	if (config->kind == DIRECTION_bimodal || combined)
		ways->counters = new_table(config->bimodal_size, 2);
	if (config->kind == DIRECTION_gshare)
		ways->counters = new_table(config->gshare_size, 2);
	if (config->kind == DIRECTION_two_level || combined) {
		ways->second = new_table(two_level_counters(config), 2);
		ways->histories = xcalloc(config->two_level_first,
					  sizeof *ways->histories);
	}
	if (combined)
		ways->choices = new_table(config->choice_size, 2);
	if (config->kind == DIRECTION_tournament) {
		ways->counters = new_table(1 << LOCAL_BITS, 4);
		ways->second = new_table(1 << GLOBAL_BITS, 2);
		ways->choices = new_table(1 << GLOBAL_BITS, 2);
		ways->histories =
			xcalloc(LOCAL_HISTORIES, sizeof *ways->histories);
	}
	return ways;
}

void ways_free(struct ways *ways)
{
	if (!ways)
		return;
	free(ways->counters);
	free(ways->second);
	free(ways->choices);
	free(ways->histories);
	free(ways);
}

/* The next state of a counter of 2 bits, without a branch of the host. */
static inline uint8_t stepped(uint8_t counter, uint8_t taken)
{
	return (uint8_t)(counter + (taken & (counter != 3)) -
			 (!taken & (counter != 0)));
}

static inline uint8_t stepped3(uint8_t counter, uint8_t taken)
{
	return (uint8_t)(counter + (taken & (counter != 7)) -
			 (!taken & (counter != 0)));
}

/* For each conditional branch `i`: runs the statement, which sets `way`, and
 * collects the answers. */
#define FOR_EACH(chunk, said, ...)                                             \
	for (size_t word = 0; word < study_words(chunk); word++) {             \
		size_t end = (chunk)->conditional - 64 * word;                 \
		uint64_t bits = 0;                                             \
                                                                               \
		for (size_t bit = 0; bit < (end < 64 ? end : 64); bit++) {     \
			size_t i = 64 * word + bit;                            \
			uint8_t taken = (chunk)->outcomes[i];                  \
			uint64_t way;                                          \
                                                                               \
			__VA_ARGS__;                                            \
			bits |= way << bit;                                    \
		}                                                              \
		(said)[word] = bits;                                           \
	}

/* By address and global history: bimodal without history, gshare. */
static void run_counters(uint8_t *counters, uint32_t size, unsigned history,
			 const struct study_chunk *chunk, study_bits said)
{
	const uint64_t *addresses = chunk->addresses;
	const uint32_t *pasts = chunk->pasts;
	uint32_t past_mask = (UINT32_C(1) << history) - 1;
	unsigned shift = log2_of(size) - history;

	FOR_EACH(chunk, said, {
		uint32_t index = ((uint32_t)addresses[i] ^
				  (pasts[i] & past_mask) << shift) &
				 (size - 1);
		uint8_t counter = counters[index];

		way = counter >> 1;
		counters[index] = stepped(counter, taken);
	})
}

static inline uint32_t two_level_index(const struct predict_config *config,
				       uint32_t *histories, uint32_t past_mask,
				       uint64_t address, uint8_t taken)
{
	uint32_t *history =
		&histories[address & (config->two_level_first - 1)];
	uint32_t index = *history * config->two_level_second +
			 (address & (config->two_level_second - 1));

	*history = (*history << 1 | taken) & past_mask;
	return index;
}

static void run_two_level(struct ways *ways, const struct study_chunk *chunk,
			  study_bits said)
{
	const struct predict_config config = *ways->config;
	uint32_t past_mask = (UINT32_C(1) << config.two_level_history) - 1;
	uint8_t *second = ways->second;

	FOR_EACH(chunk, said, {
		uint32_t index = two_level_index(&config, ways->histories,
						 past_mask,
						 chunk->addresses[i], taken);
		uint8_t counter = second[index];

		way = counter >> 1;
		second[index] = stepped(counter, taken);
	})
}

static void run_combined(struct ways *ways, const struct study_chunk *chunk,
			 study_bits said)
{
	const struct predict_config config = *ways->config;
	uint32_t past_mask = (UINT32_C(1) << config.two_level_history) - 1;

	FOR_EACH(chunk, said, {
		uint64_t address = chunk->addresses[i];
		uint8_t *first =
			&ways->counters[address & (config.bimodal_size - 1)];
		uint8_t *second = &ways->second[two_level_index(
			&config, ways->histories, past_mask, address, taken)];
		uint8_t *choice =
			&ways->choices[address & (config.choice_size - 1)];
		uint8_t one = *first >> 1, other = *second >> 1;

		way = *choice >> 1 ? other : one;
		*first = stepped(*first, taken);
		*second = stepped(*second, taken);
		if (one != other)
			*choice = stepped(*choice, other == taken);
	})
}

static void run_tournament(struct ways *ways, const struct study_chunk *chunk,
			   study_bits said)
{
	FOR_EACH(chunk, said, {
		uint32_t *history = &ways->histories[chunk->addresses[i] %
						     LOCAL_HISTORIES];
		uint32_t past = chunk->pasts[i] & ((1u << GLOBAL_BITS) - 1);
		uint8_t *local = &ways->counters[*history];
		uint8_t *global = &ways->second[past];
		uint8_t *choice = &ways->choices[past];
		uint8_t one = *local >> 2, other = *global >> 1;

		way = *choice >> 1 ? other : one;
		*local = stepped3(*local, taken);
		*global = stepped(*global, taken);
		if (one != other)
			*choice = stepped(*choice, other == taken);
		*history = (*history << 1 | taken) & ((1u << LOCAL_BITS) - 1);
	})
}

void ways_run(struct ways *ways, const struct study_chunk *chunk,
	      study_bits said)
{
	const struct predict_config *config = ways->config;
	size_t bytes = study_words(chunk) * sizeof *said;

	switch (config->kind) {
	case DIRECTION_taken:
		memset(said, 0xff, bytes);
		/* No bits behind the last branch. */
		if (chunk->conditional % 64)
			said[study_words(chunk) - 1] =
				(UINT64_C(1) << chunk->conditional % 64) - 1;
		break;
	case DIRECTION_not_taken:
		memset(said, 0, bytes);
		break;
	case DIRECTION_backward_taken:
		memcpy(said, chunk->backward, bytes);
		break;
	case DIRECTION_bimodal:
		run_counters(ways->counters, config->bimodal_size, 0, chunk,
			     said);
		break;
	case DIRECTION_gshare:
		run_counters(ways->counters, config->gshare_size,
			     config->gshare_history, chunk, said);
		break;
	case DIRECTION_two_level:
		run_two_level(ways, chunk, said);
		break;
	case DIRECTION_combined:
		run_combined(ways, chunk, said);
		break;
	case DIRECTION_tournament:
		run_tournament(ways, chunk, said);
		break;
	}
}
