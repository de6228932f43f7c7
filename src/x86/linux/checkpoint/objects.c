/* Saving the objects behind descriptors, and making them again. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/checkpoint/objects.h"
#include "x86/linux/files/files.h"
#include "x86/linux/state.h"

enum { DATA_CHUNK = 1 << 20 };

struct checkpoint_object *objects_add(struct checkpoint *checkpoint)
{
	struct checkpoint_object *object;

	ARRAY_GROW(checkpoint->objects, checkpoint->object_count,
		   checkpoint->object_capacity);
	object = checkpoint->objects + checkpoint->object_count++;
	*object = (struct checkpoint_object){ .host = -1, .writer = -1 };
	return object;
}

/* ---- Making objects again ---- */

/* The file at a path must be what it was, but it may have grown if the guest
 * was writing to it: then the run went on after the checkpoint. */
static void check_path(struct checkpoint *checkpoint,
		       struct checkpoint_object *object)
{
	struct archive *archive = checkpoint->archive;
	struct stat status;
	uint32_t sum;
	bool same;

	if (lstat(object->path, &status) != 0) {
		archive_fail(archive, "cannot find %s, which the program has "
				      "open: %s",
			     object->path, strerror(errno));
		return;
	}
	if ((status.st_mode & S_IFMT) != (object->mode & S_IFMT)) {
		archive_fail(archive, "%s is of another kind than when the "
			     "checkpoint was saved", object->path);
		return;
	}
	if (!S_ISREG(status.st_mode) || checkpoint_is_generated(object->path) ||
	    ((uint64_t)status.st_size == object->size &&
	     checkpoint_modified(&status) == object->modified))
		return;
	same = object->summed && (uint64_t)status.st_size >= object->size &&
	       !checkpoint_sum_file(-1, object->path, object->size, &sum) &&
	       sum == object->sum;
	if (!same) {
		archive_fail(archive, "%s has changed since the checkpoint was "
			     "saved (it had %" PRIu64 " bytes, now it has %"
			     PRIu64 "): put back the file of that time",
			     object->path, object->size,
			     (uint64_t)status.st_size);
		return;
	}
	object->cut = (uint64_t)status.st_size > object->size &&
		      object->written;
}

static void make_content(struct checkpoint *checkpoint,
			 struct checkpoint_object *object)
{
	object->host = memfd_create(object->path,
				    MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (object->host < 0 || object->size > INT64_MAX ||
	    ftruncate(object->host, (off_t)object->size) != 0 ||
	    fchmod(object->host, object->mode & 07777) != 0)
		archive_fail(checkpoint->archive, "cannot make a file of %"
			     PRIu64 " bytes: %s", object->size,
			     strerror(errno));
}

static void make_object(struct checkpoint *checkpoint,
			struct checkpoint_object *object)
{
	if (checkpoint->source->detached)
		return;
	switch (object->kind) {
	case OBJECT_PATH:
		check_path(checkpoint, object);
		break;
	case OBJECT_CONTENT:
		make_content(checkpoint, object);
		break;
	case OBJECT_PIPE:
		object_make_pipe(checkpoint, object);
		break;
	default:
		break; /* each file makes its own */
	}
}

static void exchange_watched(struct checkpoint *checkpoint,
			     struct checkpoint_object *object)
{
	struct archive *archive = checkpoint->archive;
	struct watched_file *list;

	object->content_size = archive_count(archive, object->content_size,
					     20, "watched descriptors");
	if (archive->loading)
		object->content = xcalloc(object->content_size + 1,
					  sizeof *list);
	list = object->content;
	for (size_t i = 0; i < object->content_size; i++) {
		exchange_watched_file(archive, list + i);
		archive_expect(archive, (uint64_t)list[i].file <
			       checkpoint->expected.files, "watched file",
			       (uint64_t)list[i].file, "one of the files");
	}
}

static void exchange_pipe(struct archive *archive,
			  struct checkpoint_object *object)
{
	size_t count = archive_count(archive, object->buffer_count,
				     sizeof *object->buffers, "buffers");

	if (archive->loading) {
		object->buffers = xcalloc(count + 1, sizeof *object->buffers);
		object->buffer_count = count;
	}
	for (size_t i = 0; i < count; i++)
		ARCHIVE_VALUE(archive, object->buffers[i], "buffer");
	archive_blob(archive, &object->content, &object->content_size);
}

static void exchange_object(struct checkpoint *checkpoint,
			    struct checkpoint_object *object)
{
	struct archive *archive = checkpoint->archive;
	bool loading = checkpoint->loading;

	exchange_checkpoint_object(archive, object);
	archive_expect(archive, object->kind < OBJECT_KINDS, "object.kind",
		       object->kind, "a kind of memory object");
	archive_expect(archive, object->stream < 3, "object.stream",
		       object->stream, "0 to 2");
	if (object->kind == OBJECT_PATH || object->kind == OBJECT_CONTENT) {
		archive_text(archive, &object->path);
		if (loading && !object->path)
			archive_fail(archive, "a file without a name");
	} else if (object->kind == OBJECT_PIPE) {
		exchange_pipe(archive, object);
	} else if (object->kind == OBJECT_EPOLL) {
		exchange_watched(checkpoint, object);
	}
	if (loading && !archive->failed)
		make_object(checkpoint, object);
}

void exchange_objects(struct checkpoint *checkpoint)
{
	/* When loading, the list grows one by one: the count is not to be
	 * trusted. */
	for (size_t i = 0; i < checkpoint->expected.objects &&
			   !checkpoint->archive->failed; i++)
		exchange_object(checkpoint, checkpoint->loading
						    ? objects_add(checkpoint)
						    : checkpoint->objects + i);
}

int object_open(struct checkpoint *checkpoint,
		const struct checkpoint_object *object, uint32_t flags)
{
	uint64_t count = object->count;
	int host;

	if (checkpoint->source->detached)
		return open("/dev/null", O_RDWR | O_CLOEXEC);
	flags = (flags & FLAGS_KEPT) | O_CLOEXEC;
	switch (object->kind) {
	case OBJECT_PATH:
		return checkpoint_open(checkpoint, object->path, (int)flags);
	case OBJECT_CONTENT:
		return checkpoint_reopen(object->host,
					 flags & ~(uint32_t)O_NOFOLLOW);
	case OBJECT_PIPE:
		return checkpoint_reopen(
		    object->host,
		    flags & (O_ACCMODE | O_NONBLOCK | O_DIRECT | O_CLOEXEC));
	case OBJECT_EVENT:
		host = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK |
				  (object->semaphore ? EFD_SEMAPHORE : 0));
		if (host >= 0 && count &&
		    write(host, &count, sizeof count) < 0) {
			close(host);
			return -1;
		}
		return host;
	case OBJECT_EPOLL:
		return epoll_create1(EPOLL_CLOEXEC);
	case OBJECT_STREAM:
		return fcntl(checkpoint->source->standard[object->stream],
			     F_DUPFD_CLOEXEC, 0);
	default:
		errno = EINVAL;
		return -1;
	}
}

/* ---- Bytes of files without a name ---- */

static int save_data(struct checkpoint_writer *writer, uint64_t index, int file)
{
	uint8_t *chunk = xmalloc(DATA_CHUNK);
	int64_t at = 0;
	int result = 0;

	while (!result && (at = lseek(file, at, SEEK_DATA)) >= 0) {
		uint64_t offset = (uint64_t)at;
		ssize_t got = pread(file, chunk, DATA_CHUNK, at);
		size_t size = got > 0 ? (size_t)got : 0;

		if (!size)
			break;
		writer_begin(writer, "DATA");
		ARCHIVE_VALUE(&writer->archive, index, "object");
		ARCHIVE_VALUE(&writer->archive, offset, "offset");
		archive_blob(&writer->archive, &chunk, &size);
		result = writer_end(writer);
		at += got;
	}
	free(chunk);
	return result;
}

int objects_save_data(struct checkpoint *checkpoint,
		      struct checkpoint_writer *writer)
{
	for (size_t i = 0; i < checkpoint->object_count; i++) {
		const struct checkpoint_object *object =
			checkpoint->objects + i;
		int file, result;

		if (object->kind != OBJECT_CONTENT)
			continue;
		/* Opens the file with a position of its own, and readable in
		 * any case. */
		file = checkpoint_reopen(object->host, O_RDONLY | O_CLOEXEC);
		if (file < 0)
			return error_set(checkpoint->error, "cannot read %s, "
					 "a file without a name: %s",
					 object->path, strerror(errno));
		result = save_data(writer, i, file);
		close(file);
		if (result)
			return -1;
	}
	return 0;
}

void objects_load_data(struct checkpoint *checkpoint)
{
	struct archive *archive = checkpoint->archive;
	const struct checkpoint_object *object;
	uint64_t index = 0, offset = 0;
	uint8_t *bytes = NULL;
	size_t size = 0;

	ARCHIVE_VALUE(archive, index, "object");
	ARCHIVE_VALUE(archive, offset, "offset");
	archive_blob(archive, &bytes, &size);
	object = index < checkpoint->object_count ? checkpoint->objects + index
						  : NULL;
	archive_expect(archive, object && object->kind == OBJECT_CONTENT &&
		       offset <= object->size &&
		       size <= object->size - offset, "object", index,
		       "a file with room for the bytes");
	if (!archive->failed && !checkpoint->source->detached &&
	    pwrite(object->host, bytes, size, (off_t)offset) != (ssize_t)size)
		archive_fail(archive, "cannot fill a file: %s",
			     strerror(errno));
	free(bytes);
}

/* ---- The end ---- */

static void watch_file(struct checkpoint *checkpoint, const struct file *epoll,
		       const struct checkpoint_object *object)
{
	const struct watched_file *list = object->content;

	for (size_t i = 0; i < object->content_size; i++) {
		struct epoll_event event = {
			.events = list[i].events, .data.u64 = list[i].data,
		};

		if (epoll_ctl(epoll->host, EPOLL_CTL_ADD,
			      checkpoint->files[list[i].file]->host, &event))
			archive_fail(checkpoint->archive, "cannot watch a "
				     "descriptor again: %s", strerror(errno));
	}
}

/* The part that was written after the checkpoint will be written again. */
static void cut_file(struct checkpoint *checkpoint,
		     const struct checkpoint_object *object)
{
	int host = checkpoint_open(checkpoint, object->path, O_WRONLY);

	if (host < 0 || ftruncate(host, (off_t)object->size) != 0)
		archive_fail(checkpoint->archive, "%s: cannot cut the file to %"
						  PRIu64 " bytes: %s",
						  object->path, object->size,
			     strerror(errno));
	if (host >= 0)
		close(host);
}

void objects_finish(struct checkpoint *checkpoint)
{
	if (checkpoint->source->detached)
		return;
	for (size_t i = 0; i < checkpoint->file_count; i++) {
		const struct checkpoint_object *object =
			checkpoint->objects + checkpoint->file_links[i].object;

		if (object->kind == OBJECT_EPOLL)
			watch_file(checkpoint, checkpoint->files[i], object);
	}
	for (size_t i = 0; i < checkpoint->object_count; i++) {
		const struct checkpoint_object *object =
			checkpoint->objects + i;

		if (!object->cut || checkpoint->archive->failed)
			continue;
		log_warning(checkpoint->system->log, "%s had %" PRIu64 " bytes "
						     "when the checkpoint was "
						     "saved: the bytes written "
						     "since then are cut off",
						     object->path,
			    object->size);
		cut_file(checkpoint, object);
	}
}

void objects_free(struct checkpoint *checkpoint)
{
	for (size_t i = 0; i < checkpoint->object_count; i++) {
		struct checkpoint_object *object = checkpoint->objects + i;

		free(object->path);
		free(object->content);
		free(object->buffers);
		if (!checkpoint->loading)
			continue;
		if (object->host >= 0)
			close(object->host);
		if (object->writer >= 0)
			close(object->writer);
	}
	free(checkpoint->objects);
	if (checkpoint->loading)
		for (size_t i = 0; i < checkpoint->file_count; i++)
			file_release(checkpoint->files[i]);
	free(checkpoint->files);
	free(checkpoint->file_links);
}
