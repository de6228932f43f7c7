/* The loop predictor over a bimodal table. It predicts the ends of loops with
 * constant lengths; the table predicts the rest. */
#include "x86/timing/predict/loop.h"

#include "x86/timing/predict/direction.h"

enum { LOG_ENTRIES = 5 };

/* The bimodal table follows. */
struct state {
	struct loop_table table;
	uint64_t seed;
};

struct record {
	uint64_t bimodal; /* the bimodal table's record */
	uint64_t seed;
	struct loop_lookup loop;
	struct loop_entry before;
	bool bimodal_taken, taken;
};

static void *bimodal_of(void *state)
{
	return (struct state *)state + 1;
}

static size_t state_bytes(const struct predict_config *config)
{
	return sizeof(struct state) + direction_bimodal.state_bytes(config);
}

static uint64_t storage_bits(const struct predict_config *config)
{
	return (LOOP_ENTRY_BITS << LOG_ENTRIES) +
	       direction_bimodal.storage_bits(config);
}

static void init(const struct predict_config *config, void *state)
{
	direction_bimodal.init(config, bimodal_of(state));
}

static bool predict(const struct predict_config *config, void *state,
		    void *record, const struct branch *branch, bool outcome)
{
	const struct state *own = state;
	struct record *kept = record;

	kept->bimodal_taken = direction_bimodal.predict(
		config, bimodal_of(state), &kept->bimodal, branch, outcome);
	loop_look(&own->table, LOG_ENTRIES, branch->address, &kept->loop);
	kept->taken = kept->loop.sure ? kept->loop.taken : kept->bimodal_taken;
	return kept->taken;
}

/* A linear congruential generator (Knuth's MMIX), which chooses new entries. */
static uint32_t draw(void *context)
{
	struct state *own = context;

	own->seed = own->seed * UINT64_C(6364136223846793005) +
		    UINT64_C(1442695040888963407);
	return (uint32_t)(own->seed >> 33);
}

static void history(const struct predict_config *config, void *state,
		    void *record, const struct branch *branch, bool predicted,
		    bool taken)
{
	struct state *own = state;
	struct record *kept = record;

	(void)config, (void)branch, (void)predicted;
	kept->seed = own->seed;
	if (kept->loop.way < 0)
		return;
	kept->before = own->table.entries[kept->loop.slot[kept->loop.way]];
	loop_train(&own->table, &kept->loop, taken, kept->bimodal_taken, draw,
		   own);
}

static void undo(const struct predict_config *config, void *state, void *record)
{
	struct state *own = state;
	const struct record *kept = record;

	(void)config;
	own->seed = kept->seed;
	if (kept->loop.way >= 0)
		own->table.entries[kept->loop.slot[kept->loop.way]] =
			kept->before;
}

/* Another update may have made an entry for the branch meanwhile. */
static void update(const struct predict_config *config, void *state,
		   void *record, const struct branch *branch, bool taken)
{
	struct state *own = state;
	struct record *kept = record;
	struct loop_lookup now;

	direction_bimodal.update(config, bimodal_of(state), &kept->bimodal,
				 branch, taken);
	loop_look(&own->table, LOG_ENTRIES, branch->address, &now);
	if (kept->taken != taken && now.way < 0)
		loop_allocate(&own->table, &now, taken, draw, own);
}

const struct direction_kind direction_loop = {
	.name = "loop",
	.record_bytes = sizeof(struct record),
	.state_bytes = state_bytes,
	.storage_bits = storage_bits,
	.init = init,
	.predict = predict,
	.history = history,
	.undo = undo,
	.update = update,
};
