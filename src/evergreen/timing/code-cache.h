/* Instruction and constant caches; private to src/evergreen/timing. */
#ifndef M2S_EVERGREEN_TIMING_CODE_CACHE_H
#define M2S_EVERGREEN_TIMING_CODE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct code_miss; /* code-cache.c */

/* The tags of one. */
struct code_cache {
	struct code_line {
		uint64_t tag;
		union {
			/* On its way from the hierarchy; NULL: it is here. */
			struct code_miss *miss;
			uint64_t ready; /* cycle in which it arrives */
		};
	} *line;
	uint32_t lines, line_bytes;
	uint32_t mask;             /* lines - 1 if that is a power of two, or 0 */
	unsigned unit_shift;       /* log2 of 64-bit units per line */
	uint32_t latency;
	bool loads;                /* misses are loads of the hierarchy */
};

#endif
