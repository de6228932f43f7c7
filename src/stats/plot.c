#include "stats/plot.h"

#include "stats/svg.h"

struct range {
	double least, most;
};

static void include(struct range *range, double value, bool first)
{
	if (first || range->least > value)
		range->least = value;
	if (first || range->most < value)
		range->most = value;
}

static struct svg_axis make_axis(const struct range *range, unsigned base,
				 double from, double length)
{
	return base ? svg_log_axis(range->least, range->most, base, from,
				   length)
		    : svg_linear_axis(range->most, from, length);
}

static void write_line(FILE *stream, const struct plot_series *series,
		       bool steps, const struct svg_axis *x,
		       const struct svg_axis *y)
{
	for (size_t i = 0; i < series->count; i++) {
		double right = svg_place(x, series->x[i]);
		double up = svg_place(y, series->y[i]);

		if (!i)
			fprintf(stream, "M%.1f %.1f", right, up);
		else if (steps)
			fprintf(stream, "H%.1fV%.1f", right, up);
		else
			fprintf(stream, "L%.1f %.1f", right, up);
	}
}

/* Dots are round ends of lines without length, all in one path. */
static void write_dots(FILE *stream, const struct plot_series *series,
		       const struct svg_axis *x, const struct svg_axis *y)
{
	for (size_t i = 0; i < series->count; i++)
		fprintf(stream, "M%.1f %.1fh0", svg_place(x, series->x[i]),
			svg_place(y, series->y[i]));
}

static void write_series(FILE *stream, const struct plot *plot, size_t number,
			 const struct svg_axis *x, const struct svg_axis *y)
{
	const struct plot_series *series = &plot->series[number];

	fputs("<path class=\"curve", stream);
	if (series->points)
		fputs(" dots", stream);
	fputc('"', stream);
	if (number)
		fprintf(stream, " style=\"stroke:%s\"", svg_colour(number));
	fputs(" d=\"", stream);
	if (series->points)
		write_dots(stream, series, x, y);
	else
		write_line(stream, series, plot->steps, x, y);
	fputs("\"/>\n", stream);
}

static void write_mark(FILE *stream, const struct plot *plot,
		       const struct svg_axis *x, const struct svg_axis *y)
{
	double at = svg_place(x, plot->mark_x);
	double height = svg_place(y, plot->mark_y);
	bool right = at > SVG_WIDTH / 2;

	fprintf(stream, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>\n", at,
		height);
	fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s mark\">",
		right ? at - 8 : at + 8, height - 8, right ? "end" : "start");
	svg_text(stream, plot->mark_label);
	fputs("</text>\n", stream);
}

void plot_write_svg(const struct plot *plot, FILE *stream)
{
	struct range across = { 0 }, along = { 0 };
	bool legend = plot->series_count > 1;
	int right = SVG_WIDTH - (legend ? SVG_LEGEND + 10 : SVG_RIGHT);
	struct svg_axis x, y;
	bool first = true;

	for (size_t i = 0; i < plot->series_count; i++)
		for (size_t j = 0; j < plot->series[i].count; j++) {
			include(&across, plot->series[i].x[j], first);
			include(&along, plot->series[i].y[j], first);
			first = false;
		}
	x = make_axis(&across, plot->x_log, SVG_LEFT, right - SVG_LEFT);
	y = make_axis(&along, plot->y_log, SVG_HEIGHT - SVG_BOTTOM,
		      -(SVG_HEIGHT - SVG_TOP - SVG_BOTTOM));
	svg_open(stream, ".curve{fill:none;stroke:#1f5fa8;stroke-width:2}"
		 ".dots{stroke-width:7;stroke-linecap:round}"
		 "circle,.mark{fill:#c02020}");
	svg_x_axis(stream, &x, plot->x_label, right);
	svg_y_axis(stream, &y, plot->y_label, right);
	svg_title(stream, plot->title);
	for (size_t i = 0; i < plot->series_count; i++)
		write_series(stream, plot, i, &x, &y);
	for (size_t i = 0; legend && i < plot->series_count; i++)
		svg_legend(stream, i, svg_colour(i), plot->series[i].name);
	if (plot->marked)
		write_mark(stream, plot, &x, &y);
	svg_close(stream);
}
