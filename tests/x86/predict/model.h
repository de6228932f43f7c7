/* Slow models of predictors, written from the papers and not from the code
 * under test: they keep every outcome since the start, look at it anew for each
 * prediction and learn at once. */
#ifndef M2S_TESTS_X86_PREDICT_MODEL_H
#define M2S_TESTS_X86_PREDICT_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/timing/predict/direction.h"

enum { MODEL_BRANCHES = 1 << 14 };

struct model {
	const struct predict_config *config;
	/* All conditional branches so far. */
	uint32_t count;
	uint64_t addresses[MODEL_BRANCHES];
	bool outcomes[MODEL_BRANCHES];
	/* Whatever a predictor keeps, by a number of its own. */
	int table[4][1 << 20];
	int threshold, adapt;
};

/* The prediction of a branch, after which the model learns `taken`. */
typedef bool model_step(struct model *model, const struct branch *branch,
			bool taken);

model_step model_backward, model_bimodal, model_two_level, model_gshare,
    model_combined, model_tournament, model_perceptron, model_hashed;

void model_init(struct model *model, const struct predict_config *config);

#endif
