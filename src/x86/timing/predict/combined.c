/* A bimodal and a two-level predictor, and a table that learns by address which
 * of the two is right. The classic kind of Multi2Sim and SimpleScalar. */
#include <string.h>

#include "x86/timing/predict/counter.h"
#include "x86/timing/predict/direction.h"

struct record {
	uint64_t bimodal, two_level[2]; /* the records of the two parts */
	uint32_t choice;
	bool bimodal_taken, two_level_taken;
};

/* The two-level part first, for its alignment. */
static void *bimodal_of(const struct predict_config *config, void *state)
{
	return (char *)state + direction_two_level.state_bytes(config);
}

static uint8_t *choice_of(const struct predict_config *config, void *state)
{
	return (uint8_t *)bimodal_of(config, state) +
	       direction_bimodal.state_bytes(config);
}

static size_t state_bytes(const struct predict_config *config)
{
	return direction_two_level.state_bytes(config) +
	       direction_bimodal.state_bytes(config) + config->choice_size;
}

static uint64_t storage_bits(const struct predict_config *config)
{
	return direction_two_level.storage_bits(config) +
	       direction_bimodal.storage_bits(config) +
	       2 * (uint64_t)config->choice_size;
}

static void init(const struct predict_config *config, void *state)
{
	direction_two_level.init(config, state);
	direction_bimodal.init(config, bimodal_of(config, state));
	memset(choice_of(config, state), 2, config->choice_size);
}

static bool predict(const struct predict_config *config, void *state,
		    void *record, const struct branch *branch, bool outcome)
{
	struct record *own = record;

	own->choice = branch->address & (config->choice_size - 1);
	own->bimodal_taken = direction_bimodal.predict(
	    config, bimodal_of(config, state), &own->bimodal, branch, outcome);
	own->two_level_taken = direction_two_level.predict(
	    config, state, own->two_level, branch, outcome);
	return counter_taken(choice_of(config, state)[own->choice], 2)
		   ? own->two_level_taken
		   : own->bimodal_taken;
}

static void history(const struct predict_config *config, void *state,
		    void *record, const struct branch *branch, bool predicted,
		    bool taken)
{
	struct record *own = record;

	direction_two_level.history(config, state, own->two_level, branch,
				    predicted, taken);
}

static void undo(const struct predict_config *config, void *state, void *record)
{
	struct record *own = record;

	direction_two_level.undo(config, state, own->two_level);
}

/* Both parts learn. The choice learns only where they differed. */
static void update(const struct predict_config *config, void *state,
		   void *record, const struct branch *branch, bool taken)
{
	struct record *own = record;

	direction_bimodal.update(config, bimodal_of(config, state),
				 &own->bimodal, branch, taken);
	direction_two_level.update(config, state, own->two_level, branch,
				   taken);
	if (own->bimodal_taken != own->two_level_taken)
		counter_step(&choice_of(config, state)[own->choice],
			     own->two_level_taken == taken, 2);
}

const struct direction_kind direction_combined = {
    .name = "combined",
    .record_bytes = sizeof(struct record),
    .state_bytes = state_bytes,
    .storage_bits = storage_bits,
    .init = init,
    .predict = predict,
    .history = history,
    .undo = undo,
    .update = update,
};
