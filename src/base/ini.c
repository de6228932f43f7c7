#include "base/ini.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/nearest.h"

struct ini_section {
	const struct ini *ini;
	char *name;
	int line;
	bool used;
	struct ini_value *values;
	size_t count, capacity;
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
};

static void remember(char ***asked, size_t *count, size_t *capacity,
		     const char *name)
{
	for (size_t i = 0; i < *count; i++)
		if (!strcasecmp((*asked)[i], name))
			return;
	ARRAY_GROW(*asked, *count, *capacity);
	(*asked)[(*count)++] = xstrdup(name);
}

/* Copies [start, end) without surrounding blanks, inner runs as one blank. */
static char *tidy(const char *start, const char *end)
{
	char *text = xmalloc((size_t)(end - start) + 1), *out = text;

	while (start < end && isspace((unsigned char)*start))
		start++;
	while (end > start && isspace((unsigned char)end[-1]))
		end--;
	while (start < end) {
		if (isspace((unsigned char)*start)) {
			*out++ = ' ';
			while (start < end && isspace((unsigned char)*start))
				start++;
		} else {
			*out++ = *start++;
		}
	}
	*out = '\0';
	return text;
}

static struct ini_section *section_lookup(const struct ini *ini,
					  const char *name)
{
	for (size_t i = 0; i < ini->count; i++)
		if (!strcasecmp(ini->sections[i]->name, name))
			return ini->sections[i];
	return NULL;
}

static struct ini_value *value_lookup(const struct ini_section *section,
				      const char *name)
{
	for (size_t i = 0; i < section->count; i++)
		if (!strcasecmp(section->values[i].name, name))
			return &section->values[i];
	return NULL;
}

static int parse_section(struct ini *ini, const char *start, const char *end,
			 int line, struct error *error)
{
	const char *close = memchr(start, ']', (size_t)(end - start));
	struct ini_section *section, *old;
	char *name;

	if (!close)
		return error_set(error, "%s:%d: the section name has no "
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
	name = tidy(start + 1, close);
	if (!*name) {
		free(name);
		return error_set(error, "%s:%d: the section name is empty",
					ini->path,
				 line);
	}
	old = section_lookup(ini, name);
	if (old) {
		free(name);
		return error_set(error,
				 "%s:%d: section [%s] was already given in "
				 "line %d", ini->path, line, old->name,
				 old->line);
	}
	section = xcalloc(1, sizeof *section);
	section->ini = ini;
	section->name = name;
	section->line = line;
	ARRAY_GROW(ini->sections, ini->count, ini->capacity);
	ini->sections[ini->count++] = section;
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
				 "'variable = value'", ini->path, line);
	if (!ini->count)
		return error_set(error, "%s:%d: a variable stands before the "
					"first [section]",
				 ini->path, line);
	section = ini->sections[ini->count - 1];
	name = tidy(start, equals);
	if (!*name) {
		free(name);
		return error_set(error, "%s:%d: expected the name of a "
					"variable before '='", ini->path,
				 line);
	}
	old = value_lookup(section, name);
	if (old) {
		free(name);
		return error_set(error,
				 "%s:%d: [%s] %s was already given in line %d",
				 ini->path, line, section->name, old->name,
				 old->line);
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
		.text = tidy(equals + 1, end),
	};
	return 0;
}

struct ini *ini_parse(const char *path, const char *text, size_t size,
		      struct error *error)
{
	const char *end = text + size;
	struct ini *ini = xcalloc(1, sizeof *ini);
	int line = 0, status = 0;

	ini->path = xstrdup(path);
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
			status = parse_section(ini, start, stop, line + 1,
					       error);
		else
			status = parse_value(ini, start, stop, line + 1,
					     error);
		start = next;
	}
	if (status) {
		ini_free(ini);
		return NULL;
	}
	return ini;
}

struct ini *ini_read(const char *path, struct error *error)
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
		ini = ini_parse(path, text, size, error);
	}
	fclose(stream);
	free(text);
	return ini;
}

void ini_free(struct ini *ini)
{
	if (!ini)
		return;
	for (size_t i = 0; i < ini->count; i++) {
		struct ini_section *section = ini->sections[i];

		for (size_t j = 0; j < section->count; j++) {
			free((char *)section->values[j].name);
			free((char *)section->values[j].text);
		}
		for (size_t j = 0; j < section->asked_count; j++)
			free(section->asked[j]);
		free(section->asked);
		free(section->values);
		free(section->name);
		free(section);
	}
	for (size_t i = 0; i < ini->asked_count; i++)
		free(ini->asked[i]);
	free(ini->asked);
	free(ini->sections);
	free(ini->path);
	free(ini);
}

const char *ini_path(const struct ini *ini)
{
	return ini->path;
}

size_t ini_section_count(const struct ini *ini)
{
	return ini->count;
}

struct ini_section *ini_section_at(struct ini *ini, size_t index)
{
	return index < ini->count ? ini->sections[index] : NULL;
}

struct ini_section *ini_section_find(struct ini *ini, const char *name)
{
	struct ini_section *section = section_lookup(ini, name);

	remember(&ini->asked, &ini->asked_count, &ini->asked_capacity, name);
	if (section)
		section->used = true;
	return section;
}

struct ini_section *ini_section_of_kind(struct ini *ini, const char *kind,
					const char *name)
{
	for (size_t i = 0; i < ini_section_count(ini); i++) {
		struct ini_section *section = ini_section_at(ini, i);
		const char *rest =
			ini_name_after(ini_section_name(section), kind);

		if (rest && !strcasecmp(rest, name))
			return section;
	}
	return NULL;
}

const char *ini_name_tail(const char *name, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncasecmp(name, prefix, length) ? NULL : name + length;
}

const char *ini_name_after(const char *name, const char *kind)
{
	const char *rest = ini_name_tail(name, kind);

	return rest && *rest == ' ' ? rest + 1 : NULL;
}

const char *ini_section_name(const struct ini_section *section)
{
	return section->name;
}

int ini_section_line(const struct ini_section *section)
{
	return section->line;
}

void ini_section_use(struct ini_section *section)
{
	section->used = true;
}

size_t ini_value_count(const struct ini_section *section)
{
	return section ? section->count : 0;
}

struct ini_value *ini_value_at(struct ini_section *section, size_t index)
{
	if (!section || index >= section->count)
		return NULL;
	section->used = true;
	section->values[index].used = true;
	return &section->values[index];
}

struct ini_value *ini_find(struct ini_section *section, const char *name)
{
	struct ini_value *value;

	if (!section)
		return NULL;
	section->used = true;
	remember(&section->asked, &section->asked_count,
		 &section->asked_capacity, name);
	value = value_lookup(section, name);
	if (value)
		value->used = true;
	return value;
}

int ini_section_error(const struct ini_section *section, struct error *error,
		      const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	error_vset(error, format, arguments);
	va_end(arguments);
	return error_prefix(error, "%s:%d: [%s]", section->ini->path,
			    section->line, section->name);
}

int ini_check(struct ini *ini, struct error *error)
{
	for (size_t i = 0; i < ini->count; i++) {
		struct ini_section *section = ini->sections[i];
		const char *near;

		if (!section->used) {
			near = nearest_name(section->name,
					    (const char *const *)ini->asked,
					    ini->asked_count);
			if (near)
				return ini_section_error(
					section, error,
					"no such section (did you mean "
					"'%s'?)", near);
			return ini_section_error(section, error,
						 "no such section");
		}
		for (size_t j = 0; j < section->count; j++) {
			struct ini_value *value = &section->values[j];

			if (value->used)
				continue;
			near = nearest_name(value->name,
					    (const char *const *)section->asked,
					    section->asked_count);
			if (near)
				return ini_error(value, error,
						 "no such variable (did you "
						 "mean '%s'?)", near);
			return ini_error(value, error, "no such variable");
		}
	}
	return 0;
}
