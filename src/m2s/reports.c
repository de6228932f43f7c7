#include "m2s/reports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum { REPORT_COUNT = 5 };

struct report {
	const char *option, *name, *path;
	bool detailed; /* has figures in detailed simulation only */
};

static void list(const struct options *options,
		 struct report reports[REPORT_COUNT])
{
	struct report all[REPORT_COUNT] = {
		{ "x86-report", "x86", options->x86_report, false },
		{ "evg-report", "evergreen", options->evg_report, false },
		{ "evg-report-kernel", "kernel", options->evg_report_kernel,
		  false },
		{ "mem-report", "memory", options->mem_report, true },
		{ "net-report", "network", options->net_report, true },
	};

	memcpy(reports, all, sizeof all);
}

int report_formats_parse(struct report_formats *formats, const char *text,
			 struct error *error)
{
	*formats = (struct report_formats){ { STATS_INI }, 0 };
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
		if (found < 0 || formats->count == STATS_FORMAT_COUNT)
			return error_set(error, "--report-format %s: expected "
					 "ini, csv, json, xml, or several "
					 "separated by commas", text);
		formats->format[formats->count++] = (enum stats_format)found;
		name += length + (name[length] == ',');
	}
	if (!formats->count)
		return error_set(error, "--report-format: names no format");
	return 0;
}

static bool is_stream(const char *path)
{
	return !strcmp(path, "-") || !strcmp(path, "stdout") ||
	       !strcmp(path, "stderr");
}

/* With several formats, each file gets its format's name. */
static char *file_name(const struct report_formats *formats, const char *path,
		       enum stats_format format)
{
	if (formats->count == 1 || is_stream(path))
		return xstrdup(path);
	return xasprintf("%s.%s", path, stats_format_name(format));
}

static int check_writable(const char *option, const char *path,
			  struct error *error)
{
	char *probe = xasprintf("%s.%ld.tmp", path, (long)getpid());
	struct stat status;
	FILE *stream;
	int code;

	/* A device or pipe is written itself. */
	if (!stat(path, &status) && !S_ISREG(status.st_mode) &&
	    !access(path, W_OK)) {
		free(probe);
		return 0;
	}
	stream = fopen(probe, "we");
	code = errno;
	if (stream) {
		fclose(stream);
		unlink(probe);
	}
	free(probe);
	return stream ? 0
		      : error_set(error, "--%s %s: cannot write: %s", option,
				  path, strerror(code));
}

int reports_check(const struct options *options,
		  const struct report_formats *formats, bool detailed,
		  struct error *error)
{
	struct report reports[REPORT_COUNT];

	if (options->evg_annotate && !is_stream(options->evg_annotate) &&
	    check_writable("evg-annotate", options->evg_annotate, error))
		return -1;
	if (options->threads_report && !detailed)
		return error_set(error, "--threads-report: there is nothing to "
				 "report without detailed simulation "
				 "(--evg-sim detailed)");
	if (options->threads_report && !is_stream(options->threads_report) &&
	    check_writable("threads-report", options->threads_report, error))
		return -1;
	if (options->stats_interval && !detailed)
		return error_set(error, "--stats-interval: there is nothing to "
				 "report without detailed simulation "
				 "(--evg-sim detailed)");
	if (options->stats_interval_file && !options->stats_interval)
		return error_set(error, "--stats-interval-file %s: expected "
				 "--stats-interval N, too",
				 options->stats_interval_file);
	if (options->evg_report_wavefronts && !options->evg_report_kernel &&
	    !options->document)
		return error_set(error, "--evg-report-wavefronts: expected "
				 "--evg-report-kernel FILE, too");
	list(options, reports);
	for (size_t i = 0; i < REPORT_COUNT; i++) {
		const struct report *report = &reports[i];

		if (!report->path)
			continue;
		if (report->detailed && !detailed)
			return error_set(error, "--%s %s: there is nothing to "
					 "report without detailed simulation "
					 "(--evg-sim detailed)", report->option,
					 report->path);
		for (size_t j = 0; j < formats->count; j++) {
			char *path = file_name(formats, report->path,
					       formats->format[j]);
			int status = is_stream(path)
					     ? 0
					     : check_writable(report->option,
							      path, error);

			free(path);
			if (status)
				return -1;
		}
	}
	return 0;
}

int reports_write(const struct options *options,
		  const struct report_formats *formats,
		  const struct stats *stats, const char *partial,
		  struct error *error)
{
	struct report reports[REPORT_COUNT];

	list(options, reports);
	for (size_t i = 0; i < REPORT_COUNT; i++) {
		if (!reports[i].path)
			continue;
		for (size_t j = 0; j < formats->count; j++) {
			char *path = file_name(formats, reports[i].path,
					       formats->format[j]);
			int status = stats_write(stats, reports[i].name,
						 formats->format[j], path,
						 partial, error);

			free(path);
			if (status)
				return -1;
		}
	}
	return 0;
}
