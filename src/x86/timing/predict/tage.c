/* TAGE alone, with the sizes of the 64 KB entry. */
#include "x86/timing/predict/tage.h"

struct record {
	struct tage_undo undo;
	struct tage_keys keys; /* at the prediction */
};

static const struct tage_sizes *const sizes = &tage_sizes_64;

static size_t state_bytes(const struct predict_config *config)
{
	(void)config;
	return tage_bytes(sizes);
}

static uint64_t storage_bits(const struct predict_config *config)
{
	(void)config;
	return tage_bits(sizes);
}

static void init(const struct predict_config *config, void *state)
{
	(void)config;
	tage_init(sizes, state);
}

static bool predict(const struct predict_config *config, void *state,
		    void *record, const struct branch *branch, bool outcome)
{
	struct record *kept = record;
	struct tage_lookup lookup;

	(void)config, (void)outcome;
	tage_find(sizes, state, branch->address, &kept->keys);
	tage_look(sizes, state, &kept->keys, &lookup);
	return lookup.taken;
}

static void history(const struct predict_config *config, void *state,
		    void *record, const struct branch *branch, bool predicted,
		    bool taken)
{
	struct record *kept = record;

	(void)config, (void)predicted;
	tage_push(sizes, state, &kept->undo, branch, taken);
}

static void undo(const struct predict_config *config, void *state, void *record)
{
	const struct record *kept = record;

	(void)config;
	tage_pop(state, &kept->undo);
}

/* Looks the branch up again in the present tables. */
static void update(const struct predict_config *config, void *state,
		   void *record, const struct branch *branch, bool taken)
{
	struct record *kept = record;
	struct tage_lookup lookup;

	(void)config, (void)branch;
	tage_look(sizes, state, &kept->keys, &lookup);
	tage_train(sizes, state, &lookup, taken, lookup.taken == taken);
}

const struct direction_kind direction_tage = {
	.name = "TAGE",
	.record_bytes = sizeof(struct record),
	.every_branch = true,
	.state_bytes = state_bytes,
	.storage_bits = storage_bits,
	.init = init,
	.predict = predict,
	.history = history,
	.undo = undo,
	.update = update,
};
