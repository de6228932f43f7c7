#include "base/settings.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/nearest.h"

static const char *const kinds[] = {"x86", "evg", "mem", "net"};

struct setting {
	char *text;	       /* as on the command line */
	const char *kind; /* NULL: of any */
	char *variable;   /* "Section.Variable", may have wildcards */
	const char *value;
	unsigned used; /* a bit for each kind of file */
	char *near;    /* the variable to suggest, or NULL */
};

struct note {
	const char *kind;
	char *section, *name, *text;
	bool given, fixed;
};

struct settings {
	const char *file;
	struct setting *list;
	size_t count, capacity;
	bool recording;
	struct note *notes;
	size_t note_count, note_capacity;
};

struct settings *settings_create(void)
{
	return xcalloc(1, sizeof(struct settings));
}

void settings_free(struct settings *settings)
{
	if (!settings)
		return;
	for (size_t i = 0; i < settings->count; i++) {
		free(settings->list[i].text);
		free(settings->list[i].variable);
		free(settings->list[i].near);
	}
	for (size_t i = 0; i < settings->note_count; i++) {
		free(settings->notes[i].section);
		free(settings->notes[i].name);
		free(settings->notes[i].text);
	}
	free(settings->list);
	free(settings->notes);
	free(settings);
}

void settings_set_file(struct settings *settings, const char *path)
{
	settings->file = path;
}

const char *settings_file(const struct settings *settings)
{
	return settings->file;
}

const char *settings_kind(const char *text, const char **rest)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t length = strlen(kinds[i]);

		if (!strncasecmp(text, kinds[i], length) &&
		    text[length] == ':') {
			*rest = text + length + 1;
			return kinds[i];
		}
	}
	return NULL;
}

int settings_add(struct settings *settings, const char *text,
		 struct error *error)
{
	const char *variable = text, *equals = strchr(text, '='), *dot;
	struct setting setting = { 0 };

	setting.kind = settings_kind(text, &variable);
	dot = strchr(variable, '.');
	if (!equals || !dot || dot == variable || dot + 1 >= equals)
		return error_set(error,
				 "--set %s: expected "
				 "Section.Variable=value",
				 text);
	setting.variable =
	    xasprintf("%.*s", (int)(equals - variable), variable);
	setting.text = xstrdup(text);
	setting.value = setting.text + (equals + 1 - text);
	ARRAY_GROW(settings->list, settings->count, settings->capacity);
	settings->list[settings->count++] = setting;
	return 0;
}

size_t settings_count(const struct settings *settings)
{
	return settings->count;
}

static bool is_of(const struct setting *setting, const char *kind)
{
	return !setting->kind || !strcmp(setting->kind, kind);
}

static unsigned bit_of(const char *kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i], kind))
			return 1u << i;
	return 0;
}

const char *settings_find(struct settings *settings, const char *kind,
			  const char *section, const char *name)
{
	const char *value = NULL;
	char *variable;

	if (!settings->count)
		return NULL;
	variable = xasprintf("%s.%s", section, name);
	for (size_t i = 0; i < settings->count; i++) {
		struct setting *setting = &settings->list[i];

		if (!is_of(setting, kind) ||
		    fnmatch(setting->variable, variable, FNM_CASEFOLD))
			continue;
		setting->used |= bit_of(kind);
		value = setting->value;
	}
	free(variable);
	return value;
}

/* "Section." of the setting's variable is this section. */
static bool is_in(const struct setting *setting, const char *section)
{
	size_t length = strlen(section);

	return !strncasecmp(setting->variable, section, length) &&
	       setting->variable[length] == '.';
}

bool settings_names(const struct settings *settings, const char *kind,
		    const char *section)
{
	for (size_t i = 0; i < settings->count; i++)
		if (is_of(&settings->list[i], kind) &&
		    is_in(&settings->list[i], section))
			return true;
	return false;
}

void settings_suggest(struct settings *settings, const char *kind,
		      const char *section, const char *const *names,
		      size_t count)
{
	for (size_t i = 0; i < settings->count; i++) {
		struct setting *setting = &settings->list[i];
		const char *near;

		if (setting->used || setting->near || !is_of(setting, kind) ||
		    !is_in(setting, section))
			continue;
		near = nearest_name(setting->variable + strlen(section) + 1,
				    names, count);
		if (near)
			setting->near = xasprintf("%s.%s", section, near);
	}
}

static int ambiguous(const struct setting *setting, struct error *error)
{
	const char *first = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!(setting->used & 1u << i))
			continue;
		if (first)
			return error_set(error,
					 "--set %s: --%s-config and "
					 "--%s-config have this variable: "
					 "expected %s:%s or %s:%s",
					 setting->text, first, kinds[i], first,
					 setting->text, kinds[i],
					 setting->text);
		first = kinds[i];
	}
	return 0;
}

int settings_check(const struct settings *settings, struct error *error)
{
	for (size_t i = 0; i < settings->count; i++) {
		const struct setting *setting = &settings->list[i];

		if (setting->used && ambiguous(setting, error))
			return -1;
		if (setting->used)
			continue;
		if (setting->near)
			return error_set(error,
					 "--set %s: no such variable "
					 "(did you mean %s?)",
					 setting->text, setting->near);
		return error_set(error,
				 "--set %s: nothing in this run has "
				 "such a variable (m2s --print-config with the "
				 "same options lists all)",
				 setting->text);
	}
	return 0;
}

void settings_record(struct settings *settings)
{
	settings->recording = true;
}

/* A note of the same variable, which may be read twice. */
static struct note *find_note(struct settings *settings, const char *kind,
			      const char *section, const char *name)
{
	for (size_t i = 0; i < settings->note_count; i++) {
		struct note *note = &settings->notes[i];

		if (!strcmp(note->kind, kind) &&
		    !strcasecmp(note->section, section) &&
		    !strcasecmp(note->name, name))
			return note;
	}
	return NULL;
}

void settings_note(struct settings *settings, const char *kind,
		   const char *section, const char *name, const char *text,
		   bool given, bool fixed)
{
	struct note *note;

	if (!settings->recording)
		return;
	note = find_note(settings, kind, section, name);
	if (note) {
		free(note->text);
	} else {
		ARRAY_GROW(settings->notes, settings->note_count,
			   settings->note_capacity);
		note = &settings->notes[settings->note_count++];
		note->kind = kind;
		note->section = xstrdup(section);
		note->name = xstrdup(name);
	}
	note->text = xstrdup(text);
	note->given = given;
	note->fixed = fixed;
}

static bool same_section(const struct note *one, const struct note *other)
{
	return !strcmp(one->kind, other->kind) &&
	       !strcasecmp(one->section, other->section);
}

static bool is_first(const struct settings *settings, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (same_section(&settings->notes[i], &settings->notes[index]))
			return false;
	return true;
}

void settings_print(const struct settings *settings, FILE *stream)
{
	for (size_t i = 0; i < settings->note_count; i++) {
		const struct note *head = &settings->notes[i];

		if (!is_first(settings, i))
			continue;
		fprintf(stream, "%s[ %s:%s ]\n", i ? "\n" : "", head->kind,
			head->section);
		for (size_t j = i; j < settings->note_count; j++) {
			const struct note *note = &settings->notes[j];

			if (!same_section(head, note))
				continue;
			fprintf(stream, "%s%s = %s\n",
				note->given || note->fixed ? "" : "; ",
				note->name, note->text);
		}
	}
}
