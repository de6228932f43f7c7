/* Bars of several parts. */
#include "stats/plot.h"

#include "stats/svg.h"

/* Names stand upright under the bars, as in a table's narrow columns. */
enum { NAME_ROOM = 130 };

static double sum(const struct plot_bars *bars, size_t bar)
{
	double total = 0;

	for (size_t i = 0; i < bars->part_count; i++)
		total += bars->values[bar * bars->part_count + i];
	return total;
}

static void write_bar(FILE *stream, const struct plot_bars *bars, size_t bar,
		      const struct svg_axis *y, double left, double width)
{
	double done = 0;

	for (size_t i = 0; i < bars->part_count; i++) {
		double value = bars->values[bar * bars->part_count + i];
		double top = svg_place(y, done + value);
		double height = svg_place(y, done) - top;

		done += value;
		if (height >= 0.05)
			fprintf(stream, "<rect x=\"%.1f\" y=\"%.1f\" "
				"width=\"%.1f\" height=\"%.1f\" "
				"fill=\"%s\"/>\n", left, top, width, height,
				svg_colour(i));
	}
	fprintf(stream, "<text transform=\"translate(%.1f %d) rotate(-60)\" "
		"class=\"end\">", left + width / 2 + 4,
		SVG_HEIGHT - NAME_ROOM + 14);
	svg_text(stream, bars->names[bar]);
	fputs("</text>\n", stream);
}

void plot_write_bars(const struct plot_bars *bars, FILE *stream)
{
	int right = SVG_WIDTH - SVG_LEGEND - 10;
	double slot = (double)(right - SVG_LEFT) /
		      (double)(bars->count ? bars->count : 1);
	double most = 0;
	struct svg_axis y;

	for (size_t i = 0; i < bars->count; i++)
		if (most < sum(bars, i))
			most = sum(bars, i);
	y = svg_linear_axis(most, SVG_HEIGHT - NAME_ROOM,
			    -(SVG_HEIGHT - NAME_ROOM - SVG_TOP));
	svg_open(stream, "");
	svg_y_axis(stream, &y, bars->y_label, right);
	svg_title(stream, bars->title);
	for (size_t i = 0; i < bars->count; i++)
		write_bar(stream, bars, i, &y,
			  SVG_LEFT + ((double)i + 0.15) * slot, 0.7 * slot);
	/* The highest part first, as the bars show them. */
	for (size_t i = bars->part_count; i-- > 0;)
		svg_legend(stream, bars->part_count - 1 - i, svg_colour(i),
			   bars->parts[i]);
	svg_close(stream);
}
