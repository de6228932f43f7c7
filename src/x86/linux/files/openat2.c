/* openat2(): opening files with limits on the way of the path. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "x86/linux/calls.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/open.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/state.h"

/* Opens with limits on the way. The host applies the limits where guests see
 * its files, except in its /proc. */
static int64_t open_limited(struct context *context, int folder,
			    uint64_t address, const struct open_how *limited)
{
	struct open_how how = *limited;
	char text[PATH_MAX];
	int length = guest_get_string(context, address, text, sizeof text);
	int at = context->process->paths.cwd, host;

	if (length < 0)
		return length;
	/* Programs then use openat(). */
	if (context->process->paths.root >= 0 || context->landlock ||
	    confine_has_root(context->process->system) ||
	    context->process->system->options->read_only)
		return -ENOSYS;
	if (folder != AT_FDCWD) {
		struct file *file = file_get(context->process, folder);

		if (!file)
			return -EBADF;
		at = file->host;
	}
	how.flags |= O_CLOEXEC;
	how.flags &= ~(uint64_t)GUEST_LARGEFILE;
	how.resolve |= RESOLVE_NO_MAGICLINKS;
	host = (int)syscall(SYS_openat2, at, text, &how, sizeof how);
	if (host >= 0 && confine_is_proc(host)) {
		close(host);
		return -EACCES;
	}
	return host < 0 ? -errno
			: path_install(context->process, host,
					 limited->flags);
}

int64_t call_openat2(struct context *context, const uint64_t *a)
{
	struct open_how how = { 0 };
	const uint64_t known = O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY |
			       O_TRUNC | O_APPEND | O_NONBLOCK | O_DSYNC |
			       O_SYNC | O_ASYNC | O_DIRECT | GUEST_LARGEFILE |
			       O_DIRECTORY | O_NOFOLLOW | O_NOATIME |
			       O_CLOEXEC | O_PATH | O_TMPFILE;
	bool creates;

	if (a[3] < sizeof how)
		return -EINVAL;
	if (a[3] > SPACE_PAGE)
		return -E2BIG;
	if (guest_get(context, a[2], &how, sizeof how))
		return -EFAULT;
	for (uint64_t at = sizeof how; at < a[3]; at++) {
		uint8_t byte;

		if (guest_get(context, a[2] + at, &byte, 1))
			return -EFAULT;
		if (byte)
			return -E2BIG;
	}
	creates = (how.flags & O_CREAT) ||
		  (how.flags & O_TMPFILE) == O_TMPFILE;
	if ((how.flags & ~known) || (how.mode & ~UINT64_C(07777)) ||
	    (how.mode && !creates) || (how.resolve & ~UINT64_C(0x3f)))
		return -EINVAL;
	if (how.resolve)
		return open_limited(context, (int)a[0], a[1], &how);
	return call_openat(context, (uint64_t[]){ a[0], a[1], how.flags,
						  how.mode });
}

