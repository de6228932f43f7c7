/* Opening files by their paths. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/async/async.h"
#include "x86/linux/calls.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/open.h"
#include "x86/linux/files/path.h"
#include "x86/linux/landlock/landlock.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/proc/proc.h"
#include "x86/linux/processes/exec.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/wait.h"

/* Attempts to make a file whose name another process takes between looking and
 * making. */
enum { TRIES = 40 };

static bool is_random(const struct stat *status)
{
	return S_ISCHR(status->st_mode) && major(status->st_rdev) == 1 &&
	       (minor(status->st_rdev) == 8 || minor(status->st_rdev) == 9);
}

int64_t path_install(struct process *process, int host, uint64_t flags)
{
	struct file *file = file_create(host, FILE_HOST);
	struct stat status;

	file->nonblock = flags & O_NONBLOCK;
	if (fstat(host, &status) == 0) {
		if (S_ISFIFO(status.st_mode))
			file->host_nonblock = true;
		if (is_random(&status)) {
			file->kind = FILE_RANDOM;
			file->may_block = false;
		}
	}
	return file_install(process, file, 0, flags & O_CLOEXEC);
}

/* Whether a FIFO opened for reading has, or had, a writer. Without a writer
 * there is nothing to read; with one there is no end of file yet. */
static bool has_writer(int fifo)
{
	struct pollfd poll_list = { .fd = fifo, .events = POLLIN };
	bool answer = poll(&poll_list, 1, 0) > 0;
	int scratch[2];

	if (answer || pipe2(scratch, O_CLOEXEC | O_NONBLOCK) != 0)
		return true;
	answer = tee(fifo, scratch[1], 1, SPLICE_F_NONBLOCK) != 0;
	close(scratch[0]);
	close(scratch[1]);
	return answer;
}

/* Opens a FIFO. The open waits for the other side, which may be a guest, so the
 * host must not wait. */
static int64_t open_fifo(struct context *context,
			 const struct host_path *path, uint64_t flags,
			 int *host)
{
	bool waits = !(flags & O_NONBLOCK) &&
		     (flags & O_ACCMODE) != O_RDWR;
	bool reads = (flags & O_ACCMODE) == O_RDONLY;
	struct file *fifo = context->call.fifo;

	*host = fifo ? fifo->host
		     : openat(path->folder, path->text,
			      (int)flags | O_NONBLOCK | O_CLOEXEC);
	if (*host < 0 && !(waits && errno == ENXIO))
		return -errno;
	if (!waits || (*host >= 0 && (!reads || has_writer(*host)))) {
		if (fifo)
			*host = fcntl(fifo->host, F_DUPFD_CLOEXEC, 0);
		return *host < 0 ? -errno : 0;
	}
	/* A reader stays, for writers to find. */
	if (reads && !fifo)
		context->call.fifo = file_create(*host, FILE_HOST);
	context->wait.deadline =
		clock_monotonic(context->process->system) + 1000000;
	return wait_for(context, WAIT_TIME,
			reads ? "a writer of a FIFO" : "a reader of a FIFO");
}

static const char *opencl_library(const struct context *context,
				  const char *text)
{
	const struct linux_options *options =
		context->process->system->options;
	const char *base = strrchr(text, '/');

	base = base ? base + 1 : text;
	if (strcmp(base, "libOpenCL.so") && strcmp(base, "libOpenCL.so.1"))
		return NULL;
	return context->process->memory->abi32 ? options->opencl_i386
					       : options->opencl_x86_64;
}

/* Opens a folder whose entries the simulator makes. The host's descriptor only
 * serves fstat() and related calls. */
static int64_t open_list(struct context *context, const struct host_path *path,
			 uint64_t flags, char *entries, size_t size)
{
	struct file *file;
	int host = openat(path->folder, path->text,
			  O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (host < 0 || (flags & O_ACCMODE) != O_RDONLY) {
		int64_t result = host < 0 ? -errno : -EISDIR;

		if (host >= 0)
			close(host);
		free(entries);
		return result;
	}
	file = file_create(host, FILE_LIST);
	file->listing.entries = entries;
	file->listing.size = size;
	return file_install(context->process, file, 0, flags & O_CLOEXEC);
}

/* Whether opening a descriptor again through /proc would give more rights to a
 * file outside the root. */
static bool more_rights(const struct context *context,
			const struct host_path *path, uint64_t flags)
{
	uint64_t wanted = flags & O_ACCMODE, had;

	if (path->host < 0 ||
	    confine_is_inside(context->process->system, path->host))
		return false;
	had = (uint64_t)fcntl(path->host, F_GETFL) & O_ACCMODE;
	return had != O_RDWR &&
	       (wanted != had || ((flags & O_TRUNC) && had == O_RDONLY));
}

/* Whether a file is the machine's memory or ports, which hold the simulator,
 * too. */
static bool is_machine(const struct stat *status)
{
	return S_ISCHR(status->st_mode) && major(status->st_rdev) == 1 &&
	       (minor(status->st_rdev) == 1 || minor(status->st_rdev) == 2 ||
		minor(status->st_rdev) == 4);
}

/* Whether an open of an existing file is refused. */
static int open_allowed(struct context *context, const struct host_path *path,
			uint64_t flags, const struct stat *status)
{
	const struct linux_system *system = context->process->system;
	bool temporary = (flags & O_TMPFILE) == O_TMPFILE;
	bool change = (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC);

	if (flags & O_PATH)
		return 0;
	if (path->fixed && change)
		return -EACCES;
	if (change && (path->program || (S_ISREG(status->st_mode) &&
					 program_runs(system, status))))
		return -ETXTBSY;
	if (is_machine(status))
		return -EACCES;
	/* Device files below a root are only names: a user who unpacked the
	 * root may not have meant to give access to the host's disks. */
	if ((S_ISBLK(status->st_mode) || S_ISCHR(status->st_mode)) &&
	    !path->given && confine_has_root(system))
		return -EACCES;
	if (path->given && more_rights(context, path, flags))
		return -EACCES;
	if (temporary || (change && !S_ISDIR(status->st_mode)))
		return confine_write(system, path, status);
	return 0;
}

/* Makes a missing file. With O_EXCL a file that has meanwhile taken the name
 * stays, even if it is a link. */
static int open_new(struct context *context, const struct host_path *path,
		    uint64_t flags, unsigned mode)
{
	int result = confine_new(context->process->system, path), host;
	mode_t mask;

	if (result)
		return result;
	mask = umask((mode_t)context->process->paths.umask);
	host = openat(path->folder, path->text,
		      (int)flags | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	result = host < 0 ? -errno : host;
	umask(mask);
	return result;
}

int path_make_anew(struct context *context, const char *text, unsigned mode)
{
	struct host_path path;
	int result = path_find(context, AT_FDCWD, text, false, &path);

	if (!result && !path.missing) {
		result = confine_change(context->process->system, &path);
		if (!result && unlinkat(path.folder, path.text, 0) != 0)
			result = -errno;
		path_release(&path);
		if (!result)
			result = path_find(context, AT_FDCWD, text, false,
					   &path);
	}
	if (result)
		return result;
	result = path.missing ? open_new(context, &path, O_WRONLY | O_NOFOLLOW,
					 mode)
			      : -EEXIST;
	path_release(&path);
	return result;
}

/* Opens the file that now has the name with O_PATH, so that facts about it stay
 * true. */
static int hold_object(struct host_path *path)
{
	int host;

	if (path->generated)
		return 0;
	host = openat(path->folder, path->text,
		      O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (host < 0)
		return -errno;
	path_release(path);
	path_set_host(path, host);
	return 0;
}

static int64_t open_there(struct context *context, struct host_path *path,
			  uint64_t flags, unsigned mode, int *host)
{
	struct stat status;
	int64_t result = path->made[0] && !path->ours ? 0 : hold_object(path);
	bool create = flags & O_CREAT;
	mode_t mask;

	flags &= ~(uint64_t)(O_CREAT | O_EXCL);
	if (path->generated)
		flags &= ~(uint64_t)O_NOFOLLOW;
	if (!result)
		result = path_status(path, 0, &status);
	if (!result)
		result = create && S_ISDIR(status.st_mode)
				 ? -EISDIR
				 : open_allowed(context, path, flags, &status);
	if (!result && context->landlock)
		result = landlock_open(context, path, &status, flags);
	if (!result && context->process->system->async_files.count)
		result = lease_break(context, &status, flags);
	if (result)
		return result;
	if (S_ISFIFO(status.st_mode) && !(flags & O_PATH))
		return open_fifo(context, path, flags, host);
	mask = umask((mode_t)context->process->paths.umask);
	*host = openat(path->folder, path->text, (int)flags | O_CLOEXEC, mode);
	result = *host < 0 ? -errno : 0;
	umask(mask);
	return result;
}

int64_t path_open_found(struct context *context, struct host_path *path,
			uint64_t flags, unsigned mode)
{
	const uint64_t exclusive = O_CREAT | O_EXCL;
	int64_t result = 0;
	int host = -1;

	flags &= ~(uint64_t)GUEST_LARGEFILE;
	if (path->missing) {
		if (!(flags & O_CREAT))
			return -ENOENT;
		if (context->landlock)
			result = landlock_open_new(context, path, flags);
		if (result)
			return result;
		host = open_new(context, path, flags, mode);
		if (host == -EEXIST && !(flags & O_EXCL))
			return PATH_CHANGED;
		result = host < 0 ? host : 0;
	} else if ((flags & exclusive) == exclusive) {
		return -EEXIST;
	} else {
		result = open_there(context, path, flags, mode, &host);
	}
	if (!result)
		result = path_install(context->process, host, flags);
	if (result >= 0 && context->landlock)
		landlock_opened(context, path,
				file_get(context->process, (int)result));
	return result;
}

/* Opens a name of /proc by its row. */
static int64_t open_made(struct context *context, struct host_path *path,
			 uint64_t flags, unsigned mode)
{
	struct linux_system *system = context->process->system;
	struct proc_place place;
	int64_t result = proc_look_up_made(system, path->made, &place);
	char *entries;
	size_t size;

	if (result)
		return result;
	if (place.row->kind == PROC_SPECIAL && !(flags & O_PATH))
		return proc_open_special(context, &place, flags);
	if (place.row->kind == PROC_NAMESPACE &&
	    !(flags & (O_PATH | O_NOFOLLOW)))
		return namespace_open(context, &place, flags);
	entries = flags & O_PATH ? NULL
				 : proc_list(context, path->made, &size);
	result = entries ? open_list(context, path, flags, entries, size)
			 : path_open_found(context, path, flags, mode);
	if (result >= 0) {
		struct file *file = file_get(context->process, (int)result);

		memcpy(file->made, path->made, sizeof file->made);
		if (place.process)
			file->process.serial = place.process->serial;
		if (place.row->kind == PROC_SETTING && !(flags & O_PATH) &&
		    (flags & O_ACCMODE) != O_RDONLY)
			file->kind = FILE_MADE;
	}
	return result;
}

static int64_t open_guest(struct context *context, int folder,
			  const char *text, uint64_t flags, unsigned mode)
{
	const uint64_t exclusive = O_CREAT | O_EXCL;
	bool follow = !(flags & O_NOFOLLOW) &&
		      (flags & exclusive) != exclusive;
	int64_t result = PATH_CHANGED;

	for (int i = 0; i < TRIES && result == PATH_CHANGED; i++) {
		struct host_path path;

		result = path_find(context, folder, text, follow, &path);
		if (result)
			return result;
		result = path.made[0]
				 ? open_made(context, &path, flags, mode)
				 : path_open_found(context, &path, flags,
						   mode);
		path_release(&path);
	}
	return result == PATH_CHANGED ? -ELOOP : result;
}

/* Opens a file of the simulator, wherever it is. */
static int64_t open_own(struct context *context, const char *text,
			uint64_t flags)
{
	struct host_path path = { .folder = AT_FDCWD, .host = -1, .close = -1,
				  .generated = true, .fixed = true };

	snprintf(path.text, sizeof path.text, "%s", text);
	return path_open_found(context, &path, flags, 0);
}

int64_t path_open(struct context *context, int folder, const char *text,
		  uint64_t flags, unsigned mode)
{
	const struct linux_options *options =
		context->process->system->options;
	const char *library;
	char *other = NULL;
	int64_t result;

	library = opencl_library(context, text);
	/* Below a root the library in the root comes first. */
	if (options->redirect &&
	    !(library && confine_has_root(context->process->system)))
		other = options->redirect(options->redirect_owner, text,
					  context->process->memory->abi32);
	if (other) {
		result = open_own(context, other, flags);
		free(other);
		return result;
	}
	result = open_guest(context, folder, text, flags, mode);
	if (result == -ENOENT && library)
		result = open_own(context, library, flags);
	return result;
}

static int64_t open_at(struct context *context, int folder, uint64_t address,
		       uint64_t flags, uint64_t mode)
{
	char text[PATH_MAX];
	int length = guest_get_string(context, address, text, sizeof text);

	if (length < 0)
		return length;
	return path_open(context, folder, text, flags, (unsigned)mode);
}

int64_t call_open(struct context *context, const uint64_t *a)
{
	return open_at(context, AT_FDCWD, a[0], a[1], a[2]);
}

int64_t call_openat(struct context *context, const uint64_t *a)
{
	return open_at(context, (int)a[0], a[1], a[2], a[3]);
}

int64_t call_creat(struct context *context, const uint64_t *a)
{
	return open_at(context, AT_FDCWD, a[0], O_CREAT | O_WRONLY | O_TRUNC,
		       a[1]);
}
