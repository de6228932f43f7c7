/* Where a report comes from: the section Provenance at its end. */
#ifndef M2S_REPORT_PROVENANCE_H
#define M2S_REPORT_PROVENANCE_H

#include <time.h>

#include "report/inputs.h"
#include "base/error.h"
#include "stats/stats.h"

/* The argument of --provenance. Returns -1 and *error unless it is full or
 * none. */
int provenance_choose(const char *kind, bool *wanted, struct error *error);

/* Adds the section to all reports, after all other sections. `arguments` is the
 * command line, ended by NULL. The inputs have been hashed. `start` is the time
 * at which the run began. */
void provenance_add(struct stats *stats, char **arguments,
		    const struct inputs *inputs, time_t start);

#endif
