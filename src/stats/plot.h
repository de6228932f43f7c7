/* Charts as SVG documents, for reports that show curves or parts of a whole. */
#ifndef M2S_STATS_PLOT_H
#define M2S_STATS_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct plot_series {
	/* In the legend; may be NULL for the only series. */
	const char *name;
	const double *x, *y; /* `count` points, x ascending */
	size_t count;
	bool points;         /* dots instead of a line */
};

/* A chart of curves. Linear axes start at 0; on a logarithmic axis all values
 * are above 0. */
struct plot {
	const char *title, *x_label, *y_label;
	const struct plot_series *series;
	size_t series_count;
	unsigned x_log, y_log; /* the base of a logarithmic axis, or 0 */
	/* Y stays constant up to the next x: steps, not slopes. */
	bool steps;
	bool marked;           /* marks one point */
	double mark_x, mark_y;
	const char *mark_label;
};

/* A chart of stacked bars. */
struct plot_bars {
	const char *title, *y_label;
	const char *const *names; /* of the bars */
	size_t count;
	const char *const *parts; /* of the parts, lowest first */
	size_t part_count;
	const double *values;     /* part_count values per bar */
};

/* Write a whole SVG document. The caller looks for write errors with
 * ferror(). */
void plot_write_svg(const struct plot *plot, FILE *stream);
void plot_write_bars(const struct plot_bars *bars, FILE *stream);

#endif
