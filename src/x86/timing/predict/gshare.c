/* Counters chosen by the address and the global history, exclusive or. */
#include <string.h>

#include "x86/timing/predict/counter.h"
#include "x86/timing/predict/direction.h"

struct state {
	uint32_t history;
	uint8_t counters[];
};

struct record {
	uint32_t before;
	uint32_t index;
};

static size_t state_bytes(const struct predict_config *config)
{
	return sizeof(struct state) + config->gshare_size;
}

static uint64_t storage_bits(const struct predict_config *config)
{
	return config->gshare_history + 2 * (uint64_t)config->gshare_size;
}

static void init(const struct predict_config *config, void *state)
{
	struct state *own = state;

	memset(own->counters, 2, config->gshare_size);
}

/* The newest branch meets the lowest bits of the address. When the index is
 * wider than the history, McFarling aligns the history to the top instead. */
static bool predict(const struct predict_config *config, void *state,
		    void *record, const struct branch *branch, bool outcome)
{
	struct state *own = state;
	struct record *kept = record;
	unsigned shift = log2_of(config->gshare_size) - config->gshare_history;

	(void)outcome;
	kept->before = own->history;
	kept->index = (branch->address ^ own->history << shift) &
		      (config->gshare_size - 1);
	return counter_taken(own->counters[kept->index], 2);
}

static void history(const struct predict_config *config, void *state,
		    void *record, const struct branch *branch, bool predicted,
		    bool taken)
{
	struct state *own = state;

	(void)record, (void)branch, (void)predicted;
	own->history =
	    (own->history << 1 | taken) & ((1u << config->gshare_history) - 1);
}

static void undo(const struct predict_config *config, void *state, void *record)
{
	struct state *own = state;
	const struct record *kept = record;

	(void)config;
	own->history = kept->before;
}

static void update(const struct predict_config *config, void *state,
		   void *record, const struct branch *branch, bool taken)
{
	struct state *own = state;
	const struct record *kept = record;

	(void)config, (void)branch;
	counter_step(&own->counters[kept->index], taken, 2);
}

const struct direction_kind direction_gshare = {
    .name = "gshare",
    .record_bytes = sizeof(struct record),
    .state_bytes = state_bytes,
    .storage_bits = storage_bits,
    .init = init,
    .predict = predict,
    .history = history,
    .undo = undo,
    .update = update,
};
