#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *check(void *pointer, size_t size)
{
	if (pointer || !size)
		return pointer;
	fprintf(stderr,
		"m2s: error: out of host memory (%zu bytes asked for)\n", size);
	exit(1);
}

void *xmalloc(size_t size)
{
	return check(malloc(size), size);
}

void *xcalloc(size_t count, size_t size)
{
	return check(calloc(count, size), count && size ? count : 0);
}

void *xcalloc_aligned(size_t size)
{
	size_t rounded = (size + 63) & ~(size_t)63;
	void *place;

	rounded = rounded ? rounded : 64;
	place = check(aligned_alloc(64, rounded), rounded);
	return memset(place, 0, rounded);
}

void *xrealloc(void *pointer, size_t size)
{
	return check(realloc(pointer, size), size);
}

char *xstrdup(const char *text)
{
	return check(strdup(text), 1);
}

char *xasprintf(const char *format, ...)
{
	va_list arguments;
	char *text = NULL;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	return check(text, 1);
}
