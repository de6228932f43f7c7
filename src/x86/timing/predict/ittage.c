/* TAGE with targets in its entries. The structure follows Seznec's papers.
 * Sizes, and the bits that enter the history, are ours. */
#include "base/optimize.h"

#include "x86/timing/predict/copy.h"
#include "x86/timing/predict/counter.h"
#include "x86/timing/predict/tage-history.h"
#include "x86/timing/predict/target.h"

enum {
	/* tagged tables, beside one that the address alone chooses */
	TABLES = 8,
	LOG_ENTRIES = 9,
	ENTRIES = 1 << LOG_ENTRIES,
	TAG_BITS = 11,
	CONFIDENCE_BITS = 2,
	USEFUL_BITS = 1,
	USE_ALT_BITS = 4,
	TICK_LIMIT = 1024,
	TICK_BITS = 10,
	TARGET_BITS = 48,
};

/* For the histories only. */
static const struct tage_sizes sizes = {
	.pairs = TABLES,
	.first_long = 1,
	.lanes = TABLES,
	.level = { 1, 3, 5, 7, 9, 11, 13, 15 },
	.log_entries = LOG_ENTRIES,
	.short_tag = TAG_BITS,
	.long_tag = TAG_BITS,
	.lengths = { 4, 8, 16, 29, 54, 100, 184, 340 },
};

struct entry {
	uint64_t target; /* 0: none */
	uint16_t tag;
	uint8_t confidence, useful;
};

struct state {
	struct entry base[ENTRIES];
	struct entry tagged[TABLES][ENTRIES];
	int32_t tick;
	/* from 0 on, the alternate is used where the longest match is new */
	int8_t use_alt;
	/* Outcomes that pass() has not entered yet, the first one lowest. */
	uint8_t waiting, outcomes;
	_Alignas(64) uint64_t tage[]; /* the histories */
};

struct record {
	struct tage_undo undo;
	struct tage_history past;
};

struct lookup {
	uint32_t index[TABLES];
	uint16_t tag[TABLES];
	struct entry *longest, *alternate; /* never NULL */
	/* number of the table, from 1; 0: the base */
	unsigned hit;
	uint64_t target;
};

static struct tage *tage_of(struct state *state)
{
	return (struct tage *)state->tage;
}

static size_t state_bytes(const struct predict_config *config)
{
	(void)config;
	return sizeof(struct state) + sizeof(struct tage);
}

static uint64_t storage_bits(const struct predict_config *config)
{
	uint64_t entry = TARGET_BITS + CONFIDENCE_BITS;

	(void)config;
	return ENTRIES * entry +
	       TABLES * ENTRIES * (entry + TAG_BITS + USEFUL_BITS) +
	       sizes.lengths[TABLES - 1] + USE_ALT_BITS + TICK_BITS;
}

static void look(struct state *state, const struct tage_history *past,
		 uint64_t address, struct lookup *lookup)
{
	uint32_t mixed = (uint32_t)(address ^ address >> LOG_ENTRIES);

	lookup->longest = lookup->alternate = &state->base[mixed % ENTRIES];
	lookup->hit = 0;
	for (unsigned i = 0; i < TABLES; i++) {
		struct entry *entry;

		lookup->index[i] = (mixed ^ mixed >> (i + 1) ^ past->folds[0][i]) %
				   ENTRIES;
		lookup->tag[i] = (mixed ^ past->folds[1][i] ^
				  past->folds[2][i] << 1) &
				 ((1u << TAG_BITS) - 1);
		entry = &state->tagged[i][lookup->index[i]];
		if (!entry->target || entry->tag != lookup->tag[i])
			continue;
		lookup->alternate = lookup->longest;
		lookup->longest = entry;
		lookup->hit = i + 1;
	}
	lookup->target = lookup->longest->target;
	if (!lookup->longest->confidence && state->use_alt >= 0 &&
	    lookup->alternate->target)
		lookup->target = lookup->alternate->target;
}

/* Enters what waits: several bits take as long as one. */
static void settle(struct state *state)
{
	tage_push_bits(&sizes, tage_of(state), NULL, state->outcomes, 0,
		       state->waiting);
	state->waiting = state->outcomes = 0;
}

static uint64_t predict(const struct predict_config *config, void *state,
			void *record, uint64_t address)
{
	struct state *own = state;
	struct record *kept = record;
	struct lookup lookup;

	(void)config;
	if (own->waiting)
		settle(own);
	copy_vectors(kept->past.folds, tage_of(own)->now.folds,
		     sizeof kept->past.folds);
	look(own, &kept->past, address, &lookup);
	return lookup.target;
}

static uint32_t bits_of(uint64_t target)
{
	return (uint32_t)(target ^ target >> 3 ^ target >> 6 ^ target >> 9);
}

/* A conditional branch enters its outcome, an indirect branch three bits of its
 * target. */
static void history(const struct predict_config *config, void *state,
		    void *record, const struct branch *branch, bool taken)
{
	struct state *own = state;
	struct record *kept = record;
	bool indirect = branch_is_indirect(branch);
	uint32_t bits = indirect ? bits_of(branch->target) : taken;
	unsigned count = indirect				   ? 3
			 : branch->kind == BRANCH_CONDITIONAL ? 1
							   : 0;

	(void)config;
	if (own->waiting)
		settle(own);
	if (count)
		tage_push_bits(&sizes, tage_of(own), &kept->undo, bits, 0,
			       count);
	else
		kept->undo.count = 0;
}

static void undo(const struct predict_config *config, void *state, void *record)
{
	const struct record *kept = record;

	(void)config;
	tage_pop(tage_of(state), &kept->undo);
}

static void age(struct state *state, int kept, int allocated)
{
	state->tick += kept - allocated;
	if (state->tick < 0)
		state->tick = 0;
	if (state->tick < TICK_LIMIT)
		return;
	for (unsigned table = 0; table < TABLES; table++)
		for (unsigned i = 0; i < ENTRIES; i++)
			state->tagged[table][i].useful = 0;
	state->tick = 0;
}

/* Allocates one useless entry of a longer history. Skips a table at times, so
 * that branches do not take entries from each other for ever. */
static void allocate(struct state *state, const struct lookup *lookup,
		     uint64_t target)
{
	unsigned first = lookup->hit + (tage_random(tage_of(state)) % 4 == 0);
	int kept = 0;

	for (unsigned i = first; i < TABLES; i++) {
		struct entry *entry = &state->tagged[i][lookup->index[i]];

		if (entry->useful) {
			kept++;
			continue;
		}
		*entry = (struct entry){ .target = target,
					 .tag = lookup->tag[i] };
		age(state, kept, 1);
		return;
	}
	age(state, kept, 0);
}

/* An entry with confidence keeps its target. One without confidence takes the
 * new target. */
static void train(struct entry *entry, uint64_t target)
{
	bool right = entry->target == target;

	if (!right && !entry->confidence)
		entry->target = target;
	else
		counter_step(&entry->confidence, right, CONFIDENCE_BITS);
}

static void learn(struct state *own, const struct lookup *lookup,
		  uint64_t target)
{
	bool longest = lookup->longest->target == target;
	bool alternate = lookup->alternate->target == target;
	bool new = !lookup->longest->confidence;

	if (lookup->hit && new && longest != alternate)
		weight_step(&own->use_alt, alternate, USE_ALT_BITS);
	if (lookup->hit && longest != alternate)
		lookup->longest->useful = longest;
	if (lookup->hit && new && !longest)
		train(lookup->alternate, target);
	train(lookup->longest, target);
	if (lookup->target != target && !(new && longest))
		allocate(own, lookup, target);
}

static void update(const struct predict_config *config, void *state,
		   void *record, uint64_t address, uint64_t target)
{
	const struct record *kept = record;
	struct lookup lookup;

	(void)config;
	look(state, &kept->past, address, &lookup);
	learn(state, &lookup, target);
}

/* The outcomes of some conditional branches wait for each other. */
static void pass(const struct predict_config *config, void *state,
		 const struct branch *branch, bool taken)
{
	struct state *own = state;
	struct lookup lookup;

	(void)config;
	if (branch->kind == BRANCH_CONDITIONAL) {
		own->outcomes |= (uint8_t)(taken << own->waiting);
		if (++own->waiting == TAGE_MOST_PUSHED)
			settle(own);
		return;
	}
	if (!branch_is_indirect(branch))
		return;
	if (own->waiting)
		settle(own);
	look(own, &tage_of(own)->now, branch->address, &lookup);
	tage_push_bits(&sizes, tage_of(own), NULL, bits_of(branch->target), 0,
		       3);
	learn(own, &lookup, branch->target);
}

const struct target_kind target_ittage = {
	.name = "ITTAGE",
	.record_bytes = sizeof(struct record),
	.state_bytes = state_bytes,
	.storage_bits = storage_bits,
	.predict = predict,
	.history = history,
	.undo = undo,
	.update = update,
	.pass = pass,
};
