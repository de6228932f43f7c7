/* Names that the host has for files, and those that guests know them by. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "x86/linux/confine/confine.h"
#include "x86/linux/confine/confinement.h"
#include "x86/linux/state.h"

bool confine_is_below(const char *name, const char *folder)
{
	size_t length = strlen(folder);

	return !strncmp(name, folder, length) &&
	       (name[length] == '/' || !name[length]);
}

const char *confine_name(const struct process *process, const char *name)
{
	const char *folder = process->system->confinement->path;
	char root[PATH_MAX];

	if (process->paths.root >= 0 &&
	    path_of_host(process->paths.root, root, PATH_MAX) &&
	    confine_is_below(name, root))
		folder = root;
	if (name[0] != '/' || !confine_is_below(name, folder))
		return name;
	name += strlen(folder);
	return *name ? name : "/";
}

bool path_of_host(int host, char *path, size_t size)
{
	char link[64];
	ssize_t length;

	snprintf(link, sizeof link, "/proc/self/fd/%d", host);
	length = readlink(link, path, size - 1);
	path[length > 0 ? length : 0] = 0;
	return path[0] == '/';
}

int path_name(const struct process *process, int host, char *text, size_t size)
{
	char name[PATH_MAX];

	path_of_host(host, name, sizeof name);
	return *name ? snprintf(text, size, "%s", confine_name(process, name))
		     : -1;
}

bool confine_is_inside(const struct linux_system *system, int host)
{
	const struct confinement *confinement = system->confinement;
	char name[PATH_MAX];

	if (confinement->whole)
		return true;
	return path_of_host(host, name, PATH_MAX) &&
	       (confine_is_below(name, confinement->path) ||
		confine_is_below(name, confinement->shared.path));
}

bool confine_is_proc(int host)
{
	struct statfs system;

	return fstatfs(host, &system) == 0 &&
	       system.f_type == PROC_SUPER_MAGIC;
}

int confine_hold(const struct linux_system *system, const char *path)
{
	int host = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char name[PATH_MAX];

	if (host < 0)
		return -1;
	if (path_of_host(host, name, PATH_MAX) && !strcmp(name, path) &&
	    confine_is_inside(system, host))
		return host;
	close(host);
	errno = ENOENT;
	return -1;
}

int confine_stat(const struct linux_system *system, const char *path,
		 struct stat *status)
{
	int host = confine_hold(system, path), result;

	if (host < 0)
		return -1;
	result = fstat(host, status);
	close(host);
	return result;
}
