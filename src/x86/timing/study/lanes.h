/* Predictors of one kind and size side by side, each with tables of its own: a
 * row of the table has the counters of all of them, so that one instruction of
 * the host steps many. Internal to x86/timing/study. */
#ifndef M2S_X86_TIMING_STUDY_LANES_H
#define M2S_X86_TIMING_STUDY_LANES_H

#include "x86/timing/study/places.h"

struct lanes;

/* Whether the kind is one of counters chosen by address and global history. */
bool lanes_know(const struct predict_config *config);
struct lanes *lanes_create(const struct predict_config *config, size_t count);
void lanes_free(struct lanes *lanes);
size_t lanes_bytes(const struct predict_config *config, size_t count);
/* Predicts and counts. All predictors share these places. */
void lanes_run(struct lanes *lanes, const struct study_chunk *chunk,
	       const struct places *places);
/* Adds the counts of one predictor. */
void lanes_count(const struct lanes *lanes, size_t lane,
		 struct predict_counts *conditional);

#endif
