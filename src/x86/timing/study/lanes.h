/* Predictors of one kind and size side by side. Each has its own tables: a row
 * has the counters of all predictors, so one host instruction steps many.
 * Internal to x86/timing/study. */
#ifndef M2S_X86_TIMING_STUDY_LANES_H
#define M2S_X86_TIMING_STUDY_LANES_H

#include "x86/timing/study/places.h"

struct lanes;

/* Of the kinds that ways.h knows. */
struct lanes *lanes_create(const struct predict_config *config, size_t count);
void lanes_free(struct lanes *lanes);
/* Whether each lane has target buffer and return stack of its own. */
bool lanes_have_places(const struct predict_config *config);
/* Predicts and counts. Lanes without places of their own share these. */
void lanes_run(struct lanes *lanes, const struct study_chunk *chunk,
	       const struct places *places);
/* Adds the counts of one predictor: of conditional branches and, with places of
 * its own, of others. */
void lanes_count(const struct lanes *lanes, size_t lane,
		 struct predict_counts counts[BRANCH_KINDS]);

#endif
