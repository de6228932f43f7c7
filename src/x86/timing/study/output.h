/* What comes out of a study: tables and a chart. */
#ifndef M2S_X86_TIMING_STUDY_OUTPUT_H
#define M2S_X86_TIMING_STUDY_OUTPUT_H

#include <stdio.h>

#include "x86/timing/study/study.h"

/* The outcome of all predictors over one trace. */
struct study_result {
	const char *trace;
	struct study_totals totals;
	const struct study_predictor *list;
	size_t count;
};

/* Mispredicted branches, of all kinds, in a thousand instructions. */
double study_mpki(const struct study_predictor *predictor,
		  const struct study_totals *totals);
/* Whether no other predictor is as small and better, or as good and smaller. */
bool study_is_best(const struct study_result *result, size_t number);

/* A row for each predictor; `first`: with names of the columns. */
void study_write_csv(const struct study_result *result, bool first,
		     FILE *stream);
/* The elements of an array, objects. */
void study_write_json(const struct study_result *result, bool first,
		      FILE *stream);
/* For people: the best `most` and how many there are. */
void study_print(const struct study_result *result, size_t most, FILE *stream);
/* MPKI against storage, and the line of those that study_is_best(). */
void study_write_svg(const struct study_result *result, FILE *stream);
void study_write_agreements(const struct study_result *result,
			    const uint64_t *agreements, FILE *stream);

/* The branches that a predictor mispredicts most often, `most` of them, as CSV.
 * Reads the trace once more. */
int study_write_worst(const struct study_predictor *predictor,
		      const char *trace, size_t most, FILE *stream,
		      struct error *error);

#endif
