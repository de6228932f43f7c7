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
};

struct config_variable {
	const char *section; /* NULL: the caller names the section */
	const char *name;
	enum config_type type;
	size_t offset;            /* of the field in the object */
	const char *default_text; /* as a user would write it */
	double minimum, maximum;
	const char *unit;         /* or the choices */
	const char *doc;          /* one line: meaning and source */
};

#define CONFIG_ROW(object, section, name, type, field, dflt, min, max, unit,   \
		   doc)                                                        \
	{ section, name, CONFIG_##type, offsetof(object, field), dflt,         \
	  min, max, unit, doc },

/* The same for rows that give a bare name and no section. */
#define CONFIG_NAMED(object, section, name, ...)                               \
	CONFIG_ROW(object, section, #name, __VA_ARGS__)

/* Sets every field of *object to its default. */
void config_defaults(const struct config_variable *table, size_t count,
		     void *object);

/* Reads the variables that the file has. Rows whose section is NULL are read
 * from `section` (which may be NULL: nothing is read). Sections named by the
 * rows are marked as known. */
int config_read(const struct config_variable *table, size_t count,
		struct ini *ini, struct ini_section *section, void *object,
		struct error *error);

/* The value of one variable from a command-line option, which *error names. */
int config_override(const struct config_variable *row, const char *option,
		    const char *text, void *object, struct error *error);

/* One value as a user would write it, for echoes in reports. */
void config_format(const struct config_variable *row, const void *object,
		   char *text, size_t size);

/* Help text: "[ Section ]" and "  Name = default (unit, min to max)  doc". */
void config_help(const struct config_variable *table, size_t count,
		 FILE *stream);

#endif
