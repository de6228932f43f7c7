/* The reports of a run: their files and formats. */
#ifndef M2S_M2S_RUN_REPORTS_H
#define M2S_M2S_RUN_REPORTS_H

#include "base/error.h"
#include "m2s/options.h"
#include "report/outputs.h"
#include "stats/stats.h"

enum { REPORTS_COUNT = 6 };

struct reports {
	enum stats_format format[STATS_FORMAT_COUNT];
	size_t format_count;
	/* one for each format, then NULL */
	struct output *output[REPORTS_COUNT][STATS_FORMAT_COUNT + 1];
};

/* Reserves every report that the options ask for. -1 and *error when a report
 * cannot be written or would be empty: at the start rather than after hours. */
int reports_reserve(struct reports *reports, const struct options *options,
		    struct outputs *outputs, bool detailed,
		    bool x86_detailed,
		    struct error *error);

/* Whether the options ask for a report. */
bool reports_asked(const struct options *options);

/* Writes and closes the reports. `partial` is that of stats_write(). */
int reports_write(const struct reports *reports, const struct stats *stats,
		  const char *partial, struct error *error);

#endif
