#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/timing/study/study.h"

enum { MOST_PREDICTORS = 65536, MOST_VALUES = 4096, MOST_VARIED = 8 };

/* A variable of a section with more than one value. */
struct varied {
	struct ini_value *value;
	char **texts;
	size_t count, capacity;
};

struct section {
	struct ini_section *section;
	struct ini *ini;
	struct varied varied[MOST_VARIED];
	size_t count;
};

static void add_text(struct varied *varied, char *text)
{
	ARRAY_GROW(varied->texts, varied->count, varied->capacity);
	varied->texts[varied->count++] = text;
}

static int read_number(const struct ini_value *value, const char *text,
		       uint64_t *number, struct error *error)
{
	struct ini_value one = *value;

	one.text = text;
	return ini_get_u64(&one, 0, UINT32_MAX, number, error);
}

/* `A..B xK` or `A..B +K`. */
static int expand_range(struct varied *varied, const char *dots,
			struct error *error)
{
	struct ini_value *value = varied->value;
	char *from = xstrdup(value->text);
	char *until = from + (dots - value->text) + 2;
	char *step = until + strcspn(until, "x+ \t");
	uint64_t first, last, by;
	char sign;
	int status = -1;

	from[dots - value->text] = '\0';
	step += strspn(step, " \t");
	sign = *step;
	if (sign)
		*step++ = '\0';
	until[strcspn(until, " \t")] = '\0';
	if ((sign != 'x' && sign != '+') || !*step)
		ini_error(value, error, "expected a range such as 256..65536 "
			  "x2 or 1..8 +1");
	else if (!read_number(value, from, &first, error) &&
		 !read_number(value, until, &last, error) &&
		 !read_number(value, step, &by, error))
		status = 0;
	free(from);
	if (status)
		return -1;
	if (first > last || by < (sign == 'x' ? 2 : 1) ||
	    (sign == 'x' && !first))
		return ini_error(value, error, "a range that never ends or "
				 "never begins");
	for (uint64_t at = first; at <= last;
	     at = sign == 'x' ? at * by : at + by) {
		if (varied->count == MOST_VALUES)
			return ini_error(value, error,
					 "a range of more than %d values",
					 MOST_VALUES);
		add_text(varied, xasprintf("%" PRIu64, at));
	}
	return 0;
}

static int expand_list(struct varied *varied, struct error *error)
{
	for (const char *at = varied->value->text;;) {
		size_t length = strcspn(at, ","), blank = strspn(at, " \t");
		size_t end = length;

		while (end > blank && strchr(" \t", at[end - 1]))
			end--;
		if (blank >= end)
			return ini_error(varied->value, error,
					 "the list has an empty value");
		add_text(varied, xasprintf("%.*s", (int)(end - blank),
					   at + blank));
		if (!at[length])
			return 0;
		at += length + 1;
	}
}

static int find_varied(struct section *section, struct error *error)
{
	for (size_t i = 0; i < ini_value_count(section->section); i++) {
		struct ini_value *value = ini_value_at(section->section, i);
		const char *dots = strstr(value->text, "..");
		struct varied *varied = &section->varied[section->count];

		if (!dots && !strchr(value->text, ','))
			continue;
		if (section->count == MOST_VARIED)
			return ini_error(value, error, "more than %d variables "
					 "with several values", MOST_VARIED);
		*varied = (struct varied){ .value = value };
		section->count++;
		if (dots ? expand_range(varied, dots, error)
			 : expand_list(varied, error))
			return -1;
	}
	return 0;
}

/* The value of a variable in combination `number`. */
static const char *text_of(const struct section *section,
			   const struct ini_value *value, size_t number)
{
	for (size_t i = section->count; i-- > 0;) {
		const struct varied *varied = &section->varied[i];

		if (varied->value == value)
			return varied->texts[number % varied->count];
		number /= varied->count;
	}
	return value->text;
}

static char *name_of(const struct section *section, size_t number)
{
	char *name = xstrdup(ini_section_name(section->section));

	for (size_t i = 0; i < section->count; i++) {
		const struct ini_value *value = section->varied[i].value;
		char *longer = xasprintf("%s%c%s=%s", name, i ? ',' : ' ',
					 value->name,
					 text_of(section, value, number));

		free(name);
		name = longer;
	}
	return name;
}

/* The section with single values. Each variable keeps its line in the file, for
 * messages. */
static char *text_of_one(struct section *section, size_t number, size_t *size)
{
	char *text;
	FILE *stream = open_memstream(&text, size);
	int line = 1;

	for (; line < ini_section_line(section->section); line++)
		fputc('\n', stream);
	fprintf(stream, "[ %s ]", ini_section_name(section->section));
	for (size_t i = 0; i < ini_value_count(section->section); i++) {
		struct ini_value *value = ini_value_at(section->section, i);

		for (; line < value->line; line++)
			fputc('\n', stream);
		fprintf(stream, "%s = %s", value->name,
			text_of(section, value, number));
	}
	fputc('\n', stream);
	fclose(stream);
	return text;
}

static int add_one(struct study_list *predictors, struct section *section,
		   size_t number, struct error *error)
{
	size_t size;
	char *text = text_of_one(section, number, &size);
	struct ini *ini =
		ini_parse(ini_path(section->ini), text, size, error);
	struct study_predictor *predictor;
	int status = -1;

	ARRAY_GROW(predictors->list, predictors->count, predictors->capacity);
	predictor = &predictors->list[predictors->count];
	*predictor = (struct study_predictor){ 0 };
	if (ini && !predict_config_read_section(&predictor->config, ini,
						ini_section_at(ini, 0),
						error) &&
	    !ini_check(ini, error)) {
		predictor->name = name_of(section, number);
		predictors->count++;
		predictor->storage_bits =
			predict_unit_storage_bits(&predictor->config);
		status = 0;
	}
	if (ini)
		ini_free(ini);
	free(text);
	return status;
}

static int add_section(struct study_list *predictors, struct section *section,
		       struct error *error)
{
	size_t combinations = 1;

	if (find_varied(section, error))
		return -1;
	for (size_t i = 0; i < section->count; i++) {
		combinations *= section->varied[i].count;
		if (combinations + predictors->count > MOST_PREDICTORS)
			return ini_section_error(section->section, error,
						 "more than %d predictors",
						 MOST_PREDICTORS);
	}
	for (size_t number = 0; number < combinations; number++)
		if (add_one(predictors, section, number, error))
			return -1;
	return 0;
}

static int by_name(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

static int check_names(const struct study_list *predictors, const char *path,
		       struct error *error)
{
	const char **names = xcalloc(predictors->count + 1, sizeof *names);
	int status = 0;

	for (size_t i = 0; i < predictors->count; i++)
		names[i] = predictors->list[i].name;
	qsort(names, predictors->count, sizeof *names, by_name);
	for (size_t i = 1; i < predictors->count && !status; i++)
		if (!strcmp(names[i - 1], names[i]))
			status = error_set(error, "%s: two predictors are "
					   "called '%s'", path, names[i]);
	free(names);
	return status;
}

int study_list_parse(struct study_list *predictors, struct ini *ini,
		     struct error *error)
{
	for (size_t i = 0; i < ini_section_count(ini); i++) {
		struct section section = {
			.section = ini_section_at(ini, i),
			.ini = ini,
		};
		int status = add_section(predictors, &section, error);

		for (size_t k = 0; k < section.count; k++) {
			for (size_t n = 0; n < section.varied[k].count; n++)
				free(section.varied[k].texts[n]);
			free(section.varied[k].texts);
		}
		if (status)
			return -1;
	}
	if (!predictors->count)
		return error_set(error, "%s: expected a section for each "
					"predictor, found none", ini_path(ini));
	return check_names(predictors, ini_path(ini), error);
}

int study_list_read(struct study_list *predictors, const char *path,
		    struct error *error)
{
	struct ini *ini = ini_read(path, error);
	int status = ini ? study_list_parse(predictors, ini, error) : -1;

	if (ini)
		ini_free(ini);
	return status;
}

void study_list_clear(struct study_list *predictors)
{
	for (size_t i = 0; i < predictors->count; i++)
		free(predictors->list[i].name);
	free(predictors->list);
	*predictors = (struct study_list){ 0 };
}
