/* Sizes of files: truncate, fallocate. And writing them to the disk: sync. */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "x86/linux/async/async.h"
#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/io.h"
#include "x86/linux/files/path.h"
#include "x86/linux/landlock/landlock.h"
#include "x86/linux/state.h"

int64_t call_fsync(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);

	return file ? host_result(fdatasync(file->host)) : -EBADF;
}

int64_t call_syncfs(struct context *context, const uint64_t *a)
{
	return file_get(context->process, (int)a[0]) ? 0 : -EBADF;
}

int64_t call_sync(struct context *context, const uint64_t *a)
{
	(void)context;
	(void)a;
	return 0;
}

int64_t call_sync_file_range(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);
	bool narrow = context->abi32;

	return file ? host_result(sync_file_range(
			      file->host, wide_argument(context, a + 1),
			      wide_argument(context, a + (narrow ? 3 : 2)),
			      (unsigned)a[narrow ? 5 : 3]))
		    : -EBADF;
}

/* Whether a file that is to reach `end` would grow beyond RLIMIT_FSIZE. */
static bool too_large(struct context *context, int host, uint64_t end)
{
	struct stat status;

	return end > context->process->limit[RLIMIT_FSIZE][0] &&
	       fstat(host, &status) == 0 && end > (uint64_t)status.st_size;
}

static int64_t resize(struct context *context, int host, int64_t size)
{
	if (size > 0 && too_large(context, host, (uint64_t)size))
		return size_exceeded(context);
	return size_result(context, host_result(ftruncate(host, size)));
}

static int64_t truncate_to(struct context *context, uint64_t descriptor,
			   int64_t size)
{
	struct file *file = file_get(context->process, (int)descriptor);

	if (!file)
		return -EBADF;
	if (file->denied && file_writable(file) && landlock_resize(file))
		return -EACCES;
	return file_writable(file) ? resize(context, file->host, size)
				   : host_result(ftruncate(file->host, size));
}

int64_t call_ftruncate(struct context *context, const uint64_t *a)
{
	return truncate_to(context, a[0],
			   context->abi32 ? (int32_t)a[1] : (int64_t)a[1]);
}

int64_t call_ftruncate64(struct context *context, const uint64_t *a)
{
	return truncate_to(context, a[0], wide_argument(context, a + 1));
}

static int64_t truncate_path(struct context *context, uint64_t address,
			     int64_t size)
{
	struct host_path path;
	int64_t result = path_resolve_change(context, AT_FDCWD, address, true,
					     &path);
	struct stat status;
	int host;

	if (result)
		return result;
	if (size < 0)
		result = -EINVAL;
	else if (context->landlock)
		result = landlock_truncate(context, &path);
	if (!result && context->process->system->async_files.count &&
	    fstatat(path.folder, path.text, &status, 0) == 0)
		result = lease_break(context, &status, O_WRONLY);
	if (result) {
		path_release(&path);
		return result;
	}
	host = openat(path.folder, path.text,
		      O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (host < 0) {
		result = -errno;
	} else {
		result = resize(context, host, size);
		close(host);
	}
	path_release(&path);
	return result;
}

int64_t call_truncate(struct context *context, const uint64_t *a)
{
	return truncate_path(context, a[0],
			     context->abi32 ? (int32_t)a[1] : (int64_t)a[1]);
}

int64_t call_truncate64(struct context *context, const uint64_t *a)
{
	return truncate_path(context, a[0], wide_argument(context, a + 1));
}

int64_t call_fallocate(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);
	int64_t offset = wide_argument(context, a + 2);
	int64_t size = wide_argument(context, a + (context->abi32 ? 4 : 3));

	if (!file)
		return -EBADF;
	if (offset >= 0 && size > 0 && !(a[1] & FALLOC_FL_KEEP_SIZE) &&
	    file_writable(file) &&
	    too_large(context, file->host, (uint64_t)offset + (uint64_t)size))
		return size_exceeded(context);
	return size_result(context, host_result(fallocate(file->host, (int)a[1],
							  offset, size)));
}

static int64_t advise_file(struct context *context, uint64_t descriptor,
			   int64_t offset, int64_t size, int advice)
{
	struct file *file = file_get(context->process, (int)descriptor);

	return file ? -posix_fadvise(file->host, offset, size, advice)
		    : -EBADF;
}

int64_t call_fadvise(struct context *context, const uint64_t *a)
{
	bool narrow = context->abi32;

	return advise_file(context, a[0], wide_argument(context, a + 1),
			   (int64_t)a[narrow ? 3 : 2], (int)a[narrow ? 4 : 3]);
}

int64_t call_fadvise_long(struct context *context, const uint64_t *a)
{
	return advise_file(context, a[0], wide_argument(context, a + 1),
			   wide_argument(context, a + 3), (int)a[5]);
}

int64_t call_readahead(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);
	bool narrow = context->abi32;

	return file ? host_result(readahead(
			      file->host, wide_argument(context, a + 1),
			      (size_t)a[narrow ? 3 : 2]))
		    : -EBADF;
}
