#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *check_allocated(void *pointer, size_t size)
{
	if (pointer || !size)
		return pointer;
	fprintf(stderr,
		"m2s: error: out of host memory (%zu bytes asked for)\n", size);
	exit(1);
}

void *xmalloc(size_t size)
{
	return check_allocated(malloc(size), size);
}

void *xcalloc(size_t count, size_t size)
{
	return check_allocated(calloc(count, size), count && size ? count : 0);
}

static size_t whole_lines(size_t size)
{
	return size ? (size + 127) & ~(size_t)127 : 128;
}

void *xmalloc_aligned(size_t size)
{
	return check_allocated(aligned_alloc(128, whole_lines(size)), size);
}

void *xcalloc_aligned(size_t size)
{
	return memset(xmalloc_aligned(size), 0, whole_lines(size));
}

void *xrealloc(void *pointer, size_t size)
{
	return check_allocated(realloc(pointer, size), size);
}

void memory_clear(void *object, size_t size)
{
	memset(object, 0, size);
}

char *xstrdup(const char *text)
{
	return check_allocated(strdup(text), 1);
}

char *xasprintf(const char *format, ...)
{
	va_list arguments;
	char *text = NULL;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	return check_allocated(text, 1);
}
