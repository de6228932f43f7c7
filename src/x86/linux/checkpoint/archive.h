/* Numbers, texts and bytes on their way into a checkpoint or out of it.
 *
 * An archive is the uncompressed content of one section. One function both
 * writes a value and reads it back, depending on the direction, so that the two
 * cannot differ. Input is not trusted: *error reports the first mistake with
 * its place, and every value read after it is 0. */
#ifndef M2S_X86_LINUX_CHECKPOINT_ARCHIVE_H
#define M2S_X86_LINUX_CHECKPOINT_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct archive {
	bool loading;
	bool failed;       /* *error says why */
	char section[5];   /* the section's tag, for messages */
	uint8_t *bytes;
	size_t size;       /* bytes of the content */
	size_t capacity;
	size_t at;         /* offset of the next byte to read */
	struct error *error;
};

void archive_free(struct archive *archive);

/* Sets the error, when loading "section PROC, byte 12: <message>". Keeps the
 * first error. */
void archive_fail(struct archive *archive, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* When loading, fails unless `good`. `expected` completes the message
 * "process.pid is 7, expected ...". */
void archive_expect(struct archive *archive, bool good, const char *name,
		    uint64_t value, const char *expected);

/* An integer or enumeration of `size` bytes. With `truth` it is a bool: 0 or
 * 1. */
void archive_number(struct archive *archive, void *value, size_t size,
		    bool truth, const char *name);
#define ARCHIVE_VALUE(archive, value, name)                                    \
	archive_number(archive, &(value), sizeof(value),                       \
		       _Generic((value), bool: true, default: false), name)

void archive_bytes(struct archive *archive, void *bytes, size_t size);
/* A string on the heap, or NULL. */
void archive_text(struct archive *archive, char **text);
/* Bytes on the heap (one more than *size is allocated). */
void archive_blob(struct archive *archive, void *bytes_pointer, size_t *size);
/* The length of a list whose elements take at least `least` bytes each. A
 * length that the rest of the section cannot hold is refused. Returns the
 * length. */
size_t archive_count(struct archive *archive, size_t count, size_t least,
		     const char *name);
/* An index below `limit`, or -1 if `none` is set. Returns the index. */
int64_t archive_index(struct archive *archive, int64_t index, size_t limit,
		      bool none, const char *name);
/* To be called after the last value of a section has been read. Fails if bytes
 * are left. */
void archive_end(struct archive *archive);

#endif
