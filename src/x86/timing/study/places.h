/* The batch engine of targets: one target buffer, return stack and indirect
 * predictor for all predictors with equal ones. Over a trace, their contents do
 * not depend on the predictor of directions. Internal to x86/timing/study. */
#ifndef M2S_X86_TIMING_STUDY_PLACES_H
#define M2S_X86_TIMING_STUDY_PLACES_H

#include "x86/timing/study/chunk.h"

struct places {
	const struct predict_config *config;
	struct btb btb;
	struct target target;
	struct return_stack stack;
	void *record; /* of the target predictor */
	/* For conditional branches, if predicted taken: by which source (enum
	 * predict_source) the target is known. In no set: fetch falls
	 * through. */
	study_bits known[PREDICT_SOURCES];
	/* Counts of all unconditional branches, since the start. */
	struct predict_counts counts[BRANCH_KINDS];
};

bool places_alike(const struct predict_config *one,
		  const struct predict_config *other);
struct places *places_create(const struct predict_config *config);
void places_free(struct places *places);
void places_run(struct places *places, const struct study_chunk *chunk);
/* Adds the counts of a predictor with these places and the directions `said`.
 * Clears a direction's bit where fetch falls through although the branch is
 * predicted taken. */
void places_count(const struct places *places, const struct study_chunk *chunk,
		  study_bits said, struct predict_counts *conditional);

#endif
