/* TAGE, a loop predictor that overrules TAGE, and a statistical corrector that
 * overrules both: Seznec's entry of 2016, in the form of CBP2025's public
 * reference for pipelines, which train tables when branches resolve.
 *
 * Loops count speculatively, so a record keeps the whole small table, and a
 * misprediction restores it. */
#include "x86/timing/predict/copy.h"
#include "x86/timing/predict/corrector.h"
#include "x86/timing/predict/counter.h"
#include "x86/timing/predict/loop.h"
#include "x86/timing/predict/tage.h"

enum { USE_LOOP_BITS = 7 };

struct sizes {
	const struct tage_sizes *tage;
	const struct corrector_sizes *corrector;
	uint8_t log_loops;
};

struct loops {
	struct loop_table table;
	int8_t use; /* from 0 on, the loop predictor is believed */
};

struct state {
	/* Changes with each change of the tables by which a lookup could have
	 * another result. */
	uint64_t version;
	struct loops loops;
	struct corrector corrector;
	/* A struct tage, which has an open end; no vector of its histories lies in
	 * two of the host's lines. */
	_Alignas(64) uint64_t tage[];
};

static struct tage *tage_of(const struct state *state)
{
	return (struct tage *)state->tage;
}

/* The keys and histories at the prediction. */
struct past {
	struct tage_keys tage;
	struct corrector_past corrector;
	struct loops loops;
};

struct lookup {
	struct tage_lookup tage;
	struct loop_lookup loop;
	struct corrector_lookup corrector;
};

struct record {
	uint64_t address;
	struct past past;
	struct tage_undo undo;
	/* That of the prediction, in tables of this version. */
	struct lookup lookup;
	uint64_t version;
	uint64_t seed; /* before loops counted */
	bool conditional;
};

static const struct sizes *sizes_of(const struct predict_config *config)
{
	static const struct sizes large = { &tage_sizes_64,
					    &corrector_sizes_64, 5 };
	static const struct sizes small = { &tage_sizes_8, &corrector_sizes_8,
					    3 };

	return config->kind == DIRECTION_tage_sc_l_8 ? &small : &large;
}

static size_t state_bytes(const struct predict_config *config)
{
	return sizeof(struct state) + tage_bytes(sizes_of(config)->tage);
}

static uint64_t storage_bits(const struct predict_config *config)
{
	const struct sizes *sizes = sizes_of(config);

	return tage_bits(sizes->tage) + corrector_bits(sizes->corrector) +
	       ((uint64_t)LOOP_ENTRY_BITS << sizes->log_loops) + USE_LOOP_BITS;
}

static void init(const struct predict_config *config, void *state)
{
	const struct sizes *sizes = sizes_of(config);
	struct state *own = state;

	own->loops.use = -1;
	corrector_init(sizes->corrector, &own->corrector);
	tage_init(sizes->tage, tage_of(own));
}

static void keep_loops(struct loops *to, const struct loops *from)
{
	copy_vectors(&to->table, &from->table, sizeof to->table);
	to->use = from->use;
}

/* Looks a branch up in the present tables, with the histories of its
 * prediction. */
static bool look(const struct sizes *sizes, const struct state *state,
		 struct past *past, uint64_t address, struct lookup *lookup)
{
	bool taken;

	tage_look(sizes->tage, tage_of(state), &past->tage, &lookup->tage);
	loop_look(&past->loops.table, sizes->log_loops, address, &lookup->loop);
	taken = past->loops.use >= 0 && lookup->loop.sure ? lookup->loop.taken
							  : lookup->tage.taken;
	corrector_look(sizes->corrector, &state->corrector, &past->corrector,
		       &lookup->tage, address, taken, &lookup->corrector);
	return lookup->corrector.taken;
}

static bool predict(const struct predict_config *config, void *state,
		    void *record, const struct branch *branch, bool outcome)
{
	const struct sizes *sizes = sizes_of(config);
	const struct state *own = state;
	struct record *kept = record;

	(void)outcome;
	tage_find(sizes->tage, tage_of(own), branch->address,
		  &kept->past.tage);
	keep_loops(&kept->past.loops, &own->loops);
	corrector_remember(sizes->corrector, &own->corrector, branch->address,
			   tage_of(own)->now.path, &kept->past.corrector);
	kept->version = own->version;
	return look(sizes, own, &kept->past, branch->address, &kept->lookup);
}

static uint32_t draw(void *context)
{
	return tage_random(context);
}

/* Learns whether the loop predictor is right where it differs from the rest. */
static void train_use(struct loops *loops, const struct loop_lookup *loop,
		      bool predicted, bool taken)
{
	if (loop->sure && loop->taken != predicted)
		weight_step(&loops->use, loop->taken == taken, USE_LOOP_BITS);
}

static void history(const struct predict_config *config, void *state,
		    void *record, const struct branch *branch, bool predicted,
		    bool taken)
{
	const struct sizes *sizes = sizes_of(config);
	struct state *own = state;
	struct record *kept = record;

	kept->address = branch->address;
	kept->seed = tage_of(own)->seed;
	kept->conditional = branch->kind == BRANCH_CONDITIONAL;
	if (kept->conditional) {
		train_use(&own->loops, &kept->lookup.loop, predicted,
			  predicted);
		loop_train(&own->loops.table, &kept->lookup.loop, predicted,
			   kept->lookup.tage.taken, draw, tage_of(own));
		corrector_push(sizes->corrector, &own->corrector, branch,
			       taken);
	}
	tage_push(sizes->tage, tage_of(own), &kept->undo, branch, taken);
}

static void undo(const struct predict_config *config, void *state, void *record)
{
	const struct sizes *sizes = sizes_of(config);
	struct state *own = state;
	const struct record *kept = record;

	tage_pop(tage_of(own), &kept->undo);
	tage_of(own)->seed = kept->seed;
	if (!kept->conditional)
		return;
	keep_loops(&own->loops, &kept->past.loops);
	corrector_pop(sizes->corrector, &own->corrector, kept->address,
		      &kept->past.corrector);
}

/* Restores loops to their state before the branch, and counts the branch with
 * its outcome. */
static void repair_loops(struct state *state, const struct past *past,
			 const struct lookup *lookup, bool taken)
{
	keep_loops(&state->loops, &past->loops);
	train_use(&state->loops, &lookup->loop, !taken, taken);
	if (lookup->loop.way < 0)
		loop_allocate(&state->loops.table, &lookup->loop, taken, draw,
			      tage_of(state));
	else
		loop_train(&state->loops.table, &lookup->loop, taken,
			   lookup->tage.taken, draw, tage_of(state));
}

static void update(const struct predict_config *config, void *state,
		   void *record, const struct branch *branch, bool taken)
{
	const struct sizes *sizes = sizes_of(config);
	struct state *own = state;
	struct record *kept = record;
	struct lookup *lookup = &kept->lookup;
	bool right, changed;

	/* Most predictors are sure of most branches, and learn nothing from
	 * them: the lookup of the prediction still stands. */
	if (kept->version != own->version)
		look(sizes, own, &kept->past, branch->address, lookup);
	lookup->tage.keys = &kept->past.tage;
	right = lookup->corrector.taken == taken;
	if (!right)
		repair_loops(own, &kept->past, lookup, taken);
	changed = corrector_train(sizes->corrector, &own->corrector,
				  &lookup->tage, branch->address,
				  &lookup->corrector, taken);
	changed |= tage_train(sizes->tage, tage_of(own), &lookup->tage, taken,
			      right);
	own->version += changed;
}

/* As predict(), history() and update(), with their draws of random numbers in their
 * order. The keys and histories at the prediction are those of now. */
static void pass(const struct predict_config *config, void *state,
		 const struct branch *branch, bool taken)
{
	const struct sizes *sizes = sizes_of(config);
	struct state *own = state;
	struct tage *tage = tage_of(own);
	struct tage_keys keys;
	struct lookup lookup;
	struct past past;
	bool predicted, changed;

	if (branch->kind != BRANCH_CONDITIONAL) {
		tage_enter(sizes->tage, tage, branch, taken);
		return;
	}
	tage_find_and_look(sizes->tage, tage, branch->address, &keys,
			   &lookup.tage);
	loop_look(&own->loops.table, sizes->log_loops, branch->address,
		  &lookup.loop);
	predicted = own->loops.use >= 0 && lookup.loop.sure ? lookup.loop.taken
							    : lookup.tage.taken;
	predicted = corrector_pass(sizes->corrector, &own->corrector,
				   &lookup.tage, tage->now.path, branch,
				   predicted, taken, &changed);
	if (predicted != taken)
		keep_loops(&past.loops, &own->loops);
	train_use(&own->loops, &lookup.loop, predicted, predicted);
	loop_train(&own->loops.table, &lookup.loop, predicted,
		   lookup.tage.taken, draw, tage);
	tage_enter(sizes->tage, tage, branch, taken);
	if (predicted != taken)
		repair_loops(own, &past, &lookup, taken);
	changed |= tage_train(sizes->tage, tage, &lookup.tage, taken,
			      predicted == taken);
	own->version += changed;
}

#define KIND(text)                                                             \
	{                                                                      \
		.name = text, .record_bytes = sizeof(struct record),           \
		.every_branch = true, .state_bytes = state_bytes,              \
		.storage_bits = storage_bits, .init = init,                    \
		.predict = predict, .history = history, .undo = undo,          \
		.update = update, .pass = pass,                                \
	}

const struct direction_kind direction_tage_sc_l_8 = KIND("TAGE-SC-L 8 KB");
const struct direction_kind direction_tage_sc_l_64 = KIND("TAGE-SC-L 64 KB");
