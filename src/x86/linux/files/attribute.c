/* Extended attributes. The host's calls have no *at forms, so the simulator
 * makes a path of the folder's descriptor and the name. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/xattr.h>

#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/path.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/state.h"

enum { NAME_BYTES = 256, SIZE_MAX_ATTRIBUTE = 65536 };

struct target {
	struct host_path path;
	char full[PATH_MAX + 64];
};

static int resolve_target(struct context *context, uint64_t text, bool follow,
			  bool change, struct target *target)
{
	struct host_path *path = &target->path;
	int result = change ? path_resolve_change(context, AT_FDCWD, text,
						  follow, path)
			    : path_resolve(context, AT_FDCWD, text, follow,
					   path);

	if (result)
		return result;
	if (path->text[0] == '/')
		snprintf(target->full, sizeof target->full, "%s", path->text);
	else
		snprintf(target->full, sizeof target->full,
			 "/proc/self/fd/%d/%s", path->folder, path->text);
	return 0;
}

static int resolve_file(struct context *context, uint64_t descriptor,
			bool change, struct target *target)
{
	struct file *file = file_get(context->process, (int)descriptor);
	int flags = file ? fcntl(file->host, F_GETFL) : -1;

	target->path.close = -1;
	if (flags < 0 || (flags & O_PATH))
		return -EBADF;
	snprintf(target->full, sizeof target->full, "/proc/self/fd/%d",
		 file->host);
	return change ? file_may_change(context, file) : 0;
}

static int get_attribute_name(struct context *context, uint64_t address,
			      char *name)
{
	int length = guest_get_string(context, address, name, NAME_BYTES);

	if (length == -ENAMETOOLONG || !length)
		return -ERANGE;
	return length < 0 ? length : 0;
}

/* The guest's buffer for an answer. NULL with *size 0 asks for the size. */
static int get_room(struct context *context, uint64_t address, uint64_t *size,
		    void **bytes)
{
	*bytes = NULL;
	if (*size > SIZE_MAX_ATTRIBUTE)
		*size = SIZE_MAX_ATTRIBUTE;
	if (!*size)
		return 0;
	*bytes = guest_bytes(context, address, size, true);
	return *bytes ? 0 : -EFAULT;
}

/* ---- Reading ---- */

static int64_t get_attribute(struct context *context, struct target *target,
			     const uint64_t *a, bool follow)
{
	uint64_t size = a[3];
	char name[NAME_BYTES];
	void *bytes;
	int64_t result = get_attribute_name(context, a[1], name);

	if (!result)
		result = get_room(context, a[2], &size, &bytes);
	if (!result)
		result = host_result(
			follow ? getxattr(target->full, name, bytes, size)
			       : lgetxattr(target->full, name, bytes, size));
	path_release(&target->path);
	return result;
}

static int64_t list(struct context *context, struct target *target,
		    const uint64_t *a, bool follow)
{
	uint64_t size = a[2];
	void *bytes;
	int64_t result = get_room(context, a[1], &size, &bytes);

	if (!result)
		result = host_result(
			follow ? listxattr(target->full, bytes, size)
			       : llistxattr(target->full, bytes, size));
	path_release(&target->path);
	return result;
}

int64_t call_getxattr(struct context *context, const uint64_t *a)
{
	struct target target;
	int result = resolve_target(context, a[0], true, false, &target);

	return result ? result : get_attribute(context, &target, a, true);
}

int64_t call_lgetxattr(struct context *context, const uint64_t *a)
{
	struct target target;
	int result = resolve_target(context, a[0], false, false, &target);

	return result ? result : get_attribute(context, &target, a, false);
}

int64_t call_fgetxattr(struct context *context, const uint64_t *a)
{
	struct target target;
	int result = resolve_file(context, a[0], false, &target);

	return result ? result : get_attribute(context, &target, a, true);
}

int64_t call_listxattr(struct context *context, const uint64_t *a)
{
	struct target target;
	int result = resolve_target(context, a[0], true, false, &target);

	return result ? result : list(context, &target, a, true);
}

int64_t call_llistxattr(struct context *context, const uint64_t *a)
{
	struct target target;
	int result = resolve_target(context, a[0], false, false, &target);

	return result ? result : list(context, &target, a, false);
}

int64_t call_flistxattr(struct context *context, const uint64_t *a)
{
	struct target target;
	int result = resolve_file(context, a[0], false, &target);

	return result ? result : list(context, &target, a, true);
}

/* ---- Writing ---- */

static int64_t change_attribute(struct context *context, struct target *target,
				const uint64_t *a, bool follow)
{
	uint64_t size = a[3];
	char name[NAME_BYTES];
	const void *bytes = NULL;
	int64_t result = get_attribute_name(context, a[1], name);

	if (!result && (a[4] & ~(uint64_t)(XATTR_CREATE | XATTR_REPLACE)))
		result = -EINVAL;
	if (!result && size > SIZE_MAX_ATTRIBUTE)
		result = -E2BIG;
	if (!result && size) {
		bytes = guest_bytes(context, a[2], &size, false);
		if (!bytes || size < a[3])
			result = -EFAULT;
	}
	if (!result)
		result = host_result(
			follow ? setxattr(target->full, name, bytes, size,
					  (int)a[4])
			       : lsetxattr(target->full, name, bytes, size,
					   (int)a[4]));
	path_release(&target->path);
	return result;
}

static int64_t drop(struct context *context, struct target *target,
		    const uint64_t *a, bool follow)
{
	char name[NAME_BYTES];
	int64_t result = get_attribute_name(context, a[1], name);

	if (!result)
		result = host_result(follow ? removexattr(target->full, name)
					    : lremovexattr(target->full,
							   name));
	path_release(&target->path);
	return result;
}

int64_t call_setxattr(struct context *context, const uint64_t *a)
{
	struct target target;
	int result = resolve_target(context, a[0], true, true, &target);

	return result ? result : change_attribute(context, &target, a, true);
}

int64_t call_lsetxattr(struct context *context, const uint64_t *a)
{
	struct target target;
	int result = resolve_target(context, a[0], false, true, &target);

	return result ? result : change_attribute(context, &target, a, false);
}

int64_t call_fsetxattr(struct context *context, const uint64_t *a)
{
	struct target target;
	int result = resolve_file(context, a[0], true, &target);

	return result ? result : change_attribute(context, &target, a, true);
}

int64_t call_removexattr(struct context *context, const uint64_t *a)
{
	struct target target;
	int result = resolve_target(context, a[0], true, true, &target);

	return result ? result : drop(context, &target, a, true);
}

int64_t call_lremovexattr(struct context *context, const uint64_t *a)
{
	struct target target;
	int result = resolve_target(context, a[0], false, true, &target);

	return result ? result : drop(context, &target, a, false);
}

int64_t call_fremovexattr(struct context *context, const uint64_t *a)
{
	struct target target;
	int result = resolve_file(context, a[0], true, &target);

	return result ? result : drop(context, &target, a, true);
}
