/* Line plots as SVG: for reports that are curves. */
#ifndef M2S_STATS_PLOT_H
#define M2S_STATS_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct plot {
	const char *title, *x_label, *y_label;
	const double *x, *y; /* `count` points, x ascending; both axes start
				at 0 */
	size_t count;
	bool steps;          /* y holds up to the next x: no slopes */
	bool marked;         /* draws attention to one point */
	double mark_x, mark_y;
	const char *mark_label;
};

/* Writes a whole SVG document; what cannot be written shows in ferror(). */
void plot_write_svg(const struct plot *plot, FILE *stream);

#endif
