#include "m2s/run/reports.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The reports over the registry. */
static const struct {
	const char *option, *name;
	size_t path;   /* in struct options */
	bool detailed; /* has figures in detailed simulation only */
} table[REPORTS_COUNT] = {
	{ "x86-report", "x86", offsetof(struct options, x86_report), false },
	{ "evg-report", "evergreen", offsetof(struct options, evg_report),
	  false },
	{ "evg-report-kernel", "kernel",
	  offsetof(struct options, evg_report_kernel), false },
	{ "cl-report", "opencl", offsetof(struct options, cl_report), false },
	{ "mem-report", "memory", offsetof(struct options, mem_report), true },
	{ "net-report", "network", offsetof(struct options, net_report), true },
};

static int parse_formats(struct reports *reports, const char *text,
			 struct error *error)
{
	for (const char *name = text ? text : "ini"; *name;) {
		size_t length = strcspn(name, ",");
		int found = -1;

		for (int i = 0; i < STATS_FORMAT_COUNT; i++) {
			const char *known =
				stats_format_name((enum stats_format)i);

			if (strlen(known) == length &&
			    !strncmp(known, name, length))
				found = i;
		}
		if (found < 0 || reports->format_count == STATS_FORMAT_COUNT)
			return error_set(error, "--report-format %s: expected "
					 "ini, csv, json, xml, or several "
					 "separated by commas", text);
		reports->format[reports->format_count++] = (enum stats_format)found;
		name += length + (name[length] == ',');
	}
	if (!reports->format_count)
		return error_set(error, "--report-format: expected at least "
					"one of ini, csv, json, xml");
	return 0;
}

/* With several formats, each file gets its format's name. */
static char *file_name(const struct reports *reports, const char *path,
		       enum stats_format format)
{
	char *target;

	if (reports->format_count == 1 || !(target = output_target(path)))
		return xstrdup(path);
	free(target);
	return xasprintf("%s.%s", path, stats_format_name(format));
}

static int reserve(struct reports *reports, size_t row, const char *path,
		   struct outputs *outputs, struct error *error)
{
	for (size_t i = 0; i < reports->format_count; i++) {
		char *name = file_name(reports, path, reports->format[i]);
		int status = outputs_add(outputs, OUTPUTS_REPORT,
					 table[row].option, name,
					 &reports->output[row][i], error);

		free(name);
		if (status)
			return -1;
	}
	return 0;
}

/* Refuses reports that would be empty. */
static int check(const struct options *options, bool detailed,
		 bool x86_detailed, struct error *error)
{
	if (options->threads_report && !detailed && !x86_detailed)
		return error_set(error, "--threads-report: there is nothing to "
				 "report without detailed simulation "
				 "(--evg-sim detailed, --x86-sim detailed)");
	if (options->stats_interval && !detailed)
		return error_set(error, "--stats-interval: there is nothing to "
				 "report without detailed simulation "
				 "(--evg-sim detailed)");
	if (options->stats_interval_file && !options->stats_interval)
		return error_set(error, "--stats-interval-file %s: needs "
					"--stats-interval N",
				 options->stats_interval_file);
	if (options->x86_report_branches && !options->x86_report)
		return error_set(error, "--x86-report-branches: needs "
					"--x86-report FILE");
	if (options->evg_report_wavefronts && !options->evg_report_kernel &&
	    !options->document)
		return error_set(error, "--evg-report-wavefronts: needs "
					"--evg-report-kernel FILE");
	return 0;
}

static const char *path_of(const struct options *options, size_t row)
{
	return *(const char *const *)((const char *)options + table[row].path);
}

bool reports_asked(const struct options *options)
{
	size_t i = 0;

	while (i < REPORTS_COUNT && !path_of(options, i))
		i++;
	return i < REPORTS_COUNT;
}

int reports_reserve(struct reports *reports, const struct options *options,
		    struct outputs *outputs, bool detailed,
		    bool x86_detailed,
		    struct error *error)
{
	*reports = (struct reports){ 0 };
	if (parse_formats(reports, options->report_format, error) ||
	    check(options, detailed, x86_detailed, error))
		return -1;
	for (size_t i = 0; i < REPORTS_COUNT; i++) {
		const char *path = path_of(options, i);

		if (!path)
			continue;
		if (table[i].detailed && !detailed && !x86_detailed)
			return error_set(error, "--%s %s: there is nothing to "
					 "report without detailed simulation "
					 "(--evg-sim detailed, --x86-sim "
					 "detailed)", table[i].option, path);
		if (reserve(reports, i, path, outputs, error))
			return -1;
	}
	return 0;
}

int reports_write(const struct reports *reports, const struct stats *stats,
		  const char *partial, struct error *error)
{
	for (size_t i = 0; i < REPORTS_COUNT; i++)
		for (size_t j = 0; reports->output[i][j]; j++) {
			struct output *output = reports->output[i][j];

			if (output_close(output,
					 stats_write(stats, table[i].name,
						     reports->format[j],
						     partial, output->stream,
						     error),
					 error))
				return error_prefix(error, "--%s",
						    table[i].option);
		}
	return 0;
}
