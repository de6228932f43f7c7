/* A path as the host shall see it. */
#ifndef M2S_X86_LINUX_FILES_PATH_H
#define M2S_X86_LINUX_FILES_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "x86/linux/files/state.h"

struct context;
struct stat;

/* A path as the host shall see it. */
struct host_path {
	int folder;             /* host descriptor for the *at calls */
	char text[PATH_MAX];
	int host;               /* what it leads to, open with O_PATH, or -1 */
	bool missing;           /* nothing has this name (yet) */
	bool generated;         /* `text` is a link of ours: to be followed */
	bool given;             /* a device that every guest may open, or what
				 * a descriptor of the guest is open on */
	bool ours;              /* a name of our tables: it stays */
	bool fixed;             /* can be read, not changed */
	bool program;           /* /proc/PID/exe */
	char made[PROC_PATH];   /* the name of /proc that it is, or "" */
	int close;              /* descriptor to close, or -1 */
};
/* Reads a path argument. 0 or a negative errno. `follow`: a link at the end
 * will be followed, and something must be there; else the use of the result
 * must not follow one. */
int path_resolve(struct context *context, int folder, uint64_t address,
		 bool follow, struct host_path *path);
int path_resolve_text(struct context *context, int folder, const char *text,
		      bool follow, struct host_path *path);
/* The same, but with `follow`, too, the name may be missing: path->missing. It
 * must then be made without following a link. */
int path_find(struct context *context, int folder, const char *text,
	      bool follow, struct host_path *path);
/* The same for a call that changes what is there (or its entry in the
 * folder); -EROFS or -EPERM when it is confined to reading. */
int path_resolve_change(struct context *context, int folder, uint64_t address,
			bool follow, struct host_path *path);
/* For a call that makes a new entry: what is there already stays, so the host
 * may be asked and says EEXIST. */
int path_resolve_new(struct context *context, int folder, uint64_t address,
		     struct host_path *path);
/* -EROFS or -EPERM when a descriptor's file may not be changed, else 0. */
int file_may_change(const struct context *context, const struct file *file);
/* The status of what a path leads to: 0 or a negative errno. `flags` as for
 * fstatat(). */
int path_status(const struct host_path *path, int flags, struct stat *status);
/* Makes a path of a host descriptor, which is taken over. */
void path_set_host(struct host_path *path, int host);
void path_release(struct host_path *path);
/* The path argument is "", as calls with AT_EMPTY_PATH look for. */
bool path_is_empty(struct context *context, uint64_t address);

#endif
