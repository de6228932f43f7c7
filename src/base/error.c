#include "base/error.h"

#include <stdio.h>
#include <string.h>

int error_vset(struct error *error, const char *format, va_list arguments)
{
	if (error)
		vsnprintf(error->text, sizeof error->text, format, arguments);
	return -1;
}

int error_set(struct error *error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	error_vset(error, format, arguments);
	va_end(arguments);
	return -1;
}

int error_prefix(struct error *error, const char *format, ...)
{
	char old[sizeof error->text];
	va_list arguments;
	size_t used;

	if (!error)
		return -1;
	memcpy(old, error->text, sizeof old);
	va_start(arguments, format);
	vsnprintf(error->text, sizeof error->text, format, arguments);
	va_end(arguments);
	used = strlen(error->text);
	snprintf(error->text + used, sizeof error->text - used, ": %s", old);
	return -1;
}
