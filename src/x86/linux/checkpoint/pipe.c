/* Pipes in a checkpoint.
 *
 * How full a pipe is depends on how its bytes lie in the host's buffers, of a
 * page each: when a writer must wait, and so how guests take turns. tee()
 * copies whole buffers without taking them out. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/checkpoint/objects.h"
#include "x86/linux/state.h"

/* ---- Looking into one ---- */

/* A pipe of that many pages of which only the last `room` are free. */
static int pipe_with_room(int helper[2], uint64_t pages, uint64_t room)
{
	if (pipe2(helper, O_CLOEXEC | O_NONBLOCK | O_DIRECT) != 0)
		return -1;
	if (fcntl(helper[1], F_SETPIPE_SZ, (int)(pages * SPACE_PAGE)) < 0)
		goto failed;
	/* A packet has a buffer for itself. */
	for (; pages > room; pages--)
		if (write(helper[1], "", 1) != 1)
			goto failed;
	return 0;
failed:
	close(helper[0]);
	close(helper[1]);
	return -1;
}

/* Bytes in the first `buffers` of a pipe, or -1. */
static int64_t bytes_in_buffers(int reader, uint64_t pages, uint64_t buffers)
{
	int helper[2];
	ssize_t bytes;

	if (pipe_with_room(helper, pages, buffers))
		return -1;
	bytes = tee(reader, helper[1], INT32_MAX, SPLICE_F_NONBLOCK);
	close(helper[0]);
	close(helper[1]);
	return bytes;
}

static bool copy_pipe(struct checkpoint_object *object, int reader,
		      uint64_t pages)
{
	size_t done = 0;
	ssize_t got = 0;
	int helper[2];

	if (pipe_with_room(helper, pages, pages))
		return false;
	if (tee(reader, helper[1], INT32_MAX, SPLICE_F_NONBLOCK) > 0)
		while (done < object->content_size &&
		       (got = read(helper[0],
				   (uint8_t *)object->content + done,
				   object->content_size - done)) > 0)
			done += (size_t)got;
	close(helper[0]);
	close(helper[1]);
	return done == object->content_size;
}

void object_read_pipe(struct checkpoint *checkpoint,
		      struct checkpoint_object *object, int reader)
{
	uint64_t pages = object->size / SPACE_PAGE;
	int64_t bytes = 0, before = 0;
	int held = 0;

	if (ioctl(reader, FIONREAD, &held) != 0 || held <= 0)
		return;
	object->content_size = (size_t)held;
	object->content = xmalloc((size_t)held);
	object->buffers = xcalloc(pages + 1, sizeof *object->buffers);
	for (uint64_t i = 0; i < pages && bytes < held; i++) {
		bytes = bytes_in_buffers(reader, pages, i + 1);
		object->buffers[object->buffer_count++] =
			(uint32_t)(bytes - before);
		before = bytes;
	}
	if (bytes != held || !copy_pipe(object, reader, pages))
		archive_fail(checkpoint->archive, "cannot look into a pipe "
			     "that holds %d bytes: %s", held, strerror(errno));
}

/* ---- Making one again ---- */

/* One buffer that nothing is added to: tee() makes such. */
static bool fill_closed(const struct checkpoint_object *object,
			const uint8_t *bytes, size_t size)
{
	int helper[2];
	bool good;

	if (pipe2(helper, O_CLOEXEC | O_NONBLOCK |
				  (object->direct ? O_DIRECT : 0)) != 0)
		return false;
	good = write(helper[1], bytes, size) == (ssize_t)size &&
	       tee(helper[0], object->writer, size, SPLICE_F_NONBLOCK) ==
		       (ssize_t)size;
	close(helper[0]);
	close(helper[1]);
	return good;
}

/* The last buffer, to which writes may add. Where it is the only one, some
 * bytes before it may have been read. */
static bool fill_open(const struct checkpoint_object *object,
		      const uint8_t *bytes, size_t size)
{
	size_t before = object->end > size ? object->end - size : 0;
	uint8_t page[SPACE_PAGE] = { 0 };

	if (before && object->buffer_count > 1) /* it came from splice() */
		return fill_closed(object, bytes, size);
	memcpy(page + before, bytes, size);
	return write(object->writer, page, before + size) ==
		       (ssize_t)(before + size) &&
	       read(object->host, page, before) == (ssize_t)before;
}

static bool fill_pipe(const struct checkpoint_object *object)
{
	const uint8_t *from = object->content;
	size_t left = object->content_size;

	for (size_t i = 0; i < object->buffer_count; i++) {
		size_t size = object->buffers[i];

		if (!size || size > SPACE_PAGE || size > left ||
		    object->end > SPACE_PAGE)
			return false;
		if (!(i + 1 < object->buffer_count
			      ? fill_closed(object, from, size)
			      : fill_open(object, from, size)))
			return false;
		from += size;
		left -= size;
	}
	return left == 0;
}

void object_make_pipe(struct checkpoint *checkpoint,
		      struct checkpoint_object *object)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK |
				(object->direct ? O_DIRECT : 0)) != 0) {
		archive_fail(checkpoint->archive, "cannot make a pipe: %s",
			     strerror(errno));
		return;
	}
	object->host = ends[0];
	object->writer = ends[1];
	if (object->size > INT32_MAX ||
	    fcntl(ends[1], F_SETPIPE_SZ, (int)object->size) < 0)
		archive_fail(checkpoint->archive, "cannot make a pipe for %"
			     PRIu64 " bytes: %s", object->size,
			     strerror(errno));
	else if (!fill_pipe(object))
		archive_fail(checkpoint->archive, "cannot write the %zu bytes "
						  "of a pipe into it",
						  object->content_size);
}
