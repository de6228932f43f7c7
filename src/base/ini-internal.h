/* What the reader of INI files and the lookup of variables share. Internal to
 * base/ini*.c. */
#ifndef M2S_BASE_INI_INTERNAL_H
#define M2S_BASE_INI_INTERNAL_H

#include "base/ini.h"

struct ini_section {
	const struct ini *ini;
	char *name;
	int line;
	bool used;
	struct ini_value *values;
	size_t count, capacity;
	/* Variables that --set gives and the file lacks. */
	struct ini_value **set;
	size_t set_count, set_capacity;
	/* Names that were asked for, found or not: candidates to suggest. */
	char **asked;
	size_t asked_count, asked_capacity;
};

struct ini {
	char *path;
	struct ini_section **sections;
	size_t count, capacity;
	char **asked; /* section names asked for */
	size_t asked_count, asked_capacity;
	/* Kind whose sections are kept, of a file for --config; or NULL. */
	const char *part;
	bool skipping; /* the present section is of another kind */
	struct settings *settings; /* or NULL */
	const char *kind;
};

/* Neither marks what it finds as used. NULL: there is none. */
struct ini_section *ini_section_lookup(const struct ini *ini,
				       const char *name);
struct ini_value *ini_value_lookup(const struct ini_section *section,
				   const char *name);
/* Takes the name. `line` is 0 when no file has the section. */
struct ini_section *ini_section_add(struct ini *ini, char *name, int line);
/* Copies [start, end) without surrounding blanks, inner runs as one blank. */
char *ini_tidy(const char *start, const char *end);

#endif
