/* The batch engine of directions: tables of the simple kinds, run over a chunk
 * at a time. Over a trace each outcome is known before the next prediction, so
 * the global histories are the same for all predictors and are made once.
 * Internal to x86/timing/study. */
#ifndef M2S_X86_TIMING_STUDY_WAYS_H
#define M2S_X86_TIMING_STUDY_WAYS_H

#include "x86/timing/study/chunk.h"

/* Whether the engine has this kind. */
bool ways_know(const struct predict_config *config);
/* Whether two predictors of the engine's kinds predict the same directions. */
bool ways_alike(const struct predict_config *one,
		const struct predict_config *other);

struct ways;

struct ways *ways_create(const struct predict_config *config);
void ways_free(struct ways *ways);
size_t ways_bytes(const struct predict_config *config);
/* Sets the bits of the conditional branches that are predicted taken. */
void ways_run(struct ways *ways, const struct study_chunk *chunk,
	      study_bits said);

#endif
