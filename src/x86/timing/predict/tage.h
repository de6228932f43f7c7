/* The core of TAGE: tables of tagged entries, indexed by ever longer histories,
 * over a bimodal table. Michaud (2005), Seznec and Michaud (JILP 8, 2006), and
 * Seznec's entry of 2016, whose banks are shared by several history lengths.
 * The predictors `Tage`, `TageScL8` and `TageScL64` share this core. */
#ifndef M2S_X86_TIMING_PREDICT_TAGE_H
#define M2S_X86_TIMING_PREDICT_TAGE_H

#include "x86/timing/predict/direction.h"

enum {
	TAGE_MOST_PAIRS = 18,
	TAGE_MOST_LEVELS = 2 * TAGE_MOST_PAIRS,
	TAGE_FOLDS = 3,
	TAGE_LANES = 24, /* existing levels, in whole vectors */
	TAGE_HISTORY_RING = 4096,
	TAGE_MOST_USE_ALT = 16,
	TAGE_PATH_BITS = 27,
	TAGE_MOST_PUSHED = 3,
};

/* Levels are numbered from 1; level 0 is the bimodal table. Levels 2p+1 and
 * 2p+2 have one history length and are two ways. Most lengths use only one of
 * the ways. Each existing level has a lane. */
struct tage_sizes {
	uint8_t pairs;
	uint8_t first_long;  /* an odd level, from which on tags are long */
	uint8_t lanes, short_lanes; /* all; of levels with short tags */
	uint8_t level[TAGE_LANES]; /* of a lane, ascending; 0 behind the last */
	uint8_t log_entries; /* log2 of the entries of a bank */
	uint8_t short_banks, long_banks;
	uint8_t short_tag, long_tag, useful_bits;
	uint8_t log_bimodal;
	uint8_t use_alt;     /* number of counters */
	uint16_t lengths[TAGE_MOST_PAIRS];
};

/* Sizes of Seznec's 64 KB entry, and of his 8 KB entry as far as published. The
 * functions below are for these alone. */
extern const struct tage_sizes tage_sizes_64, tage_sizes_8;

/* The speculative part of the state. */
struct tage_history {
	/* The history of each lane's length, folded once for indices and twice
	 * for tags. */
	uint16_t folds[TAGE_FOLDS][TAGE_LANES];
	int32_t head; /* decreases with each bit */
	uint32_t path;
};

struct tage_entry {
	uint16_t tag;
	int8_t counter; /* of 3 bits */
	uint8_t useful;
};

struct tage {
	struct tage_history now; /* first: its vectors' alignment is the state's */
	uint8_t lane[TAGE_MOST_LEVELS + 1]; /* of a level; TAGE_LANES: none */
	uint64_t seed;
	int32_t tick; /* failed minus successful allocations */
	int8_t use_alt[TAGE_MOST_USE_ALT];
	/* Byte p: the history's bits from place p on, eight of them. Twice, so
	 * that all bytes behind a place follow it. */
	uint8_t ring[2 * TAGE_HISTORY_RING];
	/* Short banks and long banks, then bimodal directions, then their
	 * hysteresis bits: one for four directions. */
	struct tage_entry entries[];
};

/* The state that tage_push() overwrote; with a count of 0, none. */
struct tage_undo {
	struct tage_history before;
	uint8_t ring[TAGE_MOST_PUSHED];
	uint8_t count;
};

/* Where the tables have a branch: follows from address and history alone. */
struct tage_keys {
	uint16_t index[TAGE_LANES]; /* in entries[] */
	uint16_t tag[TAGE_LANES];
	uint32_t bimodal_index;
};

/* The result of looking up one branch in all tables. */
struct tage_lookup {
	const struct tage_keys *keys;
	uint8_t bimodal; /* 0 to 3 */
	uint8_t hit, alternate; /* levels */
	uint16_t hit_index, alternate_index; /* in entries[] */
	bool longest_taken, alternate_taken, taken;
	bool high, medium, low; /* confidence */
	bool alternate_confident;
};

size_t tage_bytes(const struct tage_sizes *sizes);
uint64_t tage_bits(const struct tage_sizes *sizes);
/* `tage` must be all zeros. */
void tage_init(const struct tage_sizes *sizes, struct tage *tage);
/* Finds a branch's keys with the present history. */
void tage_find(const struct tage_sizes *sizes, struct tage *tage,
	       uint64_t address, struct tage_keys *keys);
/* Looks up a branch in the present tables. *keys must outlive *lookup. */
void tage_look(const struct tage_sizes *sizes, const struct tage *tage,
	       struct tage_keys *keys, struct tage_lookup *lookup);
/* tage_push() enters a branch into the history; tage_pop() removes the branch
 * again. */
void tage_push(const struct tage_sizes *sizes, struct tage *tage,
	       struct tage_undo *undo, const struct branch *branch, bool taken);
void tage_pop(struct tage *tage, const struct tage_undo *undo);
/* tage_push() for good, tage_find() with tage_look() in less time. */
void tage_enter(const struct tage_sizes *sizes, struct tage *tage,
		const struct branch *branch, bool taken);
void tage_find_and_look(const struct tage_sizes *sizes, struct tage *tage,
			uint64_t address, struct tage_keys *keys,
			struct tage_lookup *lookup);
/* Trains the tables. `lookup` was made with the present tables and the keys of
 * the prediction. `right`: the whole predictor's prediction was right. Returns
 * whether lookups may have another result now. */
bool tage_train(const struct tage_sizes *sizes, struct tage *tage,
		const struct tage_lookup *lookup, bool taken, bool right);
/* Pseudo-random numbers from the history, which hardware could make as well. */
uint32_t tage_random(struct tage *tage);

#endif
