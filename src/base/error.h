/* Errors, which travel up to the caller that reports them.
 *
 * A function that can fail on user input takes a `struct error *` last. On
 * failure it returns -1 (or NULL) and fills in one message that a user can act
 * on: where, what was found, what was expected, what to do. Nothing below
 * src/m2s prints an error or exits by itself. */
#ifndef M2S_BASE_ERROR_H
#define M2S_BASE_ERROR_H

#include <stdarg.h>

struct error {
	char text[1024];
};

/* Formats the message into *error (which may be NULL: then the message is
 * dropped) and returns -1, so that `return error_set(...)` reads well. */
int error_set(struct error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

int error_vset(struct error *error, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/* Puts "<prefix>: " in front of a message already set. Returns -1. */
int error_prefix(struct error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
