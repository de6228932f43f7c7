/* The output of a study: tables and a chart. */
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

/* Mispredicted branches of all kinds per thousand instructions. */
double study_mpki(const struct study_predictor *predictor,
		  const struct study_totals *totals);
/* Whether no other predictor is better at the same size, or smaller at the same
 * quality. */
bool study_is_best(const struct study_result *result, size_t number);

/* Writes a row for each predictor. `first`: with the names of the columns. */
void study_write_csv(const struct study_result *result, bool first,
		     FILE *stream);
/* Writes the elements of an array of objects. */
void study_write_json(const struct study_result *result, bool first,
		      FILE *stream);
/* Prints the best `most` predictors and the number of all. */
void study_print(const struct study_result *result, size_t most, FILE *stream);
/* Writes a chart of MPKI against storage, with a line through the predictors of
 * study_is_best(). */
void study_write_svg(const struct study_result *result, FILE *stream);
void study_write_agreements(const struct study_result *result,
			    const uint64_t *agreements, FILE *stream);

/* Writes the `most` branches that a predictor mispredicts most often, as CSV.
 * Reads the trace once more. */
int study_write_worst(const struct study_predictor *predictor,
		      const char *trace, size_t most, FILE *stream,
		      struct error *error);

#endif
