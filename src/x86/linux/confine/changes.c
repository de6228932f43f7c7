/* Which of the visible files guests may change. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "x86/linux/confine/confine.h"
#include "x86/linux/confine/confinement.h"
#include "x86/linux/files/path.h"
#include "x86/linux/state.h"

/* Memory files belong to no folder; the host shows them with such names. */
static bool is_memory(const char *name, int host)
{
	struct stat status;

	return !strncmp(name, "/memfd:", 7) && fstat(host, &status) == 0 &&
	       !status.st_nlink;
}

static bool is_writable(const struct confinement *confinement,
			const char *name)
{
	if (!confinement->read_only ||
	    (confinement->shared.path[0] &&
	     confine_is_below(name, confinement->shared.path)))
		return true;
	for (size_t i = 0; i < confinement->writable_count; i++)
		if (confine_is_below(name, confinement->writable[i].path))
			return true;
	return false;
}

/* Below a root only what lies there: a device of the host or a stream that
 * the simulator was given can be used, and stays as it is. */
int confine_change_host(const struct linux_system *system, int host)
{
	const struct confinement *confinement = system->confinement;
	char name[PATH_MAX];

	if (confinement->whole && !confinement->read_only)
		return 0;
	if (!path_of_host(host, name, PATH_MAX) || is_memory(name, host))
		return 0;
	if (!confine_is_inside(system, host))
		return -EPERM;
	return is_writable(confinement, name) ? 0 : -EROFS;
}

/* The descriptor that tells where something lies. */
static int place_of(const struct host_path *path)
{
	return path->host >= 0 ? path->host : path->folder;
}

int confine_change(const struct linux_system *system,
		   const struct host_path *path)
{
	return path->ours ? -EPERM
			  : confine_change_host(system, place_of(path));
}

int confine_new(const struct linux_system *system,
		const struct host_path *path)
{
	return path->ours ? 0 : confine_change_host(system, path->folder);
}

int confine_write(const struct linux_system *system,
		  const struct host_path *path, const struct stat *status)
{
	if (!system->confinement->read_only || S_ISCHR(status->st_mode) ||
	    S_ISFIFO(status->st_mode) || S_ISSOCK(status->st_mode))
		return 0;
	/* A file outside was given to the simulator for writing. */
	return confine_change_host(system, place_of(path)) == -EROFS ? -EROFS
								     : 0;
}
