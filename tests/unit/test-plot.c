#include "stats/plot.h"
#include "stats/svg.h"
#include "unit/harness.h"

#include <stdlib.h>
#include <string.h>

static char *curves(const struct plot *plot)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	plot_write_svg(plot, stream);
	fclose(stream);
	return text;
}

static void has(const char *text, const char *part)
{
	CU_ASSERT_PTR_NOT_NULL(strstr(text, part));
	if (!strstr(text, part))
		printf("# no %s in:\n%s", part, text);
}

static void test_linear(void)
{
	struct svg_axis axis = svg_linear_axis(80, 60, 160);

	CU_ASSERT_EQUAL(axis.step, 10);
	CU_ASSERT_EQUAL(svg_place(&axis, 0), 60);
	CU_ASSERT_EQUAL(svg_place(&axis, 40), 140);
	/* Axes of small values end at 1. */
	CU_ASSERT_EQUAL(svg_linear_axis(0.3, 0, 1).most, 1);
}

static void test_log(void)
{
	struct svg_axis axis = svg_log_axis(1000, 5000, 2, 100, 40);

	CU_ASSERT_DOUBLE_EQUAL(axis.least, 512, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(axis.most, 8192, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(svg_place(&axis, 512), 100, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(svg_place(&axis, 2048), 120, 1e-9);
	/* A power of the base at an end is that end. */
	axis = svg_log_axis(100, 1000, 10, 0, 1);
	CU_ASSERT_DOUBLE_EQUAL(axis.least, 100, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(axis.most, 1000, 1e-9);
	/* One value alone has an axis, too. */
	axis = svg_log_axis(100, 100, 10, 0, 1);
	CU_ASSERT_DOUBLE_EQUAL(svg_place(&axis, 100), 0, 1e-9);
}

static void test_curves(void)
{
	static const double x[] = { 1, 2, 4 }, y[] = { 10, 20, 40 };
	const struct plot_series series[] = {
		{ "line <1>", x, y, 3, false },
		{ "dots", x, y, 3, true },
	};
	struct plot plot = {
		.title = "a & b", .x_label = "x", .y_label = "y",
		.series = series, .series_count = 2, .x_log = 2,
	};
	char *text = curves(&plot);

	has(text, "a &amp; b");
	has(text, "line &lt;1&gt;");
	has(text, "d=\"M60.0 272.5L270.0 195.0L480.0 40.0\"");
	has(text, "d=\"M60.0 272.5h0M270.0 195.0h0M480.0 40.0h0\"");
	free(text);
	plot.steps = true;
	text = curves(&plot);
	has(text, "d=\"M60.0 272.5H270.0V195.0H480.0V40.0\"");
	free(text);
	/* Alone it has no legend, and the whole width. */
	plot.series_count = 1;
	text = curves(&plot);
	CU_ASSERT_PTR_NULL(strstr(text, "line &lt;"));
	has(text, "H620.0V40.0");
	free(text);
}

static void test_bars(void)
{
	static const char *const names[] = { "first", "second" };
	static const char *const parts[] = { "low", "high" };
	static const double values[] = { 25, 75, 100, 0 };
	const struct plot_bars bars = { "t", "%", names, 2, parts, 2, values };
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	plot_write_bars(&bars, stream);
	fclose(stream);
	has(text, "y=\"212.5\" width=\"147.0\" height=\"57.5\"");
	has(text, "y=\"40.0\" width=\"147.0\" height=\"172.5\"");
	has(text, "y=\"40.0\" width=\"147.0\" height=\"230.0\"");
	has(text, ">second</text>");
	has(text, ">high</text>");
	free(text);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "linear axes", test_linear },
		{ "logarithmic axes", test_log },
		{ "curves, dots and steps", test_curves },
		{ "bars of parts", test_bars },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "plot", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
