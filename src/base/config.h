/* Configuration variables declared in tables.
 *
 * A `.def` file has one row per variable and is the only place that knows
 * it; the reader, the defaults, the help text, the echo in reports and
 * doc/configuration.md are made from the rows. A typical table:
 *
 *	static const struct config_variable variables[] = {
 *	#define CONFIG(...) CONFIG_ROW(struct evg_config, __VA_ARGS__)
 *	#include "evergreen/timing/config.def"
 *	};
 */
#ifndef M2S_BASE_CONFIG_H
#define M2S_BASE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/ini.h"

enum config_type {
	CONFIG_U32,    /* uint32_t field */
	CONFIG_U64,    /* uint64_t field */
	CONFIG_DOUBLE, /* double field */
	CONFIG_BOOL,   /* bool field */
	CONFIG_CHOICE, /* int field; `unit` holds the choices "A|B|C" */
	CONFIG_TEXT,   /* struct ini_value * field, NULL: not given; `unit`
			  shows its form, as "<module> ..." */
};

/* Types of the fields, for CONFIG_MEMBER. The value of a CONFIG_TEXT belongs to
 * the INI file it was read from, and ends with it. */
#define CONFIG_FIELD_U32 uint32_t
#define CONFIG_FIELD_U64 uint64_t
#define CONFIG_FIELD_DOUBLE double
#define CONFIG_FIELD_BOOL bool
#define CONFIG_FIELD_CHOICE int
#define CONFIG_FIELD_TEXT struct ini_value *

/* In place of a default: a section that is read without the variable is an
 * error. */
#define CONFIG_REQUIRED NULL

struct config_variable {
	const char *section; /* NULL: the caller names the section */
	const char *name;
	enum config_type type;
	size_t offset;            /* of the field in the object */
	const char *default_text; /* as a user would write it, or
				     CONFIG_REQUIRED; of a CONFIG_TEXT "" */
	double minimum, maximum;
	const char *unit;         /* or the choices, or the form */
	const char *doc;          /* one line: meaning and source */
};

#define CONFIG_ROW(object, section, name, type, field, dflt, min, max, unit,   \
		   doc)                                                        \
	{ section, name, CONFIG_##type, offsetof(object, field), dflt,         \
	  min, max, unit, doc },

/* The same for rows that give a bare name and no section. */
#define CONFIG_NAMED(object, section, name, ...)                               \
	CONFIG_ROW(object, section, #name, __VA_ARGS__)

/* The member of a struct that a row makes, for rows with a bare name and no
 * section, and for rows with both. */
#define CONFIG_MEMBER(name, type, field, ...) CONFIG_FIELD_##type field;
#define CONFIG_MEMBER_OF(section, name, type, field, ...)                      \
	CONFIG_FIELD_##type field;

/* Sets every field of *object to its default, those without one to 0. */
void config_defaults(const struct config_variable *table, size_t count,
		     void *object);

/* Reads into *object the variables of the table that the file has. Rows whose
 * section is NULL are read from `section`; NULL there reads none of them.
 * Sections that rows name are marked as known. 0, or -1 and *error for a bad
 * value or a required variable that a section lacks. */
int config_read(const struct config_variable *table, size_t count,
		struct ini *ini, struct ini_section *section, void *object,
		struct error *error);

/* Sets one variable of *object, of any type but CONFIG_TEXT, to the text of a
 * command-line option. 0, or -1 and *error, which names the option. */
int config_override(const struct config_variable *row, const char *option,
		    const char *text, void *object, struct error *error);

/* One value as a user would write it, for echoes in reports. */
void config_format(const struct config_variable *row, const void *object,
		   char *text, size_t size);

/* Prints help: a line "[ Section ]", then one line for each variable:
 *	  Name = default (unit, min to max)  doc
 *	  Name  (unit, min to max; must be given)    with CONFIG_REQUIRED
 *	  Name = form                                of a CONFIG_TEXT */
void config_help(const struct config_variable *table, size_t count,
		 FILE *stream);

#endif
