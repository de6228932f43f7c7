/* A table of values separated by commas, drawn as SVG: `chart curves` or
 * `chart bars`, then NAME=VALUE arguments, then the table and the SVG file.
 *
 * title=TEXT x-label=TEXT y-label=TEXT
 * only=COLUMN:VALUE  rows with this value in the column; may be repeated
 * curves: x=COLUMN y=COLUMN (a line) or points=COLUMN (dots), several of
 *	which may be given; by=COLUMN makes a series of each of its values;
 *	x-log=BASE y-log=BASE steps=yes
 * bars: name=COLUMN, and part=COLUMN for each part, lowest first */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stats/plot.h"

enum { MOST = 32 };

struct table {
	char *text;      /* the file, cut at commas and line ends */
	char **cells;    /* `width` of each row, the heading first */
	size_t width, rows, count, capacity;
};

struct request {
	const char *title, *x_label, *y_label, *x, *by, *name;
	const char *columns[MOST]; /* y, points or part */
	bool points[MOST];
	size_t column_count;
	const char *only[MOST];    /* COLUMN:VALUE */
	size_t only_count;
	unsigned x_log, y_log;
	bool steps;
};

/* The points of a chart's series share two arrays. */
struct curves {
	struct plot_series series[MOST];
	double *x[MOST], *y[MOST];
	size_t count;
};

static int read_table(struct table *table, const char *path,
		      struct error *error)
{
	FILE *stream = fopen(path, "re");
	size_t capacity = 0, line_width = 0;
	ssize_t length;

	if (!stream)
		return error_set(error, "%s: %s", path, strerror(errno));
	length = getdelim(&table->text, &capacity, '\0', stream);
	fclose(stream);
	if (length <= 0 || table->text[length - 1] != '\n')
		return error_set(error, "%s: no lines", path);
	for (char *at = table->text, *cell = at; *at; at++) {
		if (*at != ',' && *at != '\n')
			continue;
		ARRAY_GROW(table->cells, table->count, table->capacity);
		table->cells[table->count++] = cell;
		cell = at + 1;
		line_width++;
		if (*at == '\n') {
			if (table->width && line_width != table->width)
				return error_set(error, "%s:%zu: %zu values, "
						 "expected %zu", path,
						 table->rows + 1, line_width,
						 table->width);
			table->width = line_width;
			table->rows++;
			line_width = 0;
		}
		*at = '\0';
	}
	return 0;
}

static const char *cell(const struct table *table, size_t row, size_t column)
{
	return table->cells[row * table->width + column];
}

/* The number of a column by its heading. */
static int find(const struct table *table, const char *name, size_t length,
		size_t *column, struct error *error)
{
	for (*column = 0; *column < table->width; (*column)++) {
		const char *heading = cell(table, 0, *column);

		if (strlen(heading) == length &&
		    !memcmp(heading, name, length))
			return 0;
	}
	return error_set(error, "no column %.*s", (int)length, name);
}

static int wanted(const struct table *table, const struct request *request,
		  size_t row, bool *result, struct error *error)
{
	*result = true;
	for (size_t i = 0; i < request->only_count; i++) {
		const char *only = request->only[i];
		const char *colon = strchr(only, ':');
		size_t column;

		if (!colon)
			return error_set(error, "only=%s: expected "
					 "COLUMN:VALUE", only);
		if (find(table, only, (size_t)(colon - only), &column, error))
			return -1;
		if (strcmp(cell(table, row, column), colon + 1) != 0)
			*result = false;
	}
	return 0;
}

/* An empty cell is no point. */
static bool number(const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	return end != text && !*end;
}

/* The series for a column and a value of by; made when it is new. */
static int series_of(struct curves *curves, const struct table *table,
		     const char *name, bool points, size_t *result,
		     struct error *error)
{
	for (*result = 0; *result < curves->count; (*result)++)
		if (!strcmp(curves->series[*result].name, name) &&
		    curves->series[*result].points == points)
			return 0;
	if (curves->count == MOST)
		return error_set(error, "more than %d series", MOST);
	curves->x[*result] = xcalloc(table->rows, sizeof(double));
	curves->y[*result] = xcalloc(table->rows, sizeof(double));
	curves->series[*result] = (struct plot_series){
		.name = name, .points = points,
		.x = curves->x[*result], .y = curves->y[*result],
	};
	curves->count++;
	return 0;
}

static int collect(struct curves *curves, const struct table *table,
		   const struct request *request, struct error *error)
{
	size_t x_column, by_column = 0, column, to;
	bool use;

	if (find(table, request->x, strlen(request->x), &x_column, error) ||
	    (request->by && find(table, request->by, strlen(request->by),
				 &by_column, error)))
		return -1;
	for (size_t i = 0; i < request->column_count; i++) {
		const char *name = request->columns[i];

		if (find(table, name, strlen(name), &column, error))
			return -1;
		for (size_t row = 1; row < table->rows; row++) {
			double x, y;

			if (wanted(table, request, row, &use, error))
				return -1;
			if (!use || !number(cell(table, row, x_column), &x) ||
			    !number(cell(table, row, column), &y))
				continue;
			if (series_of(curves, table, request->by ?
				      cell(table, row, by_column) : name,
				      request->points[i], &to, error))
				return -1;
			curves->x[to][curves->series[to].count] = x;
			curves->y[to][curves->series[to].count++] = y;
		}
	}
	return curves->count ? 0 : error_set(error, "no points");
}

static int draw_curves(const struct table *table,
		       const struct request *request, FILE *stream,
		       struct error *error)
{
	struct curves curves = { .count = 0 };
	int status = collect(&curves, table, request, error);
	struct plot plot = {
		.title = request->title, .x_label = request->x_label,
		.y_label = request->y_label, .series = curves.series,
		.series_count = curves.count, .x_log = request->x_log,
		.y_log = request->y_log, .steps = request->steps,
	};

	if (!status)
		plot_write_svg(&plot, stream);
	for (size_t i = 0; i < curves.count; i++) {
		free(curves.x[i]);
		free(curves.y[i]);
	}
	return status;
}

static int draw_bars(const struct table *table, const struct request *request,
		     FILE *stream, struct error *error)
{
	const char **names = xcalloc(table->rows, sizeof *names);
	double *values = xcalloc(table->rows * MOST, sizeof *values);
	struct plot_bars bars = {
		.title = request->title, .y_label = request->y_label,
		.names = names, .parts = request->columns,
		.part_count = request->column_count, .values = values,
	};
	size_t name, column;
	bool use;
	int status = find(table, request->name, strlen(request->name), &name,
			  error);

	for (size_t row = 1; row < table->rows && !status; row++) {
		status = wanted(table, request, row, &use, error);
		if (status || !use)
			continue;
		for (size_t i = 0; i < bars.part_count && !status; i++) {
			const char *part = bars.parts[i];

			status = find(table, part, strlen(part), &column,
				      error);
			if (!status)
				number(cell(table, row, column),
				       &values[bars.count * bars.part_count +
					       i]);
		}
		names[bars.count++] = cell(table, row, name);
	}
	if (!status)
		plot_write_bars(&bars, stream);
	free(names);
	free(values);
	return status;
}

static int add(const char **list, size_t *count, const char *value,
	       struct error *error)
{
	if (*count == MOST)
		return error_set(error, "%s: more than %d", value, MOST);
	list[(*count)++] = value;
	return 0;
}

static int read_argument(struct request *request, const char *argument,
			 struct error *error)
{
	const char *value = strchr(argument, '=');
	size_t length = value ? (size_t)(value - argument) : 0;
	const struct {
		const char *name, **to;
	} texts[] = {
		{ "title", &request->title }, { "x-label", &request->x_label },
		{ "y-label", &request->y_label }, { "x", &request->x },
		{ "by", &request->by }, { "name", &request->name },
	};
#define IS(word) (length == strlen(word) && !memcmp(argument, word, length))

	if (!value)
		return error_set(error, "%s: expected NAME=VALUE", argument);
	value++;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (IS(texts[i].name)) {
			*texts[i].to = value;
			return 0;
		}
	if (IS("only"))
		return add(request->only, &request->only_count, value, error);
	if (IS("x-log"))
		request->x_log = (unsigned)atoi(value);
	else if (IS("y-log"))
		request->y_log = (unsigned)atoi(value);
	else if (IS("steps"))
		request->steps = !strcmp(value, "yes");
	else if (IS("y") || IS("points") || IS("part")) {
		if (add(request->columns, &request->column_count, value,
			error))
			return -1;
		request->points[request->column_count - 1] = IS("points");
	} else
		return error_set(error, "%s: no such argument", argument);
	return 0;
#undef IS
}

static int chart(int argc, char **argv, struct error *error)
{
	struct request request = { .title = "", .x_label = "", .y_label = "" };
	struct table table = { 0 };
	bool bars = argc > 1 && !strcmp(argv[1], "bars");
	FILE *stream = NULL;
	int status = 0;

	if (argc < 4 || (!bars && strcmp(argv[1], "curves") != 0))
		return error_set(error, "expected curves or bars, arguments, "
				 "the table and the drawing");
	for (int i = 2; i < argc - 2 && !status; i++)
		status = read_argument(&request, argv[i], error);
	if (!status && !(bars ? request.name : request.x))
		status = error_set(error, "expected %s=COLUMN",
				   bars ? "name" : "x");
	if (!status)
		status = read_table(&table, argv[argc - 2], error);
	if (!status) {
		stream = fopen(argv[argc - 1], "we");
		if (!stream)
			status = error_set(error, "%s: %s", argv[argc - 1],
					   strerror(errno));
	}
	if (!status)
		status = bars ? draw_bars(&table, &request, stream, error)
			      : draw_curves(&table, &request, stream, error);
	if (stream && (ferror(stream) | fclose(stream)) && !status)
		status = error_set(error, "%s: cannot write", argv[argc - 1]);
	free(table.text);
	free(table.cells);
	return status;
}

int main(int argc, char **argv)
{
	struct error error = { "" };

	if (!chart(argc, argv, &error))
		return 0;
	fprintf(stderr, "chart: %s\n", error.text);
	return 1;
}
