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
	case CONFIG_TEXT:
		*(struct ini_value **)field = value;
		return 0;
	}
	return -1;
}

/* A variable without a default: cleared, so that no earlier value is read. */
static void clear_variable(const struct config_variable *row, void *object)
{
	static const size_t sizes[] = {
		[CONFIG_U32] = sizeof(CONFIG_FIELD_U32),
		[CONFIG_U64] = sizeof(CONFIG_FIELD_U64),
		[CONFIG_DOUBLE] = sizeof(CONFIG_FIELD_DOUBLE),
		[CONFIG_BOOL] = sizeof(CONFIG_FIELD_BOOL),
		[CONFIG_CHOICE] = sizeof(CONFIG_FIELD_CHOICE),
		[CONFIG_TEXT] = sizeof(CONFIG_FIELD_TEXT),
	};

	memset((char *)object + row->offset, 0, sizes[row->type]);
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

		if (!table[i].default_text || table[i].type == CONFIG_TEXT) {
			clear_variable(&table[i], object);
			continue;
		}
		/* A default that its own row refuses is a mistake in the
		 * table: the unit test reads every table. */
		if (read_value(&table[i], &value, object, &error)) {
			fprintf(stderr, "m2s: bug: %s\n", error.text);
			abort();
		}
	}
}

/* "Type is missing (EndNode, Switch or Bus)" */
static int missing(const struct config_variable *row,
		   const struct ini_section *section, struct error *error)
{
	char choices[256];
	size_t used = 0;

	if (row->type != CONFIG_CHOICE)
		return ini_section_error(section, error, "%s is missing",
					 row->name);
	for (const char *at = row->unit; *at && used + 4 < sizeof choices;
	     at++) {
		const char *text = (char[]){ *at, '\0' };

		if (*at == '|')
			text = strchr(at + 1, '|') ? ", " : " or ";
		used += (size_t)snprintf(choices + used, sizeof choices - used,
					 "%s", text);
	}
	choices[used] = '\0';
	return ini_section_error(section, error, "%s is missing (%s)",
				 row->name, choices);
}

/* Tells the settings of the file what is in effect. */
static void note(const struct config_variable *row, struct ini *ini,
		 const char *section, const struct ini_value *value,
		 const void *object)
{
	char text[128];

	if (value) {
		ini_note(ini, section, row->name, value->text, true,
			 row->section);
		return;
	}
	if (row->type == CONFIG_TEXT)
		return;
	config_format(row, object, text, sizeof text);
	if (row->type == CONFIG_DOUBLE) {
		double number = *(const double *)((const char *)object +
						  row->offset);

		if (strtod(text, NULL) != number)
			snprintf(text, sizeof text, "%.17g", number);
	}
	ini_note(ini, section, row->name, text, false, row->section);
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
		if (!value && from && !table[i].default_text)
			return missing(&table[i], from, error);
		if (from || table[i].section)
			note(&table[i], ini,
			     from ? ini_section_name(from) : table[i].section,
			     value, object);
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
	case CONFIG_TEXT:
		snprintf(text, size, "%s",
			 *(struct ini_value *const *)field
				 ? (*(struct ini_value *const *)field)->text
				 : "");
		break;
	}
}

static void help_value(const struct config_variable *row, FILE *stream)
{
	const char *must = row->default_text ? "" : "must be given";

	fprintf(stream, "  %s", row->name);
	if (row->type == CONFIG_TEXT) {
		fprintf(stream, *must ? " = %s  (%s)" : " = %s", row->unit,
			must);
		return;
	}
	if (row->default_text)
		fprintf(stream, " = %s", row->default_text);
	if (row->type == CONFIG_CHOICE)
		fprintf(stream, "  (%s", row->unit);
	else if (row->type == CONFIG_BOOL)
		fprintf(stream, "  (t or f");
	else
		fprintf(stream, "  (%s%s%.15g to %.15g", row->unit,
			*row->unit ? ", " : "", row->minimum, row->maximum);
	fprintf(stream, "%s%s)", *must ? "; " : "", must);
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
		help_value(row, stream);
		fprintf(stream, "\n      %s\n", row->doc);
	}
}
