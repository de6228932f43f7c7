/* A private view of the files (mount_namespaces(7)): trees of the host's files
 * are mounted below a new root.
 *
 *	1. copies of the mounts at all places (open_tree), with their flags;
 *	2. the new root: an empty file system in memory with the folders and
 *	   links that lead to the places, or a copy of the base;
 *	3. the root is mounted on /proc, which is there on every host, and
 *	   the copies in it;
 *	4. the root becomes the process's, and nothing else is left.
 *
 * The host is not affected: every mount that this file makes is private. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/wall/internal.h"
#include "base/wall/skeleton.h"

/* A mount to be made. */
struct graft {
	char *path;      /* without links */
	unsigned access; /* that decides about its flags */
	int tree;        /* a copy of the host's mount; -1: none needed */
};

struct grafts {
	struct graft *list;
	size_t count;
};

static int fails(struct error *error, const char *what)
{
	return error_set(error, "cannot make a private view of the files "
				"(mount namespace): %s: %s",
			 what, strerror(errno));
}

/* --- Step 1: the host's mounts ------------------------------------------ */

static unsigned mount_access(unsigned access)
{
	return access & (WALL_CHANGE | WALL_DEVICE | WALL_OWN);
}

static int set_flags(int tree, unsigned access, struct error *error)
{
	struct mount_attr flags = {
		.attr_set = MOUNT_ATTR_NOSUID |
			    (access & WALL_CHANGE && !(access & WALL_DEVICE)
				     ? 0 : MOUNT_ATTR_RDONLY) |
			    (access & WALL_DEVICE ? 0 : MOUNT_ATTR_NODEV),
		.propagation = MS_PRIVATE,
	};

	if (mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &flags,
			  sizeof flags))
		return fails(error, "mount_setattr");
	return 0;
}

/* A file system in memory. The tree, or -1. */
static int new_tree(const char *mode, struct error *error)
{
	int system = fsopen("tmpfs", FSOPEN_CLOEXEC), tree = -1;

	if (system >= 0 &&
	    !fsconfig(system, FSCONFIG_SET_STRING, "mode", mode, 0) &&
	    !fsconfig(system, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		tree = fsmount(system, FSMOUNT_CLOEXEC,
			       MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
	if (tree < 0)
		fails(error, "a file system in memory");
	if (system >= 0)
		close(system);
	return tree;
}

static int copy_tree(const char *path, unsigned access, struct error *error)
{
	int tree = open_tree(AT_FDCWD, path, OPEN_TREE_CLONE |
			     OPEN_TREE_CLOEXEC | AT_RECURSIVE);

	if (tree < 0)
		return fails(error, path);
	if (set_flags(tree, access, error)) {
		close(tree);
		return -1;
	}
	return tree;
}

static int compare_grafts(const void *a, const void *b)
{
	return strcmp(((const struct graft *)a)->path,
		      ((const struct graft *)b)->path);
}

/* Whether a place has no mount of its own: the files that are made for the
 * process, whose links lead to open files, and the files of the base. */
static bool is_there(const struct wall_place *place)
{
	return !strncmp(place->path, "/proc/", 6) || place->access & WALL_BASE;
}

/* Folders come before what is in them. */
static void list_grafts(const struct wall *wall, struct grafts *grafts)
{
	char path[PATH_MAX];

	grafts->list = xcalloc(wall->count + 1, sizeof *grafts->list);
	for (size_t i = 0; i < wall->count; i++) {
		const struct wall_place *place = &wall->places[i];
		bool own = place->access & WALL_OWN;

		if (is_there(place) ||
		    (!own && !realpath(place->path, path)))
			continue;
		grafts->list[grafts->count++] = (struct graft){
			xstrdup(own ? place->path : path),
			mount_access(place->access), -1
		};
	}
	qsort(grafts->list, grafts->count, sizeof *grafts->list,
	      compare_grafts);
}

/* Whether the mount of a folder above shows it with the same flags. */
static bool is_covered(const struct wall *wall, const struct grafts *grafts,
		       size_t index)
{
	const struct graft *graft = &grafts->list[index];

	while (index--) {
		const struct graft *above = &grafts->list[index];

		if (above->tree >= 0 && wall_is_below(graft->path, above->path))
			return above->access == graft->access;
	}
	return wall->base && !strcmp(wall->base, "/") &&
	       graft->access == (wall->base_changes ? WALL_CHANGE : 0);
}

static int copy_mounts(const struct wall *wall, struct grafts *grafts,
		       struct error *error)
{
	for (size_t i = 0; i < grafts->count; i++) {
		struct graft *graft = &grafts->list[i];

		if (is_covered(wall, grafts, i))
			continue;
		graft->tree = graft->access & WALL_OWN
				      ? new_tree("1777", error)
				      : copy_tree(graft->path, graft->access,
						  error);
		if (graft->tree < 0)
			return -1;
	}
	return 0;
}

/* --- Steps 2 and 3: the new root ---------------------------------------- */

static int make_root(const struct wall *wall, const char *folder,
		     struct error *error)
{
	int root;

	if (wall->base)
		return copy_tree(wall->base,
				 wall->base_changes ? WALL_CHANGE : 0, error);
	root = new_tree("0755", error);
	for (size_t i = 0; i < wall->count && root >= 0; i++) {
		const struct wall_place *place = &wall->places[i];

		if (!is_there(place) &&
		    (place->access & WALL_OWN ||
		     !faccessat(AT_FDCWD, place->path, F_OK, AT_EACCESS)) &&
		    skeleton_add(root, place->path))
			root = fails(error, place->path);
	}
	if (root >= 0)
		skeleton_add(root, folder);
	return root;
}

static int attach(int root, const struct grafts *grafts, struct error *error)
{
	struct mount_attr alone = { .propagation = MS_PRIVATE };

	if (mount_setattr(AT_FDCWD, "/proc", 0, &alone, sizeof alone) ||
	    move_mount(root, "", AT_FDCWD, "/proc", MOVE_MOUNT_F_EMPTY_PATH))
		return fails(error, "/proc, on which the view is mounted");
	for (size_t i = 0; i < grafts->count; i++) {
		const struct graft *graft = &grafts->list[i];

		/* A base need not have every place. */
		if (graft->tree >= 0 &&
		    move_mount(graft->tree, "", root, graft->path + 1,
			       MOVE_MOUNT_F_EMPTY_PATH) && errno != ENOENT)
			return fails(error, graft->path);
	}
	return 0;
}

/* --- Step 4: moving in -------------------------------------------------- */

/* The old root goes away if it is a mount, which the root of chroot() need
 * not be. It is out of reach anyhow. */
static int move_in(int root, const char *folder, struct error *error)
{
	struct mount_attr alone = { .propagation = MS_PRIVATE };
	bool is_mount = !mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &alone,
				       sizeof alone);

	if (fchdir(root))
		return fails(error, "its root");
	if (is_mount && !syscall(SYS_pivot_root, ".", "."))
		umount2(".", MNT_DETACH);
	else if (chroot("."))
		return fails(error, "chroot");
	if (chdir(folder) && chdir("/"))
		return fails(error, "its root");
	return 0;
}

static void close_grafts(struct grafts *grafts)
{
	for (size_t i = 0; i < grafts->count; i++) {
		if (grafts->list[i].tree >= 0)
			close(grafts->list[i].tree);
		free(grafts->list[i].path);
	}
	free(grafts->list);
}

static int change_view(const struct wall *wall, struct error *error)
{
	struct mount_attr fixed = { .attr_set = MOUNT_ATTR_RDONLY };
	struct grafts grafts = { NULL, 0 };
	char *folder = getcwd(NULL, 0);
	int root = -1, result;

	list_grafts(wall, &grafts);
	result = copy_mounts(wall, &grafts, error);
	if (!result)
		root = make_root(wall, folder ? folder : "/", error);
	if (root < 0 || attach(root, &grafts, error) ||
	    (!wall->base && mount_setattr(root, "", AT_EMPTY_PATH, &fixed,
					  sizeof fixed)) ||
	    move_in(root, folder ? folder : "/", error))
		result = -1;
	if (root >= 0)
		close(root);
	close_grafts(&grafts);
	free(folder);
	return result;
}

/* --- The namespaces ----------------------------------------------------- */

static int write_file(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_CLOEXEC), result;

	if (file < 0)
		return -1;
	result = write(file, text, strlen(text)) < 0 ? -1 : 0;
	close(file);
	return result;
}

/* Maps the user's id to itself; all other ids are nobody
 * (user_namespaces(7)). */
static int map_ids(unsigned user, unsigned group)
{
	char users[32], groups[32];

	snprintf(users, sizeof users, "%u %u 1", user, user);
	snprintf(groups, sizeof groups, "%u %u 1", group, group);
	return write_file("/proc/self/setgroups", "deny") ||
	       write_file("/proc/self/uid_map", users) ||
	       write_file("/proc/self/gid_map", groups);
}

static int leave_host(int namespaces, struct error *error)
{
	unsigned user = geteuid(), group = getegid();

	if (!unshare(namespaces))
		return 0;
	/* A user who is not the superuser may make mounts in a user
	 * namespace. */
	if (errno != EPERM || unshare(namespaces | CLONE_NEWUSER))
		return error_set(error, "the host does not allow this user to "
					"make namespaces (see "
					"/proc/sys/user/max_user_namespaces "
					"and "
					"kernel.unprivileged_userns_clone): %s",
				 strerror(errno));
	if (map_ids(user, group))
		return error_set(error, "cannot make a user namespace: %s",
				 strerror(errno));
	return 0;
}

int namespace_enter(const struct wall *wall, struct error *error)
{
	int namespaces = (wall->view ? CLONE_NEWNS | CLONE_NEWIPC : 0) |
			 (wall->own_network ? CLONE_NEWNET : 0);

	if (namespaces && leave_host(namespaces, error))
		return -1;
	return wall->view ? change_view(wall, error) : 0;
}
