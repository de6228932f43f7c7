/* A part of a trace, and the data that all predictors share over it. Internal
 * to x86/timing/study. */
#ifndef M2S_X86_TIMING_STUDY_CHUNK_H
#define M2S_X86_TIMING_STUDY_CHUNK_H

#include "x86/timing/study/numbers.h"
#include "x86/timing/study/study.h"

enum { STUDY_CHUNK = 1 << 15, STUDY_WORDS = STUDY_CHUNK / 64 };

/* A bit for each conditional branch of a chunk. */
typedef uint64_t study_bits[STUDY_WORDS];

struct study_chunk {
	size_t count;
	struct branch_event events[STUDY_CHUNK];
	/* The same with numbers, when `numbers`, the study's, is not NULL. */
	struct numbers *numbers;
	struct numbered numbered[STUDY_CHUNK];
	size_t conditional; /* number of conditional branches, each with: */
	uint64_t addresses[STUDY_CHUNK];
	uint8_t outcomes[STUDY_CHUNK];
	/* The outcomes before the branch, the newest in the lowest bit. */
	uint32_t pasts[STUDY_CHUNK];
	study_bits taken, backward;
	uint32_t past; /* at the end, for the next chunk */
	uint64_t taken_count[BRANCH_KINDS], kind_count[BRANCH_KINDS];
};

/* Fills in the other members. `count`, `events`, `numbers`, and `past` of the
 * chunk before must be set. */
void study_chunk_prepare(struct study_chunk *chunk);

static inline size_t study_words(const struct study_chunk *chunk)
{
	return (chunk->conditional + 63) / 64;
}

#endif
