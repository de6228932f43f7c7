/* The parts that charts of every kind share: the SVG document, axes, a
 * legend. */
#ifndef M2S_STATS_SVG_H
#define M2S_STATS_SVG_H

#include <stdio.h>

/* The drawing's size and margins, in SVG user units. */
enum {
	SVG_WIDTH = 640,
	SVG_HEIGHT = 400,
	SVG_LEFT = 60,
	SVG_RIGHT = 20,
	SVG_TOP = 40,
	SVG_BOTTOM = 50,
	SVG_LEGEND = 150, /* extra margin at the right for the legend */
};

/* An axis: linear from 0 to `most`, or logarithmic from `least` to `most`. */
struct svg_axis {
	double least, most;
	double step;         /* from tick to tick: a sum, or a factor */
	unsigned log;        /* the base, 0: linear */
	double from, length; /* on the drawing; a negative length points up */
};

/* Ticks at 1, 2 or 5 times a power of ten; `most` is at least 1. */
struct svg_axis svg_linear_axis(double most, double from, double length);
/* Ticks at powers of the base; least and most are above 0. */
struct svg_axis svg_log_axis(double least, double most, unsigned base,
			     double from, double length);
double svg_place(const struct svg_axis *axis, double value);

/* The colour of the series with this number. Colours repeat. */
const char *svg_colour(size_t number);

/* Write the beginning of the document, with `extra` in its style sheet, and its
 * end. */
void svg_open(FILE *stream, const char *extra);
void svg_close(FILE *stream);
/* Writes text with XML's reserved characters escaped. */
void svg_text(FILE *stream, const char *text);
void svg_title(FILE *stream, const char *title);
/* Draw the grid lines, numbers and label of an axis. `right` is the right edge
 * of the drawing. */
void svg_x_axis(FILE *stream, const struct svg_axis *axis, const char *label,
		int right);
void svg_y_axis(FILE *stream, const struct svg_axis *axis, const char *label,
		int right);
/* One line of the legend. */
void svg_legend(FILE *stream, size_t line, const char *colour,
		const char *name);

#endif
