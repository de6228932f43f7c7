/* One perceptron for each address: a bias, and a weight for each branch of the
 * global history. */
#include <stdlib.h>

#include "x86/timing/predict/counter.h"
#include "x86/timing/predict/direction.h"

struct state {
	uint64_t history;
	/* for each perceptron its bias, then its weights by age */
	int8_t weights[];
};

struct record {
	uint64_t before;
	uint32_t first;
	int32_t sum;
};

static size_t weight_count(const struct predict_config *config)
{
	return (size_t)config->perceptron_count *
	       (config->perceptron_history + 1);
}

static size_t state_bytes(const struct predict_config *config)
{
	return sizeof(struct state) + weight_count(config);
}

static uint64_t storage_bits(const struct predict_config *config)
{
	return config->perceptron_history + 8 * weight_count(config);
}

static bool predict(const struct predict_config *config, void *state,
		    void *record, const struct branch *branch, bool outcome)
{
	const struct state *own = state;
	struct record *kept = record;
	uint32_t length = config->perceptron_history;
	const int8_t *weights;

	(void)outcome;
	kept->before = own->history;
	kept->first = (uint32_t)(branch->address % config->perceptron_count) *
		      (length + 1);
	weights = own->weights + kept->first;
	kept->sum = weights[0];
	for (uint32_t i = 0; i < length; i++)
		kept->sum +=
		    kept->before >> i & 1 ? weights[i + 1] : -weights[i + 1];
	return kept->sum >= 0;
}

static void history(const struct predict_config *config, void *state,
		    void *record, const struct branch *branch, bool predicted,
		    bool taken)
{
	struct state *own = state;

	(void)record, (void)branch, (void)predicted;
	own->history = (own->history << 1 | taken) &
		       ((UINT64_C(1) << config->perceptron_history) - 1);
}

static void undo(const struct predict_config *config, void *state, void *record)
{
	struct state *own = state;
	const struct record *kept = record;

	(void)config;
	own->history = kept->before;
}

/* The threshold is the paper's: floor(1.93 h + 14). */
static void update(const struct predict_config *config, void *state,
		   void *record, const struct branch *branch, bool taken)
{
	struct state *own = state;
	const struct record *kept = record;
	uint32_t length = config->perceptron_history;
	int32_t threshold = (int32_t)((193 * length + 1400) / 100);
	int8_t *weights = own->weights + kept->first;

	(void)branch;
	if ((kept->sum >= 0) == taken && abs(kept->sum) > threshold)
		return;
	weight_step(&weights[0], taken, 8);
	for (uint32_t i = 0; i < length; i++)
		weight_step(&weights[i + 1], (kept->before >> i & 1) == taken,
			    8);
}

const struct direction_kind direction_perceptron = {
    .name = "perceptron",
    .record_bytes = sizeof(struct record),
    .state_bytes = state_bytes,
    .storage_bits = storage_bits,
    .predict = predict,
    .history = history,
    .undo = undo,
    .update = update,
};
