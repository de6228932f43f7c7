#include "x86/linux/checkpoint/archive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/linux/state.h"

void archive_free(struct archive *archive)
{
	free(archive->bytes);
	archive->bytes = NULL;
	archive->size = archive->capacity = archive->at = 0;
}

void archive_fail(struct archive *archive, const char *format, ...)
{
	char text[512];
	va_list arguments;

	if (archive->failed)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	archive->failed = true;
	if (archive->loading)
		error_set(archive->error, "section %s, byte %zu: %s",
			  archive->section, archive->at, text);
	else
		error_set(archive->error, "%s", text);
}

void archive_expect(struct archive *archive, bool good, const char *name,
		    uint64_t value, const char *expected)
{
	if (archive->loading && !good)
		archive_fail(archive, "%s is %" PRIu64 ", expected %s", name,
			     value, expected);
}

static void append_bytes(struct archive *archive, const void *bytes,
			 size_t size)
{
	if (archive->capacity - archive->size < size) {
		while (archive->capacity - archive->size < size)
			archive->capacity = archive->capacity
						    ? 2 * archive->capacity
						    : 4096;
		archive->bytes = xrealloc(archive->bytes, archive->capacity);
	}
	if (size)
		memcpy(archive->bytes + archive->size, bytes, size);
	archive->size += size;
}

void archive_bytes(struct archive *archive, void *bytes, size_t size)
{
	if (!archive->loading) {
		append_bytes(archive, bytes, size);
		return;
	}
	if (!archive->failed && archive->size - archive->at < size)
		archive_fail(archive, "%zu bytes expected, only %zu are left",
			     size, archive->size - archive->at);
	if (archive->failed) {
		memset(bytes, 0, size);
		return;
	}
	if (size)
		memcpy(bytes, archive->bytes + archive->at, size);
	archive->at += size;
}

void archive_number(struct archive *archive, void *value, size_t size,
		    bool truth, const char *name)
{
	uint8_t byte;

	if (!truth) {
		archive_bytes(archive, value, size);
		return;
	}
	/* A bool that is neither 0 nor 1 must not come to be. */
	byte = archive->loading ? 0 : *(bool *)value;
	archive_bytes(archive, &byte, 1);
	archive_expect(archive, byte <= 1, name, byte, "0 or 1");
	if (archive->loading)
		*(bool *)value = byte == 1;
}

void archive_text(struct archive *archive, char **text)
{
	uint64_t length = !archive->loading && *text ? strlen(*text) + 1 : 0;

	ARCHIVE_VALUE(archive, length, "length of a text");
	if (!archive->loading) {
		append_bytes(archive, *text, length);
		return;
	}
	*text = NULL;
	if (archive->failed || !length)
		return;
	if (length > archive->size - archive->at ||
	    archive->bytes[archive->at + length - 1] ||
	    strlen((char *)archive->bytes + archive->at) != length - 1) {
		archive_fail(archive, "a text of %" PRIu64 " bytes does not "
				      "end with its only zero byte", length);
		return;
	}
	*text = xstrdup((char *)archive->bytes + archive->at);
	archive->at += length;
}

void archive_blob(struct archive *archive, void *bytes_pointer, size_t *size)
{
	uint8_t **bytes = bytes_pointer;

	*size = archive_count(archive, *size, 1, "size");
	if (archive->loading)
		*bytes = xcalloc(1, *size + 1);
	archive_bytes(archive, *bytes, *size);
}

size_t archive_count(struct archive *archive, size_t count, size_t least,
		     const char *name)
{
	uint64_t value = count;

	ARCHIVE_VALUE(archive, value, name);
	if (archive->loading && !archive->failed &&
	    value > (archive->size - archive->at) / (least ? least : 1))
		archive_fail(archive, "%s is %" PRIu64 ", more than fits into "
			     "the section", name, value);
	return archive->failed ? 0 : (size_t)value;
}

int64_t archive_index(struct archive *archive, int64_t index, size_t limit,
		      bool none, const char *name)
{
	ARCHIVE_VALUE(archive, index, name);
	if (archive->loading && !archive->failed &&
	    !(none && index == -1) &&
	    (index < 0 || (uint64_t)index >= limit))
		archive_fail(archive, "%s is %" PRId64 ", expected less than "
			     "%zu", name, index, limit);
	return archive->failed ? (none ? -1 : 0) : index;
}

void archive_end(struct archive *archive)
{
	if (archive->loading && !archive->failed &&
	    archive->at != archive->size)
		archive_fail(archive, "expected the end of the section, but "
				      "%zu bytes are left",
				      archive->size - archive->at);
}
