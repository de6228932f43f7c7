/* Charts as SVG: for reports that are curves or parts of a whole. */
#ifndef M2S_STATS_PLOT_H
#define M2S_STATS_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct plot_series {
	const char *name;    /* in the legend; may be NULL if it is alone */
	const double *x, *y; /* `count` points, x ascending */
	size_t count;
	bool points;         /* dots instead of a line */
};

/* Curves. Linear axes start at 0; on a logarithmic one all values are above
 * 0. */
struct plot {
	const char *title, *x_label, *y_label;
	const struct plot_series *series;
	size_t series_count;
	unsigned x_log, y_log; /* the base of a logarithmic axis, or 0 */
	bool steps;            /* y holds up to the next x: no slopes */
	bool marked;           /* draws attention to one point */
	double mark_x, mark_y;
	const char *mark_label;
};

/* Bars, each of several parts on top of each other. */
struct plot_bars {
	const char *title, *y_label;
	const char *const *names; /* of the bars */
	size_t count;
	const char *const *parts; /* names of the parts, lowest first */
	size_t part_count;
	const double *values;     /* part_count of each bar */
};

/* Write a whole SVG document; what cannot be written shows in ferror(). */
void plot_write_svg(const struct plot *plot, FILE *stream);
void plot_write_bars(const struct plot_bars *bars, FILE *stream);

#endif
