/* The status of files and of file systems, in the layouts of both ABIs. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/path.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/proc/proc.h"
#include "x86/linux/state.h"

static void put_field(uint8_t *bytes, size_t at, uint64_t value, size_t size)
{
	memcpy(bytes + at, &value, size);
}

/* struct stat64 of i386: 96 bytes. */
static int put_stat64(struct context *context, uint64_t address,
		      const struct stat *from)
{
	uint8_t to[96] = { 0 };

	put_field(to, 0, from->st_dev, 8);
	put_field(to, 12, from->st_ino, 4);
	put_field(to, 16, from->st_mode, 4);
	put_field(to, 20, from->st_nlink, 4);
	put_field(to, 24, from->st_uid, 4);
	put_field(to, 28, from->st_gid, 4);
	put_field(to, 32, from->st_rdev, 8);
	put_field(to, 44, (uint64_t)from->st_size, 8);
	put_field(to, 52, (uint64_t)from->st_blksize, 4);
	put_field(to, 56, (uint64_t)from->st_blocks, 8);
	put_field(to, 64, (uint64_t)from->st_atim.tv_sec, 4);
	put_field(to, 68, (uint64_t)from->st_atim.tv_nsec, 4);
	put_field(to, 72, (uint64_t)from->st_mtim.tv_sec, 4);
	put_field(to, 76, (uint64_t)from->st_mtim.tv_nsec, 4);
	put_field(to, 80, (uint64_t)from->st_ctim.tv_sec, 4);
	put_field(to, 84, (uint64_t)from->st_ctim.tv_nsec, 4);
	put_field(to, 88, from->st_ino, 8);
	return guest_put(context, address, to, sizeof to);
}

/* struct stat of i386: 64 bytes, 32-bit sizes. */
static int put_stat_32(struct context *context, uint64_t address,
		       const struct stat *from)
{
	uint8_t to[64] = { 0 };

	if (from->st_size > INT32_MAX)
		return -EOVERFLOW;
	put_field(to, 0, from->st_dev, 4);
	put_field(to, 4, from->st_ino, 4);
	put_field(to, 8, from->st_mode, 2);
	put_field(to, 10, from->st_nlink, 2);
	put_field(to, 12, from->st_uid, 2);
	put_field(to, 14, from->st_gid, 2);
	put_field(to, 16, from->st_rdev, 4);
	put_field(to, 20, (uint64_t)from->st_size, 4);
	put_field(to, 24, (uint64_t)from->st_blksize, 4);
	put_field(to, 28, (uint64_t)from->st_blocks, 4);
	put_field(to, 32, (uint64_t)from->st_atim.tv_sec, 4);
	put_field(to, 36, (uint64_t)from->st_atim.tv_nsec, 4);
	put_field(to, 40, (uint64_t)from->st_mtim.tv_sec, 4);
	put_field(to, 44, (uint64_t)from->st_mtim.tv_nsec, 4);
	put_field(to, 48, (uint64_t)from->st_ctim.tv_sec, 4);
	put_field(to, 52, (uint64_t)from->st_ctim.tv_nsec, 4);
	return guest_put(context, address, to, sizeof to);
}

static int put_stat(struct context *context, uint64_t address,
		    const struct stat *from, bool wide)
{
	const struct namespace *users = context->process->credentials.users;
	struct stat to = *from;

	to.st_uid = user_seen(users, from->st_uid);
	to.st_gid = group_seen(users, from->st_gid);
	if (!context->abi32)
		return guest_put(context, address, &to, sizeof to);
	return wide ? put_stat64(context, address, &to)
		    : put_stat_32(context, address, &to);
}

static int64_t stat_file(struct context *context, uint64_t descriptor,
			 uint64_t address, bool wide)
{
	struct file *file = file_get(context->process, (int)descriptor);
	struct stat status;
	uint64_t number;

	if (!file)
		return -EBADF;
	if (fstat(file->host, &status) != 0)
		return -errno;
	if (namespace_file_number(file, &number) ||
	    proc_folder_number(file, &number))
		status.st_ino = number;
	return put_stat(context, address, &status, wide);
}

static int64_t stat_path(struct context *context, int folder, uint64_t text,
			 uint64_t address, int flags, bool wide)
{
	struct host_path path;
	struct stat status;
	uint64_t number;
	int64_t result;

	if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH | AT_NO_AUTOMOUNT))
		return -EINVAL;
	if ((flags & AT_EMPTY_PATH) && path_is_empty(context, text)) {
		if (folder != AT_FDCWD)
			return stat_file(context, (uint64_t)folder, address,
					 wide);
		result = host_result(
			fstat(context->process->paths.cwd, &status));
		return result ? result
			      : put_stat(context, address, &status, wide);
	}
	result = path_resolve(context, folder, text,
			      !(flags & AT_SYMLINK_NOFOLLOW), &path);
	if (result)
		return result;
	result = path_status(&path, flags, &status);
	if (path.made[0] && !(flags & AT_SYMLINK_NOFOLLOW) &&
	    (namespace_path_number(context, path.made, &number) ||
	     proc_path_number(context, path.made, &number)))
		status.st_ino = number;
	path_release(&path);
	return result ? result : put_stat(context, address, &status, wide);
}

int64_t call_stat(struct context *context, const uint64_t *a)
{
	return stat_path(context, AT_FDCWD, a[0], a[1], 0, false);
}

int64_t call_lstat(struct context *context, const uint64_t *a)
{
	return stat_path(context, AT_FDCWD, a[0], a[1], AT_SYMLINK_NOFOLLOW,
			 false);
}

int64_t call_fstat(struct context *context, const uint64_t *a)
{
	return stat_file(context, a[0], a[1], false);
}

int64_t call_stat64(struct context *context, const uint64_t *a)
{
	return stat_path(context, AT_FDCWD, a[0], a[1], 0, true);
}

int64_t call_lstat64(struct context *context, const uint64_t *a)
{
	return stat_path(context, AT_FDCWD, a[0], a[1], AT_SYMLINK_NOFOLLOW,
			 true);
}

int64_t call_fstat64(struct context *context, const uint64_t *a)
{
	return stat_file(context, a[0], a[1], true);
}

int64_t call_fstatat(struct context *context, const uint64_t *a)
{
	return stat_path(context, (int)a[0], a[1], a[2], (int)a[3], false);
}

int64_t call_fstatat64(struct context *context, const uint64_t *a)
{
	return stat_path(context, (int)a[0], a[1], a[2], (int)a[3], true);
}

/* struct statx is the same for everybody. */
int64_t call_statx(struct context *context, const uint64_t *a)
{
	int folder = (int)a[0], flags = (int)a[2];
	const struct namespace *users = context->process->credentials.users;
	struct host_path path;
	struct statx status;
	uint64_t number;
	int64_t result;

	if ((flags & AT_EMPTY_PATH) && path_is_empty(context, a[1])) {
		struct file *file = file_get(context->process, folder);

		if (folder != AT_FDCWD && !file)
			return -EBADF;
		result = host_result(
			statx(file ? file->host : context->process->paths.cwd,
			      "", flags, (unsigned)a[3], &status));
		if (!result && file &&
		    (namespace_file_number(file, &number) ||
		     proc_folder_number(file, &number)))
			status.stx_ino = number;
	} else {
		result = path_resolve(context, folder, a[1],
				      !(flags & AT_SYMLINK_NOFOLLOW), &path);
		if (result)
			return result;
		if (path.generated)
			flags &= ~AT_SYMLINK_NOFOLLOW;
		result = host_result(
			path.host >= 0
				? statx(path.host, "", flags | AT_EMPTY_PATH,
					(unsigned)a[3], &status)
				: statx(path.folder, path.text,
					flags & ~AT_EMPTY_PATH,
					(unsigned)a[3], &status));
		if (!result && path.made[0] &&
		    !(a[2] & AT_SYMLINK_NOFOLLOW) &&
		    (namespace_path_number(context, path.made, &number) ||
		     proc_path_number(context, path.made, &number)))
			status.stx_ino = number;
		path_release(&path);
	}
	if (result)
		return result;
	status.stx_uid = user_seen(users, status.stx_uid);
	status.stx_gid = group_seen(users, status.stx_gid);
	return guest_put(context, a[4], &status, sizeof status);
}

static int put_statfs(struct context *context, uint64_t address,
		      const struct statfs *from, bool wide)
{
	uint8_t to[84] = { 0 };
	int32_t id[2];

	if (!context->abi32)
		return guest_put(context, address, from, sizeof *from);
	memcpy(id, &from->f_fsid, sizeof id);
	put_field(to, 0, (uint64_t)from->f_type, 4);
	put_field(to, 4, (uint64_t)from->f_bsize, 4);
	if (wide) {
		put_field(to, 8, from->f_blocks, 8);
		put_field(to, 16, from->f_bfree, 8);
		put_field(to, 24, from->f_bavail, 8);
		put_field(to, 32, from->f_files, 8);
		put_field(to, 40, from->f_ffree, 8);
		memcpy(to + 48, id, 8);
		put_field(to, 56, (uint64_t)from->f_namelen, 4);
		put_field(to, 60, (uint64_t)from->f_frsize, 4);
		put_field(to, 64, (uint64_t)from->f_flags, 4);
		return guest_put(context, address, to, 84);
	}
	if (from->f_blocks > UINT32_MAX || from->f_files > UINT32_MAX)
		return -EOVERFLOW;
	put_field(to, 8, from->f_blocks, 4);
	put_field(to, 12, from->f_bfree, 4);
	put_field(to, 16, from->f_bavail, 4);
	put_field(to, 20, from->f_files, 4);
	put_field(to, 24, from->f_ffree, 4);
	memcpy(to + 28, id, 8);
	put_field(to, 36, (uint64_t)from->f_namelen, 4);
	put_field(to, 40, (uint64_t)from->f_frsize, 4);
	put_field(to, 44, (uint64_t)from->f_flags, 4);
	return guest_put(context, address, to, 64);
}

static int64_t statfs_path(struct context *context, uint64_t text,
			   uint64_t address, bool wide)
{
	struct host_path path;
	struct statfs status;
	int64_t result = path_resolve(context, AT_FDCWD, text, true, &path);
	int host;

	if (result)
		return result;
	host = openat(path.folder, path.text, O_PATH | O_CLOEXEC);
	result = host < 0 ? -errno : host_result(fstatfs(host, &status));
	if (host >= 0)
		close(host);
	path_release(&path);
	return result ? result : put_statfs(context, address, &status, wide);
}

static int64_t statfs_file(struct context *context, uint64_t descriptor,
			   uint64_t address, bool wide)
{
	struct file *file = file_get(context->process, (int)descriptor);
	struct statfs status;

	if (!file)
		return -EBADF;
	if (fstatfs(file->host, &status) != 0)
		return -errno;
	return put_statfs(context, address, &status, wide);
}

int64_t call_statfs(struct context *context, const uint64_t *a)
{
	return statfs_path(context, a[0], a[1], false);
}

int64_t call_fstatfs(struct context *context, const uint64_t *a)
{
	return statfs_file(context, a[0], a[1], false);
}

int64_t call_statfs64(struct context *context, const uint64_t *a)
{
	return statfs_path(context, a[0], a[2], true);
}

int64_t call_fstatfs64(struct context *context, const uint64_t *a)
{
	return statfs_file(context, a[0], a[2], true);
}
