/* The current folder of a process. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "x86/linux/calls.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/confine/confinement.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/path.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/state.h"

static int64_t change_folder(struct process *process, int host,
			     const char *made)
{
	if (host < 0)
		return -errno;
	close(process->paths.cwd);
	process->paths.cwd = host;
	snprintf(process->paths.made_cwd, sizeof process->paths.made_cwd, "%s",
		 made);
	return 0;
}

int64_t call_chdir(struct context *context, const uint64_t *a)
{
	struct host_path path;
	int64_t result = path_resolve(context, AT_FDCWD, a[0], true, &path);
	int host;

	if (result)
		return result;
	host = openat(path.folder, path.text,
		      O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (host >= 0 && faccessat(host, ".", X_OK, AT_EACCESS) != 0) {
		close(host);
		host = -1;
	}
	result = change_folder(context->process, host, path.made);
	path_release(&path);
	return result;
}

int64_t call_fchdir(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);
	struct stat status;
	int host;

	if (!file)
		return -EBADF;
	if (fstat(file->host, &status) != 0)
		return -errno;
	if (!S_ISDIR(status.st_mode))
		return -ENOTDIR;
	host = openat(file->host, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return change_folder(context->process, host, file->made);
}

/* The guest's path of its current folder: the length or an errno. */
static int current_folder(const struct process *process, char *text)
{
	int length = process->paths.made_cwd[0]
			     ? snprintf(text, PATH_MAX, "%s",
					process->paths.made_cwd)
			     : path_name(process, process->paths.cwd, text,
					 PATH_MAX);

	return length < 0 ? -ENOENT : length;
}

/* Whether the folder lies below the root that chroot() has given. */
static bool folder_reachable(const struct process *process)
{
	char root[PATH_MAX], folder[PATH_MAX];

	return process->paths.root < 0 ||
	       (path_of_host(process->paths.root, root, sizeof root) &&
		path_of_host(process->paths.cwd, folder, sizeof folder) &&
		confine_is_below(folder, root));
}

int64_t call_getcwd(struct context *context, const uint64_t *a)
{
	char text[PATH_MAX];
	int length = current_folder(context->process, text);
	struct stat status;
	char unreachable[PATH_MAX + 16];

	if (length < 0)
		return length;
	if (fstat(context->process->paths.cwd, &status) == 0 &&
	    !status.st_nlink)
		return -ENOENT;
	/* The folder lies outside the root of a later chroot(). */
	length = snprintf(unreachable, sizeof unreachable, "%s%s",
			  folder_reachable(context->process)
				  ? "" : "(unreachable)", text);
	if ((uint64_t)++length > a[1])
		return -ERANGE;
	return guest_put(context, a[0], unreachable, (size_t)length)
		       ? -EFAULT : length;
}

int64_t call_umask(struct context *context, const uint64_t *a)
{
	unsigned old = context->process->paths.umask;

	context->process->paths.umask = (unsigned)a[0] & 0777;
	return old;
}
