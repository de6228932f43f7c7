/* Steps of a walk into /proc, /dev and /sys, whose contents the simulator's
 * table decides. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "x86/linux/confine/confine.h"
#include "x86/linux/confine/walk.h"
#include "x86/linux/files/path.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/proc/proc.h"
#include "x86/linux/state.h"

/* Walks on from the link of /proc at which `proc` stands. */
static int jump(struct walk *walk, struct proc_walk *proc,
		struct host_path *path)
{
	const struct file *file = NULL;
	int host = proc_link_host(&proc->place, &file);
	struct stat status;

	if (++walk->links > WALK_LINKS_MAX)
		return -ELOOP;
	if (file && file->made[0]) { /* the walk continues in /proc */
		snprintf(proc->at, sizeof proc->at, "%s",
			 file->made + 5 + (file->made[5] == '/'));
		return WALK_ON;
	}
	host = host < 0 ? -1 : fcntl(host, F_DUPFD_CLOEXEC, 0);
	if (host < 0)
		return -ENOENT;
	if (!proc->rest[0]) {
		path->program = !strcmp(proc->place.name, "exe");
		path->given = file && !(fcntl(host, F_GETFL) & O_PATH);
		path_set_host(path, host);
		return 0;
	}
	if (fstat(host, &status) != 0 || !S_ISDIR(status.st_mode)) {
		close(host);
		return -ENOTDIR;
	}
	walk_move(walk, host, true, &status);
	if (walk_system(walk, host, status.st_dev) == PROC_SUPER_MAGIC)
		return -EACCES;
	walk_push(walk, "", proc->rest);
	return WALK_ORDINARY;
}

static int walk_namespace(struct walk *walk, const struct proc_walk *proc,
			  struct host_path *path)
{
	if (snprintf(path->made, sizeof path->made, "/proc/%s", proc->at) >=
	    (int)sizeof path->made)
		return -ENAMETOOLONG;
	return namespace_path(walk->context, &proc->place, path);
}

int walk_proc(struct walk *walk, const char *at, const char *rest,
		     bool follow, struct host_path *path)
{
	struct proc_walk proc = { .links = walk->links };
	int result;

	snprintf(proc.at, sizeof proc.at, "%s", at);
	snprintf(proc.rest, sizeof proc.rest, "%s", rest);
	do {
		result = proc_walk(walk->context, &proc, follow);
		if (result == PROC_JUMP)
			result = jump(walk, &proc, path);
		else if (result == PROC_UP)
			return walk_push(walk, "", proc.rest);
		else if (result == PROC_ARRIVED && follow &&
			 proc.place.row->kind == PROC_NAMESPACE)
			return walk_namespace(walk, &proc, path);
		else if (result == PROC_ARRIVED)
			return proc_file(walk->context, proc.at, &proc.place,
					 path);
	} while (result == WALK_ON);
	return result == WALK_ORDINARY ? WALK_ON : result;
}

/* A name in /dev below a root. Links to descriptors always exist, even where
 * the host has none. */
static int walk_device(struct walk *walk, const char *rest, bool follow,
		       struct host_path *path)
{
	const struct linux_system *system = walk->context->process->system;
	size_t length = strcspn(rest, "/");
	const char *after = rest + length + strspn(rest + length, "/");
	const struct proc_name *row;
	char name[NAME_MAX + 1], target[PATH_MAX];

	if (length > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, rest, length);
	name[length] = 0;
	row = proc_row(system, PROC_DEVICE, name);
	if (!row ||
	    (walk->confinement->whole && row->kind != PROC_ALIAS))
		return WALK_ORDINARY;
	if (row->kind == PROC_ALIAS && (follow || rest[length])) {
		if (++walk->links > WALK_LINKS_MAX)
			return -ELOOP;
		if (snprintf(target, sizeof target, "%s%s%s", row->target,
			     rest[length] ? "/" : "", after) >= PATH_MAX)
			return -ENAMETOOLONG;
		return walk_proc(walk, "", target, follow, path);
	}
	if (row->kind == PROC_SHARED) {
		int result = walk_to_host(walk,
					  walk->confinement->shared.folder,
					  false);

		return result ? result : walk_push(walk, "", after);
	}
	if (row->kind != PROC_NODE)
		return WALK_ORDINARY;
	if (rest[length])
		return -ENOTDIR;
	path->folder = AT_FDCWD;
	path->given = path->ours = path->generated = true;
	snprintf(path->text, sizeof path->text, "/dev/%s", row->name);
	return 0;
}

int walk_special(struct walk *walk, const char *name, const char *rest,
			bool follow, struct host_path *path)
{
	const struct proc_name *row;

	if (!strcmp(name, "proc"))
		return walk_proc(walk, "", rest, follow, path);
	while (!strncmp(rest, "./", 2))
		rest += 2 + strspn(rest + 2, "/");
	if (!strcmp(name, "dev"))
		return walk_device(walk, rest, follow, path);
	if (walk->confinement->whole || strcmp(name, "sys"))
		return WALK_ORDINARY;
	row = proc_row(walk->context->process->system, PROC_MACHINE, rest);
	return row ? proc_machine_file(walk->context, row, path)
		   : WALK_ORDINARY;
}

int walk_found_machine(struct walk *walk, int host, struct host_path *path)
{
	const struct linux_system *system = walk->context->process->system;
	const struct proc_name *row = NULL;
	char name[PATH_MAX];

	if (path_of_host(host, name, PATH_MAX) && !strncmp(name, "/sys/", 5))
		row = proc_row(system, PROC_MACHINE, name + 5);
	if (!row) {
		path_set_host(path, host);
		return 0;
	}
	close(host);
	return proc_machine_file(walk->context, row, path);
}
