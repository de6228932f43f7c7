/* Descriptors in a checkpoint: files, pipes, event descriptors.
 *
 * What the host shows of an open file in /proc/self/fd and fdinfo is enough
 * to make another like it. Sockets, terminals (but for the standard streams)
 * and the rest are refused by name. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "x86/linux/checkpoint.h"

enum {
	DATA_CHUNK = 1 << 20,
	/* Files up to this size are recognized by their bytes, larger ones by
	 * size and time of change. */
	SUMMED_MAX = 64 << 20,
	/* flags of open() that are given again. */
	FLAGS_KEPT = O_ACCMODE | O_APPEND | O_NONBLOCK | O_DIRECTORY |
		     O_PATH | O_NOFOLLOW | O_NOATIME | O_DIRECT | O_SYNC |
		     O_DSYNC,
};

static int64_t modified_of(const struct stat *status)
{
	return status->st_mtim.tv_sec * INT64_C(1000000000) +
	       status->st_mtim.tv_nsec;
}

/* ---- Looking at a host descriptor ---- */

static bool device_is_stateless(const char *path)
{
	static const char *const devices[] = {
		"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
		"/dev/urandom"
	};

	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		if (!strcmp(path, devices[i]))
			return true;
	return false;
}

void checkpoint_name(int host, char *name)
{
	char own[32];
	size_t prefix;

	path_of_host(host, name, PATH_MAX);
	/* A file of our own in /proc is not that of the next run. */
	prefix = (size_t)snprintf(own, sizeof own, "/proc/%d", (int)getpid());
	if (prefix >= 10 && !strncmp(name, own, prefix) &&
	    (!name[prefix] || name[prefix] == '/')) {
		memmove(name + 10, name + prefix, strlen(name + prefix) + 1);
		memcpy(name, "/proc/self", 10);
	}
}

/* Files of /proc that a guest may have open: those of the whole system, and
 * of the simulator's own only what tells nothing about it. */
static bool proc_is_open(const char *path)
{
	static const char *const own[] = {
		"/proc/self", "/proc/self/cgroup", "/proc/self/mountinfo",
		"/proc/self/mounts", "/proc/self/mountstats"
	};

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (!strcmp(path, own[i]))
			return true;
	return strncmp(path, "/proc/self", 10) &&
	       strncmp(path, "/proc/thread-self", 17) &&
	       !strstr(path, "..") && (path[6] < '0' || path[6] > '9');
}

int checkpoint_open(const struct checkpoint *checkpoint, const char *path,
		    int flags)
{
	const struct linux_system *system = checkpoint->system;
	bool changes = !(flags & O_PATH) && (flags & O_ACCMODE) != O_RDONLY;
	bool proc = !strcmp(path, "/proc") || !strncmp(path, "/proc/", 6);
	bool inside, good;
	char name[PATH_MAX];
	int host;

	if (!strncmp(path, "/proc/", 6) && !proc_is_open(path)) {
		errno = EACCES;
		return -1;
	}
	host = open(path, flags | O_CLOEXEC | O_NOCTTY);
	if (host < 0)
		return -1;
	checkpoint_name(host, name);
	inside = confine_is_inside(system, host) && strncmp(name, "/proc/", 6);
	if (proc)
		good = !strncmp(name, "/proc", 5) && !changes;
	else
		good = inside &&
		       (!changes || confine_writable(system, host, NULL));
	if (good || device_is_stateless(name))
		return host;
	close(host);
	errno = inside ? EROFS : EACCES;
	return -1;
}

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

/* CRC-32 of the first `size` bytes of a file; -1 when they cannot be read. */
static int sum_file(int host, const char *path, uint64_t size, uint32_t *sum)
{
	enum { PIECE = 1 << 16 };
	char link[64];
	uint8_t *piece;
	uLong value = 0;
	int file;

	if (!path) {
		snprintf(link, sizeof link, "/proc/self/fd/%d", host);
		path = link;
	}
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return -1;
	piece = xmalloc(PIECE);
	while (size) {
		ssize_t got = read(file, piece, size < PIECE ? size : PIECE);

		if (got <= 0)
			break;
		value = crc32_z(value, piece, (size_t)got);
		size -= (uint64_t)got;
	}
	free(piece);
	close(file);
	*sum = (uint32_t)value;
	return size ? -1 : 0;
}

static bool path_is_same(const char *path, const struct stat *status)
{
	struct stat other;

	return path[0] == '/' && lstat(path, &other) == 0 &&
	       (!strncmp(path, "/proc", 5) ||
		(other.st_dev == status->st_dev &&
		 other.st_ino == status->st_ino));
}

static bool is_generated(const char *path)
{
	return !strncmp(path, "/proc/", 6) || !strncmp(path, "/sys/", 5);
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

static struct checkpoint_object *object_add(struct checkpoint *checkpoint)
{
	struct checkpoint_object *object;

	ARRAY_GROW(checkpoint->objects, checkpoint->object_count,
		   checkpoint->object_capacity);
	object = checkpoint->objects + checkpoint->object_count++;
	*object = (struct checkpoint_object){ .host = -1, .writer = -1 };
	return object;
}

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
	object = object_add(checkpoint);
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
	object->modified = modified_of(status);
	if (path_is_same(path, status)) {
		object->kind = OBJECT_PATH;
		object->path = xstrdup(path);
		if (S_ISREG(status->st_mode) && object->size <= SUMMED_MAX &&
		    !is_generated(path))
			object->summed = !sum_file(host, NULL, object->size,
						   &object->sum);
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

/* How full a pipe is depends on how its bytes lie in the host's buffers, of a
 * page each: when a writer must wait, and so how guests take turns. tee()
 * copies whole buffers without taking them out. */

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

static void read_pipe(struct checkpoint *checkpoint,
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
	if (file->is_pipe)
		object->end = file->pipe_end;
	if ((flags & O_ACCMODE) != O_WRONLY && !object->content)
		read_pipe(checkpoint, object, host);
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
	struct checkpoint_object *object = object_add(checkpoint);

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
		object = object_add(checkpoint);
		describe_event(object, file);
		return object;
	}
	if (!strcmp(path, "anon_inode:[eventpoll]")) {
		object = object_add(checkpoint);
		describe_epoll(checkpoint, object, file->host);
		return object;
	}
	refuse(checkpoint, file, "of a special kind");
	return NULL;
}

static struct checkpoint_object *describe(struct checkpoint *checkpoint,
					  const struct file *file)
{
	struct checkpoint_object *object;
	struct stat status;
	char path[PATH_MAX];
	int stream;

	if (fstat(file->host, &status) != 0) {
		refuse(checkpoint, file, "no open file on the host");
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
		if (!device_is_stateless(path)) {
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
		struct checkpoint_object *object = describe(checkpoint, file);
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
		archive_fail(archive, "%s, which the program has open: %s",
			     object->path, strerror(errno));
		return;
	}
	if ((status.st_mode & S_IFMT) != (object->mode & S_IFMT)) {
		archive_fail(archive, "%s is of another kind than when the "
			     "checkpoint was saved", object->path);
		return;
	}
	if (!S_ISREG(status.st_mode) || is_generated(object->path) ||
	    ((uint64_t)status.st_size == object->size &&
	     modified_of(&status) == object->modified))
		return;
	same = object->summed && (uint64_t)status.st_size >= object->size &&
	       !sum_file(-1, object->path, object->size, &sum) &&
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

static void make_pipe(struct checkpoint *checkpoint,
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
		archive_fail(checkpoint->archive, "a pipe does not take its "
			     "%zu bytes", object->content_size);
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
		make_pipe(checkpoint, object);
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
		       object->kind, "a kind");
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
						    ? object_add(checkpoint)
						    : checkpoint->objects + i);
}

static int reopen(int host, uint32_t flags)
{
	char link[64];

	snprintf(link, sizeof link, "/proc/self/fd/%d", host);
	return open(link, (int)flags);
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
		return reopen(object->host, flags & ~(uint32_t)O_NOFOLLOW);
	case OBJECT_PIPE:
		return reopen(object->host,
			      flags & (O_ACCMODE | O_NONBLOCK | O_DIRECT |
				       O_CLOEXEC));
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

/* ---- Files ---- */

/* The simulator's own stream instead of the copy that object_open() made. */
static void attach_stream(struct checkpoint *checkpoint, struct file *file,
			  const struct file_links *links)
{
	int host = checkpoint->source->standard
			   [checkpoint->objects[links->object].stream];
	struct file *fresh;
	struct stat status;

	if (checkpoint->source->detached)
		return;
	close(file->host);
	fresh = file_create(host, FILE_HOST);
	file->host = host;
	file->borrowed = true;
	file->host_nonblock = false;
	file->may_block = fresh->may_block;
	free(fresh);
	/* What was read of an input file stays read. */
	if (file->stream == 0 && links->offset > 0 &&
	    fstat(host, &status) == 0 && S_ISREG(status.st_mode))
		lseek(host, links->offset, SEEK_SET);
}

static void check_file(struct archive *archive, const struct file *file,
		       const struct file_links *links)
{
	const int64_t limit = INT64_MAX / 2;

	archive_expect(archive, !file->made[sizeof file->made - 1], "made", 1,
		       "a zero at the end");
	archive_expect(archive, file->expires >= 0 && file->expires < limit,
		       "file.expires", (uint64_t)file->expires,
		       "a time below 2^62");
	archive_expect(archive, file->interval >= 0 && file->interval < limit,
		       "file.interval", (uint64_t)file->interval,
		       "a time below 2^62");
	archive_expect(archive, links->offset >= -1, "offset",
		       (uint64_t)links->offset, "a position");
	archive_expect(archive, file->entries_at <= file->entries_size,
		       "file.entries_at", file->entries_at,
		       "at most the size of the list");
	archive_expect(archive, !file->entries_size ||
		       !file->entries[file->entries_size - 1], "entries", 1,
		       "a zero at the end");
}

static void attach(struct checkpoint *checkpoint, struct file *file,
		   const struct file_links *links)
{
	struct linux_system *system = checkpoint->system;
	struct archive *archive = checkpoint->archive;
	const struct checkpoint_object *object =
		checkpoint->objects + links->object;

	file->host = object_open(checkpoint, object, links->flags);
	if (file->host < 0) {
		archive_fail(archive, "cannot open %s again: %s",
			     object->path ? object->path : "a descriptor",
			     strerror(errno));
		return;
	}
	if (object->kind == OBJECT_STREAM) {
		file->stream = object->stream;
		attach_stream(checkpoint, file, links);
	}
	if ((object->kind == OBJECT_PATH || object->kind == OBJECT_CONTENT) &&
	    links->offset > 0 && !checkpoint->source->detached)
		lseek(file->host, links->offset, SEEK_SET);
	if (file->kind == FILE_TIMER) {
		file->system = system;
		ARRAY_GROW(system->timer_files, system->timer_file_count,
			   system->timer_file_capacity);
		system->timer_files[system->timer_file_count++] = file;
	}
}

static void exchange_positions(struct archive *archive, struct file *file)
{
	size_t count = archive_count(archive, file->position_count, 8,
				     "positions in a folder");

	if (archive->loading && count) {
		file->positions = xcalloc(count, sizeof *file->positions);
		file->position_count = file->position_capacity = count;
	}
	if (count)
		archive_bytes(archive, file->positions,
			      count * sizeof *file->positions);
}

static void exchange_one_file(struct checkpoint *checkpoint, size_t index)
{
	struct archive *archive = checkpoint->archive;
	struct file *file = checkpoint->files[index];
	struct file_links *links = checkpoint->file_links + index;
	enum file_kind kind;

	exchange_file(archive, file);
	links->object = archive_index(archive, links->object,
				      checkpoint->object_count, false,
				      "object");
	ARCHIVE_VALUE(archive, links->flags, "flags");
	ARCHIVE_VALUE(archive, links->offset, "offset");
	archive_blob(archive, &file->entries, &file->entries_size);
	exchange_positions(archive, file);
	if (!checkpoint->loading)
		return;
	/* Released as an ordinary file unless all is right. */
	kind = file->kind;
	file->kind = FILE_HOST;
	check_file(archive, file, links);
	archive_expect(archive, kind <= FILE_LIST, "file.kind", kind,
		       "a kind");
	if (archive->failed)
		return;
	file->kind = kind;
	attach(checkpoint, file, links);
	if (archive->failed)
		file->kind = FILE_HOST;
}

void exchange_files(struct checkpoint *checkpoint)
{
	for (size_t i = 0; i < checkpoint->expected.files &&
			   !checkpoint->archive->failed; i++) {
		if (checkpoint->loading) {
			struct file *file = xcalloc(1, sizeof *file);

			file->references = 1; /* the list's own */
			file->host = -1;
			ARRAY_GROW(checkpoint->files, i,
				   checkpoint->file_capacity);
			ARRAY_GROW(checkpoint->file_links, i,
				   checkpoint->links_capacity);
			checkpoint->files[i] = file;
			checkpoint->file_links[i] = (struct file_links){ 0 };
			checkpoint->file_count++;
		}
		exchange_one_file(checkpoint, i);
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
		/* With a position of its own, and readable in any case. */
		file = reopen(object->host, O_RDONLY | O_CLOEXEC);
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

static void watch(struct checkpoint *checkpoint, const struct file *epoll,
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
static void cut(struct checkpoint *checkpoint,
		const struct checkpoint_object *object)
{
	int host = checkpoint_open(checkpoint, object->path, O_WRONLY);

	if (host < 0 || ftruncate(host, (off_t)object->size) != 0)
		archive_fail(checkpoint->archive, "%s: cannot cut it to %"
			     PRIu64 " bytes: %s", object->path, object->size,
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
			watch(checkpoint, checkpoint->files[i], object);
	}
	for (size_t i = 0; i < checkpoint->object_count; i++) {
		const struct checkpoint_object *object =
			checkpoint->objects + i;

		if (!object->cut || checkpoint->archive->failed)
			continue;
		log_warning(checkpoint->system->log, "%s had %" PRIu64
			    " bytes when the checkpoint was saved: what was "
			    "written after that is cut off", object->path,
			    object->size);
		cut(checkpoint, object);
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
