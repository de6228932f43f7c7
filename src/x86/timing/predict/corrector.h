/* The statistical corrector of TAGE-SC-L: a sum of weights, chosen by several
 * histories, that overrules TAGE where TAGE is statistically wrong. Seznec,
 * "TAGE-SC-L branch predictors", CBP-4 (2014), and "TAGE-SC-L branch predictors
 * again", CBP-5 (2016). Innermost loop counts: Seznec, San Miguel and
 * Albericio, MICRO 2015. */
#ifndef M2S_X86_TIMING_PREDICT_CORRECTOR_H
#define M2S_X86_TIMING_PREDICT_CORRECTOR_H

#include "x86/timing/predict/tage.h"

/* The histories whose bits choose a weight, together with the address. */
enum corrector_source {
	CORRECT_BY_BACKWARD,  /* taken backward branches, global */
	CORRECT_BY_PATH,
	CORRECT_BY_LOCAL_1,
	CORRECT_BY_LOCAL_2,
	CORRECT_BY_LOCAL_3,
	/* Outcomes that earlier runs of the loop had in this iteration. */
	CORRECT_BY_ITERATION_PAST,
	CORRECT_BY_ITERATION,      /* the number of the iteration */
	CORRECT_SOURCES,
};

enum {
	CORRECT_MOST_TABLES = 3,
	CORRECT_LOCALS = 3,
	CORRECT_MOST_LOCAL = 256,
	CORRECT_ITERATIONS = 256,
	CORRECT_LOG_THRESHOLDS = 6,
	CORRECT_LOG_SCALES = 3,
	CORRECT_BIASES = 3,
	CORRECT_MOST_LOG_BIAS = 8,
	CORRECT_MOST_LOG_TABLE = 10,
};

/* Each source has some tables with ever shorter histories. Its last two tables
 * have half the size. */
struct corrector_sizes {
	uint8_t log_bias;
	struct {
		uint8_t tables;
		uint8_t log_entries;
		uint8_t lengths[CORRECT_MOST_TABLES];
	} sources[CORRECT_SOURCES];
	uint8_t log_locals[CORRECT_LOCALS]; /* local histories */
};

extern const struct corrector_sizes corrector_sizes_64, corrector_sizes_8;

/* The histories at a branch's prediction, which an undo restores. */
struct corrector_past {
	uint64_t by[CORRECT_SOURCES];
};

struct corrector {
	uint64_t backward;
	uint16_t local[CORRECT_LOCALS][CORRECT_MOST_LOCAL];
	uint16_t iteration_past[CORRECT_ITERATIONS];
	uint8_t iteration;
	/* Counters that choose between corrector and TAGE where TAGE's
	 * confidence is medium or high. */
	int8_t trust_medium, trust_high;
	int16_t threshold; /* in eighths */
	int16_t thresholds[1 << CORRECT_LOG_THRESHOLDS];
	/* A source counts double where its scale is not negative. */
	int8_t bias_scale[1 << CORRECT_LOG_SCALES];
	int8_t scale[CORRECT_SOURCES][1 << CORRECT_LOG_SCALES];
	int8_t bias[CORRECT_BIASES][1 << CORRECT_MOST_LOG_BIAS];
	int8_t weights[CORRECT_SOURCES][CORRECT_MOST_TABLES]
		      [1 << CORRECT_MOST_LOG_TABLE];
};

struct corrector_lookup {
	uint32_t bias[CORRECT_BIASES];
	bool input, taken; /* the direction before and after the corrector */
	int sum, threshold;
	/* Of each source: its sum, and the weights that its tables have. */
	int part[CORRECT_SOURCES];
	uint16_t weight[CORRECT_SOURCES][CORRECT_MOST_TABLES];
};

uint64_t corrector_bits(const struct corrector_sizes *sizes);
void corrector_init(const struct corrector_sizes *sizes,
		    struct corrector *corrector);
/* Stores the histories for a prediction of a branch at this address. */
void corrector_remember(const struct corrector_sizes *sizes,
			const struct corrector *corrector, uint64_t address,
			uint32_t path, struct corrector_past *past);
/* Looks up whether the prediction `input` of TAGE or of the loop predictor is
 * overruled. */
void corrector_look(const struct corrector_sizes *sizes,
		    const struct corrector *corrector,
		    const struct corrector_past *past,
		    const struct tage_lookup *tage, uint64_t address,
		    bool input, struct corrector_lookup *lookup);
/* The lookup was made with the present weights. Returns whether lookups may have
 * another result now. */
bool corrector_train(const struct corrector_sizes *sizes,
		     struct corrector *corrector,
		     const struct tage_lookup *tage, uint64_t address,
		     const struct corrector_lookup *lookup, bool taken);
/* Enter a conditional branch into the histories, and remove the branch
 * again. */
void corrector_push(const struct corrector_sizes *sizes,
		    struct corrector *corrector, const struct branch *branch,
		    bool taken);
void corrector_pop(const struct corrector_sizes *sizes,
		   struct corrector *corrector, uint64_t address,
		   const struct corrector_past *past);

/* For a branch while no other one is in flight: remembers, looks, pushes and
 * trains. Returns the direction behind the corrector; *changed as of
 * corrector_train(). */
bool corrector_pass(const struct corrector_sizes *sizes,
		    struct corrector *corrector,
		    const struct tage_lookup *tage, uint32_t path,
		    const struct branch *branch, bool input, bool taken,
		    bool *changed);

#endif
