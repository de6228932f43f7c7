/* Finding out what the descriptors of a checkpoint are.
 *
 * What the host shows of an open file in /proc/self/fd and fdinfo is enough
 * to make another like it. Sockets, terminals (but for the standard streams)
 * and the rest are refused by name. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/checkpoint/objects.h"
#include "x86/linux/state.h"

enum {
	/* Files up to this size are recognized by their bytes, larger ones by
	 * size and time of change. */
	SUMMED_MAX = 64 << 20,
};

/* ---- Looking at a host descriptor ---- */

/* The value of a line "name:\t value" of fdinfo, or `otherwise`. */
static uint64_t fdinfo(int host, const char *name, int base,
		       uint64_t otherwise)
{
	char path[64], line[256];
	size_t length = strlen(name);
	FILE *stream;

	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", host);
	stream = fopen(path, "re");
	while (stream && fgets(line, sizeof line, stream))
		if (!strncmp(line, name, length) && line[length] == ':') {
			otherwise = strtoull(line + length + 1, NULL, base);
			break;
		}
	if (stream)
		fclose(stream);
	return otherwise;
}

static bool path_is_same(const char *path, const struct stat *status)
{
	struct stat other;

	return path[0] == '/' && lstat(path, &other) == 0 &&
	       (!strncmp(path, "/proc", 5) ||
		(other.st_dev == status->st_dev &&
		 other.st_ino == status->st_ino));
}

/* The standard stream that a file without position is, or -1. */
static int stream_of(const struct checkpoint *checkpoint,
		     const struct stat *status)
{
	for (size_t i = 0; i < checkpoint->file_count; i++) {
		const struct file *file = checkpoint->files[i];
		struct stat other;

		if (file->borrowed && fstat(file->host, &other) == 0 &&
		    other.st_dev == status->st_dev &&
		    other.st_ino == status->st_ino)
			return file->stream;
	}
	return -1;
}

/* ---- Objects ---- */

/* Objects that several descriptors may mean: files and pipes. */
static struct checkpoint_object *object_of(struct checkpoint *checkpoint,
					   const struct stat *status)
{
	struct checkpoint_object *object;

	for (size_t i = 0; i < checkpoint->object_count; i++) {
		object = checkpoint->objects + i;
		if (object->inode == status->st_ino &&
		    object->device == status->st_dev &&
		    object->kind <= OBJECT_PIPE)
			return object;
	}
	object = objects_add(checkpoint);
	object->device = status->st_dev;
	object->inode = status->st_ino;
	object->mode = status->st_mode;
	object->kind = OBJECT_KINDS; /* not yet known */
	return object;
}

/* Describes a file with or without a name, or a folder, or a device. */
static bool describe_file(struct checkpoint_object *object, int host,
			  const struct stat *status)
{
	char path[PATH_MAX];
	size_t length;

	checkpoint_name(host, path);
	object->host = host;
	object->size = (uint64_t)status->st_size;
	object->modified = checkpoint_modified(status);
	if (path_is_same(path, status)) {
		object->kind = OBJECT_PATH;
		object->path = xstrdup(path);
		if (S_ISREG(status->st_mode) && object->size <= SUMMED_MAX &&
		    !checkpoint_is_generated(path))
			object->summed = !checkpoint_sum_file(
			    host, NULL, object->size, &object->sum);
		return true;
	}
	if (!S_ISREG(status->st_mode))
		return false;
	object->kind = OBJECT_CONTENT;
	object->modified = 0; /* means nothing to the next run */
	length = strlen(path);
	if (length > 10 && !strcmp(path + length - 10, " (deleted)"))
		path[length - 10] = 0;
	if (!strncmp(path, "/memfd:", 7))
		object->path = xstrdup(path + 7);
	else
		object->path = xstrdup(strrchr(path, '/')
					       ? strrchr(path, '/') + 1
					       : path);
	return true;
}

static void describe_pipe(struct checkpoint *checkpoint,
			  struct checkpoint_object *object,
			  const struct file *file)
{
	int host = file->host, flags = fcntl(host, F_GETFL);

	if (object->kind != OBJECT_PIPE) {
		object->kind = OBJECT_PIPE;
		object->size = (uint64_t)fcntl(host, F_GETPIPE_SZ);
		object->path = NULL;
	}
	object->direct |= (flags & O_DIRECT) != 0;
	if (file->pipe.writes)
		object->end = file->pipe.end;
	if ((flags & O_ACCMODE) != O_WRONLY && !object->content)
		object_read_pipe(checkpoint, object, host);
}

static void describe_event(struct checkpoint_object *object,
			   const struct file *file)
{
	object->kind = OBJECT_EVENT;
	object->count = fdinfo(file->host, "eventfd-count", 16, 0);
	object->semaphore = fdinfo(file->host, "eventfd-semaphore", 10,
				   file->semaphore);
}

static int compare_watched(const void *a, const void *b)
{
	const struct watched_file *first = a, *second = b;

	return (first->file > second->file) - (first->file < second->file);
}

/* Lines "tfd: 5 events: 1d data: 2a ..." of fdinfo. */
static void describe_epoll(struct checkpoint *checkpoint,
			   struct checkpoint_object *object, int host)
{
	struct watched_file *list = NULL, entry;
	size_t count = 0, capacity = 0;
	char path[64], line[256];
	FILE *stream;
	int target;

	object->kind = OBJECT_EPOLL;
	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", host);
	stream = fopen(path, "re");
	while (stream && fgets(line, sizeof line, stream)) {
		if (sscanf(line, "tfd: %d events: %" SCNx32 " data: %" SCNx64,
			   &target, &entry.events, &entry.data) != 3)
			continue;
		entry.file = -1;
		for (size_t i = 0; i < checkpoint->file_count; i++)
			if (checkpoint->files[i]->host == target)
				entry.file = (int64_t)i;
		if (entry.file < 0)
			continue;
		ARRAY_GROW(list, count, capacity);
		list[count++] = entry;
	}
	if (stream)
		fclose(stream);
	/* The host lists them in no order that means anything. */
	if (count)
		qsort(list, count, sizeof *list, compare_watched);
	object->content = list;
	object->content_size = count;
}

/* Refuses a descriptor: names it and says what it is. */
static void refuse(struct checkpoint *checkpoint, const struct file *file,
		   const char *what)
{
	char owner[100], path[PATH_MAX];

	checkpoint_owner(checkpoint, file, owner, sizeof owner);
	checkpoint_name(file->host, path);
	if (!checkpoint->archive->failed)
		error_set(checkpoint->error, "%s is %s (%.200s), which a "
			  "checkpoint cannot hold: save before it is opened "
			  "or after it is closed", owner, what, path);
	checkpoint->archive->failed = true;
}

static struct checkpoint_object *describe_stream(struct checkpoint *checkpoint,
						 int stream)
{
	struct checkpoint_object *object = objects_add(checkpoint);

	object->kind = OBJECT_STREAM;
	object->stream = (uint8_t)stream;
	return object;
}

/* Anonymous inodes: many kinds of descriptor without a file type. */
static struct checkpoint_object *describe_anonymous(
	struct checkpoint *checkpoint, const struct file *file)
{
	char path[PATH_MAX];
	struct checkpoint_object *object;

	if (file->kind == FILE_PROCESS) {
		refuse(checkpoint, file, "a process (pidfd)");
		return NULL;
	}
	checkpoint_name(file->host, path);
	if (!strcmp(path, "anon_inode:[eventfd]")) {
		object = objects_add(checkpoint);
		describe_event(object, file);
		return object;
	}
	if (!strcmp(path, "anon_inode:[eventpoll]")) {
		object = objects_add(checkpoint);
		describe_epoll(checkpoint, object, file->host);
		return object;
	}
	refuse(checkpoint, file, "of a special kind");
	return NULL;
}

static struct checkpoint_object *describe_object(struct checkpoint *checkpoint,
						 const struct file *file)
{
	struct checkpoint_object *object;
	struct stat status;
	char path[PATH_MAX];
	int stream;

	if (file->kind == FILE_MEMORY || file->kind == FILE_PAGEMAP) {
		refuse(checkpoint, file, "the memory of a process");
		return NULL;
	}
	if (file->kind == FILE_NAMESPACE) {
		refuse(checkpoint, file, "a namespace");
		return NULL;
	}
	if (fstat(file->host, &status) != 0) {
		refuse(checkpoint, file, "not an open file on the host");
		return NULL;
	}
	checkpoint_name(file->host, path);
	/* A file that the simulator opened for the program has a name. */
	if (file->borrowed &&
	    (file->host <= STDERR_FILENO || !S_ISREG(status.st_mode) ||
	     !path_is_same(path, &status)))
		return describe_stream(checkpoint, file->stream);
	if (!(status.st_mode & S_IFMT))
		return describe_anonymous(checkpoint, file);
	stream = S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)
			 ? -1
			 : stream_of(checkpoint, &status);
	if (stream >= 0)
		return describe_stream(checkpoint, stream);
	switch (status.st_mode & S_IFMT) {
	case S_IFSOCK:
		refuse(checkpoint, file, "a socket");
		return NULL;
	case S_IFIFO:
		if (strncmp(path, "pipe:", 5)) {
			refuse(checkpoint, file, "a named pipe");
			return NULL;
		}
		object = object_of(checkpoint, &status);
		describe_pipe(checkpoint, object, file);
		return object;
	case S_IFCHR:
		if (!checkpoint_is_stateless(path)) {
			refuse(checkpoint, file, "a terminal or device");
			return NULL;
		}
		break;
	case S_IFBLK:
		refuse(checkpoint, file, "a device");
		return NULL;
	default:
		break;
	}
	object = object_of(checkpoint, &status);
	if (object->kind == OBJECT_KINDS &&
	    !describe_file(object, file->host, &status))
		refuse(checkpoint, file, "a folder without a name");
	return object;
}

void objects_collect(struct checkpoint *checkpoint)
{
	for (size_t i = 0; i < checkpoint->file_count; i++) {
		struct file *file = checkpoint->files[i];
		struct checkpoint_object *object =
			describe_object(checkpoint, file);
		int flags = fcntl(file->host, F_GETFL);
		struct file_links *links = checkpoint->file_links + i;

		if (checkpoint->archive->failed)
			return;
		if ((flags & O_ACCMODE) != O_RDONLY)
			object->written = true;
		*links = (struct file_links){
			.object = object - checkpoint->objects,
			.flags = (uint32_t)(flags & FLAGS_KEPT),
			.offset = lseek(file->host, 0, SEEK_CUR),
		};
	}
}

int64_t objects_of_mapping(struct checkpoint *checkpoint, int host,
			   bool writable)
{
	struct checkpoint_object *object;
	struct stat status;

	if (fstat(host, &status) != 0 || !S_ISREG(status.st_mode))
		return -1;
	object = object_of(checkpoint, &status);
	if (object->kind == OBJECT_KINDS)
		describe_file(object, host, &status);
	object->written |= writable;
	return object - checkpoint->objects;
}
