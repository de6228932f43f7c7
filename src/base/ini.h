/* INI files: `[ Section ]`, `Variable = value`, `;` or `#` comments.
 *
 * Names are compared without regard to case and runs of blanks in section
 * names count as one. Every value knows its file and line, and whether
 * it has been looked up, so that ini_check finds typing mistakes. */
#ifndef M2S_BASE_INI_H
#define M2S_BASE_INI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct ini;
struct ini_section;
struct settings;

struct ini_value {
	const char *path; /* file, for messages; or an option's name */
	int line;         /* 0: `path` is no file */
	const char *section, *name, *text;
	bool used;
};

/* Reads a whole file. NULL and *error ("path:line: ...") on failure. A
 * variable given twice in one section is an error; a section given twice is
 * an error too. */
struct ini *ini_read(const char *path, struct error *error);

/* Reads INI text from memory; `path` only names the text in messages. NULL and
 * *error on failure. */
struct ini *ini_parse(const char *path, const char *text, size_t size,
		      struct error *error);
/* Reads of a file for --config the sections "kind:Name" of one kind
 * (base/settings.h), and names them "Name". */
struct ini *ini_read_part(const char *path, const char *kind,
			  struct error *error);
void ini_free(struct ini *ini);

/* From now on the variables of these settings replace the file's, and sections
 * that they name are there. The settings must outlive the ini. */
void ini_attach(struct ini *ini, struct settings *settings, const char *kind);
/* settings_note() of the attached settings. */
void ini_note(struct ini *ini, const char *section, const char *name,
	      const char *text, bool given, bool fixed);

const char *ini_path(const struct ini *ini);

/* Sections in file order. */
size_t ini_section_count(const struct ini *ini);
struct ini_section *ini_section_at(struct ini *ini, size_t index);
struct ini_section *ini_section_find(struct ini *ini, const char *name);
/* The section "<kind> <name>", or NULL. */
struct ini_section *ini_section_of_kind(struct ini *ini, const char *kind,
					const char *name);
const char *ini_section_name(const struct ini_section *section);
/* If a section's name is "<kind> <rest>", the rest; or NULL. */
const char *ini_name_after(const char *name, const char *kind);
/* If `name` starts with `prefix`, the rest; or NULL. */
const char *ini_name_tail(const char *name, const char *prefix);
int ini_section_line(const struct ini_section *section);
/* Marks the section as known without reading a variable of it. */
void ini_section_use(struct ini_section *section);

/* Variables in file order; finding or visiting one marks it used. NULL when
 * the section is NULL or has no such variable. */
size_t ini_value_count(const struct ini_section *section);
struct ini_value *ini_value_at(struct ini_section *section, size_t index);
struct ini_value *ini_find(struct ini_section *section, const char *name);

/* Typed reads of one value: 0, or -1 with "file:line: [section] name = text:
 * why". Integers accept decimal, 0x hexadecimal and the suffixes k, M, G
 * (powers of 1024); booleans t/f, true/false, yes/no, 1/0. */
int ini_get_u64(struct ini_value *value, uint64_t minimum, uint64_t maximum,
		uint64_t *result, struct error *error);
int ini_get_double(struct ini_value *value, double minimum, double maximum,
		   double *result, struct error *error);
int ini_get_bool(struct ini_value *value, bool *result, struct error *error);
/* `choices`: names separated by '|'; *result is the index of the match. */
int ini_get_choice(struct ini_value *value, const char *choices, int *result,
		   struct error *error);

/* "file:line: [section] name = text: <message>". Returns -1. */
int ini_error(const struct ini_value *value, struct error *error,
	      const char *format, ...) __attribute__((format(printf, 3, 4)));
/* "file:line: [section]: <message>". Returns -1. */
int ini_section_error(const struct ini_section *section, struct error *error,
		      const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* -1 and a message for the first section or variable that has not been looked
 * up, with the most similar name that has been, if there is one; else 0. */
int ini_check(struct ini *ini, struct error *error);

#endif
