/* What is published about the Radeon HD 5870, beside what the simulator makes
 * of it: one line a quantity, in tables that prove different things. See
 * doc/measurements/fidelity.md.
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
#include <unistd.h>

#include "base/memory.h"
#include "fidelity/rows.h"

/* What a table's rows prove. */
static const struct kind {
	const char *name, *heading;
} kinds[] = {
	[KIND_INPUT] = {
		"inputs",
		"inputs of the model: that it does what it was told, not counted",
	},
	[KIND_OUTCOME] = {
		"outcomes",
		"outcomes: no parameter of the model was chosen by these",
	},
	[KIND_APPLICATION] = {
		"applications",
		"applications: whole kernels, no parameter was chosen by these",
	},
	[KIND_HAND] = {
		"by hand",
		"by hand: kernels whose published code is not known, as "
		"assembly of ours",
	},
	[KIND_LIBRARY] = {
		"library",
		"functions of m2s-clc's library, not the machine",
	},
};

enum { ROW_TEXTS = 16, KIND_COUNT = ARRAY_SIZE(kinds) };

struct row {
	enum kind_id kind;
	char *quantity;
	double published;
	double simulated;
	const char *unit, *source, *from;
};

struct table {
	struct device_options options;
	bool markdown, is_short;
	const char *texts[ROW_TEXTS]; /* in the quantity of wanted rows */
	unsigned text_count;          /* 0: all rows */
	char **groups;                /* wanted ones; none: all */
	struct row *rows;
	size_t row_count;
};

static const struct group {
	const char *name;
	void (*rows)(struct table *table);
} groups[] = {
	{"alu", rows_alu},
	{"local", rows_local},
	{"occupancy", rows_occupancy},
	{"copy", rows_copy},
	{"cache", rows_cache},
	{"texture", rows_texture},
	{"atomic", rows_atomic},
	{"local-atomic", rows_local_atomic},
	{"histogram", rows_histogram},
	{"hiding", rows_hiding},
	{"gemm", rows_gemm},
	{"application", rows_application},
	{"hand", rows_hand},
	{"gravity", rows_gravity},
	{"product", rows_product},
	{"product-double", rows_product_double},
	{"reduction", rows_reduction},
	{"fft", rows_fft},
	{"stencil", rows_stencil},
	{"sort", rows_sort},
	{"search", rows_search},
	{"chain", rows_chain},
	{"double-double", rows_double_double},
	{"native", rows_native},
};

enum { LIMIT_PERCENT = 25 };

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

void table_row(struct table *table, enum kind_id kind, const char *quantity,
	       double published, const char *unit, const char *source,
	       const char *from, double simulated)
{
	if (!table_wants_row(table, quantity))
		return;
	table->rows = xrealloc(table->rows, (table->row_count + 1) *
						    sizeof *table->rows);
	table->rows[table->row_count++] = (struct row){
		.kind = kind,
		.quantity = xstrdup(quantity),
		.published = published,
		.simulated = simulated,
		.unit = unit,
		.source = source,
		.from = from,
	};
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%zu rows", table->row_count);
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

uint64_t cycles_of_code(const struct table *table, struct evg_program *program,
			uint32_t wavefronts, uint32_t local_memory)
{
	struct evg_config config = table->options.config;
	struct launch launch = {
		.program = program,
		.global = {64 * wavefronts},
		.local = {64},
		.local_memory = local_memory,
	};
	uint64_t cycles;

	config.code_size = 0;
	cycles = cycles_of(table, &config, &launch);
	evg_program_free(program);
	return cycles;
}

double gigabytes(const struct table *table, double bytes, double cycles)
{
	return bytes / cycles * table->options.config.frequency / 1000;
}

/* --- Printing ------------------------------------------------------------- */

/* Percent. */
static double row_error(const struct row *row)
{
	return (row->simulated / row->published - 1) * 100;
}

/* The column that only inputs have. */
static void print_from(const struct table *table, enum kind_id kind,
		       const char *from)
{
	if (kind == KIND_INPUT)
		printf(table->markdown ? " %s |" : " %-31s", from);
}

static void print_row(const struct table *table, const struct row *row)
{
	char published[48];

	snprintf(published, sizeof published, "%.4g", row->published);
	printf(table->markdown ? "| %s | %s | %s | %s |"
			       : "%-46s %11s %-8s %-13s",
	       row->quantity, published, row->unit, row->source);
	print_from(table, row->kind, row->from);
	printf(table->markdown ? " %.4g | %+.1f%% |\n" : " %9.4g %+7.1f%%\n",
	       row->simulated, row_error(row));
}

static void heading(const struct table *table, enum kind_id kind)
{
	printf("%s\n", kinds[kind].heading);
	printf(table->markdown ? "\n| %s | %s | %s | %s |"
			       : "%-46s %11s %-8s %-13s", "quantity",
	       "published", "unit", "source");
	print_from(table, kind, "is told by");
	printf(table->markdown ? " %s | %s |\n|---|---|---|---|---|---|%s\n"
			       : " %9s %8s%.0s\n", "simulated", "error",
	       kind == KIND_INPUT ? "---|" : "");
}

/* The table of a kind, and its mean below. */
static void print_kind(const struct table *table, enum kind_id kind)
{
	const struct row *worst = NULL;
	unsigned count = 0, above = 0;
	double sum = 0;

	for (size_t i = 0; i < table->row_count; i++) {
		const struct row *row = &table->rows[i];
		double error = fabs(row_error(row));

		if (row->kind != kind)
			continue;
		if (!count++)
			heading(table, kind);
		print_row(table, row);
		sum += error;
		above += error > LIMIT_PERCENT;
		if (!worst || error >= fabs(row_error(worst)))
			worst = row;
	}
	if (count)
		printf("%s%s: %u rows, mean error %.1f %%, worst %.1f %% (%s), "
		       "%u above %d %%\n\n", table->markdown ? "\n" : "",
		       kinds[kind].name, count, sum / count,
		       fabs(row_error(worst)), worst->quantity, above,
		       LIMIT_PERCENT);
}

static void print_table(struct table *table)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r");
	if (!table->row_count)
		printf("no rows\n");
	for (unsigned kind = 0; kind < KIND_COUNT; kind++)
		print_kind(table, kind);
	for (size_t i = 0; i < table->row_count; i++)
		free(table->rows[i].quantity);
	free(table->rows);
}

/* --- The program ---------------------------------------------------------- */

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
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (table_wants(&table, groups[i].name))
			groups[i].rows(&table);
	print_table(&table);
	if (table.options.report && fclose(table.options.report)) {
		perror(report);
		return 2;
	}
	return 0;
}
