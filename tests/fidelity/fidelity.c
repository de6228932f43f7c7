/* What is published about the Radeon HD 5870, beside what the simulator makes
 * of it: one line a quantity. See doc/fidelity.md.
 * usage: fidelity [--markdown] [--evg-config FILE] [--mem-config FILE]
 *		   [--row TEXT] [--report FILE] [GROUP...]
 * --row measures only rows whose quantity has TEXT in it; --report writes all
 * figures of each device that measured one. */
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fidelity/rows.h"

struct table {
	struct device_options options;
	bool markdown;
	const char *text;      /* in the quantity of wanted rows; or NULL */
	char **groups;         /* wanted ones; none: all */
	const char *group;     /* whose rows are being measured */
	unsigned rows, above;
	double sum, worst;
	char *worst_name;
};

static const struct group {
	const char *name;
	void (*rows)(struct table *table);
} groups[] = {
	{"alu", rows_alu},     {"local", rows_local},
	{"occupancy", rows_occupancy},
	{"copy", rows_copy},   {"cache", rows_cache},
	{"atomic", rows_atomic}, {"hiding", rows_hiding},
	{"gemm", rows_gemm},   {"native", rows_native},
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
	return !table->text || strstr(quantity, table->text);
}

const struct device_options *table_options(const struct table *table)
{
	return &table->options;
}

/* Percent, relative to the nearest value of the range. */
static double error_of(double low, double high, double simulated)
{
	if (simulated < low)
		return (simulated / low - 1) * 100;
	if (simulated > high)
		return (simulated / high - 1) * 100;
	return 0;
}

void table_row(struct table *table, const char *quantity, double low,
	       double high, const char *unit, const char *source,
	       double simulated)
{
	double error = error_of(low, high, simulated);
	char value[48];

	if (!table_wants_row(table, quantity))
		return;
	if (low == high)
		snprintf(value, sizeof value, "%.4g", low);
	else
		snprintf(value, sizeof value, "%.4g-%.4g", low, high);
	printf(table->markdown ? "| %s | %s | %s | %s | %.4g | %+.1f%% |\n"
			       : "%-46s %11s %-10s %-12s %10.4g %+8.1f%%\n",
	       quantity, value, unit, source, simulated, error);
	fflush(stdout);
	table->rows++;
	table->sum += fabs(error);
	table->above += fabs(error) > LIMIT_PERCENT;
	if (fabs(error) >= table->worst) {
		table->worst = fabs(error);
		free(table->worst_name);
		table->worst_name = xstrdup(quantity);
	}
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
	if (table->markdown)
		printf("| quantity | published | unit | source | simulated | "
		       "error |\n|---|---|---|---|---|---|\n");
	else
		printf("%-46s %11s %-10s %-12s %10s %9s\n", "quantity",
		       "published", "unit", "source", "simulated", "error");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"markdown", no_argument, NULL, 'm'},
		{"evg-config", required_argument, NULL, 'e'},
		{"mem-config", required_argument, NULL, 'M'},
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
		else if (option == 'e')
			evg_config = optarg;
		else if (option == 'M')
			table.options.mem_config = optarg;
		else if (option == 'r')
			table.text = optarg;
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
	heading(&table);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (table_wants(&table, groups[i].name))
			groups[i].rows(&table);
	printf("\n%u rows: mean error %.1f %%, worst %.1f %% (%s), %u above "
	       "%d %%\n", table.rows, table.rows ? table.sum / table.rows : 0,
	       table.worst, table.worst_name ? table.worst_name : "none",
	       table.above, LIMIT_PERCENT);
	free(table.worst_name);
	if (table.options.report && fclose(table.options.report)) {
		perror(report);
		return 2;
	}
	return 0;
}
