/* Names in file systems, and their permissions: calls that change paths. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "x86/linux/calls.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/path.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/landlock/landlock.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/state.h"

/* ---- Calls on one path ---- */

typedef int path_operation(int folder, const char *text, const uint64_t *a);

/* WRITE: the call asks whether the file can be written. */
enum intent { LOOK, WRITE, CHANGE, MAKE };

static int resolve_for(struct context *context, enum intent intent, int folder,
		       uint64_t text, bool follow, struct host_path *path)
{
	struct stat status;
	int result;

	if (intent == CHANGE)
		return path_resolve_change(context, folder, text, follow,
					   path);
	if (intent == MAKE)
		return path_resolve_new(context, folder, text, path);
	result = path_resolve(context, folder, text, follow, path);
	if (result || intent == LOOK)
		return result;
	if (!path_status(path, AT_SYMLINK_NOFOLLOW, &status))
		result = confine_write(context->process->system, path,
				       &status);
	if (result)
		path_release(path);
	return result;
}

static int restrain(struct context *context, const struct host_path *path,
		    path_operation *operation, const uint64_t *a);

static int64_t on_path(struct context *context, enum intent intent,
		       int folder, uint64_t text, bool follow,
		       path_operation *operation, const uint64_t *a)
{
	struct host_path path;
	int64_t result =
		resolve_for(context, intent, folder, text, follow, &path);
	mode_t mask;

	if (result)
		return result;
	if (context->landlock) {
		result = restrain(context, &path, operation, a);
		if (result) {
			path_release(&path);
			return result;
		}
	}
	mask = umask((mode_t)context->process->paths.umask);
	result = host_result(operation(path.folder, path.text, a));
	umask(mask);
	path_release(&path);
	return result;
}

static int do_access(int folder, const char *text, const uint64_t *a)
{
	return faccessat(folder, text, (int)a[0], (int)a[1]);
}

/* access() checks the guest's real ids. The host would check its own. */
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
		capabilities_of_real_user(&real);
		identity_enter(system, &real);
	}
	if ((flags & AT_EMPTY_PATH) && path_is_empty(context, text)) {
		struct file *file = file_get(context->process, folder);

		result = file ? host_result(syscall(SYS_faccessat2, file->host,
						    "", mode, (int)a[1]))
			      : -EBADF;
	} else {
		result = on_path(context, mode & W_OK ? WRITE : LOOK, folder,
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

/* Whether a device file may be made. Device files would lead around a root. */
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

/* Asks Landlock, for calls that make or remove an entry. */
static int restrain(struct context *context, const struct host_path *path,
		    path_operation *operation, const uint64_t *a)
{
	if (operation == do_mkdir)
		return landlock_make(context, path, S_IFDIR);
	if (operation == do_mknod)
		return landlock_make(context, path, (unsigned)a[0]);
	if (operation == do_unlink)
		return landlock_remove(context, path, a[0] & AT_REMOVEDIR);
	return 0;
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

/* Linux 6.6. */
static int do_chmod_link(int folder, const char *text, const uint64_t *a)
{
	return fchmodat(folder, text, (mode_t)a[0], (int)a[1]);
}

int64_t call_fchmodat2(struct context *context, const uint64_t *a)
{
	if (a[3] & ~(uint64_t)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	if ((a[3] & AT_EMPTY_PATH) && path_is_empty(context, a[1]))
		return call_fchmod(context, (uint64_t[]){ a[0], a[2] });
	return a[3] & AT_SYMLINK_NOFOLLOW
		       ? on_path(context, CHANGE, (int)a[0], a[1], false,
				 do_chmod_link,
				 (uint64_t[]){ a[2], AT_SYMLINK_NOFOLLOW })
		       : call_fchmodat(context, a);
}

int64_t call_fchmod(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);

	int64_t result = file ? file_may_change(context, file) : -EBADF;

	if (result)
		return result;
	return host_result(fchmod(file->host, (mode_t)a[1]));
}

/* The owner that a call names, as owner[0] and [1]. -EINVAL when the process's
 * namespace does not map it. */
static int get_owner(const struct context *context, uint64_t user,
		     uint64_t group, uint64_t *owner)
{
	const struct namespace *users = context->process->credentials.users;
	uint32_t ids[2] = { (uint32_t)user, (uint32_t)group };

	if ((ids[0] != UINT32_MAX && !user_meant(users, ids[0], ids)) ||
	    (ids[1] != UINT32_MAX && !group_meant(users, ids[1], ids + 1)))
		return -EINVAL;
	owner[0] = ids[0];
	owner[1] = ids[1];
	return 0;
}

static int do_chown(int folder, const char *text, const uint64_t *a)
{
	return fchownat(folder, text, (uid_t)a[0], (gid_t)a[1], (int)a[2]);
}

static int64_t chown_path(struct context *context, int folder, uint64_t text,
			  uint64_t user, uint64_t group, bool follow)
{
	uint64_t a[3] = { 0, 0, follow ? 0 : AT_SYMLINK_NOFOLLOW };
	int result = get_owner(context, user, group, a);

	return result ? result
		      : on_path(context, CHANGE, folder, text, follow,
				do_chown, a);
}

int64_t call_chown(struct context *context, const uint64_t *a)
{
	return chown_path(context, AT_FDCWD, a[0], a[1], a[2], true);
}

int64_t call_lchown(struct context *context, const uint64_t *a)
{
	return chown_path(context, AT_FDCWD, a[0], a[1], a[2], false);
}

int64_t call_fchownat(struct context *context, const uint64_t *a)
{
	if ((a[4] & AT_EMPTY_PATH) && path_is_empty(context, a[1]))
		return call_fchown(context, (uint64_t[]){ a[0], a[2], a[3] });
	return chown_path(context, (int)a[0], a[1], a[2], a[3],
			  !(a[4] & AT_SYMLINK_NOFOLLOW));
}

int64_t call_fchown(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);

	int64_t result = file ? file_may_change(context, file) : -EBADF;

	uint64_t owner[2];

	if (!result)
		result = get_owner(context, a[1], a[2], owner);
	if (result)
		return result;
	return host_result(
		fchown(file->host, (uid_t)owner[0], (gid_t)owner[1]));
}
