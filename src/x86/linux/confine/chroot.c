/* chroot(): another folder as the root of one process and its children. It
 * changes what their paths mean and, as in Linux, confines nothing: a process
 * that may call it can leave again. The root of the system stays the limit. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <unistd.h>

#include "x86/linux/calls.h"
#include "x86/linux/files/path.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/state.h"

int64_t call_chroot(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	struct host_path path;
	int result = path_resolve(context, AT_FDCWD, a[0], true, &path);
	int host;

	if (result)
		return result;
	host = openat(path.folder, path.text,
		      O_PATH | O_DIRECTORY | O_CLOEXEC);
	result = host < 0 ? -errno : 0;
	if (!result && path.made[0])
		result = -EACCES;
	if (!result && faccessat(host, ".", X_OK, AT_EACCESS) != 0)
		result = -errno;
	if (!result && !has_own_capability(process, CAP_SYS_CHROOT))
		result = -EPERM;
	path_release(&path);
	if (result) {
		if (host >= 0)
			close(host);
		return result;
	}
	if (process->paths.root >= 0)
		close(process->paths.root);
	process->paths.root = host;
	return 0;
}
