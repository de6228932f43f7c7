/* The statistics registry: every figure is registered once, by the component
 * that counts it, and comes out in every format.
 *
 * Figures live in sections ("ComputeUnit 3"), sections in reports
 * ("evergreen", "memory", ...). The registry keeps addresses: the hot path is
 * a plain `counter++`, and values are read only when a report is written, so
 * whatever was registered must outlive the registry or be frozen first.
 * Strings passed in are copied; `doc` and `unit` must be string literals. */
#ifndef M2S_STATS_STATS_H
#define M2S_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/config.h"
#include "base/error.h"

struct stats;
struct stats_section;

/* The name of a report whose sections are appended to every other report. */
#define STATS_EVERY_REPORT "*"

struct stats *stats_create(void);
void stats_free(struct stats *stats);

/* Returns the section `name` of a report. The first call makes the section.
 * Sections are written in the order in which they were made. */
struct stats_section *stats_section(struct stats *stats, const char *report,
				    const char *name);
/* Makes a section whose name the report does not have yet. It does not search,
 * so a report of 100,000 sections takes linear time. */
struct stats_section *stats_new_section(struct stats *stats, const char *report,
					const char *name);

/* A counter, read from *value when written. */
void stats_counter(struct stats_section *section, const char *name,
		   const uint64_t *value, const char *unit, const char *doc);
/* `count` counters written on one line, separated by blanks. */
void stats_vector(struct stats_section *section, const char *name,
		  const uint64_t *values, size_t count, const char *unit,
		  const char *doc);
/* *over / *under; 0 when *under is 0. */
void stats_ratio(struct stats_section *section, const char *name,
		 const uint64_t *over, const uint64_t *under, const char *unit,
		 const char *doc);
/* A figure that `function` computes when the report is written. */
void stats_derived(struct stats_section *section, const char *name,
		   double (*function)(void *owner), void *owner,
		   const char *unit, const char *doc);
/* Fixed values, copied now. */
void stats_text(struct stats_section *section, const char *name,
		const char *text, const char *doc);
void stats_u64(struct stats_section *section, const char *name, uint64_t value,
	       const char *unit, const char *doc);
void stats_double(struct stats_section *section, const char *name,
		  double value, const char *unit, const char *doc);
/* The name of one of several figures, formatted as printf does. Returns
 * name->text; longer names are cut. */
struct stats_name {
	char text[96];
};
const char *stats_name(struct stats_name *name, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Echoes configuration values: the rows of a table whose section is `only`
 * (NULL: all rows) into a stats section. */
void stats_config(struct stats_section *section,
		  const struct config_variable *table, size_t count,
		  const char *only, const void *object);

/* Reads every value of a report now, so that its components may be freed. */
void stats_freeze(struct stats *stats, const char *report);
void stats_section_freeze(struct stats_section *section);

/* Output formats. Each has one writer, and all writers visit figures in the
 * same order. */
enum stats_format {
	STATS_INI,
	STATS_CSV,
	STATS_JSON,
	STATS_XML,
	STATS_FORMAT_COUNT
};
/* "ini", "csv", "json", "xml"; also the file extension. */
const char *stats_format_name(enum stats_format format);

/* Writes one report. `partial`, if not NULL, is written as the reason why the
 * run ended early. -1 and *error when it cannot be written. */
int stats_write(const struct stats *stats, const char *report,
		enum stats_format format, const char *partial, FILE *stream,
		struct error *error);

/* Reads one figure as a number, for tests and summaries. A vector gives its
 * sum. Returns false if the figure does not exist. */
bool stats_lookup(const struct stats *stats, const char *report,
		  const char *section, const char *name, double *value);

/* "report section name unit doc" for each distinct figure; doc/statistics.md
 * is made from it. Digits in section names are shown as N. */
void stats_describe(const struct stats *stats, FILE *stream);

#endif
