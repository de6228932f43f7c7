/* A sum of weights from several tables. The address and a prefix of the global
 * history choose the weight of a table. Lengths grow geometrically. The
 * threshold of training adapts as in O-GEHL (Seznec, ISCA 2005). */
#include <stdlib.h>

#include "x86/timing/predict/counter.h"
#include "x86/timing/predict/direction.h"

enum { MOST_TABLES = 16, SHORTEST = 3, ADAPT_BITS = 7, WEIGHT_BITS = 8 };

struct state {
	uint64_t history;
	int32_t threshold;
	int8_t adapt; /* moves the threshold on overflow */
	uint8_t lengths[MOST_TABLES];
	int8_t weights[];
};

struct record {
	uint64_t before;
	int32_t sum;
	uint32_t index[MOST_TABLES];
};

static size_t weight_count(const struct predict_config *config)
{
	return (size_t)config->hashed_tables * config->hashed_size;
}

static size_t state_bytes(const struct predict_config *config)
{
	return sizeof(struct state) + weight_count(config);
}

/* The threshold takes 8 bits. */
static uint64_t storage_bits(const struct predict_config *config)
{
	return config->hashed_history + WEIGHT_BITS * weight_count(config) + 8 +
	       ADAPT_BITS;
}

/* Length 0, then from SHORTEST (or the whole history, if that is shorter) to
 * the whole history in equal ratios: each length is the geometric mean of its
 * neighbours, rounded down. Computed without floating point, so that all hosts
 * agree. */
static void find_lengths(const struct predict_config *config, uint8_t *lengths)
{
	uint32_t tables = config->hashed_tables, last = tables - 1;
	uint32_t whole = config->hashed_history;
	uint32_t shortest = whole < SHORTEST ? whole : SHORTEST;

	lengths[0] = 0;
	for (uint32_t i = 1; i < last; i++) {
		uint32_t length = shortest;

		/* length^(last-1) <= shortest^(last-i) * whole^(i-1) */
		for (;;) {
			long double left = 1, right = 1;

			for (uint32_t k = 0; k < last - 1; k++)
				left *= length + 1;
			for (uint32_t k = 0; k < last - i; k++)
				right *= shortest;
			for (uint32_t k = 0; k < i - 1; k++)
				right *= whole;
			if (left > right)
				break;
			length++;
		}
		lengths[i] = (uint8_t)length;
	}
	lengths[last] = (uint8_t)whole;
}

static void init(const struct predict_config *config, void *state)
{
	struct state *own = state;

	find_lengths(config, own->lengths);
	own->threshold = (int32_t)config->hashed_tables;
}

static uint32_t fold(uint64_t history, unsigned width)
{
	uint32_t folded = 0;

	for (; history; history >>= width)
		folded ^= history & ((1u << width) - 1);
	return folded;
}

static bool predict(const struct predict_config *config, void *state,
		    void *record, const struct branch *branch, bool outcome)
{
	const struct state *own = state;
	struct record *kept = record;
	unsigned width = log2_of(config->hashed_size);
	uint64_t address = branch->address ^ branch->address >> width;

	(void)outcome;
	kept->before = own->history;
	kept->sum = 0;
	for (uint32_t i = 0; i < config->hashed_tables; i++) {
		uint64_t piece =
		    own->history & ((UINT64_C(1) << own->lengths[i]) - 1);

		kept->index[i] = i * config->hashed_size +
				 ((uint32_t)(address >> i ^ address) &
				  (config->hashed_size - 1));
		kept->index[i] ^= fold(piece, width);
		kept->sum += own->weights[kept->index[i]];
	}
	return kept->sum >= 0;
}

static void history(const struct predict_config *config, void *state,
		    void *record, const struct branch *branch, bool predicted,
		    bool taken)
{
	struct state *own = state;

	(void)record, (void)branch, (void)predicted;
	own->history = (own->history << 1 | taken) &
		       ((UINT64_C(1) << config->hashed_history) - 1);
}

static void undo(const struct predict_config *config, void *state, void *record)
{
	struct state *own = state;
	const struct record *kept = record;

	(void)config;
	own->history = kept->before;
}

/* Mispredictions raise the threshold, and weak right predictions lower it, so
 * that both come equally often. */
static void adapt(struct state *own, bool wrong)
{
	weight_step(&own->adapt, wrong, ADAPT_BITS);
	if (own->adapt == (1 << (ADAPT_BITS - 1)) - 1) {
		own->threshold += own->threshold < 255;
		own->adapt = 0;
	} else if (own->adapt == -(1 << (ADAPT_BITS - 1))) {
		own->threshold -= own->threshold > 0;
		own->adapt = 0;
	}
}

static void update(const struct predict_config *config, void *state,
		   void *record, const struct branch *branch, bool taken)
{
	struct state *own = state;
	const struct record *kept = record;
	bool wrong = (kept->sum >= 0) != taken;

	(void)branch;
	if (!wrong && abs(kept->sum) > own->threshold)
		return;
	for (uint32_t i = 0; i < config->hashed_tables; i++)
		weight_step(&own->weights[kept->index[i]], taken, WEIGHT_BITS);
	adapt(own, wrong);
}

const struct direction_kind direction_hashed_perceptron = {
    .name = "hashed perceptron",
    .record_bytes = sizeof(struct record),
    .state_bytes = state_bytes,
    .storage_bits = storage_bits,
    .init = init,
    .predict = predict,
    .history = history,
    .undo = undo,
    .update = update,
};
