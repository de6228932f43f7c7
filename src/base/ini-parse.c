/* Reading the text of INI files. */
#include "base/ini-internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/settings.h"

/* In a file for --config: the section's name without its kind. NULL and *error
 * if it has none. */
static char *without_kind(struct ini *ini, char *name, int line,
			  struct error *error)
{
	const char *rest, *kind = settings_kind(name, &rest);
	char *bare = NULL;

	if (kind)
		bare = ini_tidy(rest, rest + strlen(rest));
	else
		error_set(error,
			  "%s:%d: [%s]: expected x86:, evg:, mem: or "
			  "net: before the section's name",
			  ini->path, line, name);
	ini->skipping = kind && strcmp(kind, ini->part);
	free(name);
	return bare;
}

static int parse_section(struct ini *ini, const char *start, const char *end,
			 int line, struct error *error)
{
	const char *close = memchr(start, ']', (size_t)(end - start));
	struct ini_section *old;
	char *name;

	if (!close)
		return error_set(error,
				 "%s:%d: the section name has no "
				 "closing ']'",
				 ini->path, line);
	for (const char *rest = close + 1; rest < end; rest++) {
		if (*rest == ';' || *rest == '#')
			break;
		if (!isspace((unsigned char)*rest))
			return error_set(error,
					 "%s:%d: unexpected text after the "
					 "section name",
					 ini->path, line);
	}
	name = ini_tidy(start + 1, close);
	if (ini->part && *name) {
		name = without_kind(ini, name, line, error);
		if (!name)
			return -1;
		if (ini->skipping) {
			free(name);
			return 0;
		}
	}
	if (!*name) {
		free(name);
		return error_set(error, "%s:%d: the section name is empty",
				 ini->path, line);
	}
	old = ini_section_lookup(ini, name);
	if (old) {
		free(name);
		return error_set(error,
				 "%s:%d: section [%s] was already given in "
				 "line %d",
				 ini->path, line, old->name, old->line);
	}
	ini_section_add(ini, name, line);
	return 0;
}

static int parse_value(struct ini *ini, const char *start, const char *end,
		       int line, struct error *error)
{
	const char *equals = memchr(start, '=', (size_t)(end - start));
	struct ini_section *section;
	struct ini_value *value, *old;
	char *name;

	if (!equals)
		return error_set(error,
				 "%s:%d: expected '[section]' or "
				 "'variable = value'",
				 ini->path, line);
	if (ini->skipping)
		return 0;
	if (!ini->count)
		return error_set(error,
				 "%s:%d: a variable stands before the "
				 "first [section]",
				 ini->path, line);
	section = ini->sections[ini->count - 1];
	name = ini_tidy(start, equals);
	if (!*name) {
		free(name);
		return error_set(error,
				 "%s:%d: expected the name of a "
				 "variable before '='",
				 ini->path, line);
	}
	old = ini_value_lookup(section, name);
	if (old) {
		free(name);
		return error_set(
		    error, "%s:%d: [%s] %s was already given in line %d",
		    ini->path, line, section->name, old->name, old->line);
	}
	for (const char *c = equals + 1; c < end; c++)
		if (*c == ';' || (*c == '#' && isspace((unsigned char)c[-1])))
			end = c;
	ARRAY_GROW(section->values, section->count, section->capacity);
	value = &section->values[section->count++];
	*value = (struct ini_value){
	    .path = ini->path,
	    .line = line,
	    .section = section->name,
	    .name = name,
	    .text = ini_tidy(equals + 1, end),
	};
	return 0;
}

static struct ini *parse(const char *path, const char *part, const char *text,
			 size_t size, struct error *error)
{
	const char *end = text + size;
	struct ini *ini = xcalloc(1, sizeof *ini);
	int line = 0, status = 0;

	ini->path = xstrdup(path);
	ini->part = part;
	if (memchr(text, '\0', size)) {
		error_set(error, "%s: not a text file (it has a zero byte)",
			  path);
		ini_free(ini);
		return NULL;
	}
	for (const char *start = text; start < end && !status; line++) {
		const char *stop = memchr(start, '\n', (size_t)(end - start));
		const char *next = stop ? stop + 1 : end;

		if (!stop)
			stop = end;
		while (start < stop && isspace((unsigned char)*start))
			start++;
		if (start == stop || *start == ';' || *start == '#')
			;
		else if (*start == '[')
			status =
			    parse_section(ini, start, stop, line + 1, error);
		else
			status = parse_value(ini, start, stop, line + 1, error);
		start = next;
	}
	if (status) {
		ini_free(ini);
		return NULL;
	}
	return ini;
}

struct ini *ini_parse(const char *path, const char *text, size_t size,
		      struct error *error)
{
	return parse(path, NULL, text, size, error);
}

struct ini *ini_read(const char *path, struct error *error)
{
	return ini_read_part(path, NULL, error);
}

struct ini *ini_read_part(const char *path, const char *part,
			  struct error *error)
{
	FILE *stream = fopen(path, "re");
	struct ini *ini;
	char *text = NULL;
	size_t size = 0, capacity = 0;

	if (!stream) {
		error_set(error, "%s: cannot read: %s", path, strerror(errno));
		return NULL;
	}
	do {
		capacity = capacity ? 2 * capacity : 4096;
		text = xrealloc(text, capacity);
		size += fread(text + size, 1, capacity - size, stream);
	} while (size == capacity);
	if (ferror(stream)) {
		error_set(error, "%s: cannot read: %s", path, strerror(errno));
		ini = NULL;
	} else {
		ini = parse(path, part, text, size, error);
	}
	fclose(stream);
	free(text);
	return ini;
}
