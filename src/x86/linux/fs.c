/* File systems: status, names, permissions, times. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "x86/linux/process.h"

/* ---- Status ---- */

static void put(uint8_t *bytes, size_t at, uint64_t value, size_t size)
{
	memcpy(bytes + at, &value, size);
}

/* struct stat64 of i386: 96 bytes. */
static int put_stat64(struct context *context, uint64_t address,
		      const struct stat *from)
{
	uint8_t to[96] = { 0 };

	put(to, 0, from->st_dev, 8);
	put(to, 12, from->st_ino, 4);
	put(to, 16, from->st_mode, 4);
	put(to, 20, from->st_nlink, 4);
	put(to, 24, from->st_uid, 4);
	put(to, 28, from->st_gid, 4);
	put(to, 32, from->st_rdev, 8);
	put(to, 44, (uint64_t)from->st_size, 8);
	put(to, 52, (uint64_t)from->st_blksize, 4);
	put(to, 56, (uint64_t)from->st_blocks, 8);
	put(to, 64, (uint64_t)from->st_atim.tv_sec, 4);
	put(to, 68, (uint64_t)from->st_atim.tv_nsec, 4);
	put(to, 72, (uint64_t)from->st_mtim.tv_sec, 4);
	put(to, 76, (uint64_t)from->st_mtim.tv_nsec, 4);
	put(to, 80, (uint64_t)from->st_ctim.tv_sec, 4);
	put(to, 84, (uint64_t)from->st_ctim.tv_nsec, 4);
	put(to, 88, from->st_ino, 8);
	return guest_put(context, address, to, sizeof to);
}

/* struct stat of i386: 64 bytes, 32-bit sizes. */
static int put_stat_32(struct context *context, uint64_t address,
		       const struct stat *from)
{
	uint8_t to[64] = { 0 };

	if (from->st_size > INT32_MAX)
		return -EOVERFLOW;
	put(to, 0, from->st_dev, 4);
	put(to, 4, from->st_ino, 4);
	put(to, 8, from->st_mode, 2);
	put(to, 10, from->st_nlink, 2);
	put(to, 12, from->st_uid, 2);
	put(to, 14, from->st_gid, 2);
	put(to, 16, from->st_rdev, 4);
	put(to, 20, (uint64_t)from->st_size, 4);
	put(to, 24, (uint64_t)from->st_blksize, 4);
	put(to, 28, (uint64_t)from->st_blocks, 4);
	put(to, 32, (uint64_t)from->st_atim.tv_sec, 4);
	put(to, 36, (uint64_t)from->st_atim.tv_nsec, 4);
	put(to, 40, (uint64_t)from->st_mtim.tv_sec, 4);
	put(to, 44, (uint64_t)from->st_mtim.tv_nsec, 4);
	put(to, 48, (uint64_t)from->st_ctim.tv_sec, 4);
	put(to, 52, (uint64_t)from->st_ctim.tv_nsec, 4);
	return guest_put(context, address, to, sizeof to);
}

static int put_stat(struct context *context, uint64_t address,
		    const struct stat *from, bool wide)
{
	if (!context->abi32)
		return guest_put(context, address, from, sizeof *from);
	return wide ? put_stat64(context, address, from)
		    : put_stat_32(context, address, from);
}

static int64_t stat_file(struct context *context, uint64_t descriptor,
			 uint64_t address, bool wide)
{
	struct file *file = file_get(context->process, (int)descriptor);
	struct stat status;

	if (!file)
		return -EBADF;
	if (fstat(file->host, &status) != 0)
		return -errno;
	return put_stat(context, address, &status, wide);
}

static bool is_empty(struct context *context, uint64_t address)
{
	char first;

	return guest_get(context, address, &first, 1) == 0 && !first;
}

static int64_t stat_path(struct context *context, int folder, uint64_t text,
			 uint64_t address, int flags, bool wide)
{
	struct host_path path;
	struct stat status;
	int64_t result;

	if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH | AT_NO_AUTOMOUNT))
		return -EINVAL;
	if ((flags & AT_EMPTY_PATH) && is_empty(context, text)) {
		if (folder != AT_FDCWD)
			return stat_file(context, (uint64_t)folder, address,
					 wide);
		result = host_result(fstat(context->process->cwd, &status));
		return result ? result
			      : put_stat(context, address, &status, wide);
	}
	result = path_resolve(context, folder, text,
			      !(flags & AT_SYMLINK_NOFOLLOW), &path);
	if (result)
		return result;
	if (path.generated)
		flags &= ~AT_SYMLINK_NOFOLLOW;
	result = host_result(fstatat(path.folder, path.text, &status,
				     flags & ~AT_EMPTY_PATH));
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
	struct host_path path;
	struct statx status;
	int64_t result;

	if ((flags & AT_EMPTY_PATH) && is_empty(context, a[1])) {
		struct file *file = file_get(context->process, folder);

		if (folder != AT_FDCWD && !file)
			return -EBADF;
		result = host_result(statx(file ? file->host
						: context->process->cwd,
					   "", flags, (unsigned)a[3],
					   &status));
	} else {
		result = path_resolve(context, folder, a[1],
				      !(flags & AT_SYMLINK_NOFOLLOW), &path);
		if (result)
			return result;
		if (path.generated)
			flags &= ~AT_SYMLINK_NOFOLLOW;
		result = host_result(statx(path.folder, path.text,
					   flags & ~AT_EMPTY_PATH,
					   (unsigned)a[3], &status));
		path_release(&path);
	}
	return result ? result
		      : guest_put(context, a[4], &status, sizeof status);
}

static int put_statfs(struct context *context, uint64_t address,
		      const struct statfs *from, bool wide)
{
	uint8_t to[84] = { 0 };
	int32_t id[2];

	if (!context->abi32)
		return guest_put(context, address, from, sizeof *from);
	memcpy(id, &from->f_fsid, sizeof id);
	put(to, 0, (uint64_t)from->f_type, 4);
	put(to, 4, (uint64_t)from->f_bsize, 4);
	if (wide) {
		put(to, 8, from->f_blocks, 8);
		put(to, 16, from->f_bfree, 8);
		put(to, 24, from->f_bavail, 8);
		put(to, 32, from->f_files, 8);
		put(to, 40, from->f_ffree, 8);
		memcpy(to + 48, id, 8);
		put(to, 56, (uint64_t)from->f_namelen, 4);
		put(to, 60, (uint64_t)from->f_frsize, 4);
		put(to, 64, (uint64_t)from->f_flags, 4);
		return guest_put(context, address, to, 84);
	}
	if (from->f_blocks > UINT32_MAX || from->f_files > UINT32_MAX)
		return -EOVERFLOW;
	put(to, 8, from->f_blocks, 4);
	put(to, 12, from->f_bfree, 4);
	put(to, 16, from->f_bavail, 4);
	put(to, 20, from->f_files, 4);
	put(to, 24, from->f_ffree, 4);
	memcpy(to + 28, id, 8);
	put(to, 36, (uint64_t)from->f_namelen, 4);
	put(to, 40, (uint64_t)from->f_frsize, 4);
	put(to, 44, (uint64_t)from->f_flags, 4);
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

/* ---- Calls on one path ---- */

typedef int path_operation(int folder, const char *text, const uint64_t *a);

enum intent { LOOK, CHANGE, MAKE };

static int64_t on_path(struct context *context, enum intent intent,
		       int folder, uint64_t text, bool follow,
		       path_operation *operation, const uint64_t *a)
{
	struct host_path path;
	int64_t result =
		intent == LOOK ? path_resolve(context, folder, text, follow,
					      &path)
		: intent == CHANGE ? path_resolve_change(context, folder, text,
							 follow, &path)
				   : path_resolve_new(context, folder, text,
						      &path);
	mode_t mask;

	if (result)
		return result;
	mask = umask((mode_t)context->process->umask);
	result = host_result(operation(path.folder, path.text, a));
	umask(mask);
	path_release(&path);
	return result;
}

static int do_access(int folder, const char *text, const uint64_t *a)
{
	return faccessat(folder, text, (int)a[0], (int)a[1]);
}

/* access() asks for the real ids; the host would take its own. */
static int64_t on_access(struct context *context, int folder, uint64_t text,
			 int mode, int flags)
{
	const struct credentials *own = &context->process->credentials;
	struct linux_system *system = context->process->system;
	const uint64_t a[] = { (uint64_t)mode,
			       (uint64_t)(flags | AT_EACCESS) };
	struct credentials real = *own;
	int64_t result;

	if (mode & ~(R_OK | W_OK | X_OK))
		return -EINVAL;
	if (!(flags & AT_EACCESS)) {
		real.user[3] = own->user[0];
		real.group[3] = own->group[0];
		identity_enter(system, &real);
	}
	if ((flags & AT_EMPTY_PATH) && is_empty(context, text)) {
		struct file *file = file_get(context->process, folder);

		result = file ? host_result(syscall(SYS_faccessat2, file->host,
						    "", mode, (int)a[1]))
			      : -EBADF;
	} else {
		result = on_path(context, mode & W_OK ? CHANGE : LOOK, folder, text,
				 !(flags & AT_SYMLINK_NOFOLLOW), do_access, a);
	}
	if (!(flags & AT_EACCESS))
		identity_enter(system, own);
	return result;
}

int64_t call_access(struct context *context, const uint64_t *a)
{
	return on_access(context, AT_FDCWD, a[0], (int)a[1], 0);
}

int64_t call_faccessat(struct context *context, const uint64_t *a)
{
	return on_access(context, (int)a[0], a[1], (int)a[2], 0);
}

int64_t call_faccessat2(struct context *context, const uint64_t *a)
{
	if ((int)a[3] & ~(AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	return on_access(context, (int)a[0], a[1], (int)a[2], (int)a[3]);
}

static int do_mkdir(int folder, const char *text, const uint64_t *a)
{
	return mkdirat(folder, text, (mode_t)a[0]);
}

int64_t call_mkdir(struct context *context, const uint64_t *a)
{
	return on_path(context, MAKE, AT_FDCWD, a[0], false, do_mkdir, a + 1);
}

int64_t call_mkdirat(struct context *context, const uint64_t *a)
{
	return on_path(context, MAKE, (int)a[0], a[1], false, do_mkdir, a + 2);
}

static int do_unlink(int folder, const char *text, const uint64_t *a)
{
	return unlinkat(folder, text, (int)a[0]);
}

int64_t call_rmdir(struct context *context, const uint64_t *a)
{
	return on_path(context, CHANGE, AT_FDCWD, a[0], false, do_unlink,
		       (uint64_t[]){ AT_REMOVEDIR });
}

int64_t call_unlink(struct context *context, const uint64_t *a)
{
	return on_path(context, CHANGE, AT_FDCWD, a[0], false, do_unlink,
		       (uint64_t[]){ 0 });
}

int64_t call_unlinkat(struct context *context, const uint64_t *a)
{
	return on_path(context, CHANGE, (int)a[0], a[1], false, do_unlink, a + 2);
}

/* Device files would be a way around a root. */
static bool node_allowed(const struct context *context, uint64_t mode)
{
	return (!S_ISCHR(mode) && !S_ISBLK(mode)) ||
	       !confine_has_root(context->process->system);
}

static int do_mknod(int folder, const char *text, const uint64_t *a)
{
	return mknodat(folder, text, (mode_t)a[0], (dev_t)(uint32_t)a[1]);
}

int64_t call_mknod(struct context *context, const uint64_t *a)
{
	if (!node_allowed(context, a[1]))
		return -EPERM;
	return on_path(context, MAKE, AT_FDCWD, a[0], false, do_mknod, a + 1);
}

int64_t call_mknodat(struct context *context, const uint64_t *a)
{
	if (!node_allowed(context, a[2]))
		return -EPERM;
	return on_path(context, MAKE, (int)a[0], a[1], false, do_mknod, a + 2);
}

static int do_chmod(int folder, const char *text, const uint64_t *a)
{
	return fchmodat(folder, text, (mode_t)a[0], 0);
}

int64_t call_chmod(struct context *context, const uint64_t *a)
{
	return on_path(context, CHANGE, AT_FDCWD, a[0], true, do_chmod, a + 1);
}

int64_t call_fchmodat(struct context *context, const uint64_t *a)
{
	return on_path(context, CHANGE, (int)a[0], a[1], true, do_chmod, a + 2);
}

int64_t call_fchmod(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);

	if (!file)
		return -EBADF;
	if (file_may_change(context, file))
		return -EROFS;
	return host_result(fchmod(file->host, (mode_t)a[1]));
}

static int do_chown(int folder, const char *text, const uint64_t *a)
{
	return fchownat(folder, text, (uid_t)a[0], (gid_t)a[1], (int)a[2]);
}

int64_t call_chown(struct context *context, const uint64_t *a)
{
	return on_path(context, CHANGE, AT_FDCWD, a[0], true, do_chown,
		       (uint64_t[]){ a[1], a[2], 0 });
}

int64_t call_lchown(struct context *context, const uint64_t *a)
{
	return on_path(context, CHANGE, AT_FDCWD, a[0], false, do_chown,
		       (uint64_t[]){ a[1], a[2], AT_SYMLINK_NOFOLLOW });
}

int64_t call_fchownat(struct context *context, const uint64_t *a)
{
	if ((a[4] & AT_EMPTY_PATH) && is_empty(context, a[1]))
		return call_fchown(context, (uint64_t[]){ a[0], a[2], a[3] });
	return on_path(context, CHANGE, (int)a[0], a[1],
		       !(a[4] & AT_SYMLINK_NOFOLLOW), do_chown,
		       (uint64_t[]){ a[2], a[3],
				     a[4] & AT_SYMLINK_NOFOLLOW });
}

int64_t call_fchown(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);

	if (!file)
		return -EBADF;
	if (file_may_change(context, file))
		return -EROFS;
	return host_result(fchown(file->host, (uid_t)a[1], (gid_t)a[2]));
}

/* ---- Links and names: two paths ---- */

static int64_t read_link(struct context *context, int folder, uint64_t text,
			 uint64_t buffer, uint64_t size)
{
	char name[PATH_MAX], target[PATH_MAX];
	struct host_path path;
	int64_t length = guest_get_string(context, text, name, sizeof name);

	if (length < 0)
		return length;
	if ((int)size <= 0)
		return -EINVAL;
	if (!length && folder != AT_FDCWD) {
		/* The link itself, opened with O_PATH. */
		struct file *file = file_get(context->process, folder);

		if (!file)
			return -EBADF;
		length = host_result(readlinkat(file->host, "", target,
						sizeof target));
	} else {
		int64_t result = path_resolve_text(context, folder, name,
						   false, &path);

		if (result)
			return result;
		length = path.made[0] ? proc_link(context, path.made, target,
						  sizeof target)
				      : -1;
		if (length < 0)
			length = host_result(readlinkat(path.folder, path.text,
							target,
							sizeof target));
		path_release(&path);
	}
	if (length < 0)
		return length;
	if ((uint64_t)length > size)
		length = (int64_t)size;
	return guest_put(context, buffer, target, (size_t)length) ? -EFAULT
								  : length;
}

int64_t call_readlink(struct context *context, const uint64_t *a)
{
	return read_link(context, AT_FDCWD, a[0], a[1], a[2]);
}

int64_t call_readlinkat(struct context *context, const uint64_t *a)
{
	return read_link(context, (int)a[0], a[1], a[2], a[3]);
}

enum pair { PAIR_RENAME, PAIR_LINK };

static int64_t on_pair(struct context *context, enum pair what, int folder1,
		       uint64_t text1, int folder2, uint64_t text2,
		       unsigned flags)
{
	struct host_path from, to;
	bool follow = what == PAIR_LINK && (flags & AT_SYMLINK_FOLLOW);
	int64_t result =
		what == PAIR_LINK
			? path_resolve(context, folder1, text1, follow, &from)
			: path_resolve_change(context, folder1, text1, false,
					      &from);

	if (result)
		return result;
	result = what == PAIR_LINK || (flags & RENAME_NOREPLACE)
			 ? path_resolve_new(context, folder2, text2, &to)
			 : path_resolve(context, folder2, text2, false, &to);
	if (!result && what == PAIR_RENAME &&
	    !confine_writable(context->process->system, to.folder, NULL)) {
		path_release(&to);
		result = -EROFS;
	}
	if (!result) {
		if (what == PAIR_RENAME)
			result = host_result(syscall(
				SYS_renameat2, from.folder, from.text,
				to.folder, to.text, flags));
		else
			result = host_result(linkat(from.folder, from.text,
						    to.folder, to.text,
						    (int)flags));
		path_release(&to);
	}
	path_release(&from);
	return result;
}

int64_t call_rename(struct context *context, const uint64_t *a)
{
	return on_pair(context, PAIR_RENAME, AT_FDCWD, a[0], AT_FDCWD, a[1],
		       0);
}

int64_t call_renameat(struct context *context, const uint64_t *a)
{
	return on_pair(context, PAIR_RENAME, (int)a[0], a[1], (int)a[2], a[3],
		       0);
}

int64_t call_renameat2(struct context *context, const uint64_t *a)
{
	return on_pair(context, PAIR_RENAME, (int)a[0], a[1], (int)a[2], a[3],
		       (unsigned)a[4]);
}

int64_t call_link(struct context *context, const uint64_t *a)
{
	return on_pair(context, PAIR_LINK, AT_FDCWD, a[0], AT_FDCWD, a[1], 0);
}

int64_t call_linkat(struct context *context, const uint64_t *a)
{
	if ((a[4] & AT_EMPTY_PATH) && is_empty(context, a[1])) {
		struct file *file = file_get(context->process, (int)a[0]);
		char link[64];
		struct host_path to;
		int64_t result;

		if (!file)
			return -EBADF;
		result = path_resolve_new(context, (int)a[2], a[3], &to);
		if (result)
			return result;
		snprintf(link, sizeof link, "/proc/self/fd/%d", file->host);
		result = host_result(linkat(AT_FDCWD, link, to.folder,
					    to.text, AT_SYMLINK_FOLLOW));
		path_release(&to);
		return result;
	}
	return on_pair(context, PAIR_LINK, (int)a[0], a[1], (int)a[2], a[3],
		       (unsigned)a[4]);
}

static int64_t make_symlink(struct context *context, uint64_t target,
			    int folder, uint64_t text)
{
	char name[PATH_MAX];
	struct host_path path;
	int64_t result = guest_get_string(context, target, name, sizeof name);

	if (result < 0)
		return result;
	result = path_resolve_new(context, folder, text, &path);
	if (result)
		return result;
	result = host_result(symlinkat(name, path.folder, path.text));
	path_release(&path);
	return result;
}

int64_t call_symlink(struct context *context, const uint64_t *a)
{
	return make_symlink(context, a[0], AT_FDCWD, a[1]);
}

int64_t call_symlinkat(struct context *context, const uint64_t *a)
{
	return make_symlink(context, a[0], (int)a[1], a[2]);
}

/* ---- Times ---- */

static int get_file_times(struct context *context, uint64_t address, bool wide,
			  struct timespec *times)
{
	for (int i = 0; i < 2; i++) {
		int64_t fields[2];
		int32_t narrow[2];

		if (context->abi32 && !wide) {
			if (guest_get(context, address + 8 * (unsigned)i,
				      narrow, sizeof narrow))
				return -EFAULT;
			fields[0] = narrow[0];
			fields[1] = narrow[1];
		} else {
			if (guest_get(context, address + 16 * (unsigned)i,
				      fields, sizeof fields))
				return -EFAULT;
			if (context->abi32)
				fields[1] = (int32_t)fields[1];
		}
		times[i] = (struct timespec){ fields[0], fields[1] };
	}
	return 0;
}

static int64_t set_times(struct context *context, int folder, uint64_t text,
			 const struct timespec *times, int flags)
{
	struct host_path path;
	int64_t result;

	if (!text || ((flags & AT_EMPTY_PATH) && is_empty(context, text))) {
		struct file *file = file_get(context->process, folder);

		if (!file)
			return -EBADF;
		if (file_may_change(context, file))
			return -EROFS;
		return host_result(futimens(file->host, times));
	}
	result = path_resolve_change(context, folder, text,
				     !(flags & AT_SYMLINK_NOFOLLOW), &path);
	if (result)
		return result;
	result = host_result(utimensat(path.folder, path.text, times,
				       flags & ~AT_EMPTY_PATH));
	path_release(&path);
	return result;
}

static int64_t utimens(struct context *context, const uint64_t *a, bool wide)
{
	struct timespec times[2];

	if (a[2] && get_file_times(context, a[2], wide, times))
		return -EFAULT;
	return set_times(context, (int)a[0], a[1], a[2] ? times : NULL,
			 (int)a[3]);
}

int64_t call_utimensat(struct context *context, const uint64_t *a)
{
	return utimens(context, a, false);
}

int64_t call_utimensat_time64(struct context *context, const uint64_t *a)
{
	return utimens(context, a, true);
}

int64_t call_futimesat(struct context *context, const uint64_t *a)
{
	struct timespec times[2];

	if (a[2]) {
		if (get_file_times(context, a[2], false, times))
			return -EFAULT;
		times[0].tv_nsec *= 1000;
		times[1].tv_nsec *= 1000;
	}
	return set_times(context, (int)a[0], a[1], a[2] ? times : NULL, 0);
}

int64_t call_utimes(struct context *context, const uint64_t *a)
{
	return call_futimesat(context, (uint64_t[]){
					       (uint64_t)AT_FDCWD, a[0],
					       a[1] });
}

int64_t call_utime(struct context *context, const uint64_t *a)
{
	struct timespec times[2] = { 0 };
	unsigned word = context->abi32 ? 4 : 8;
	uint64_t access, modification;

	if (!a[1])
		return set_times(context, AT_FDCWD, a[0], NULL, 0);
	if (guest_get_word(context, a[1], &access) ||
	    guest_get_word(context, a[1] + word, &modification))
		return -EFAULT;
	times[0].tv_sec = (time_t)access;
	times[1].tv_sec = (time_t)modification;
	return set_times(context, AT_FDCWD, a[0], times, 0);
}
