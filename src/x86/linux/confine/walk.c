/* Where a path leads, one component at a time, from descriptors that guests
 * may have: `..` stops at the root, absolute symbolic links start from it
 * again, and what is in /proc comes from our own table. Below a root the host
 * never follows a link for us. What is found at the end is handed on as an open descriptor
 * or, where the name itself counts, as a folder and a name without a slash
 * whose use must not follow a link, so nobody can swap it meanwhile. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "x86/linux/confine/confine.h"
#include "x86/linux/confine/walk.h"
#include "x86/linux/files/path.h"
#include "x86/linux/state.h"

enum { PROC_ROOT = 1 }; /* inode of the root of every procfs */

/* ---- Ordinary names ---- */

static int found_here(struct walk *walk, const char *name, bool missing,
		      struct host_path *path)
{
	if (strlen(name) > NAME_MAX + 1)
		return -ENAMETOOLONG;
	path->folder = walk->at;
	path->close = walk->own;
	path->missing = missing;
	walk->own = -1;
	snprintf(path->text, sizeof path->text, "%s", name);
	return 0;
}

static int follow_link(struct walk *walk, int link, const char *rest,
		       bool slash)
{
	char target[PATH_MAX];
	ssize_t length = readlinkat(link, "", target, sizeof target - 1);

	close(link);
	if (length <= 0)
		return -ENOENT;
	target[length] = 0;
	if (++walk->links > WALK_LINKS_MAX)
		return -ELOOP;
	if (target[0] == '/')
		walk_to_root(walk);
	/* A slash at the end stays there. */
	return walk_push(walk, target, !*rest && slash ? "." : rest);
}

/* `next` is open on the file of a name, which is not a link. */
static int enter(struct walk *walk, int next, const struct stat *status,
		 const char *rest, struct host_path *path)
{
	walk_move(walk, next, true, status);
	if (!*rest) {
		walk->own = -1;
		path_set_host(path, next);
		return 0;
	}
	return walk_push(walk, "", rest);
}

/* One component: WALK_ON, or the end of the walk. */
static int walk_name(struct walk *walk, const char *name, const char *rest,
		     bool slash, bool follow, struct host_path *path)
{
	char text[NAME_MAX + 2];
	struct stat status;
	long special;
	int next;

	if (strlen(name) > NAME_MAX)
		return -ENAMETOOLONG;
	next = openat(walk->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (next < 0 && (errno != ENOENT || *rest))
		return -errno;
	if (next < 0) {
		snprintf(text, sizeof text, "%s%s", name, slash ? "/" : "");
		return found_here(walk, text, true, path);
	}
	if (fstat(next, &status) != 0) {
		close(next);
		return -EBADF;
	}
	if (S_ISLNK(status.st_mode) && (follow || slash))
		return follow_link(walk, next, rest, slash);
	special = walk_system(walk, next, status.st_dev);
	if (special == PROC_SUPER_MAGIC) {
		close(next);
		return status.st_ino == PROC_ROOT
			       ? walk_proc(walk, "", rest, follow, path)
			       : -EACCES;
	}
	if ((*rest || slash) && !S_ISDIR(status.st_mode)) {
		close(next);
		return -ENOTDIR;
	}
	if (!*rest && !follow) { /* a name that shall be removed, moved */
		close(next);
		return found_here(walk, name, false, path);
	}
	if (!*rest && special)
		return walk_found_machine(walk, next, path);
	return enter(walk, next, &status, rest, path);
}

static int walk_step(struct walk *walk, bool follow, struct host_path *path)
{
	char name[PATH_MAX], rest[PATH_MAX];
	const char *at = walk->rest + strspn(walk->rest, "/");
	size_t length = strcspn(at, "/");
	bool slash = at[length] == '/';
	int result;

	memcpy(name, at, length);
	name[length] = 0;
	at += length;
	at += strspn(at, "/");
	memcpy(rest, at, strlen(at) + 1);
	if (!*name)
		return found_here(walk, ".", false, path);
	if (!strcmp(name, ".") || !strcmp(name, "..")) {
		result = name[1] ? walk_up(walk) : 0;
		if (result)
			return result;
		memcpy(walk->rest, rest, strlen(rest) + 1);
		return WALK_ON;
	}
	if (walk->at_top) {
		result = walk_special(walk, name, rest, follow, path);
		if (result != WALK_ORDINARY)
			return result;
	}
	return walk_name(walk, name, rest, slash, follow, path);
}

/* ---- Several steps at once ---- */

/* Opens `text` by the host's own walk, if that cannot come to a place where the
 * simulator's table decides. -1 and errno if not; ELOOP when it might. */
static int host_walk(struct walk *walk, const char *text, uint64_t flags,
		     struct stat *status)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC | flags,
				.resolve = RESOLVE_NO_MAGICLINKS };
	int host = (int)syscall(SYS_openat2, walk->at, text, &how, sizeof how);

	if (host < 0)
		return -1;
	if (fstat(host, status) == 0 &&
	    !walk_system(walk, host, status->st_dev))
		return host;
	close(host);
	errno = ELOOP;
	return -1;
}

/* Walks to the folder in which the last name of `text` is. */
static void walk_to_folder(struct walk *walk, const char *text)
{
	const char *slash = strrchr(text, '/');
	char folder[PATH_MAX];
	struct stat status;
	int host;

	if (!slash || !slash[1] || !strcmp(slash, "/.") ||
	    !strcmp(slash, "/..") || !strncmp(text, "/dev/", 5))
		return;
	snprintf(folder, sizeof folder, "%.*s", (int)(slash - text + 1), text);
	host = host_walk(walk, folder, O_DIRECTORY, &status);
	if (host < 0)
		return;
	walk_move(walk, host, true, &status);
	walk_push(walk, slash + 1, "");
}

/* If guests see all files of the host, the host can walk, up to the last name
 * or to the end. WALK_ON when the simulator has to walk the rest. */
static int walk_at_once(struct walk *walk, const char *text, bool follow,
			struct host_path *path)
{
	struct stat status;
	int host;

	if (!walk->confinement->whole ||
	    walk->context->process->paths.root >= 0)
		return WALK_ON;
	if (follow) {
		host = host_walk(walk, text, 0, &status);
		if (host >= 0) {
			path_set_host(path, host);
			return 0;
		}
		if (errno == EACCES || errno == ENOTDIR)
			return -errno;
		if (errno != ENOENT)
			return WALK_ON;
	}
	walk_to_folder(walk, text);
	return WALK_ON;
}

/* ---- All of it ---- */

static int hold_root(struct walk *walk)
{
	const struct process *process = walk->context->process;
	struct stat status;

	walk->root = walk->confinement->root;
	if (process->paths.root < 0)
		return 0;
	if (fstat(process->paths.root, &status) != 0)
		return -EBADF;
	walk->root = (struct held_place){process->paths.root, status.st_dev,
					 status.st_ino};
	return 0;
}

/* The first step: to where the walk begins. */
static int begin(struct walk *walk, int folder, const char *made,
		 const char *text, bool follow, struct host_path *path)
{
	struct stat status;
	int result = hold_root(walk);

	if (result)
		return result;
	if (text[0] == '/') {
		walk_to_root(walk);
		return walk_push(walk, text, "");
	}
	if (made) {
		walk_to_top(walk);
		return walk_proc(walk, made + 5 + (made[5] == '/'), text,
				 follow, path);
	}
	if (fstat(folder, &status) != 0)
		return -EBADF;
	/* A folder of the host's /proc, which another process has sent. */
	if (walk_system(walk, folder, status.st_dev) == PROC_SUPER_MAGIC)
		return -EACCES;
	walk_move(walk, folder, false, &status);
	return walk_push(walk, text, "");
}

int confine_resolve(struct context *context, int folder, const char *made,
		    const char *text, bool follow, struct host_path *path)
{
	struct walk walk = {
		.context = context,
		.confinement = context->process->system->confinement,
		.own = -1,
	};
	int result = begin(&walk, folder, made, text, follow, path);

	if (result == WALK_ON && !made)
		result = walk_at_once(&walk, text, follow, path);
	while (result == WALK_ON)
		result = walk_step(&walk, follow, path);
	if (walk.own >= 0)
		close(walk.own);
	return result;
}
