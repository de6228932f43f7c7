/* Paths: whose folder they start from, and opening them.
 *
 * Each guest process has its own current folder, held as a descriptor; every
 * host call is the *at form. Paths that describe the process itself (/proc)
 * are answered by proc.c. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

int path_resolve_text(struct context *context, int folder, const char *text,
		      bool follow, struct host_path *path)
{
	struct process *process = context->process;

	path->close = -1;
	path->generated = false;
	if (!*text)
		return -ENOENT;
	if (text[0] == '/') {
		int result;

		path->folder = AT_FDCWD;
		result = proc_resolve(context, text, follow, path);
		if (result <= 0)
			return result;
	} else if (folder == AT_FDCWD) {
		path->folder = process->cwd;
	} else {
		struct file *file = file_get(process, folder);

		if (!file)
			return -EBADF;
		path->folder = file->host;
	}
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

/* Opening a FIFO waits for the other side, which may be a guest: the host
 * must not wait. */
static int64_t open_fifo(struct context *context,
			 const struct host_path *path, uint64_t flags,
			 int *host)
{
	*host = openat(path->folder, path->text,
		       (int)flags | O_NONBLOCK | O_CLOEXEC);
	if (*host >= 0)
		return 0;
	if (errno == ENXIO && !(flags & O_NONBLOCK)) {
		context->wait.deadline =
			clock_monotonic(context->process->system) + 1000000;
		return wait_for(context, WAIT_TIME, "a reader of a FIFO");
	}
	return -errno;
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
 * fstat() and the like. -ENOSYS when `text` is no such folder. */
static int64_t open_list(struct context *context, const char *text,
			 uint64_t flags)
{
	const char *folder;
	struct file *file;
	size_t size;
	char *entries = proc_list(context, text, &size, &folder);
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
	return file_install(context->process, file, 0, flags & O_CLOEXEC);
}

static int64_t open_host(struct context *context, int folder, const char *text,
			 uint64_t flags, unsigned mode)
{
	struct host_path path;
	struct stat status;
	int64_t result = path_resolve_text(context, folder, text,
					   !(flags & O_NOFOLLOW), &path);
	mode_t mask;
	int host;

	if (text[0] == '/' && !(flags & O_PATH)) {
		int64_t listed = open_list(context, text, flags);

		if (listed != -ENOSYS) {
			if (!result)
				path_release(&path);
			return listed;
		}
	}
	if (result)
		return result;
	flags &= ~(uint64_t)GUEST_LARGEFILE;
	if (!(flags & O_PATH) &&
	    fstatat(path.folder, path.text, &status, 0) == 0 &&
	    S_ISFIFO(status.st_mode)) {
		result = open_fifo(context, &path, flags, &host);
	} else {
		mask = umask((mode_t)context->process->umask);
		host = openat(path.folder, path.text, (int)flags | O_CLOEXEC,
			      mode);
		result = host < 0 ? -errno : 0;
		umask(mask);
	}
	path_release(&path);
	return result ? result : install_opened(context->process, host, flags);
}

int64_t path_open(struct context *context, int folder, const char *text,
		  uint64_t flags, unsigned mode)
{
	const struct linux_options *options =
		context->process->system->options;
	const char *library;
	char *other = NULL;
	int64_t result;

	if (options->redirect)
		other = options->redirect(options->redirect_owner, text,
					  context->process->memory->abi32);
	result = open_host(context, other ? AT_FDCWD : folder,
			   other ? other : text, flags, mode);
	free(other);
	if (result != -ENOENT)
		return result;
	library = opencl_library(context, text);
	if (library)
		result = open_host(context, AT_FDCWD, library, flags, mode);
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

int64_t call_openat2(struct context *context, const uint64_t *a)
{
	struct open_how how = { 0 };

	if (a[3] < sizeof how)
		return -EINVAL;
	if (guest_get(context, a[2], &how, sizeof how))
		return -EFAULT;
	/* The limits on resolution are not offered; programs fall back. */
	if (how.resolve)
		return -ENOSYS;
	return open_at(context, (int)a[0], a[1], how.flags, how.mode);
}

/* ---- The current folder ---- */

static int64_t change_folder(struct process *process, int host)
{
	if (host < 0)
		return -errno;
	close(process->cwd);
	process->cwd = host;
	return 0;
}

int64_t call_chdir(struct context *context, const uint64_t *a)
{
	struct host_path path;
	int64_t result = path_resolve(context, AT_FDCWD, a[0], true, &path);

	if (result)
		return result;
	result = change_folder(context->process,
			       openat(path.folder, path.text,
				      O_PATH | O_DIRECTORY | O_CLOEXEC));
	path_release(&path);
	return result;
}

int64_t call_fchdir(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);
	struct stat status;

	if (!file)
		return -EBADF;
	if (fstat(file->host, &status) != 0)
		return -errno;
	if (!S_ISDIR(status.st_mode))
		return -ENOTDIR;
	return change_folder(context->process,
			     openat(file->host, ".",
				    O_PATH | O_DIRECTORY | O_CLOEXEC));
}

int64_t call_getcwd(struct context *context, const uint64_t *a)
{
	char link[64], text[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof link, "/proc/self/fd/%d", context->process->cwd);
	length = readlink(link, text, sizeof text - 1);
	if (length < 0)
		return -errno;
	text[length++] = 0;
	if ((uint64_t)length > a[1])
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
