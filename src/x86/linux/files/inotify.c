/* inotify, by that of the host. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/inotify.h>

#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/path.h"
#include "x86/linux/state.h"

int64_t call_inotify_init1(struct context *context, const uint64_t *a)
{
	if (a[0] & ~(uint64_t)(IN_CLOEXEC | IN_NONBLOCK))
		return -EINVAL;
	return file_install_host(context->process, inotify_init1(IN_CLOEXEC),
				 a[0] & IN_CLOEXEC, a[0] & IN_NONBLOCK);
}

int64_t call_inotify_init(struct context *context, const uint64_t *a)
{
	uint64_t flags = 0;

	(void)a;
	return call_inotify_init1(context, &flags);
}

int64_t call_inotify_add_watch(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);
	struct host_path path;
	char full[PATH_MAX + 64];
	int64_t result;

	if (!file)
		return -EBADF;
	result = path_resolve(context, AT_FDCWD, a[1], true, &path);
	if (result)
		return result;
	/* inotify has no *at form. */
	if (path.text[0] == '/')
		snprintf(full, sizeof full, "%s", path.text);
	else
		snprintf(full, sizeof full, "/proc/self/fd/%d/%s", path.folder,
			 path.text);
	result = host_result(inotify_add_watch(file->host, full,
					       (uint32_t)a[2]));
	path_release(&path);
	return result;
}

int64_t call_inotify_rm_watch(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);

	return file ? host_result(inotify_rm_watch(file->host, (int)a[1]))
		    : -EBADF;
}
