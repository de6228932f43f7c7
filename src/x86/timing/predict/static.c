/* Predictors without state: the perfect one, and the static ones. */
#include "x86/timing/predict/direction.h"

static bool predict_perfect(const struct predict_config *config, void *state,
			    void *record, const struct branch *branch,
			    bool outcome)
{
	(void)config, (void)state, (void)record, (void)branch;
	return outcome;
}

static bool predict_taken(const struct predict_config *config, void *state,
			  void *record, const struct branch *branch,
			  bool outcome)
{
	(void)config, (void)state, (void)record, (void)branch, (void)outcome;
	return true;
}

static bool predict_not_taken(const struct predict_config *config, void *state,
			      void *record, const struct branch *branch,
			      bool outcome)
{
	(void)config, (void)state, (void)record, (void)branch, (void)outcome;
	return false;
}

/* Backward branches are those of loops. */
static bool predict_backward(const struct predict_config *config, void *state,
			     void *record, const struct branch *branch,
			     bool outcome)
{
	(void)config, (void)state, (void)record, (void)outcome;
	return branch->target <= branch->address;
}

const struct direction_kind direction_perfect = {
    .name = "perfect",
    .predict = predict_perfect,
};

const struct direction_kind direction_taken = {
    .name = "taken",
    .predict = predict_taken,
};

const struct direction_kind direction_not_taken = {
    .name = "not taken",
    .predict = predict_not_taken,
};

const struct direction_kind direction_backward_taken = {
    .name = "backward taken",
    .predict = predict_backward,
};
