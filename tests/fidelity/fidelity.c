/* What is published about the Radeon HD 5870, beside what the simulator makes
 * of it: one line a quantity. See doc/measurements/fidelity.md.
 * usage: fidelity [--markdown] [--short] [--evg-config FILE] [--mem-config FILE]
 *		   [--row TEXT]... [--report FILE] [GROUP...]
 * --row measures only rows whose quantity has a TEXT in it; --report writes all
 * figures of each device that measured one; with --short, copies and caches
 * are measured with less data, for comparisons with each other. */
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fidelity/rows.h"

/* What a row says something about. */
enum kind { KIND_MACHINE, KIND_LIBRARY, KIND_COUNT };

static const char *const kind_names[] = {
	[KIND_MACHINE] = "the machine",
	[KIND_LIBRARY] = "functions of m2s-clc's library, not the machine",
};

enum { ROW_TEXTS = 16 };

struct table {
	struct device_options options;
	bool markdown, is_short;
	const char *texts[ROW_TEXTS]; /* in the quantity of wanted rows */
	unsigned text_count;          /* 0: all rows */
	char **groups;         /* wanted ones; none: all */
	enum kind kind;        /* of the rows that are being measured */
	struct totals {
		unsigned rows, above, ranges;
		double sum, worst;
		char *worst_name;
	} totals[KIND_COUNT];
};

static const struct group {
	const char *name;
	void (*rows)(struct table *table);
	enum kind kind;
} groups[] = {
	{"alu", rows_alu, KIND_MACHINE},
	{"local", rows_local, KIND_MACHINE},
	{"occupancy", rows_occupancy, KIND_MACHINE},
	{"copy", rows_copy, KIND_MACHINE},
	{"cache", rows_cache, KIND_MACHINE},
	{"atomic", rows_atomic, KIND_MACHINE},
	{"hiding", rows_hiding, KIND_MACHINE},
	{"gemm", rows_gemm, KIND_MACHINE},
	{"native", rows_native, KIND_LIBRARY},
};

enum { LIMIT_PERCENT = 15 };

bool table_wants(const struct table *table, const char *group)
{
	if (!*table->groups)
		return true;
	for (char **wanted = table->groups; *wanted; wanted++)
		if (!strcmp(*wanted, group))
			return true;
	return false;
}

bool table_wants_row(const struct table *table, const char *quantity)
{
	for (unsigned i = 0; i < table->text_count; i++)
		if (strstr(quantity, table->texts[i]))
			return true;
	return !table->text_count;
}

bool table_is_short(const struct table *table)
{
	return table->is_short;
}

const struct device_options *table_options(const struct table *table)
{
	return &table->options;
}

/* Percent, between the nearest values of the two ranges. */
static double error_of(struct range published, struct range simulated)
{
	if (simulated.high < published.low)
		return (simulated.high / published.low - 1) * 100;
	if (simulated.low > published.high)
		return (simulated.low / published.high - 1) * 100;
	return 0;
}

enum { RANGE_TEXT = 48 };

static void range_print(char text[RANGE_TEXT], struct range range)
{
	if (range.low == range.high)
		snprintf(text, RANGE_TEXT, "%.4g", range.low);
	else
		snprintf(text, RANGE_TEXT, "%.4g-%.4g", range.low, range.high);
}

void table_row(struct table *table, const char *quantity, double low,
	       double high, const char *unit, const char *source,
	       double simulated)
{
	table_row_range(table, quantity, (struct range){low, high}, unit,
			source, (struct range){simulated, simulated});
}

void table_row_range(struct table *table, const char *quantity,
		     struct range published, const char *unit,
		     const char *source, struct range simulated)
{
	double error = error_of(published, simulated);
	struct totals *totals = &table->totals[table->kind];
	char value[RANGE_TEXT], measured[RANGE_TEXT];

	if (!table_wants_row(table, quantity))
		return;
	range_print(value, published);
	range_print(measured, simulated);
	printf(table->markdown ? "| %s | %s | %s | %s | %s | %+.1f%% |\n"
			       : "%-46s %11s %-10s %-12s %10s %+8.1f%%\n",
	       quantity, value, unit, source, measured, error);
	fflush(stdout);
	totals->rows++;
	totals->ranges += simulated.low != simulated.high;
	totals->sum += fabs(error);
	totals->above += fabs(error) > LIMIT_PERCENT;
	if (fabs(error) >= totals->worst) {
		totals->worst = fabs(error);
		free(totals->worst_name);
		totals->worst_name = xstrdup(quantity);
	}
}

void table_detail(const struct table *table, const char *quantity,
		  const char *unit, double simulated)
{
	if (table->markdown)
		printf("| %s | | %s | | %.4g | |\n", quantity, unit,
		       simulated);
	else
		printf("%-58s %-23s %10.4g\n", quantity, unit, simulated);
	fflush(stdout);
}

/* --- Kernels as text ------------------------------------------------------ */

void text_begin(struct text *text)
{
	text->file = open_memstream(&text->bytes, &text->size);
	if (!text->file)
		abort();
}

void text_add(struct text *text, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(text->file, format, arguments);
	va_end(arguments);
}

struct evg_program *text_end(struct text *text)
{
	struct evg_program *program;

	fclose(text->file);
	program = program_assemble(text->bytes);
	free(text->bytes);
	return program;
}

/* --- Measuring ------------------------------------------------------------ */

uint64_t cycles_of(const struct table *table, const struct evg_config *config,
		   const struct launch *launch)
{
	struct device *device = device_create(&table->options, config);
	uint64_t cycles = device_run(device, launch);

	device_free(device);
	return cycles;
}

uint64_t cycles_of_code(const struct table *table,
			const struct evg_config *config,
			struct evg_program *program, uint32_t wavefronts,
			uint32_t local_memory)
{
	struct launch launch = {
		.program = program,
		.global = {64 * wavefronts},
		.local = {64},
		.local_memory = local_memory,
	};
	uint64_t cycles = cycles_of(table, config, &launch);

	evg_program_free(program);
	return cycles;
}

double gigabytes(const struct table *table, double bytes, double cycles)
{
	return bytes / cycles * table->options.config.frequency / 1000;
}

/* --- The program ---------------------------------------------------------- */

static void heading(const struct table *table)
{
	printf("%s%s\n%s", table->totals[KIND_MACHINE].rows ? "\n" : "",
	       kind_names[table->kind], table->markdown ? "\n" : "");
	if (table->markdown)
		printf("| quantity | published | unit | source | simulated | "
		       "error |\n|---|---|---|---|---|---|\n");
	else
		printf("%-46s %11s %-10s %-12s %10s %9s\n", "quantity",
		       "published", "unit", "source", "simulated", "error");
}

static void print_totals(const char *what, const struct totals *totals)
{
	printf("%s: %u rows, mean error %.1f %%, worst %.1f %% (%s), %u above "
	       "%d %%\n", what, totals->rows, totals->sum / totals->rows,
	       totals->worst, totals->worst_name, totals->above,
	       LIMIT_PERCENT);
	if (totals->ranges)
		printf("  %u of them ranges: a condition of the measurement is "
		       "not published\n", totals->ranges);
}

/* Of each kind of which there are rows, and of all if there are several. */
static void summary(struct table *table)
{
	struct totals all = {0};
	unsigned kinds = 0;

	printf("\n");
	for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
		struct totals *totals = &table->totals[kind];

		if (!totals->rows)
			continue;
		kinds++;
		print_totals(kind_names[kind], totals);
		all.rows += totals->rows;
		all.above += totals->above;
		all.ranges += totals->ranges;
		all.sum += totals->sum;
		if (totals->worst >= all.worst) {
			all.worst = totals->worst;
			all.worst_name = totals->worst_name;
		}
	}
	if (!kinds)
		printf("no rows\n");
	else if (kinds > 1)
		print_totals("all", &all);
	for (enum kind kind = 0; kind < KIND_COUNT; kind++)
		free(table->totals[kind].worst_name);
}

/* Whether some groups of that kind are wanted. */
static bool wants_kind(const struct table *table, enum kind kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (groups[i].kind == kind &&
		    table_wants(table, groups[i].name))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"markdown", no_argument, NULL, 'm'},
		{"evg-config", required_argument, NULL, 'e'},
		{"mem-config", required_argument, NULL, 'M'},
		{"short", no_argument, NULL, 's'},
		{"row", required_argument, NULL, 'r'},
		{"report", required_argument, NULL, 'R'},
		{NULL, 0, NULL, 0},
	};
	struct table table = {0};
	const char *evg_config = NULL, *report = NULL;
	struct error error;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'm')
			table.markdown = true;
		else if (option == 's')
			table.is_short = true;
		else if (option == 'e')
			evg_config = optarg;
		else if (option == 'M')
			table.options.mem_config = optarg;
		else if (option == 'r' && table.text_count < ROW_TEXTS)
			table.texts[table.text_count++] = optarg;
		else if (option == 'R')
			report = optarg;
		else
			return 2;
	}
	table.groups = argv + optind;
	if (evg_config_read(&table.options.config, evg_config, &error)) {
		fprintf(stderr, "%s\n", error.text);
		return 2;
	}
	if (report && !(table.options.report = fopen(report, "w"))) {
		perror(report);
		return 2;
	}
	for (table.kind = 0; table.kind < KIND_COUNT; table.kind++) {
		if (!wants_kind(&table, table.kind))
			continue;
		heading(&table);
		for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
			if (groups[i].kind == table.kind &&
			    table_wants(&table, groups[i].name))
				groups[i].rows(&table);
	}
	summary(&table);
	if (table.options.report && fclose(table.options.report)) {
		perror(report);
		return 2;
	}
	return 0;
}
