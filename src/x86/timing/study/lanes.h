/* Predictors of one kind and size side by side. Each has its own tables: a row
 * has the counters of all predictors, so one host instruction steps many.
 * Internal to x86/timing/study. */
#ifndef M2S_X86_TIMING_STUDY_LANES_H
#define M2S_X86_TIMING_STUDY_LANES_H

#include "x86/timing/study/places.h"

struct lanes;

/* Whether the engine has this kind: counters chosen by address and global
 * history. */
bool lanes_know(const struct predict_config *config);
struct lanes *lanes_create(const struct predict_config *config, size_t count);
void lanes_free(struct lanes *lanes);
size_t lanes_bytes(const struct predict_config *config, size_t count);
/* Predicts and counts a chunk. All predictors share `places`. */
void lanes_run(struct lanes *lanes, const struct study_chunk *chunk,
	       const struct places *places);
/* Adds the counts of one predictor. */
void lanes_count(const struct lanes *lanes, size_t lane,
		 struct predict_counts *conditional);

#endif
