/* Host allocation that cannot fail quietly. */
#ifndef M2S_BASE_MEMORY_H
#define M2S_BASE_MEMORY_H

#include <stddef.h>

/* Like malloc, calloc, realloc, strdup; when the host has no memory left they
 * print one line and end the process with status 1: no simulation result can
 * be trusted after that. Free with free(). */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *pointer, size_t size);
/* Memory at a multiple of 128 bytes that shares its last 128 bytes with nothing
 * else: processors fetch cache lines in pairs, and host vectors are not wider.
 * xcalloc_aligned gives zeros. */
void *xmalloc_aligned(size_t size);
void *xcalloc_aligned(size_t size);
char *xstrdup(const char *text);
/* Sets an object to zeros, for objects of a few cache lines that are used again
 * and again: of a constant size GCC makes a single instruction, with which the
 * host begins only after dozens of cycles. */
void memory_clear(void *object, size_t size);

/* Formats into a new string, which the caller frees with free(). */
char *xasprintf(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Makes room for one more element in a growing array:
 *	ARRAY_GROW(list, count, capacity);
 *	list[count++] = item; */
#define ARRAY_GROW(array, count, capacity)                                     \
	do {                                                                   \
		if ((count) == (capacity)) {                                   \
			(capacity) = (capacity) ? 2 * (capacity) : 16;         \
			(array) = xrealloc((array),                            \
					   (capacity) * sizeof *(array));      \
		}                                                              \
	} while (0)

#endif
