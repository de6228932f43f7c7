#include "stats/svg.h"

#include <math.h>

enum {
	TICKS = 8,      /* at most, on a linear axis */
	LOG_TICKS = 11, /* on a logarithmic one */
};

struct svg_axis svg_linear_axis(double most, double from, double length)
{
	static const double factors[] = { 2, 2.5, 2 };
	struct svg_axis axis = { .most = most < 1 ? 1 : most, .step = 0.1,
				 .from = from, .length = length };

	for (unsigned i = 0; axis.most / axis.step > TICKS; i++)
		axis.step *= factors[i % 3];
	return axis;
}

struct svg_axis svg_log_axis(double least, double most, unsigned base,
			     double from, double length)
{
	struct svg_axis axis = { .step = base, .log = base, .from = from,
				 .length = length };
	double low = floor(log(least) / log(base) + 1e-9);
	double high = ceil(log(most) / log(base) - 1e-9);

	if (high <= low)
		high = low + 1;
	while ((high - low) * log(base) / log(axis.step) > LOG_TICKS)
		axis.step *= base;
	axis.least = pow(base, low);
	axis.most = pow(base, high);
	return axis;
}

double svg_place(const struct svg_axis *axis, double value)
{
	double part = axis->log ? log(value / axis->least) /
					  log(axis->most / axis->least)
				: value / axis->most;

	return axis->from + part * axis->length;
}

static double next_tick(const struct svg_axis *axis, double at)
{
	return axis->log ? at * axis->step : at + axis->step;
}

/* Powers of two as in "64 K", the others as they are. */
static void write_number(FILE *stream, const struct svg_axis *axis,
			 double value)
{
	static const char *const units[] = { "", " K", " M", " G" };
	unsigned unit = 0;

	if (axis->log == 2)
		for (; unit < 3 && value >= 1024; unit++)
			value /= 1024;
	fprintf(stream, "%g%s", value, units[unit]);
}

const char *svg_colour(size_t number)
{
	static const char *const colours[] = {
		"#1f5fa8", "#e07b1a", "#2f9e44", "#c02020", "#7a4fb5",
		"#8a5a3c", "#d65fa8", "#6b6b6b", "#a8a020", "#17a2b8",
	};

	return colours[number % (sizeof colours / sizeof colours[0])];
}

void svg_open(FILE *stream, const char *extra)
{
	fprintf(stream, "<svg xmlns=\"http://www.w3.org/2000/svg\" "
		"width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n"
		"<style>text{font:12px sans-serif}.title{font-size:15px}"
		".middle{text-anchor:middle}.end{text-anchor:end}"
		".grid{stroke:#ddd}%s</style>\n"
		"<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
		SVG_WIDTH, SVG_HEIGHT, SVG_WIDTH, SVG_HEIGHT, extra,
		SVG_WIDTH, SVG_HEIGHT);
}

void svg_close(FILE *stream)
{
	fputs("</svg>\n", stream);
}

void svg_text(FILE *stream, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '<': fputs("&lt;", stream); break;
		case '>': fputs("&gt;", stream); break;
		case '&': fputs("&amp;", stream); break;
		default: fputc(*text, stream);
		}
}

void svg_title(FILE *stream, const char *title)
{
	fprintf(stream, "<text x=\"%d\" y=\"22\" class=\"middle title\">",
		SVG_WIDTH / 2);
	svg_text(stream, title);
	fputs("</text>\n", stream);
}

void svg_x_axis(FILE *stream, const struct svg_axis *axis, const char *label,
		int right)
{
	for (double at = axis->least; at <= axis->most * 1.0001;
	     at = next_tick(axis, at)) {
		fprintf(stream, "<path class=\"grid\" d=\"M%.1f %dV%d\"/>\n",
			svg_place(axis, at), SVG_TOP, SVG_HEIGHT - SVG_BOTTOM);
		fprintf(stream, "<text x=\"%.1f\" y=\"%d\" class=\"middle\">",
			svg_place(axis, at), SVG_HEIGHT - SVG_BOTTOM + 18);
		write_number(stream, axis, at);
		fputs("</text>\n", stream);
	}
	fprintf(stream, "<text x=\"%d\" y=\"%d\" class=\"middle\">",
		(SVG_LEFT + right) / 2, SVG_HEIGHT - 10);
	svg_text(stream, label);
	fputs("</text>\n", stream);
}

void svg_y_axis(FILE *stream, const struct svg_axis *axis, const char *label,
		int right)
{
	for (double at = axis->least; at <= axis->most * 1.0001;
	     at = next_tick(axis, at)) {
		fprintf(stream, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n",
			SVG_LEFT, svg_place(axis, at), right);
		fprintf(stream, "<text x=\"%d\" y=\"%.1f\" class=\"end\">",
			SVG_LEFT - 6, svg_place(axis, at) + 4);
		write_number(stream, axis, at);
		fputs("</text>\n", stream);
	}
	fprintf(stream, "<text transform=\"translate(16 %d) "
		"rotate(-90)\" class=\"middle\">",
		(SVG_TOP + SVG_HEIGHT - SVG_BOTTOM) / 2);
	svg_text(stream, label);
	fputs("</text>\n", stream);
}

void svg_legend(FILE *stream, size_t line, const char *colour,
		const char *name)
{
	int left = SVG_WIDTH - SVG_LEGEND;
	int top = SVG_TOP + 16 * (int)line;

	fprintf(stream, "<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" "
		"fill=\"%s\"/><text x=\"%d\" y=\"%d\">", left, top, colour,
		left + 15, top + 10);
	svg_text(stream, name);
	fputs("</text>\n", stream);
}
