/* Host paths: their descriptors, and the status of their files. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "x86/linux/calls.h"
#include "x86/linux/files/path.h"
#include "x86/linux/state.h"

void path_release(struct host_path *path)
{
	if (path->close >= 0)
		close(path->close);
	path->close = -1;
}

void path_set_host(struct host_path *path, int host)
{
	path->folder = AT_FDCWD;
	path->close = path->host = host;
	path->generated = true;
	snprintf(path->text, sizeof path->text, "/proc/self/fd/%d", host);
}

int path_status(const struct host_path *path, int flags, struct stat *status)
{
	if (path->host >= 0)
		return host_result(fstat(path->host, status));
	if (path->generated)
		flags &= ~AT_SYMLINK_NOFOLLOW;
	return host_result(fstatat(path->folder, path->text, status,
				   flags & ~AT_EMPTY_PATH));
}
