/* Tree pseudo-LRU: one bit for each inner node of a binary tree over the ways
 * of a set points to the half that was not used last. The victim is the way to
 * which the bits lead. A use of a way turns the bits on the path to it to the
 * other half. The number of ways is a power of two. (PLRUt in Al-Zoubi,
 * Milenkovic, Milenkovic: "Performance evaluation of cache replacement policies
 * for the SPEC CPU2000 benchmark suite", ACM-SE 2004.) */
#ifndef M2S_MEMSYS_CACHE_PLRU_H
#define M2S_MEMSYS_CACHE_PLRU_H

#include <stdbool.h>
#include <stdint.h>

struct plru {
	uint32_t ways;
	uint32_t words; /* 64-bit words of `bits` per set */
	uint64_t *bits; /* node n of 1 .. ways - 1 is bit n; set: upper half */
	/* Of up to 64 ways: the bits on the path to each way, and those of them
	 * that its use sets. Else NULL. */
	struct plru_path { uint64_t nodes, set; } *path;
};

struct plru *plru_create(uint32_t sets, uint32_t ways);
void plru_free(struct plru *plru);

void plru_touch(struct plru *plru, uint32_t set, uint32_t way);
/* The victim among the ways that are not locked; at least one way must not be.
 * A half in which all ways are locked gives way to the other half. */
uint32_t plru_victim(const struct plru *plru, uint32_t set,
		     const bool *locked);

#endif
