/* Names in file systems, and their permissions: what calls do to paths. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "x86/linux/process.h"

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
	if ((flags & AT_EMPTY_PATH) && path_is_empty(context, text)) {
		struct file *file = file_get(context->process, folder);

		result = file ? host_result(syscall(SYS_faccessat2, file->host,
						    "", mode, (int)a[1]))
			      : -EBADF;
	} else {
		result = on_path(context, mode & W_OK ? CHANGE : LOOK, folder,
				 text, !(flags & AT_SYMLINK_NOFOLLOW),
				 do_access, a);
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
	return on_path(context, CHANGE, (int)a[0], a[1], false, do_unlink,
		       a + 2);
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
	if ((a[4] & AT_EMPTY_PATH) && path_is_empty(context, a[1]))
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
	if ((a[4] & AT_EMPTY_PATH) && path_is_empty(context, a[1])) {
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
