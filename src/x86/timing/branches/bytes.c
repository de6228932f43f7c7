#include "x86/timing/branches/bytes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* zlib's word for gzip or zlib, whichever the file is */
enum { ANY_FORMAT = 15 + 32 };

int branch_bytes_open(struct branch_bytes *bytes, const char *path,
		      struct error *error)
{
	bytes->stream = fopen(path, "rb");
	if (!bytes->stream)
		return error_set(error, "%s: %s", path, strerror(errno));
	bytes->path = xstrdup(path);
	if (inflateInit2(&bytes->zip, ANY_FORMAT) != Z_OK)
		abort(); /* no memory */
	return 0;
}

void branch_bytes_close(struct branch_bytes *bytes)
{
	if (!bytes->stream)
		return;
	inflateEnd(&bytes->zip);
	fclose(bytes->stream);
	free(bytes->path);
}

static bool fail(struct branch_bytes *bytes, const char *message)
{
	bytes->failed = true;
	error_set(&bytes->why, "%s: %s", bytes->path, message);
	return false;
}

/* Reads one more piece of the compressed file. */
static bool read_file(struct branch_bytes *bytes)
{
	bytes->zip.next_in = bytes->zipped;
	bytes->zip.avail_in = (uInt)fread(bytes->zipped, 1,
					  sizeof bytes->zipped, bytes->stream);
	if (bytes->zip.avail_in)
		return true;
	return fail(bytes, ferror(bytes->stream)
				   ? strerror(errno)
				   : "the compressed file is cut off");
}

bool branch_bytes_fill(struct branch_bytes *bytes)
{
	bytes->before += bytes->size;
	bytes->at = bytes->size = 0;
	while (!bytes->size) {
		int status;

		if (bytes->ended || bytes->failed)
			return false;
		if (!bytes->zip.avail_in && !read_file(bytes))
			return false;
		bytes->zip.next_out = bytes->buffer;
		bytes->zip.avail_out = sizeof bytes->buffer;
		status = inflate(&bytes->zip, Z_NO_FLUSH);
		bytes->size = sizeof bytes->buffer - bytes->zip.avail_out;
		if (status == Z_STREAM_END)
			bytes->ended = true;
		else if (status != Z_OK && status != Z_BUF_ERROR)
			return fail(bytes, "not compressed by gzip or zlib, "
					   "or damaged");
	}
	return true;
}

int branch_bytes_error(const struct branch_bytes *bytes, struct error *error,
		       const char *message)
{
	if (bytes->failed)
		return error_set(error, "%s", bytes->why.text);
	return error_set(error, "%s: byte %" PRIu64 " of the uncompressed "
			 "contents: %s",
			 bytes->path, bytes->before + bytes->at, message);
}
