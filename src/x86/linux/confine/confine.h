/* The part of the host's files that guests see, and what of it they may
 * change: --x86-root, --x86-read-only, --x86-writable, chroot(). */
#ifndef M2S_X86_LINUX_CONFINE_CONFINE_H
#define M2S_X86_LINUX_CONFINE_CONFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/error.h"

struct context;
struct host_path;
struct linux_system;
struct process;

/* ---- create.c ---- */
int confine_create(struct linux_system *system, struct error *error);
void confine_free(struct linux_system *system);
/* Guests have a root of their own. */
bool confine_has_root(const struct linux_system *system);
/* Descriptor of the host's /proc. */
int confine_proc(const struct linux_system *system);

/* ---- names.c ---- */
/* A host path as a process knows it: a part of `name`, or all of it. */
const char *confine_name(const struct process *process, const char *name);
/* The same of what a host descriptor is open on, in `size` bytes: its length,
 * or -1. */
int path_name(const struct process *process, int host, char *text,
	      size_t size);
/* The path behind a host descriptor, in `size` bytes: false when there is
 * none. */
bool path_of_host(int host, char *path, size_t size);
/* What a host descriptor is open on lies where guests see it. */
bool confine_is_inside(const struct linux_system *system, int host);
/* It is a file or folder of some procfs. */
bool confine_is_proc(int host);
/* A descriptor (O_PATH, the caller's) of a file whose path was recorded, if it
 * is there still and no link has taken a name on the way; or -1. */
int confine_hold(const struct linux_system *system, const char *path);
/* Its status: 0 or -1. */
int confine_stat(const struct linux_system *system, const char *path,
		 struct stat *status);

/* ---- walk.c ---- */
/* Where a path leads. The walk starts at `folder`, or with `made`, a folder of
 * /proc, there. `follow`: a link at the end is followed. 0 or a negative
 * errno; a last name that is not there is no error: path->missing. */
int confine_resolve(struct context *context, int folder, const char *made,
		    const char *text, bool follow, struct host_path *path);

/* ---- changes.c ---- */
/* Whether what `path` leads to (and its entry in its folder, when it is a name
 * there) may be changed: 0, -EROFS or -EPERM. */
int confine_change(const struct linux_system *system,
		   const struct host_path *path);
/* Whether entries may be made in the folder of `path`. */
int confine_new(const struct linux_system *system,
		const struct host_path *path);
/* Whether the file behind a descriptor may be changed, other than by writing
 * to it. */
int confine_change_host(const struct linux_system *system, int host);
/* Whether it may be opened for writing, or written to by a path. Devices,
 * FIFOs and sockets of a read-only file system can. */
int confine_write(const struct linux_system *system,
		  const struct host_path *path, const struct stat *status);

/* ---- chroot.c ---- */
/* Host descriptor of a process's root, not the caller's. */
int process_root(const struct process *process);
/* Leaves chroot() and makes the system's root the current folder. */
void process_enter_root(struct process *process);

#endif
