/* --stats-interval: figures of the GPU over time, one row per interval of
 * simulated cycles, as comma-separated values. */
#ifndef M2S_REPORT_INTERVALS_H
#define M2S_REPORT_INTERVALS_H

#include "base/output.h"
#include "evergreen/timing/timing.h"
#include "memsys/memsys.h"

struct intervals;

/* The arguments are kept, not owned. */
struct intervals *intervals_create(struct output *output,
				   struct evg_timing *timing,
				   const struct memsys *memsys,
				   double megahertz);
/* Adds a row for the time since the last row, in launch `launch`. Adds none
 * when no cycle has passed. */
void intervals_add(struct intervals *intervals, uint64_t launch,
		   const char *kernel);
/* Completes and closes the output; `partial`, if not NULL, says why the run
 * ended early. -1 and *error when something could not be written. */
int intervals_close(struct intervals *intervals, const char *partial,
		    struct error *error);
/* Frees intervals that intervals_close() was not called for. NULL is fine. */
void intervals_free(struct intervals *intervals);

#endif
