#include "stats/stats.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/registry.h"

struct stats *stats_create(void)
{
	return xcalloc(1, sizeof(struct stats));
}

static void entry_clear(struct stats_entry *entry)
{
	if (entry->kind == STATS_TEXT)
		free(entry->text);
	if (entry->kind == STATS_VECTOR && entry->vector.owned)
		free((void *)entry->vector.values);
	free(entry->name);
}

void stats_free(struct stats *stats)
{
	if (!stats)
		return;
	for (size_t i = 0; i < stats->count; i++) {
		struct stats_section *section = stats->sections[i];

		for (size_t j = 0; j < section->count; j++)
			entry_clear(&section->entries[j]);
		free(section->entries);
		free(section->report);
		free(section->name);
		free(section);
	}
	free(stats->sections);
	free(stats);
}

struct stats_section *stats_section(struct stats *stats, const char *report,
				    const char *name)
{
	/* The newest first: components register a section at a time. */
	for (size_t i = stats->count; i-- > 0;) {
		struct stats_section *section = stats->sections[i];

		if (!strcmp(section->name, name) &&
		    !strcmp(section->report, report))
			return section;
	}
	return stats_new_section(stats, report, name);
}

struct stats_section *stats_new_section(struct stats *stats, const char *report,
					const char *name)
{
	struct stats_section *section = xcalloc(1, sizeof *section);

	section->report = xstrdup(report);
	section->name = xstrdup(name);
	ARRAY_GROW(stats->sections, stats->count, stats->capacity);
	stats->sections[stats->count++] = section;
	return section;
}

static struct stats_entry *add_entry(struct stats_section *section,
				     const char *name, enum stats_kind kind,
				     const char *unit, const char *doc)
{
	struct stats_entry *entry;

	ARRAY_GROW(section->entries, section->count, section->capacity);
	entry = &section->entries[section->count++];
	memset(entry, 0, sizeof *entry);
	entry->name = xstrdup(name);
	entry->kind = kind;
	entry->unit = unit;
	entry->doc = doc;
	return entry;
}

void stats_counter(struct stats_section *section, const char *name,
		   const uint64_t *value, const char *unit, const char *doc)
{
	add_entry(section, name, STATS_COUNTER, unit, doc)->counter = value;
}

void stats_vector(struct stats_section *section, const char *name,
		  const uint64_t *values, size_t count, const char *unit,
		  const char *doc)
{
	struct stats_entry *entry =
	    add_entry(section, name, STATS_VECTOR, unit, doc);

	entry->vector.values = values;
	entry->vector.count = count;
}

void stats_ratio(struct stats_section *section, const char *name,
		 const uint64_t *over, const uint64_t *under, const char *unit,
		 const char *doc)
{
	struct stats_entry *entry =
	    add_entry(section, name, STATS_RATIO, unit, doc);

	entry->ratio.over = over;
	entry->ratio.under = under;
}

void stats_derived(struct stats_section *section, const char *name,
		   double (*function)(void *owner), void *owner,
		   const char *unit, const char *doc)
{
	struct stats_entry *entry =
	    add_entry(section, name, STATS_DERIVED, unit, doc);

	entry->derived.function = function;
	entry->derived.owner = owner;
}

void stats_text(struct stats_section *section, const char *name,
		const char *text, const char *doc)
{
	add_entry(section, name, STATS_TEXT, "", doc)->text = xstrdup(text);
}

void stats_u64(struct stats_section *section, const char *name, uint64_t value,
	       const char *unit, const char *doc)
{
	add_entry(section, name, STATS_U64, unit, doc)->u64 = value;
}

void stats_double(struct stats_section *section, const char *name,
		  double value, const char *unit, const char *doc)
{
	add_entry(section, name, STATS_DOUBLE, unit, doc)->real = value;
}

const char *stats_name(struct stats_name *name, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(name->text, sizeof name->text, format, arguments);
	va_end(arguments);
	return name->text;
}

void stats_config(struct stats_section *section,
		  const struct config_variable *table, size_t count,
		  const char *only, const void *object)
{
	for (size_t i = 0; i < count; i++) {
		struct stats_entry *entry;
		char text[64];

		if (only && strcmp(only, table[i].section))
			continue;
		config_format(&table[i], object, text, sizeof text);
		entry = add_entry(section, table[i].name, STATS_TEXT,
				  table[i].type == CONFIG_CHOICE ||
					  table[i].type == CONFIG_TEXT
				      ? ""
				      : table[i].unit,
				  table[i].doc);
		entry->text = xstrdup(text);
	}
}

static double ratio(const struct stats_entry *entry)
{
	uint64_t under = *entry->ratio.under;

	return under ? (double)*entry->ratio.over / (double)under : 0.0;
}

static void entry_freeze(struct stats_entry *entry)
{
	size_t size;

	switch (entry->kind) {
	case STATS_COUNTER:
		entry->u64 = *entry->counter;
		entry->kind = STATS_U64;
		break;
	case STATS_RATIO:
		entry->real = ratio(entry);
		entry->kind = STATS_DOUBLE;
		break;
	case STATS_DERIVED:
		entry->real = entry->derived.function(entry->derived.owner);
		entry->kind = STATS_DOUBLE;
		break;
	case STATS_VECTOR:
		if (entry->vector.owned)
			break;
		size = entry->vector.count * sizeof *entry->vector.values;
		entry->vector.values =
			memcpy(xmalloc(size ? size : 1), entry->vector.values,
			       size);
		entry->vector.owned = true;
		break;
	case STATS_TEXT:
	case STATS_U64:
	case STATS_DOUBLE:
		break;
	}
}

void stats_section_freeze(struct stats_section *section)
{
	for (size_t i = 0; i < section->count; i++)
		entry_freeze(&section->entries[i]);
}

void stats_freeze(struct stats *stats, const char *report)
{
	for (size_t i = 0; i < stats->count; i++)
		if (!strcmp(stats->sections[i]->report, report))
			stats_section_freeze(stats->sections[i]);
}

static double entry_value(const struct stats_entry *entry)
{
	double sum = 0;

	switch (entry->kind) {
	case STATS_COUNTER:
		return (double)*entry->counter;
	case STATS_RATIO:
		return ratio(entry);
	case STATS_DERIVED:
		return entry->derived.function(entry->derived.owner);
	case STATS_VECTOR:
		for (size_t i = 0; i < entry->vector.count; i++)
			sum += (double)entry->vector.values[i];
		return sum;
	case STATS_U64:
		return (double)entry->u64;
	case STATS_DOUBLE:
		return entry->real;
	case STATS_TEXT:
		break;
	}
	return strtod(entry->text, NULL);
}

bool stats_lookup(const struct stats *stats, const char *report,
		  const char *section, const char *name, double *value)
{
	for (size_t i = 0; i < stats->count; i++) {
		const struct stats_section *s = stats->sections[i];

		if (strcmp(s->report, report) || strcmp(s->name, section))
			continue;
		for (size_t j = 0; j < s->count; j++)
			if (!strcmp(s->entries[j].name, name)) {
				*value = entry_value(&s->entries[j]);
				return true;
			}
	}
	return false;
}

bool stats_entry_is_number(const struct stats_entry *entry)
{
	return entry->kind != STATS_TEXT && entry->kind != STATS_VECTOR;
}

void stats_entry_format(const struct stats_entry *entry, char *text,
			size_t size)
{
	size_t used = 0;
	double value;

	switch (entry->kind) {
	case STATS_TEXT:
		snprintf(text, size, "%s", entry->text);
		return;
	case STATS_COUNTER:
	case STATS_U64:
		snprintf(text, size, "%llu",
			 (unsigned long long)(entry->kind == STATS_U64
						      ? entry->u64
						      : *entry->counter));
		return;
	case STATS_VECTOR:
		*text = '\0';
		for (size_t i = 0; i < entry->vector.count && used < size; i++)
			used += (size_t)snprintf(
				text + used, size - used, "%s%llu",
				i ? " " : "",
				(unsigned long long)entry->vector.values[i]);
		return;
	case STATS_RATIO:
	case STATS_DERIVED:
	case STATS_DOUBLE:
		value = entry_value(entry);
		/* JSON has no infinity; a figure without meaning is 0. */
		snprintf(text, size, "%.6g", isfinite(value) ? value : 0.0);
		return;
	}
}

/* The name with each run of digits as N; free it. */
static char *generic_name(const char *name)
{
	char *generic = xstrdup(name), *out = generic;
	bool digit = false;

	for (const char *in = name; *in; in++) {
		if (!isdigit((unsigned char)*in))
			*out++ = *in;
		else if (!digit)
			*out++ = 'N';
		digit = isdigit((unsigned char)*in);
	}
	*out = '\0';
	return generic;
}

/* Whether `key` is new; takes ownership of it. */
static bool first_time(char ***seen, size_t *count, size_t *capacity,
		       char *key)
{
	for (size_t i = 0; i < *count; i++)
		if (!strcmp((*seen)[i], key)) {
			free(key);
			return false;
		}
	ARRAY_GROW(*seen, *count, *capacity);
	(*seen)[(*count)++] = key;
	return true;
}

void stats_describe(const struct stats *stats, FILE *stream)
{
	char **seen = NULL;
	size_t count = 0, capacity = 0;

	for (size_t i = 0; i < stats->count; i++) {
		const struct stats_section *section = stats->sections[i];
		char *name = generic_name(section->name);

		for (size_t j = 0; j < section->count; j++) {
			const struct stats_entry *entry = &section->entries[j];

			if (first_time(&seen, &count, &capacity,
				       xasprintf("%s/%s/%s", section->report,
						 name, entry->name)))
				fprintf(stream, "%s\t%s\t%s\t%s\t%s\n",
					section->report, name, entry->name,
					entry->unit, entry->doc);
		}
		free(name);
	}
	for (size_t i = 0; i < count; i++)
		free(seen[i]);
	free(seen);
}
