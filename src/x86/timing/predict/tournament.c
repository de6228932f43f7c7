/* The predictor of the Alpha 21264: a local and a global predictor, and a
 * choice between them by global history. The sizes are those of the chip. */
#include <string.h>

#include "x86/timing/predict/counter.h"
#include "x86/timing/predict/direction.h"

enum {
	LOCAL_HISTORIES = 1024,
	LOCAL_BITS = 10,
	LOCAL_COUNTERS = 1 << LOCAL_BITS, /* of 3 bits */
	GLOBAL_BITS = 12,
	GLOBAL_COUNTERS = 1 << GLOBAL_BITS, /* of 2 bits, as are the choices */
};

struct state {
	uint16_t local_history[LOCAL_HISTORIES];
	uint16_t global_history;
	uint8_t local[LOCAL_COUNTERS];
	uint8_t global[GLOBAL_COUNTERS];
	uint8_t choice[GLOBAL_COUNTERS];
};

struct record {
	uint16_t which, local_before, global_before;
	bool local_taken, global_taken;
};

static size_t state_bytes(const struct predict_config *config)
{
	(void)config;
	return sizeof(struct state);
}

static uint64_t storage_bits(const struct predict_config *config)
{
	(void)config;
	return LOCAL_HISTORIES * LOCAL_BITS + LOCAL_COUNTERS * 3 +
	       GLOBAL_COUNTERS * (2 + 2) + GLOBAL_BITS;
}

/* All begin weakly taken, or weakly global (choice: the papers do not say). */
static void init(const struct predict_config *config, void *state)
{
	struct state *own = state;

	(void)config;
	memset(own->local, 4, sizeof own->local);
	memset(own->global, 2, sizeof own->global);
	memset(own->choice, 2, sizeof own->choice);
}

static bool predict(const struct predict_config *config, void *state,
		    void *record, const struct branch *branch, bool outcome)
{
	const struct state *own = state;
	struct record *kept = record;

	(void)config, (void)outcome;
	kept->which = branch->address % LOCAL_HISTORIES;
	kept->local_before = own->local_history[kept->which];
	kept->global_before = own->global_history;
	kept->local_taken = counter_taken(own->local[kept->local_before], 3);
	kept->global_taken = counter_taken(own->global[kept->global_before], 2);
	return counter_taken(own->choice[kept->global_before], 2)
		   ? kept->global_taken
		   : kept->local_taken;
}

static void history(const struct predict_config *config, void *state,
		    void *record, const struct branch *branch, bool predicted,
		    bool taken)
{
	struct state *own = state;
	const struct record *kept = record;

	(void)config, (void)branch, (void)predicted;
	own->local_history[kept->which] =
	    (kept->local_before << 1 | taken) % LOCAL_COUNTERS;
	own->global_history =
	    (kept->global_before << 1 | taken) % GLOBAL_COUNTERS;
}

static void undo(const struct predict_config *config, void *state, void *record)
{
	struct state *own = state;
	const struct record *kept = record;

	(void)config;
	own->local_history[kept->which] = kept->local_before;
	own->global_history = kept->global_before;
}

static void update(const struct predict_config *config, void *state,
		   void *record, const struct branch *branch, bool taken)
{
	struct state *own = state;
	const struct record *kept = record;

	(void)config, (void)branch;
	counter_step(&own->local[kept->local_before], taken, 3);
	counter_step(&own->global[kept->global_before], taken, 2);
	if (kept->local_taken != kept->global_taken)
		counter_step(&own->choice[kept->global_before],
			     kept->global_taken == taken, 2);
}

const struct direction_kind direction_tournament = {
    .name = "tournament",
    .record_bytes = sizeof(struct record),
    .state_bytes = state_bytes,
    .storage_bits = storage_bits,
    .init = init,
    .predict = predict,
    .history = history,
    .undo = undo,
    .update = update,
};
