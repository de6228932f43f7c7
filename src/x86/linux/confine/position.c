/* The position of a walk: the folder that it has reached, and whether ".."
 * leads up from it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "x86/linux/confine/confine.h"
#include "x86/linux/confine/walk.h"
#include "x86/linux/state.h"

static bool is_place(const struct stat *status, const struct held_place *place)
{
	return status->st_dev == place->device &&
	       status->st_ino == place->inode;
}

void walk_move(struct walk *walk, int folder, bool own,
	       const struct stat *status)
{
	if (walk->own >= 0)
		close(walk->own);
	walk->at = folder;
	walk->own = own ? folder : -1;
	walk->at_top = is_place(status, &walk->confinement->root);
	walk->at_root = walk->at_top || is_place(status, &walk->root);
}

int walk_to_host(struct walk *walk, int folder, bool own)
{
	struct stat status;

	if (fstat(folder, &status) != 0)
		return -EBADF;
	walk_move(walk, folder, own, &status);
	return 0;
}

void walk_to_root(struct walk *walk)
{
	struct stat status = { .st_dev = walk->root.device,
			       .st_ino = walk->root.inode };

	walk_move(walk, walk->root.host, false, &status);
}

void walk_to_top(struct walk *walk)
{
	const struct held_place *root = &walk->confinement->root;
	struct stat status = { .st_dev = root->device,
			       .st_ino = root->inode };

	walk_move(walk, root->host, false, &status);
}

long walk_system(struct walk *walk, int host, dev_t device)
{
	struct statfs system;

	if (device && device == walk->confinement->ordinary)
		return 0;
	if (fstatfs(host, &system) != 0)
		return 0;
	if (system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC)
		return system.f_type;
	walk->confinement->ordinary = device;
	return 0;
}

int walk_push(struct walk *walk, const char *text, const char *rest)
{
	char joined[PATH_MAX];
	int length = snprintf(joined, sizeof joined, "%s%s%s", text,
			      *text && *rest ? "/" : "", rest);

	if (length >= (int)sizeof joined)
		return -ENAMETOOLONG;
	memcpy(walk->rest, joined, (size_t)length + 1);
	return WALK_ON;
}

int walk_up(struct walk *walk)
{
	struct stat status, shared;
	int up;

	if (walk->at_root)
		return 0;
	/* Above /dev/shm is the root, as near as it matters. */
	if (walk->confinement->shared.folder >= 0 &&
	    fstat(walk->confinement->shared.folder, &shared) == 0 &&
	    fstat(walk->at, &status) == 0 && status.st_dev == shared.st_dev &&
	    status.st_ino == shared.st_ino) {
		walk_to_top(walk);
		return 0;
	}
	up = openat(walk->at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (up < 0)
		return -errno;
	if (walk_to_host(walk, up, true)) {
		close(up);
		return -EBADF;
	}
	/* A folder that was moved out of the root has no way up. */
	if (!walk->at_top &&
	    !confine_is_inside(walk->context->process->system, up))
		walk_to_top(walk);
	return 0;
}
