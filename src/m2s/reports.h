/* Which reports go where, in which formats. */
#ifndef M2S_M2S_REPORTS_H
#define M2S_M2S_REPORTS_H

#include "base/error.h"
#include "m2s/options.h"
#include "stats/stats.h"

struct report_formats {
	enum stats_format format[STATS_FORMAT_COUNT];
	size_t count;
};

/* Reads "ini,csv,...": NULL means ini. */
int report_formats_parse(struct report_formats *formats, const char *text,
			 struct error *error);

/* -1 and *error now rather than after hours, when a report that is asked for
 * cannot be written or will have nothing to say. */
int reports_check(const struct options *options,
		  const struct report_formats *formats, bool detailed,
		  struct error *error);

/* Writes every report asked for; `partial` as stats_write has it. */
int reports_write(const struct options *options,
		  const struct report_formats *formats,
		  const struct stats *stats, const char *partial,
		  struct error *error);

#endif
