/* --x86-root and --x86-read-only: what guests see of the host's files.
 *
 * Under a root every path is walked here, one component at a time, from
 * descriptors that lie below it: `..` stops at the root, absolute symbolic
 * links start from it again, and links of /proc lead to the guest's own
 * files. The host never follows a link for us: what is found at the end is
 * handed on as an open descriptor (or, where the name itself counts, as a
 * folder and a name without a slash), so nobody can swap it meanwhile. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/process.h"

enum { LINKS_MAX = 40 };

/* Device files that every guest has, from the host. */
static const char *const devices[] = {
	"full", "null", "random", "tty", "urandom", "zero"
};

struct confinement {
	int root;           /* host descriptor of the guest's "/" */
	dev_t device;       /* and its identity */
	ino_t inode;
	bool whole;         /* the root is the host's */
	char path[PATH_MAX];/* of the root; "" for the host's */
	bool read_only;
	char **writable;    /* host paths below which writing is allowed */
	size_t writable_count, writable_capacity;
	char shared[64];    /* a folder of ours: /dev/shm */
	int shared_folder;
};

/* ---- Names ---- */

static bool is_below(const char *name, const char *folder)
{
	size_t length = strlen(folder);

	return !strncmp(name, folder, length) &&
	       (name[length] == '/' || !name[length]);
}

const char *confine_name(const struct linux_system *system, const char *name)
{
	const struct confinement *confinement = system->confinement;

	if (!confinement || confinement->whole || name[0] != '/' ||
	    !is_below(name, confinement->path))
		return name;
	name += strlen(confinement->path);
	return *name ? name : "/";
}

bool confine_is_inside(const struct linux_system *system, int host)
{
	const struct confinement *confinement = system->confinement;
	char name[PATH_MAX];

	if (!confinement || confinement->whole)
		return true;
	return path_of_host(host, name, PATH_MAX) &&
	       (is_below(name, confinement->path) ||
		is_below(name, confinement->shared));
}

bool confine_has_root(const struct linux_system *system)
{
	return system->confinement && !system->confinement->whole;
}

/* ---- Creation ---- */

static int open_root(struct confinement *confinement, const char *root,
		     struct error *error)
{
	struct stat status;

	confinement->root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (confinement->root < 0 ||
	    fstat(confinement->root, &status) != 0 ||
	    !path_of_host(confinement->root, confinement->path,
			  PATH_MAX))
		return error_set(error,
				 "--x86-root %s: cannot open the folder: %s",
				 root, strerror(errno));
	confinement->device = status.st_dev;
	confinement->inode = status.st_ino;
	confinement->whole = !strcmp(confinement->path, "/");
	if (confinement->whole)
		confinement->path[0] = 0;
	return 0;
}

/* /dev/shm of a system of its own. */
static int open_shared(struct confinement *confinement, struct error *error)
{
	const char *const places[] = { "/dev/shm", P_tmpdir };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(confinement->shared, sizeof confinement->shared,
			 "%s/m2s-shm-XXXXXX", places[i]);
		if (!mkdtemp(confinement->shared))
			continue;
		chmod(confinement->shared, 01777);
		confinement->shared_folder =
			open(confinement->shared,
			     O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (confinement->shared_folder >= 0)
			return 0;
		rmdir(confinement->shared);
	}
	confinement->shared[0] = 0;
	return error_set(error,
			 "--x86-root: cannot make a folder for /dev/shm in "
			 "/dev/shm or " P_tmpdir ": %s", strerror(errno));
}

static int add_writable(struct confinement *confinement, const char *list,
			struct error *error)
{
	while (list && *list) {
		size_t length = strcspn(list, ",");
		char *text = xasprintf("%.*s", (int)length, list);
		char *path = xasprintf("%s%s",
				       text[0] == '/' ? confinement->path : "",
				       text);
		char *real = realpath(path, NULL);

		free(path);
		if (!real) {
			error_set(error,
				  "--x86-writable %s: no such folder%s", text,
				  confinement->whole ? ""
						     : " below --x86-root");
			free(text);
			return -1;
		}
		free(text);
		if (!strcmp(real, "/"))
			*real = 0;
		ARRAY_GROW(confinement->writable, confinement->writable_count,
			   confinement->writable_capacity);
		confinement->writable[confinement->writable_count++] = real;
		list += length + (list[length] == ',');
	}
	return 0;
}

int confine_create(struct linux_system *system, struct error *error)
{
	const struct linux_options *options = system->options;
	struct confinement *confinement;

	if (options->writable && !options->read_only)
		return error_set(error, "--x86-writable %s: only with "
					"--x86-read-only", options->writable);
	if (!options->root && !options->read_only)
		return 0;
	confinement = xcalloc(1, sizeof *confinement);
	confinement->root = confinement->shared_folder = -1;
	confinement->read_only = options->read_only;
	system->confinement = confinement;
	if (open_root(confinement, options->root ? options->root : "/",
		      error) ||
	    (!confinement->whole && open_shared(confinement, error)))
		return -1;
	return add_writable(confinement, options->writable, error);
}

static int remove_entry(const char *path, const struct stat *status, int kind,
			struct FTW *place)
{
	(void)status;
	(void)kind;
	(void)place;
	remove(path);
	return 0;
}

void confine_free(struct linux_system *system)
{
	struct confinement *confinement = system->confinement;

	if (!confinement)
		return;
	if (confinement->root >= 0)
		close(confinement->root);
	if (confinement->shared_folder >= 0)
		close(confinement->shared_folder);
	if (confinement->shared[0])
		nftw(confinement->shared, remove_entry, 16,
		     FTW_DEPTH | FTW_PHYS);
	for (size_t i = 0; i < confinement->writable_count; i++)
		free(confinement->writable[i]);
	free(confinement->writable);
	free(confinement);
	system->confinement = NULL;
}

/* ---- The walk ---- */

struct walk {
	struct context *context;
	const struct confinement *confinement;
	int at;             /* where the walk has come to */
	int own;            /* `at` when it is ours to close, else -1 */
	bool at_root;
	int links;
	char rest[PATH_MAX];/* what is still to be walked */
};

static void move_to(struct walk *walk, int folder, bool own)
{
	if (walk->own >= 0)
		close(walk->own);
	walk->at = folder;
	walk->own = own ? folder : -1;
	walk->at_root = false;
}

static void move_to_root(struct walk *walk)
{
	move_to(walk, walk->confinement->root, false);
	walk->at_root = true;
}

static bool is_root(const struct confinement *confinement, int folder)
{
	struct stat status;

	return fstat(folder, &status) == 0 &&
	       status.st_dev == confinement->device &&
	       status.st_ino == confinement->inode;
}

static bool same_folder(int a, int b)
{
	struct stat one, other;

	return fstat(a, &one) == 0 && fstat(b, &other) == 0 &&
	       one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* Puts `text` in front of what is to be walked. */
static int push_text(struct walk *walk, const char *text, const char *rest)
{
	char joined[PATH_MAX];
	int length = snprintf(joined, sizeof joined, "%s%s%s", text,
			      *rest ? "/" : "", rest);

	if (length >= (int)sizeof joined)
		return -ENAMETOOLONG;
	memcpy(walk->rest, joined, (size_t)length + 1);
	return 0;
}

static int walk_up(struct walk *walk)
{
	int up;

	if (walk->at_root)
		return 0;
	/* Above /dev/shm is the root, as near as it matters. */
	if (walk->confinement->shared_folder >= 0 &&
	    same_folder(walk->at, walk->confinement->shared_folder)) {
		move_to_root(walk);
		return 0;
	}
	up = openat(walk->at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (up < 0)
		return -errno;
	move_to(walk, up, true);
	walk->at_root = is_root(walk->confinement, up);
	/* A folder that was moved out of the root has no way up. */
	if (!walk->at_root && !walk->confinement->whole &&
	    !confine_is_inside(walk->context->process->system, up))
		move_to_root(walk);
	return 0;
}

/* What a step says when the walk is not over: the place or the rest changed,
 * or (walk_special() only) the name is an ordinary one. */
enum { WALK_ON = 1, WALK_ORDINARY };

static int found_here(struct walk *walk, const char *name, const char *suffix,
		      struct host_path *path)
{
	if (strlen(name) > NAME_MAX)
		return -ENAMETOOLONG;
	path->folder = walk->at;
	path->close = walk->own;
	walk->own = -1;
	snprintf(path->text, sizeof path->text, "%s%s", name, suffix);
	return 0;
}

static int found_descriptor(int host, struct host_path *path)
{
	path->folder = AT_FDCWD;
	path->close = host;
	path->generated = true;
	snprintf(path->text, sizeof path->text, "/proc/self/fd/%d", host);
	return 0;
}

/* /proc: the guest's. Links to folders and descriptors are walked on from
 * there. */
static int walk_proc(struct walk *walk, const char *rest, bool follow,
		     struct host_path *path)
{
	char text[PATH_MAX], made[PATH_MAX];
	const char *after;
	int jump, result;

	if (snprintf(text, sizeof text, "/proc/%s", rest) >= PATH_MAX)
		return -ENAMETOOLONG;
	jump = proc_jump(walk->context, text, follow, made, &after);
	if (jump < -1)
		return jump;
	if (jump == -1 && strncmp(made, "/proc", 5)) /* "/proc/../etc" */
		return push_text(walk, made, "") ? -ENAMETOOLONG : WALK_ON;
	if (jump == -1) {
		result = proc_resolve(walk->context, made, follow, path);
		if (result != 1)
			return result;
		path->folder = AT_FDCWD;
		snprintf(path->text, sizeof path->text, "%s", made);
		return 0;
	}
	if (++walk->links > LINKS_MAX)
		return -ELOOP;
	jump = fcntl(jump, F_DUPFD_CLOEXEC, 0);
	if (jump < 0)
		return -errno;
	if (!*after) {
		path->device = true; /* whatever it is, it is open */
		return found_descriptor(jump, path);
	}
	move_to(walk, jump, true);
	walk->at_root = is_root(walk->confinement, jump);
	return push_text(walk, after, "") ? -ENAMETOOLONG : WALK_ON;
}

static int walk_device(struct walk *walk, const char *rest,
		       struct host_path *path)
{
	static const char *const links[][2] = {
		{ "fd", "proc/self/fd" }, { "stdin", "proc/self/fd/0" },
		{ "stdout", "proc/self/fd/1" }, { "stderr", "proc/self/fd/2" },
	};
	size_t length = strcspn(rest, "/");
	const char *after = rest + length + strspn(rest + length, "/");

	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		if (!strcmp(rest, devices[i])) {
			path->folder = AT_FDCWD;
			path->device = true;
			snprintf(path->text, sizeof path->text, "/dev/%s",
				 devices[i]);
			return 0;
		}
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		if (length == strlen(links[i][0]) &&
		    !strncmp(rest, links[i][0], length))
			return push_text(walk, links[i][1], after)
				       ? -ENAMETOOLONG
				       : WALK_ON;
	if (length == 3 && !strncmp(rest, "shm", 3)) {
		move_to(walk, walk->confinement->shared_folder, false);
		return push_text(walk, after, "") ? -ENAMETOOLONG : WALK_ON;
	}
	return WALK_ORDINARY;
}

/* A name in the root: /proc, /sys and /dev are partly ours. */
static int walk_special(struct walk *walk, const char *name, const char *rest,
			bool follow, struct host_path *path)
{
	char text[PATH_MAX];
	int result;

	if (!strcmp(name, "proc"))
		return walk_proc(walk, rest, follow, path);
	if (walk->confinement->whole)
		return WALK_ORDINARY;
	while (!strncmp(rest, "./", 2))
		rest += 2 + strspn(rest + 2, "/");
	if (!strcmp(name, "dev"))
		return walk_device(walk, rest, path);
	if (strcmp(name, "sys") ||
	    snprintf(text, sizeof text, "/sys/%s", rest) >= PATH_MAX)
		return WALK_ORDINARY;
	result = proc_resolve(walk->context, text, follow, path);
	return result == 1 ? WALK_ORDINARY : result;
}

/* One component: WALK_ON, or the end of the walk. */
static int walk_name(struct walk *walk, char *name, const char *rest,
		     bool slash, bool follow, struct host_path *path)
{
	bool last = !*rest;
	char target[PATH_MAX];
	struct stat status;
	ssize_t length;
	int next;

	if (last && !follow && !slash)
		return found_here(walk, name, "", path);
	if (strlen(name) > NAME_MAX)
		return -ENAMETOOLONG;
	next = openat(walk->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (next < 0)
		return errno == ENOENT && last
			       ? found_here(walk, name, slash ? "/" : "", path)
			       : -errno;
	if (fstat(next, &status) != 0) {
		close(next);
		return -errno;
	}
	if (S_ISLNK(status.st_mode)) {
		length = readlinkat(next, "", target, sizeof target - 1);
		close(next);
		if (length <= 0)
			return -ENOENT;
		target[length] = 0;
		if (++walk->links > LINKS_MAX)
			return -ELOOP;
		if (target[0] == '/')
			move_to_root(walk);
		/* A slash at the end stays there. */
		if (last && slash)
			rest = ".";
		return push_text(walk, target, rest) ? -ENAMETOOLONG : WALK_ON;
	}
	if (!last) {
		char copy[PATH_MAX];

		if (!S_ISDIR(status.st_mode)) {
			close(next);
			return -ENOTDIR;
		}
		snprintf(copy, sizeof copy, "%s", rest);
		move_to(walk, next, true);
		walk->at_root = is_root(walk->confinement, next);
		return push_text(walk, copy, "") ? -ENAMETOOLONG : WALK_ON;
	}
	if (slash && !S_ISDIR(status.st_mode)) {
		close(next);
		return -ENOTDIR;
	}
	if (!follow) { /* "name/" of a folder that shall be removed, moved */
		close(next);
		return found_here(walk, name, "", path);
	}
	return found_descriptor(next, path);
}

static int step(struct walk *walk, bool follow, struct host_path *path)
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
	snprintf(rest, sizeof rest, "%s", at);
	if (!*name)
		return found_here(walk, ".", "", path);
	if (!strcmp(name, ".") || !strcmp(name, "..")) {
		result = name[1] ? walk_up(walk) : 0;
		if (result)
			return result;
		memcpy(walk->rest, rest, strlen(rest) + 1);
		return WALK_ON;
	}
	if (walk->at_root) {
		result = walk_special(walk, name, rest, follow, path);
		if (result != WALK_ORDINARY)
			return result;
	}
	return walk_name(walk, name, rest, slash, follow, path);
}

int confine_resolve(struct context *context, int folder, const char *text,
		    bool follow, struct host_path *path)
{
	struct walk walk = {
		.context = context,
		.confinement = context->process->system->confinement,
		.at = folder, .own = -1,
	};
	int result;

	if (text[0] == '/')
		move_to_root(&walk);
	else
		walk.at_root = is_root(walk.confinement, folder);
	result = push_text(&walk, text, "");
	if (result)
		return result;
	do
		result = step(&walk, follow, path);
	while (result == WALK_ON);
	if (walk.own >= 0)
		close(walk.own);
	return result;
}

/* ---- Writing ---- */

bool confine_writable(const struct linux_system *system, int folder,
		      const char *text)
{
	const struct confinement *confinement = system->confinement;
	char name[PATH_MAX];
	struct stat status;

	if (!confinement || !confinement->read_only)
		return true;
	/* Devices, pipes and sockets of a read-only file system work. */
	if (text && fstatat(folder, text, &status, 0) == 0 &&
	    !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode) &&
	    !S_ISLNK(status.st_mode))
		return true;
	if (text && folder == AT_FDCWD &&
	    sscanf(text, "/proc/self/fd/%d", &folder) != 1)
		return false;
	if (!path_of_host(folder, name, PATH_MAX))
		return true; /* a memory file, a pipe, ... */
	if (confinement->shared[0] && is_below(name, confinement->shared))
		return true;
	for (size_t i = 0; i < confinement->writable_count; i++)
		if (is_below(name, confinement->writable[i]))
			return true;
	return false;
}
