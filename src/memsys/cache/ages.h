/* Replacement by ages: each block of a set has a small number, its age. A hit
 * makes it young, a new block begins with an age that need not be the youngest,
 * and when no block of the set has the top age, blocks grow older. What is
 * replaced is the first way of the top age. Many of the policies that were
 * measured on processors are of this kind (ages.def has the rows and their
 * source).
 *
 * A policy may have two rows that duel (Qureshi et al., "Adaptive Insertion
 * Policies for High Performance Caching", ISCA 2007). Each has sets of its own,
 * whose misses are counted against it; all other sets follow the one with fewer.
 * Of 2,048 sets those from 512 on and those from 768 on, 64 each, lead: where Abel
 * and Reineke found them on Ivy Bridge and Haswell. Larger caches have the same
 * ones; smaller ones the same fractions. The counter's 10 bits are Qureshi's. */
#ifndef M2S_MEMSYS_CACHE_AGES_H
#define M2S_MEMSYS_CACHE_AGES_H

#include <stdbool.h>
#include <stdint.h>

enum { AGES_COUNT = 4 };

struct ages_rules {
	uint8_t top;
	uint8_t hit[AGES_COUNT]; /* the age after a hit, by the age before */
	uint8_t rare, often;     /* of 1 and of 15 of 16 new blocks */
	bool others;             /* the block that was used does not grow older */
	bool by_one;             /* older by one, else until one has the top age */
	/* If no way has the top age: the lowest way, else the first oldest. */
	bool lowest;
	bool last_empty; /* empty ways are filled from the last one on */
};

enum ages_id {
#define AGES(id, ...) AGES_##id,
#include "memsys/cache/ages.def"
	AGES_NONE
};

struct ages {
	const struct ages_rules *rules[2]; /* those that duel, or twice the same */
	uint32_t sets, ways;
	uint32_t unit;     /* sets with rules of their own: 8 * unit and
			    * 12 * unit, so many of each; 0: no duel */
	uint32_t misses;   /* of the first's sets, less those of the second's */
	uint64_t random;
	uint8_t *age;      /* by set * ways + way */
};

/* `second`: the rules that `first` duels with, or the same. */
struct ages *ages_create(uint32_t sets, uint32_t ways, enum ages_id first,
			 enum ages_id second, uint64_t seed);
void ages_free(struct ages *ages);

/* The rules that a set follows now. */
const struct ages_rules *ages_rules_of(const struct ages *ages, uint32_t set);
/* A block was used; a new block is in the way. */
void ages_touch(struct ages *ages, uint32_t set, uint32_t way);
void ages_fill(struct ages *ages, uint32_t set, uint32_t way);
/* The way to replace among those that are not locked; at least one must not be. */
uint32_t ages_victim(const struct ages *ages, uint32_t set, const bool *locked);

#endif
