#include "base/config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int read_value(const struct config_variable *row,
		      struct ini_value *value, void *object,
		      struct error *error)
{
	void *field = (char *)object + row->offset;
	uint64_t minimum = (uint64_t)row->minimum, number;
	/* 2^64 and above do not fit the conversion. */
	uint64_t maximum = row->maximum >= 0x1p64 ? UINT64_MAX
						  : (uint64_t)row->maximum;

	switch (row->type) {
	case CONFIG_U32:
		if (maximum > UINT32_MAX)
			maximum = UINT32_MAX;
		if (ini_get_u64(value, minimum, maximum, &number, error))
			return -1;
		*(uint32_t *)field = (uint32_t)number;
		return 0;
	case CONFIG_U64:
		return ini_get_u64(value, minimum, maximum, field, error);
	case CONFIG_DOUBLE:
		return ini_get_double(value, row->minimum, row->maximum, field,
				      error);
	case CONFIG_BOOL:
		return ini_get_bool(value, field, error);
	case CONFIG_CHOICE:
		return ini_get_choice(value, row->unit, field, error);
	}
	return -1;
}

void config_defaults(const struct config_variable *table, size_t count,
		     void *object)
{
	for (size_t i = 0; i < count; i++) {
		struct ini_value value = {
			.path = "built-in default",
			.section = table[i].section ? table[i].section : "",
			.name = table[i].name,
			.text = table[i].default_text,
		};
		struct error error;

		/* A default that its own row refuses is a mistake in the
		 * table: the unit test reads every table. */
		if (read_value(&table[i], &value, object, &error)) {
			fprintf(stderr, "m2s: bug: %s\n", error.text);
			abort();
		}
	}
}

int config_read(const struct config_variable *table, size_t count,
		struct ini *ini, struct ini_section *section, void *object,
		struct error *error)
{
	for (size_t i = 0; i < count; i++) {
		struct ini_section *from = section;
		struct ini_value *value;

		if (table[i].section)
			from = ini_section_find(ini, table[i].section);
		value = ini_find(from, table[i].name);
		if (value && read_value(&table[i], value, object, error))
			return -1;
	}
	return 0;
}

int config_override(const struct config_variable *row, const char *option,
		    const char *text, void *object, struct error *error)
{
	struct ini_value value = { .path = option, .name = row->name,
				   .text = text };

	if (!read_value(row, &value, object, error))
		return 0;
	if (row->type == CONFIG_CHOICE)
		error_set(error, "%s %s: expected one of %s", option, text,
			  row->unit);
	return -1;
}

static void format_choice(const char *choices, int index, char *text,
			  size_t size)
{
	while (index-- > 0)
		choices += strcspn(choices, "|") + 1;
	snprintf(text, size, "%.*s", (int)strcspn(choices, "|"), choices);
}

void config_format(const struct config_variable *row, const void *object,
		   char *text, size_t size)
{
	const void *field = (const char *)object + row->offset;

	switch (row->type) {
	case CONFIG_U32:
		snprintf(text, size, "%u", *(const uint32_t *)field);
		break;
	case CONFIG_U64:
		snprintf(text, size, "%llu",
			 (unsigned long long)*(const uint64_t *)field);
		break;
	case CONFIG_DOUBLE:
		snprintf(text, size, "%g", *(const double *)field);
		break;
	case CONFIG_BOOL:
		snprintf(text, size, "%c", *(const bool *)field ? 't' : 'f');
		break;
	case CONFIG_CHOICE:
		format_choice(row->unit, *(const int *)field, text, size);
		break;
	}
}

void config_help(const struct config_variable *table, size_t count,
		 FILE *stream)
{
	const char *section = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct config_variable *row = &table[i];

		if (row->section &&
		    (!section || strcmp(section, row->section))) {
			fprintf(stream, "%s[ %s ]\n", section ? "\n" : "",
				row->section);
			section = row->section;
		}
		fprintf(stream, "  %s = %s", row->name, row->default_text);
		if (row->type == CONFIG_CHOICE)
			fprintf(stream, "  (%s)", row->unit);
		else if (row->type == CONFIG_BOOL)
			fprintf(stream, "  (t or f)");
		else
			fprintf(stream, "  (%s%s%.15g to %.15g)", row->unit,
				*row->unit ? ", " : "", row->minimum,
				row->maximum);
		fprintf(stream, "\n      %s\n", row->doc);
	}
}
