/* Variables of configuration files that the command line sets, and the record
 * of all variables that were read.
 *
 * Each kind of configuration file has a short name: "x86", "evg", "mem" or
 * "net". A setting is "Section.Variable=value", or "kind:Section.Variable=value"
 * where two kinds have the variable. `*` and `?` in it match as in a shell, so
 * that one setting reaches many sections. The last setting that matches counts.
 * base/config-file.h joins settings and files. */
#ifndef M2S_BASE_SETTINGS_H
#define M2S_BASE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

struct settings;

struct settings *settings_create(void);
void settings_free(struct settings *settings);

/* The file of --config, which has all kinds of sections; NULL: none. */
void settings_set_file(struct settings *settings, const char *path);
const char *settings_file(const struct settings *settings);

/* The name of a kind of which `text` is "kind:rest", and *rest; or NULL. */
const char *settings_kind(const char *text, const char **rest);

/* Adds the setting of one --set. -1 and *error if it is malformed. */
int settings_add(struct settings *settings, const char *text,
		 struct error *error);
size_t settings_count(const struct settings *settings);

/* The value that a variable is set to, or NULL. Settings that match count as
 * used. */
const char *settings_find(struct settings *settings, const char *kind,
			  const char *section, const char *name);
/* Whether a setting names this section. One with wildcards does not. */
bool settings_names(const struct settings *settings, const char *kind,
		    const char *section);
/* The reader of a section has looked for all these variables. If an unused
 * setting is for the section, its message will suggest the nearest name. */
void settings_suggest(struct settings *settings, const char *kind,
		      const char *section, const char *const *names,
		      size_t count);
/* After all files have been read: -1 and *error for a setting of which no
 * reader has the variable, or readers of two kinds. */
int settings_check(const struct settings *settings, struct error *error);

/* From now on settings_note() keeps what it gets. */
void settings_record(struct settings *settings);
/* A variable that was read, in the order of reading. `given`: by a file or a
 * setting; else the text is the value in effect. `fixed`: every file of the
 * kind has this section. */
void settings_note(struct settings *settings, const char *kind,
		   const char *section, const char *name, const char *text,
		   bool given, bool fixed);
/* Writes the record as a file for --config: sections "[ kind:Section ]" in
 * order. A value that was not given stands behind a `;` where the section is
 * not a fixed one, because there one variable can exclude another. */
void settings_print(const struct settings *settings, FILE *stream);

#endif
