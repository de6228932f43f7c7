/* Reading the text of an INI variable as a number, a boolean or a choice. */
#include "base/ini-internal.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"

char *ini_tidy(const char *start, const char *end)
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

int ini_error(const struct ini_value *value, struct error *error,
	      const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	error_vset(error, format, arguments);
	va_end(arguments);
	if (!value->line)
		return error_prefix(error, "%s: [%s] %s = %s", value->path,
				    value->section, value->name, value->text);
	return error_prefix(error, "%s:%d: [%s] %s = %s", value->path,
			    value->line, value->section, value->name,
			    value->text);
}

int ini_get_u64(struct ini_value *value, uint64_t minimum, uint64_t maximum,
		uint64_t *result, struct error *error)
{
	const char *text = value->text;
	unsigned long long number, scale = 1;
	char *end;

	errno = 0;
	number = strtoull(text, &end, 0);
	if (end == text || !isdigit((unsigned char)*text))
		return ini_error(value, error, "expected a whole number");
	switch (tolower((unsigned char)*end)) {
	case 'g':
		scale *= 1024; /* fall through */
	case 'm':
		scale *= 1024; /* fall through */
	case 'k':
		scale *= 1024;
		end++;
	}
	if (*end)
		return ini_error(value, error,
				 "expected a whole number, found '%s' after "
				 "it", end);
	if (errno == ERANGE || __builtin_mul_overflow(number, scale, &number) ||
	    number < minimum || number > maximum)
		return ini_error(value, error, "expected %llu to %llu",
				 (unsigned long long)minimum,
				 (unsigned long long)maximum);
	*result = number;
	return 0;
}

int ini_get_double(struct ini_value *value, double minimum, double maximum,
		   double *result, struct error *error)
{
	char *end;
	double number = strtod(value->text, &end);

	if (end == value->text || *end || isnan(number))
		return ini_error(value, error, "expected a number");
	if (number < minimum || number > maximum)
		return ini_error(value, error, "expected %g to %g", minimum,
				 maximum);
	*result = number;
	return 0;
}

int ini_get_bool(struct ini_value *value, bool *result, struct error *error)
{
	static const char *const names[] = { "f",  "t",   "false", "true",
					     "no", "yes", "0",     "1" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcasecmp(value->text, names[i])) {
			*result = i & 1;
			return 0;
		}
	return ini_error(value, error, "expected t or f");
}

int ini_get_choice(struct ini_value *value, const char *choices, int *result,
		   struct error *error)
{
	size_t length = strlen(value->text);
	const char *choice = choices;

	for (int index = 0; *choice; index++) {
		size_t size = strcspn(choice, "|");

		if (size == length && !strncasecmp(choice, value->text, size)) {
			*result = index;
			return 0;
		}
		choice += size + (choice[size] == '|');
	}
	return ini_error(value, error, "expected one of %s", choices);
}
