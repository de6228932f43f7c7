/* Algorithms of hardware prefetchers, independent of modules and time.
 *
 * Stride: a table by instruction remembers the last block and the distance
 * between the last two blocks (Fu, Patel, Janssens: "Stride directed
 * prefetching in scalar processors", MICRO 1992; Chen and Baer: "Effective
 * hardware-based data prefetching for high-performance processors", IEEE ToC
 * 1995). After `depth` equal distances in a row, the prefetcher follows that
 * distance.
 *
 * GHB: a global history buffer keeps the last misses in a ring. Entries of one
 * instruction are linked, and an index table finds the newest one (Nesbit and
 * Smith: "Data Cache Prefetching Using a Global History Buffer", HPCA 2004).
 * PC/CS: after `depth` equal distances, the prefetcher follows that distance.
 * PC/DC: the prefetcher searches the instruction's history for the last `depth`
 * distances, and expects the distances that followed them then.
 *
 * Stream: a table by page, not by instruction. After `depth` steps in one
 * direction within a page, of one or two blocks, the next `degree` blocks in that
 * direction follow. With `pair`, before that the other block of an aligned pair
 * follows (Intel's optimization manual: "Streamer" and "Spatial Prefetcher" of the
 * second-level cache).
 *
 * Pair: always the other block of an aligned pair.
 *
 * NextLine: by page, after a step to the next block the one behind it ("DCU
 * prefetcher" of Intel's first level). UpDown: by page, after a step of any length
 * the next block in its direction (AMD's second level). */
#ifndef M2S_MEMSYS_PREFETCH_PREFETCHER_H
#define M2S_MEMSYS_PREFETCH_PREFETCHER_H

#include <stdbool.h>
#include <stdint.h>

enum prefetcher_type {
	PREFETCHER_GHB_PC_CS,
	PREFETCHER_GHB_PC_DC,
	PREFETCHER_STRIDE,
	PREFETCHER_STREAM,
	PREFETCHER_PAIR,
	PREFETCHER_NEXT_LINE,
	PREFETCHER_UP_DOWN,
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
	uint32_t page;    /* blocks of a page, for tables by page */
	bool pair;        /* for PREFETCHER_STREAM */
};

struct prefetcher;

struct prefetcher *prefetcher_create(const struct prefetcher_config *config);
void prefetcher_free(struct prefetcher *prefetcher);

/* Tells the prefetcher that the instruction `key` missed block number `block`.
 * Writes the numbers of up to `degree` blocks that should be needed next,
 * soonest first, and returns how many. Numbers wrap around: the caller knows
 * which blocks exist. A miss of the same block as last time changes nothing. */
unsigned prefetcher_train(struct prefetcher *prefetcher, uint64_t key,
			  uint64_t block, uint64_t *next);

#endif
