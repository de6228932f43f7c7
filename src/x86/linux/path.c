/* Paths: whose folder they start from, and opening them.
 *
 * Each guest process has its own current folder, held as a descriptor; every
 * host call is the *at form. Paths that describe the process itself (/proc)
 * are answered by proc.c. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/process.h"

void path_release(struct host_path *path)
{
	if (path->close >= 0)
		close(path->close);
	path->close = -1;
}

/* A name relative to a folder of /proc that we made up. */
static const char *made_folder(struct process *process, int folder)
{
	const struct file *file;

	if (folder == AT_FDCWD)
		return process->made_cwd[0] ? process->made_cwd : NULL;
	file = file_get(process, folder);
	return file && file->made[0] ? file->made : NULL;
}

int path_resolve_text(struct context *context, int folder, const char *text,
		      bool follow, struct host_path *path)
{
	struct process *process = context->process;
	const struct linux_system *system = process->system;
	char full[PATH_MAX];
	const char *made;
	int result;

	*path = (struct host_path){ .folder = AT_FDCWD, .close = -1 };
	if (!*text)
		return -ENOENT;
	if (text[0] != '/' && (made = made_folder(process, folder))) {
		result = snprintf(full, sizeof full, "%s/%s", made, text);
		if (result >= (int)sizeof full)
			return -ENAMETOOLONG;
		text = full;
	}
	if (text[0] == '/') {
		if (!system->confinement) {
			result = proc_resolve(context, text, follow, path);
			if (result <= 0)
				return result;
		}
	} else if (folder == AT_FDCWD) {
		path->folder = process->cwd;
	} else {
		struct file *file = file_get(process, folder);

		if (!file)
			return -EBADF;
		path->folder = file->host;
	}
	if (system->confinement)
		return confine_resolve(context, path->folder, text, follow,
				       path);
	snprintf(path->text, sizeof path->text, "%s", text);
	return 0;
}

int path_resolve(struct context *context, int folder, uint64_t address,
		 bool follow, struct host_path *path)
{
	char text[PATH_MAX];
	int length = guest_get_string(context, address, text, sizeof text);

	if (length < 0)
		return length;
	return path_resolve_text(context, folder, text, follow, path);
}

int path_resolve_change(struct context *context, int folder, uint64_t address,
			bool follow, struct host_path *path)
{
	int result = path_resolve(context, folder, address, follow, path);

	if (!result && !confine_writable(context->process->system,
					 path->folder, path->text)) {
		struct stat status;

		result = fstatat(path->folder, path->text, &status,
				 follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0
				 ? -EROFS
				 : -errno;
		path_release(path);
	}
	return result;
}

int path_resolve_new(struct context *context, int folder, uint64_t address,
		     struct host_path *path)
{
	int result = path_resolve(context, folder, address, false, path);
	struct stat status;

	if (!result &&
	    !confine_writable(context->process->system, path->folder, NULL) &&
	    fstatat(path->folder, path->text, &status, AT_SYMLINK_NOFOLLOW)) {
		path_release(path);
		result = -EROFS;
	}
	return result;
}

int file_may_change(const struct context *context, const struct file *file)
{
	return confine_writable(context->process->system, file->host, NULL)
		       ? 0
		       : -EROFS;
}

/* ---- open ---- */

/* Flags whose numbers are the same in both ABIs are all of them; the guest's
 * O_LARGEFILE (i386) means nothing to a 64-bit host. */
enum { GUEST_LARGEFILE = 0100000 };

static bool is_random(const struct stat *status)
{
	return S_ISCHR(status->st_mode) && major(status->st_rdev) == 1 &&
	       (minor(status->st_rdev) == 8 || minor(status->st_rdev) == 9);
}

static int64_t install_opened(struct process *process, int host,
			      uint64_t flags)
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

/* Whether a FIFO opened for reading has, or had, a writer: nothing is to be
 * read from one without, but with a writer there is not even an end of file. */
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

/* Opening a FIFO waits for the other side, which may be a guest: the host
 * must not wait. */
static int64_t open_fifo(struct context *context,
			 const struct host_path *path, uint64_t flags,
			 int *host)
{
	bool waits = !(flags & O_NONBLOCK) &&
		     (flags & O_ACCMODE) != O_RDWR;
	bool reads = (flags & O_ACCMODE) == O_RDONLY;
	struct file *fifo = context->fifo;

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
	/* A reader stays, so that writers find it. */
	if (reads && !fifo)
		context->fifo = file_create(*host, FILE_HOST);
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

/* A folder whose entries are ours: the host's descriptor is only there for
 * fstat() and the like. -ENOSYS when `made` is no such folder. */
static int64_t open_list(struct context *context, const char *made,
			 uint64_t flags)
{
	const char *folder;
	struct file *file;
	size_t size;
	char *entries = proc_list(context, made, &size, &folder);
	int host;

	if (!entries)
		return -ENOSYS;
	host = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (host < 0 || (flags & O_ACCMODE) != O_RDONLY) {
		int64_t result = host < 0 ? -errno : -EISDIR;

		if (host >= 0)
			close(host);
		free(entries);
		return result;
	}
	file = file_create(host, FILE_LIST);
	file->entries = entries;
	file->entries_size = size;
	snprintf(file->made, sizeof file->made, "%s", made);
	return file_install(context->process, file, 0, flags & O_CLOEXEC);
}

/* Confinement: what an open may not do. `status` is NULL for a file that is
 * not there yet. */
static int open_allowed(struct context *context, const struct host_path *path,
			uint64_t flags, const struct stat *status)
{
	const struct linux_system *system = context->process->system;
	bool change = (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) ||
		      (flags & O_TMPFILE) == O_TMPFILE;

	if (flags & O_PATH)
		return 0;
	if (path->fixed && change)
		return -EACCES;
	if (!status)
		return !(flags & O_CREAT) ||
				       confine_writable(system, path->folder,
							NULL)
			       ? 0
			       : -EROFS;
	/* Device files below a root are names only: whoever unpacked it need
	 * not have meant to hand out the host's disks. */
	if ((S_ISBLK(status->st_mode) || S_ISCHR(status->st_mode)) &&
	    !path->device && confine_has_root(system))
		return -EACCES;
	if (change && !S_ISDIR(status->st_mode) &&
	    !confine_writable(system, path->folder, path->text))
		return -EROFS;
	if ((flags & O_TMPFILE) == O_TMPFILE &&
	    !confine_writable(system, path->folder, path->text))
		return -EROFS;
	return 0;
}

static int64_t open_resolved(struct context *context,
			     const struct host_path *path, uint64_t flags,
			     unsigned mode)
{
	struct stat status;
	bool there = false;
	int64_t result = 0;
	mode_t mask;
	int host;

	flags &= ~(uint64_t)GUEST_LARGEFILE;
	if (path->generated)
		flags &= ~(uint64_t)O_NOFOLLOW;
	if (!(flags & O_PATH))
		there = fstatat(path->folder, path->text, &status, 0) == 0;
	if (context->process->system->confinement || path->fixed)
		result = open_allowed(context, path, flags,
				      there ? &status : NULL);
	if (result)
		return result;
	if (there && S_ISFIFO(status.st_mode)) {
		result = open_fifo(context, path, flags, &host);
	} else {
		mask = umask((mode_t)context->process->umask);
		host = openat(path->folder, path->text, (int)flags | O_CLOEXEC,
			      mode);
		result = host < 0 ? -errno : 0;
		umask(mask);
	}
	return result ? result : install_opened(context->process, host, flags);
}

static int64_t open_guest(struct context *context, int folder,
			  const char *text, uint64_t flags, unsigned mode)
{
	const uint64_t exclusive = O_CREAT | O_EXCL;
	bool follow = !(flags & O_NOFOLLOW) &&
		      (flags & exclusive) != exclusive;
	struct host_path path;
	int64_t result = path_resolve_text(context, folder, text, follow,
					   &path);

	if (result)
		return result;
	if (path.made[0] && !(flags & O_PATH)) {
		result = open_list(context, path.made, flags);
		if (result != -ENOSYS) {
			path_release(&path);
			return result;
		}
	}
	result = open_resolved(context, &path, flags, mode);
	if (result >= 0 && path.made[0] && (flags & O_ACCMODE) != O_RDONLY) {
		struct file *file = file_get(context->process, (int)result);

		file->kind = FILE_MADE;
		memcpy(file->made, path.made, sizeof file->made);
	}
	path_release(&path);
	return result;
}

/* A file of the simulator's own, wherever it is. */
static int64_t open_own(struct context *context, const char *text,
			uint64_t flags)
{
	struct host_path path = { .folder = AT_FDCWD, .close = -1,
				  .fixed = true };

	snprintf(path.text, sizeof path.text, "%s", text);
	return open_resolved(context, &path, flags, 0);
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
	/* Below a root the guest's own library comes first. */
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

/* Limits on resolution: by the host itself, where guests see its files. */
static int64_t open_limited(struct context *context, int folder,
			    uint64_t address, const struct open_how *limited)
{
	struct open_how how = *limited;
	char text[PATH_MAX];
	int length = guest_get_string(context, address, text, sizeof text);
	int at = context->process->cwd, host;

	if (length < 0)
		return length;
	/* Programs fall back. */
	if (context->process->system->confinement)
		return -ENOSYS;
	if (folder != AT_FDCWD) {
		struct file *file = file_get(context->process, folder);

		if (!file)
			return -EBADF;
		at = file->host;
	}
	how.flags |= O_CLOEXEC;
	how.flags &= ~(uint64_t)GUEST_LARGEFILE;
	host = (int)syscall(SYS_openat2, at, text, &how, sizeof how);
	return host < 0 ? -errno
			: install_opened(context->process, host,
					 limited->flags);
}

int64_t call_openat2(struct context *context, const uint64_t *a)
{
	struct open_how how = { 0 };
	const uint64_t known = O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY |
			       O_TRUNC | O_APPEND | O_NONBLOCK | O_DSYNC |
			       O_SYNC | O_ASYNC | O_DIRECT | GUEST_LARGEFILE |
			       O_DIRECTORY | O_NOFOLLOW | O_NOATIME |
			       O_CLOEXEC | O_PATH | O_TMPFILE;
	bool creates;

	if (a[3] < sizeof how)
		return -EINVAL;
	if (a[3] > SPACE_PAGE)
		return -E2BIG;
	if (guest_get(context, a[2], &how, sizeof how))
		return -EFAULT;
	for (uint64_t at = sizeof how; at < a[3]; at++) {
		uint8_t byte;

		if (guest_get(context, a[2] + at, &byte, 1))
			return -EFAULT;
		if (byte)
			return -E2BIG;
	}
	creates = (how.flags & O_CREAT) ||
		  (how.flags & O_TMPFILE) == O_TMPFILE;
	if ((how.flags & ~known) || (how.mode & ~UINT64_C(07777)) ||
	    (how.mode && !creates) || (how.resolve & ~UINT64_C(0x3f)))
		return -EINVAL;
	if (how.resolve)
		return open_limited(context, (int)a[0], a[1], &how);
	return open_at(context, (int)a[0], a[1], how.flags, how.mode);
}

/* ---- The current folder ---- */

static int64_t change_folder(struct process *process, int host,
			     const char *made)
{
	if (host < 0)
		return -errno;
	close(process->cwd);
	process->cwd = host;
	snprintf(process->made_cwd, sizeof process->made_cwd, "%s", made);
	return 0;
}

int64_t call_chdir(struct context *context, const uint64_t *a)
{
	struct host_path path;
	int64_t result = path_resolve(context, AT_FDCWD, a[0], true, &path);
	int host;

	if (result)
		return result;
	host = openat(path.folder, path.text,
		      O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (host >= 0 && faccessat(host, ".", X_OK, AT_EACCESS) != 0) {
		close(host);
		host = -1;
	}
	result = change_folder(context->process, host, path.made);
	path_release(&path);
	return result;
}

int64_t call_fchdir(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);
	struct stat status;
	int host;

	if (!file)
		return -EBADF;
	if (fstat(file->host, &status) != 0)
		return -errno;
	if (!S_ISDIR(status.st_mode))
		return -ENOTDIR;
	host = openat(file->host, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return change_folder(context->process, host, file->made);
}

bool path_is_empty(struct context *context, uint64_t address)
{
	char first;

	return guest_get(context, address, &first, 1) == 0 && !first;
}

bool path_of_host(int host, char *path, size_t size)
{
	char link[64];
	ssize_t length;

	snprintf(link, sizeof link, "/proc/self/fd/%d", host);
	length = readlink(link, path, size - 1);
	path[length > 0 ? length : 0] = 0;
	return path[0] == '/';
}

/* The current folder as the guest knows it: its length or an errno. */
int path_current(const struct process *process, char *text)
{
	const char *name;
	char link[64];
	ssize_t length;

	if (process->made_cwd[0])
		return snprintf(text, PATH_MAX, "%s", process->made_cwd);
	snprintf(link, sizeof link, "/proc/self/fd/%d", process->cwd);
	length = readlink(link, text, PATH_MAX - 1);
	if (length < 0)
		return -errno;
	text[length] = 0;
	name = confine_name(process->system, text);
	length = (ssize_t)strlen(name);
	memmove(text, name, (size_t)length + 1);
	return (int)length;
}

int64_t call_getcwd(struct context *context, const uint64_t *a)
{
	char text[PATH_MAX];
	int length = path_current(context->process, text);
	struct stat status;

	if (length < 0)
		return length;
	if (fstat(context->process->cwd, &status) == 0 && !status.st_nlink)
		return -ENOENT;
	if ((uint64_t)++length > a[1])
		return -ERANGE;
	return guest_put(context, a[0], text, (size_t)length) ? -EFAULT
							      : length;
}

int64_t call_umask(struct context *context, const uint64_t *a)
{
	unsigned old = context->process->umask;

	context->process->umask = (unsigned)a[0] & 0777;
	return old;
}
