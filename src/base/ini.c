#include "base/ini-internal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "base/settings.h"

/* The place of values that --set gives. */
static const char SETTING_PATH[] = "--set";

static void remember(char ***asked, size_t *count, size_t *capacity,
		     const char *name)
{
	for (size_t i = 0; i < *count; i++)
		if (!strcasecmp((*asked)[i], name))
			return;
	ARRAY_GROW(*asked, *count, *capacity);
	(*asked)[(*count)++] = xstrdup(name);
}

struct ini_section *ini_section_lookup(const struct ini *ini,
					  const char *name)
{
	for (size_t i = 0; i < ini->count; i++)
		if (!strcasecmp(ini->sections[i]->name, name))
			return ini->sections[i];
	return NULL;
}

struct ini_value *ini_value_lookup(const struct ini_section *section,
				      const char *name)
{
	for (size_t i = 0; i < section->count; i++)
		if (!strcasecmp(section->values[i].name, name))
			return &section->values[i];
	return NULL;
}

struct ini_section *ini_section_add(struct ini *ini, char *name, int line)
{
	struct ini_section *section = xcalloc(1, sizeof *section);

	section->ini = ini;
	section->name = name;
	section->line = line;
	ARRAY_GROW(ini->sections, ini->count, ini->capacity);
	ini->sections[ini->count++] = section;
	return section;
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
		for (size_t j = 0; j < section->set_count; j++) {
			free((char *)section->set[j]->name);
			free((char *)section->set[j]->text);
			free(section->set[j]);
		}
		free(section->set);
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

void ini_attach(struct ini *ini, struct settings *settings, const char *kind)
{
	ini->settings = settings;
	ini->kind = kind;
}

void ini_note(struct ini *ini, const char *section, const char *name,
	      const char *text, bool given, bool fixed)
{
	if (ini->settings)
		settings_note(ini->settings, ini->kind, section, name, text,
			      given, fixed);
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
	struct ini_section *section = ini_section_lookup(ini, name);

	remember(&ini->asked, &ini->asked_count, &ini->asked_capacity, name);
	if (!section && ini->settings &&
	    settings_names(ini->settings, ini->kind, name))
		section = ini_section_add(ini, xstrdup(name), 0);
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

/* The variable as --set sets it, in the place of what the file has. A value
 * keeps its place in memory, since readers hold pointers to values. */
static struct ini_value *find_setting(struct ini_section *section,
				      const char *name)
{
	const struct ini *ini = section->ini;
	const char *text = ini->settings
				   ? settings_find(ini->settings, ini->kind,
						   section->name, name)
				   : NULL;
	struct ini_value *value;

	if (!text)
		return NULL;
	value = ini_value_lookup(section, name);
	for (size_t i = 0; !value && i < section->set_count; i++)
		if (!strcasecmp(section->set[i]->name, name))
			value = section->set[i];
	if (!value) {
		value = xcalloc(1, sizeof *value);
		value->name = xstrdup(name);
		ARRAY_GROW(section->set, section->set_count,
			   section->set_capacity);
		section->set[section->set_count++] = value;
	} else if (!strcmp(value->path, SETTING_PATH)) {
		return value;
	}
	free((char *)value->text);
	value->text = ini_tidy(text, text + strlen(text));
	value->path = SETTING_PATH;
	value->section = section->name;
	value->line = 0;
	return value;
}

struct ini_value *ini_find(struct ini_section *section, const char *name)
{
	struct ini_value *value;

	if (!section)
		return NULL;
	section->used = true;
	remember(&section->asked, &section->asked_count,
		 &section->asked_capacity, name);
	value = find_setting(section, name);
	if (!value)
		value = ini_value_lookup(section, name);
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
	if (!section->line)
		return error_prefix(error, "%s: [%s]", SETTING_PATH,
				    section->name);
	return error_prefix(error, "%s:%d: [%s]", section->ini->path,
			    section->line, section->name);
}

int ini_check(struct ini *ini, struct error *error)
{
	for (size_t i = 0; i < ini->count; i++) {
		struct ini_section *section = ini->sections[i];
		const char *near;

		if (ini->settings)
			settings_suggest(ini->settings, ini->kind,
					 section->name,
					 (const char *const *)section->asked,
					 section->asked_count);
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
