/* One counter of two bits for each address. */
#include <string.h>

#include "x86/timing/predict/counter.h"
#include "x86/timing/predict/direction.h"

struct record {
	uint32_t index;
};

static size_t state_bytes(const struct predict_config *config)
{
	return config->bimodal_size;
}

static uint64_t storage_bits(const struct predict_config *config)
{
	return 2 * (uint64_t)config->bimodal_size;
}

/* All begin weakly taken, as in Multi2Sim. */
static void init(const struct predict_config *config, void *state)
{
	memset(state, 2, config->bimodal_size);
}

static bool predict(const struct predict_config *config, void *state,
		    void *record, const struct branch *branch, bool outcome)
{
	const uint8_t *counters = state;
	struct record *own = record;

	(void)outcome;
	own->index = branch->address & (config->bimodal_size - 1);
	return counter_taken(counters[own->index], 2);
}

static void update(const struct predict_config *config, void *state,
		   void *record, const struct branch *branch, bool taken)
{
	uint8_t *counters = state;
	const struct record *own = record;

	(void)config, (void)branch;
	counter_step(&counters[own->index], taken, 2);
}

const struct direction_kind direction_bimodal = {
    .name = "bimodal",
    .record_bytes = sizeof(struct record),
    .state_bytes = state_bytes,
    .storage_bits = storage_bits,
    .init = init,
    .predict = predict,
    .update = update,
};
