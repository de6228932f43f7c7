/* Files by handles, which name a file on a file system without a path. Handles
 * are the host's. Guests that see only a part of the host's files cannot open
 * them, since a handle can lead anywhere. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stddef.h>
#include <unistd.h>

#include "x86/linux/calls.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/open.h"
#include "x86/linux/files/path.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/state.h"

enum {
	UNIQUE_MOUNT = 1,      /* AT_HANDLE_MNT_ID_UNIQUE: 64 bits, Linux 6.12 */
	FOR_COMPARING = 0x200, /* AT_HANDLE_FID, Linux 6.5 */
};

/* struct file_handle with the largest room. */
union handle {
	struct file_handle head;
	uint8_t bytes[sizeof(struct file_handle) + MAX_HANDLE_SZ];
};

/* The place of the file whose handle is asked for: 0 or a negative errno. */
static int find_place(struct context *context, const uint64_t *a,
		      struct host_path *path)
{
	const struct file *file;

	if (!(a[4] & AT_EMPTY_PATH) || !path_is_empty(context, a[1]))
		return path_resolve(context, (int)a[0], a[1],
				    a[4] & AT_SYMLINK_FOLLOW, path);
	*path = (struct host_path){
		.folder = context->process->paths.cwd, .host = -1, .close = -1};
	if ((int)a[0] == AT_FDCWD)
		return 0;
	file = file_get(context->process, (int)a[0]);
	if (!file)
		return -EBADF;
	path->folder = file->host;
	return 0;
}

int64_t call_name_to_handle_at(struct context *context, const uint64_t *a)
{
	union handle handle = { 0 };
	uint64_t mount = 0;
	struct host_path path;
	int flags = (int)a[4] | AT_EMPTY_PATH;
	int64_t result = find_place(context, a, &path);

	if (result)
		return result;
	if (guest_get(context, a[2], &handle.head.handle_bytes, 4))
		result = -EFAULT;
	else if (handle.head.handle_bytes > MAX_HANDLE_SZ)
		result = -EINVAL;
	else if (path.made[0] && !(a[4] & FOR_COMPARING))
		/* files of /proc cannot be opened by handles */
		result = -EOPNOTSUPP;
	if (!result)
		result = host_result(name_to_handle_at(path.folder, path.text,
						       &handle.head,
						       (int *)&mount, flags));
	path_release(&path);
	/* The guest learns the needed room and the mount even when the room is
	 * too small. */
	if (result && result != -EOVERFLOW)
		return result;
	if (guest_put(context, a[3], &mount,
		      a[4] & UNIQUE_MOUNT ? sizeof mount : sizeof(int)) ||
	    guest_put(context, a[2], &handle,
		      offsetof(struct file_handle, f_handle) +
			      (result ? 0 : handle.head.handle_bytes)))
		return -EFAULT;
	return result;
}

static bool may_open_handle(const struct context *context)
{
	const struct process *process = context->process;

	return has_capability(process, CAP_DAC_READ_SEARCH) &&
	       process->paths.root < 0 && !confine_has_root(process->system);
}

/* The object of a handle, open with O_PATH, or a negative errno. The host
 * refuses the current folder, which is open with O_PATH only. */
static int open_handle(const struct context *context, const struct file *file,
		       struct file_handle *handle)
{
	int mount = file ? file->host
			 : openat(context->process->paths.cwd, ".",
				  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int host = mount < 0 ? -1
			     : open_by_handle_at(mount, handle,
						 O_PATH | O_CLOEXEC);
	int result = host < 0 ? -errno : host;

	if (!file && mount >= 0)
		close(mount);
	return result;
}

int64_t call_open_by_handle_at(struct context *context, const uint64_t *a)
{
	const struct file *file = file_get(context->process, (int)a[0]);
	const size_t head = offsetof(struct file_handle, f_handle);
	struct host_path path = { 0 };
	union handle handle;
	int64_t result;
	int host;

	if (!file && (int)a[0] != AT_FDCWD)
		return -EBADF;
	if (!may_open_handle(context))
		return -EPERM;
	if (guest_get(context, a[1], &handle, head))
		return -EFAULT;
	if (!handle.head.handle_bytes ||
	    handle.head.handle_bytes > MAX_HANDLE_SZ)
		return -EINVAL;
	if (guest_get(context, a[1] + head, handle.head.f_handle,
		      handle.head.handle_bytes))
		return -EFAULT;
	host = open_handle(context, file, &handle.head);
	if (host < 0)
		return host;
	path_set_host(&path, host);
	result = path_open_found(context, &path, a[2] & ~(uint64_t)O_CREAT, 0);
	path_release(&path);
	return result;
}
