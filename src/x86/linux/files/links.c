/* Links and other names of files: calls on two paths. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "x86/linux/calls.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/path.h"
#include "x86/linux/landlock/landlock.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/proc/proc.h"
#include "x86/linux/state.h"

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
		length = file->made[0] ? proc_link(context, file->made, target,
						   sizeof target)
				       : host_result(readlinkat(
						 file->host, "", target,
						 sizeof target));
		if (length == -1 && file->made[0])
			length = -ENOENT;
	} else {
		int64_t result = path_resolve_text(context, folder, name,
						   false, &path);

		if (result)
			return result;
		length = path.made[0] ? proc_link(context, path.made, target,
						  sizeof target)
				      : -1;
		if (length < 0 && path.ours)
			length = -EINVAL;
		else if (length < 0)
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

/* Refuses a second name for a file that must not be changed, as Linux refuses
 * links between two file systems: the name would be a way to change the
 * file. */
static int64_t may_link(const struct context *context,
			const struct host_path *from)
{
	if (from->missing)
		return -ENOENT;
	return confine_change(context->process->system, from) ? -EXDEV : 0;
}

/* Whether the file that has the new name, if there is one, may be replaced. */
static int64_t may_replace(const struct context *context,
			   const struct host_path *to)
{
	return to->ours ? -EPERM
			: confine_new(context->process->system, to);
}

static int64_t do_pair(struct context *context, enum pair what,
		       const struct host_path *from,
		       const struct host_path *to, unsigned flags)
{
	int64_t result = what == PAIR_LINK ? may_link(context, from)
					   : may_replace(context, to);

	if (!result && context->landlock)
		result = landlock_move(context, from, to, what == PAIR_LINK,
				       what == PAIR_RENAME &&
					       (flags & RENAME_EXCHANGE));
	if (result)
		return result;
	if (what == PAIR_RENAME)
		return host_result(syscall(SYS_renameat2, from->folder,
					   from->text, to->folder, to->text,
					   flags));
	/* A link that stands for a descriptor of the simulator is followed. */
	return host_result(linkat(from->folder, from->text, to->folder,
				  to->text,
				  from->generated ? AT_SYMLINK_FOLLOW : 0));
}

static int64_t on_pair(struct context *context, enum pair what, int folder1,
		       uint64_t text1, int folder2, uint64_t text2,
		       unsigned flags)
{
	struct host_path from, to;
	bool follow = what == PAIR_LINK && (flags & AT_SYMLINK_FOLLOW);
	int64_t result;

	if (what == PAIR_LINK &&
	    (flags & ~(unsigned)(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH)))
		return -EINVAL;
	result = what == PAIR_LINK
			 ? path_resolve(context, folder1, text1, follow, &from)
			 : path_resolve_change(context, folder1, text1, false,
					       &from);
	if (result)
		return result;
	result = what == PAIR_LINK || (flags & RENAME_NOREPLACE)
			 ? path_resolve_new(context, folder2, text2, &to)
			 : path_resolve(context, folder2, text2, false, &to);
	if (!result) {
		result = do_pair(context, what, &from, &to, flags);
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
	const unsigned flags = (unsigned)a[4];

	if ((flags & ~(unsigned)(RENAME_NOREPLACE | RENAME_EXCHANGE |
				 RENAME_WHITEOUT)) ||
	    ((flags & RENAME_EXCHANGE) && flags != RENAME_EXCHANGE))
		return -EINVAL;
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
		if (file_may_change(context, file))
			return -EXDEV;
		result = path_resolve_new(context, (int)a[2], a[3], &to);
		if (result)
			return result;
		if (context->landlock) {
			struct host_path from = { .folder = AT_FDCWD,
						  .host = file->host,
						  .close = -1 };

			result = landlock_move(context, &from, &to, true,
					       false);
			if (result) {
				path_release(&to);
				return result;
			}
		}
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
	if (context->landlock)
		result = landlock_make(context, &path, S_IFLNK);
	if (!result)
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
