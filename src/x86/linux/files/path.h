/* A guest's path for the host. */
#ifndef M2S_X86_LINUX_FILES_PATH_H
#define M2S_X86_LINUX_FILES_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "x86/linux/files/state.h"

struct context;
struct stat;

/* A path for the host's calls. */
struct host_path {
	int folder;             /* host descriptor for the host's *at calls */
	char text[PATH_MAX];
	/* The file at the path's end, open with O_PATH, or -1. */
	int host;
	bool missing;           /* no file has this name */
	/* `text` is a link made by the simulator, to be followed. */
	bool generated;
	/* A device that every guest may open, or a file that the guest has
	 * open. */
	bool given;
	/* The name is one of the simulator's own, and cannot be removed. */
	bool ours;
	bool fixed;             /* can be read but not changed */
	bool program;           /* /proc/PID/exe */
	char made[PROC_PATH];   /* its path in the guest's /proc, or "" */
	int close;              /* descriptor to close, or -1 */
};
/* Resolves a path argument. 0 or a negative errno. With `follow` the caller
 * follows a symbolic link at the end, and the file must exist. Without `follow`
 * the caller must not follow such a link. */
int path_resolve(struct context *context, int folder, uint64_t address,
		 bool follow, struct host_path *path);
int path_resolve_text(struct context *context, int folder, const char *text,
		      bool follow, struct host_path *path);
/* As path_resolve_text(), for a name that may be missing, also with `follow`
 * (path->missing). The caller must then make the file without following a
 * link. */
int path_find(struct context *context, int folder, const char *text,
	      bool follow, struct host_path *path);
/* As path_resolve(), for a call that changes the file or its entry in the
 * folder. -EROFS or -EPERM when the guest may only read the file. */
int path_resolve_change(struct context *context, int folder, uint64_t address,
			bool follow, struct host_path *path);
/* As path_resolve(), for a call that makes a new entry. An existing entry
 * stays, so the host may be asked and returns EEXIST. */
int path_resolve_new(struct context *context, int folder, uint64_t address,
		     struct host_path *path);
/* -EROFS or -EPERM when a descriptor's file may not be changed, else 0. */
int file_may_change(const struct context *context, const struct file *file);
/* The status of the file at the end of a path. `flags` are those of fstatat().
 * 0 or a negative errno. */
int path_status(const struct host_path *path, int flags, struct stat *status);
/* Makes a path of a host descriptor, which the path takes over. */
void path_set_host(struct host_path *path, int host);
void path_release(struct host_path *path);
/* Whether the path argument is "", which calls with AT_EMPTY_PATH accept. */
bool path_is_empty(struct context *context, uint64_t address);

#endif
