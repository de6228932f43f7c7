#include "stats/plot.h"

/* The drawing's size and margins, in SVG user units. */
enum {
	WIDTH = 640,
	HEIGHT = 400,
	LEFT = 60,
	RIGHT = 20,
	TOP = 40,
	BOTTOM = 50,
	TICKS = 8, /* at most, on an axis */
};

struct axis {
	double most;    /* the value at its end */
	double step;    /* between ticks */
	double from, length;
};

static void write_text(FILE *stream, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '<': fputs("&lt;", stream); break;
		case '>': fputs("&gt;", stream); break;
		case '&': fputs("&amp;", stream); break;
		default: fputc(*text, stream);
		}
}

/* Ticks at 1, 2 or 5 times a power of ten. */
static struct axis make_axis(const double *values, size_t count, double from,
			     double length)
{
	static const double factors[] = { 2, 2.5, 2 };
	struct axis axis = { .most = 1, .step = 0.1, .from = from,
			     .length = length };

	for (size_t i = 0; i < count; i++)
		if (axis.most < values[i])
			axis.most = values[i];
	for (unsigned i = 0; axis.most / axis.step > TICKS; i++)
		axis.step *= factors[i % 3];
	return axis;
}

static double place(const struct axis *axis, double value)
{
	return axis->from + value / axis->most * axis->length;
}

static void write_axes(FILE *stream, const struct plot *plot,
		       const struct axis *x, const struct axis *y)
{
	for (double at = 0; at <= x->most * 1.0001; at += x->step) {
		fprintf(stream, "<path class=\"grid\" d=\"M%.1f %dV%d\"/>\n",
			place(x, at), TOP, HEIGHT - BOTTOM);
		fprintf(stream, "<text x=\"%.1f\" y=\"%d\" class=\"middle\">"
			"%g</text>\n", place(x, at), HEIGHT - BOTTOM + 18, at);
	}
	for (double at = 0; at <= y->most * 1.0001; at += y->step) {
		fprintf(stream, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n",
			LEFT, place(y, at), WIDTH - RIGHT);
		fprintf(stream, "<text x=\"%d\" y=\"%.1f\" class=\"end\">"
			"%g</text>\n", LEFT - 6, place(y, at) + 4, at);
	}
	fprintf(stream, "<text x=\"%d\" y=\"22\" class=\"middle title\">",
		WIDTH / 2);
	write_text(stream, plot->title);
	fprintf(stream, "</text>\n<text x=\"%d\" y=\"%d\" class=\"middle\">",
		(LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10);
	write_text(stream, plot->x_label);
	fprintf(stream, "</text>\n<text transform=\"translate(16 %d) "
		"rotate(-90)\" class=\"middle\">", (TOP + HEIGHT - BOTTOM) / 2);
	write_text(stream, plot->y_label);
	fputs("</text>\n", stream);
}

static void write_curve(FILE *stream, const struct plot *plot,
			const struct axis *x, const struct axis *y)
{
	fputs("<path class=\"curve\" d=\"", stream);
	for (size_t i = 0; i < plot->count; i++) {
		if (!i)
			fprintf(stream, "M%.1f %.1f", place(x, plot->x[i]),
				place(y, plot->y[i]));
		else if (plot->steps)
			fprintf(stream, "H%.1fV%.1f", place(x, plot->x[i]),
				place(y, plot->y[i]));
		else
			fprintf(stream, "L%.1f %.1f", place(x, plot->x[i]),
				place(y, plot->y[i]));
	}
	fputs("\"/>\n", stream);
}

static void write_mark(FILE *stream, const struct plot *plot,
		       const struct axis *x, const struct axis *y)
{
	double at = place(x, plot->mark_x), height = place(y, plot->mark_y);
	bool right = at > WIDTH / 2;

	fprintf(stream, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>\n", at,
		height);
	fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s mark\">",
		right ? at - 8 : at + 8, height - 8, right ? "end" : "start");
	write_text(stream, plot->mark_label);
	fputs("</text>\n", stream);
}

void plot_write_svg(const struct plot *plot, FILE *stream)
{
	struct axis x = make_axis(plot->x, plot->count, LEFT,
				  WIDTH - LEFT - RIGHT);
	struct axis y = make_axis(plot->y, plot->count, HEIGHT - BOTTOM,
				  -(HEIGHT - TOP - BOTTOM));

	fprintf(stream, "<svg xmlns=\"http://www.w3.org/2000/svg\" "
		"width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n"
		"<style>text{font:12px sans-serif}.title{font-size:15px}"
		".middle{text-anchor:middle}.end{text-anchor:end}"
		".grid{stroke:#ddd}.curve{fill:none;stroke:#1f5fa8;"
		"stroke-width:2}circle,.mark{fill:#c02020}</style>\n"
		"<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
		WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
	write_axes(stream, plot, &x, &y);
	write_curve(stream, plot, &x, &y);
	if (plot->marked)
		write_mark(stream, plot, &x, &y);
	fputs("</svg>\n", stream);
}
