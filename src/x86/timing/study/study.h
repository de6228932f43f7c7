/* Many branch predictors over one trace (doc/branch-traces.md).
 *
 * Predictors see the branches of all threads of a trace in the order in which
 * they were recorded, as on one core. Each branch is predicted, resolved and
 * retired before the next one. */
#ifndef M2S_X86_TIMING_STUDY_STUDY_H
#define M2S_X86_TIMING_STUDY_STUDY_H

#include "x86/timing/branches/reader.h"
#include "x86/timing/predict/unit.h"

/* One predictor of a study, and its counts. */
struct study_predictor {
	char *name;
	struct predict_config config;
	uint64_t storage_bits;
	struct predict_counts counts[BRANCH_KINDS];
};

struct study_list {
	struct study_predictor *list;
	size_t count, capacity;
};

/* Adds the predictors that an INI file describes: a section for each, with the
 * variables of [ BranchPredictor ]. A value `A..B xK`, `A..B +K` or a list `A,
 * B` gives one predictor for each value; several such values give one for each
 * combination. -1 and *error for bad values, names given twice, and too many
 * predictors. */
int study_list_read(struct study_list *predictors, const char *path,
		    struct error *error);
int study_list_parse(struct study_list *predictors, struct ini *ini,
		     struct error *error);
void study_list_clear(struct study_list *predictors);

struct study_options {
	unsigned threads;   /* host threads */
	bool single;        /* simulate each predictor alone, by predict_unit */
	/* Simulate each predictor without results of others, even of equal
	 * ones, to measure the speed. */
	bool apart;
	/* For each pair of predictors, the number of conditional branches that
	 * both predicted alike: `count` numbers for each predictor. Or NULL. */
	uint64_t *agreements;
};

struct study_totals {
	uint64_t branches, conditional, instructions;
};

/* Runs all predictors from their initial state over a trace and sets their
 * counts. -1 and *error when the trace cannot be read, or when the predictors
 * would take too much memory. */
int study_run(struct study_list *predictors, const char *trace,
	      const struct study_options *options, struct study_totals *totals,
	      struct error *error);
/* As study_run(), over events in memory. */
int study_run_events(struct study_list *predictors,
		     const struct branch_event *events, size_t count,
		     const struct study_options *options,
		     struct study_totals *totals, struct error *error);

/* The counts of all kinds of branches together. */
struct predict_counts study_sum(const struct study_predictor *predictor);

#endif
