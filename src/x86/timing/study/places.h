/* The batch engine of targets: one target buffer, return stack and indirect
 * predictor for all predictors that have them alike. What they hold in a trace
 * does not depend on the predictor of directions. Internal to
 * x86/timing/study. */
#ifndef M2S_X86_TIMING_STUDY_PLACES_H
#define M2S_X86_TIMING_STUDY_PLACES_H

#include "x86/timing/study/chunk.h"

struct places {
	const struct predict_config *config;
	struct btb btb;
	struct target target;
	struct return_stack stack;
	void *record; /* of the target predictor */
	/* Of a conditional branch if it is predicted taken: by whom
	 * (enum predict_source) its target is known; nowhere: fetch falls
	 * through. */
	study_bits known[PREDICT_SOURCES];
	/* Counts of all other branches, since the start. */
	struct predict_counts counts[BRANCH_KINDS];
};

bool places_alike(const struct predict_config *one,
		  const struct predict_config *other);
struct places *places_create(const struct predict_config *config);
void places_free(struct places *places);
void places_run(struct places *places, const struct study_chunk *chunk);
/* Adds what a predictor did that has these places and said these ways. Where
 * fetch falls through in spite of it, the bit is cleared. */
void places_count(const struct places *places, const struct study_chunk *chunk,
		  study_bits said, struct predict_counts *conditional);

#endif
