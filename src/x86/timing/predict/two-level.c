/* Histories chosen by the address, and a counter for each pattern of a
 * history. */
#include <string.h>

#include "x86/timing/predict/counter.h"
#include "x86/timing/predict/direction.h"

struct record {
	uint32_t first;  /* index of the history */
	uint32_t before; /* the history before the branch */
	uint32_t second; /* index of the counter */
};

/* The counters lie behind the histories: a row of columns for each pattern. */
static uint8_t *counters_of(const struct predict_config *config, void *state)
{
	return (uint8_t *)state + sizeof(uint32_t) * config->two_level_first;
}

static size_t counter_count(const struct predict_config *config)
{
	return (size_t)config->two_level_second << config->two_level_history;
}

static size_t state_bytes(const struct predict_config *config)
{
	return sizeof(uint32_t) * config->two_level_first +
	       counter_count(config);
}

static uint64_t storage_bits(const struct predict_config *config)
{
	return (uint64_t)config->two_level_first * config->two_level_history +
	       2 * counter_count(config);
}

static void init(const struct predict_config *config, void *state)
{
	memset(counters_of(config, state), 2, counter_count(config));
}

static bool predict(const struct predict_config *config, void *state,
		    void *record, const struct branch *branch, bool outcome)
{
	const uint32_t *histories = state;
	struct record *own = record;
	uint32_t column = branch->address & (config->two_level_second - 1);

	(void)outcome;
	own->first = branch->address & (config->two_level_first - 1);
	own->before = histories[own->first];
	own->second = own->before * config->two_level_second + column;
	return counter_taken(counters_of(config, state)[own->second], 2);
}

static void history(const struct predict_config *config, void *state,
		    void *record, const struct branch *branch, bool predicted,
		    bool taken)
{
	uint32_t *histories = state;
	const struct record *own = record;

	(void)branch, (void)predicted;
	histories[own->first] = (own->before << 1 | taken) &
				((1u << config->two_level_history) - 1);
}

static void undo(const struct predict_config *config, void *state, void *record)
{
	uint32_t *histories = state;
	const struct record *own = record;

	(void)config;
	histories[own->first] = own->before;
}

static void update(const struct predict_config *config, void *state,
		   void *record, const struct branch *branch, bool taken)
{
	const struct record *own = record;

	(void)branch;
	counter_step(&counters_of(config, state)[own->second], taken, 2);
}

const struct direction_kind direction_two_level = {
    .name = "two-level",
    .record_bytes = sizeof(struct record),
    .state_bytes = state_bytes,
    .storage_bits = storage_bits,
    .init = init,
    .predict = predict,
    .history = history,
    .undo = undo,
    .update = update,
};
