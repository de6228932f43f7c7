/* A walk along a path, for the files that make its steps. */
#ifndef M2S_X86_LINUX_CONFINE_WALK_H
#define M2S_X86_LINUX_CONFINE_WALK_H

#include <sys/stat.h>

#include "x86/linux/confine/confinement.h"

/* Links that are followed (path_resolution(7)). */
enum { WALK_LINKS_MAX = 40 };

struct walk {
	struct context *context;
	struct confinement *confinement;
	struct held_place root; /* the process's */
	int at;             /* where the walk has come to */
	int own;            /* `at` when it is ours to close, else -1 */
	bool at_root;       /* of the process: no way up */
	bool at_top;        /* at the system's, where /proc and /dev are */
	int links;
	char rest[PATH_MAX];/* what is still to be walked */
};

/* What a step says when the walk is not over: the place or the rest changed,
 * or (walk_special() only) the name is an ordinary one. */
enum { WALK_ON = 1, WALK_ORDINARY };

/* ---- position.c: where the walk is ---- */
/* To a folder, which the walk closes if it is its `own`. */
void walk_move(struct walk *walk, int folder, bool own,
	       const struct stat *status);
/* The same without its status: 0 or a negative errno. */
int walk_to_host(struct walk *walk, int folder, bool own);
/* To the root of the process, and to that of the system. */
void walk_to_root(struct walk *walk);
void walk_to_top(struct walk *walk);
/* "..": 0 or a negative errno. */
int walk_up(struct walk *walk);
/* Puts `text` in front of what is to be walked: WALK_ON or -ENAMETOOLONG. */
int walk_push(struct walk *walk, const char *text, const char *rest);
/* The file system of a descriptor: PROC_SUPER_MAGIC, SYSFS_MAGIC or 0. */
long walk_system(struct walk *walk, int host, dev_t device);

/* ---- ours.c: names of our own tables; a step's result ---- */
/* /proc: the guest's, whatever procfs the host's walk would have entered.
 * `at`: where in it the walk starts, `rest` what comes after. */
int walk_proc(struct walk *walk, const char *at, const char *rest, bool follow,
	      struct host_path *path);
/* A name in the system's root: /proc, /sys and /dev are partly ours. */
int walk_special(struct walk *walk, const char *name, const char *rest,
		 bool follow, struct host_path *path);
/* What lies in /sys, which is open as `host` (taken over): some files of it
 * are ours, too. */
int walk_found_machine(struct walk *walk, int host, struct host_path *path);

#endif
