/* The part of the host's files that guests see, and the part that they may
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
/* Whether guests have a root of their own. */
bool confine_has_root(const struct linux_system *system);
/* A descriptor of the host's /proc. */
int confine_proc(const struct linux_system *system);

/* ---- names.c ---- */
/* A host path as a process sees it: all of `name`, or its end. */
const char *confine_name(const struct process *process, const char *name);
/* The path of a host descriptor's file as a process sees it, in `size` bytes.
 * Returns its length, or -1. */
int path_name(const struct process *process, int host, char *text,
	      size_t size);
/* The host path of a descriptor's file, in `size` bytes. False when it has
 * none. */
bool path_of_host(int host, char *path, size_t size);
/* Whether the file of a host descriptor lies where guests see it. */
bool confine_is_inside(const struct linux_system *system, int host);
/* Whether the file of a host descriptor lies in a procfs. */
bool confine_is_proc(int host);
/* Opens a file whose path was recorded, with O_PATH. -1 if the file is gone, or
 * if a symbolic link has taken a name on the way. The descriptor is the
 * caller's. */
int confine_hold(const struct linux_system *system, const char *path);
/* The status of a file whose path was recorded. 0 or -1. */
int confine_stat(const struct linux_system *system, const char *path,
		 struct stat *status);

/* ---- walk.c ---- */
/* Resolves a path. The walk starts at `folder`, or if `made` is not NULL, at
 * that folder of /proc. `follow`: a symbolic link at the end is followed. 0 or
 * a negative errno. A missing last name is no error: see path->missing. */
int confine_resolve(struct context *context, int folder, const char *made,
		    const char *text, bool follow, struct host_path *path);

/* ---- changes.c ---- */
/* Whether the file that `path` leads to, and its entry in its folder if there
 * is one, may be changed: 0, -EROFS or -EPERM. */
int confine_change(const struct linux_system *system,
		   const struct host_path *path);
/* Whether entries may be made in the folder of `path`: 0 or a negative
 * errno. */
int confine_new(const struct linux_system *system,
		const struct host_path *path);
/* Whether the file behind a descriptor may be changed, other than by writing
 * to it. */
int confine_change_host(const struct linux_system *system, int host);
/* Whether the file may be opened for writing, or written to by a path. Devices,
 * FIFOs and sockets of a read-only file system may. */
int confine_write(const struct linux_system *system,
		  const struct host_path *path, const struct stat *status);

/* ---- root.c ---- */
/* The host descriptor of a process's root. It stays the process's. */
int process_root(const struct process *process);
/* Leaves chroot() and makes the system's root the current folder. */
void process_enter_root(struct process *process);

#endif
