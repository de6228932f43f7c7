/* What a hardware prefetcher would fetch next: the algorithms, free of modules
 * and time.
 *
 * Stride: a table by instruction remembers the last block and the distance
 * between the last two (Fu, Patel, Janssens: "Stride directed prefetching in
 * scalar processors", MICRO 1992; Chen and Baer: "Effective hardware-based
 * data prefetching for high-performance processors", IEEE ToC 1995). A
 * distance seen `depth` times in a row goes on.
 *
 * GHB: a global history buffer keeps the last misses in a ring; entries of one
 * instruction are linked, the newest is found by an index table (Nesbit and
 * Smith: "Data Cache Prefetching Using a Global History Buffer", HPCA 2004).
 * PC/CS: `depth` equal distances go on. PC/DC: the last `depth` distances are
 * looked for earlier in the instruction's history; what followed them then is
 * expected again. */
#ifndef M2S_MEMSYS_PREFETCH_PREFETCHER_H
#define M2S_MEMSYS_PREFETCH_PREFETCHER_H

#include <stdint.h>

enum prefetcher_type {
	PREFETCHER_GHB_PC_CS,
	PREFETCHER_GHB_PC_DC,
	PREFETCHER_STRIDE,
};

enum {
	PREFETCHER_DEGREE_MAX = 64,
	PREFETCHER_DEPTH_MAX = 64,
};

struct prefetcher_config {
	enum prefetcher_type type;
	uint32_t history; /* entries of the global history buffer */
	uint32_t table;   /* entries of the index table, or stride table */
	uint32_t depth;   /* distances compared: 1 to PREFETCHER_DEPTH_MAX */
	uint32_t degree;  /* blocks at once: 1 to PREFETCHER_DEGREE_MAX */
};

struct prefetcher;

struct prefetcher *prefetcher_create(const struct prefetcher_config *config);
void prefetcher_free(struct prefetcher *prefetcher);

/* The instruction `key` missed block number `block`. Writes the numbers of up
 * to `degree` blocks that should follow, soonest first, and returns how many.
 * Numbers wrap around: the caller knows which exist. The same block as last
 * time teaches nothing. */
unsigned prefetcher_train(struct prefetcher *prefetcher, uint64_t key,
			  uint64_t block, uint64_t *next);

#endif
