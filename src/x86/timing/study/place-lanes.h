/* Target buffers and return stacks of predictors that are alike, side by side:
 * each way of each set is a row with an entry of every predictor. Without
 * indirect predictors. Internal to x86/timing/study. */
#ifndef M2S_X86_TIMING_STUDY_PLACE_LANES_H
#define M2S_X86_TIMING_STUDY_PLACE_LANES_H

#include "x86/timing/predict/unit.h"
#include "x86/timing/study/numbers.h"

struct place_lanes;

bool place_lanes_know(const struct predict_config *config);
/* `lanes` is a multiple of 64. */
struct place_lanes *place_lanes_create(const struct predict_config *config,
				       size_t lanes);
void place_lanes_free(struct place_lanes *places);
/* The next branch. If it is conditional, `codes` gets for each lane who knows
 * its target (enum predict_source) if it is predicted taken, as
 * places->known[]; others are counted. */
void place_lanes_step(struct place_lanes *places, const struct numbered *event,
		      uint8_t *codes);
/* Adds the counts of a lane, but for conditional branches. */
void place_lanes_count(const struct place_lanes *places, size_t lane,
		       struct predict_counts counts[BRANCH_KINDS]);

#endif
