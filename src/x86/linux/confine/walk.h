/* A walk along a path: what the files that make its steps share. */
#ifndef M2S_X86_LINUX_CONFINE_WALK_H
#define M2S_X86_LINUX_CONFINE_WALK_H

#include <sys/stat.h>

#include "x86/linux/confine/confinement.h"

/* Most symbolic links in a walk (path_resolution(7)). */
enum { WALK_LINKS_MAX = 40 };

struct walk {
	struct context *context;
	struct confinement *confinement;
	struct held_place root; /* the process's root */
	int at;             /* the folder that the walk has reached */
	int own;            /* `at` if the walk must close it, else -1 */
	bool at_root;       /* at the process's root: ".." stays there */
	bool at_top;        /* at the system's root, where /proc and /dev are */
	int links;
	char rest[PATH_MAX];/* the part of the path that remains */
};

/* Results of a step that does not end the walk. WALK_ON: the place or the rest
 * has changed. WALK_ORDINARY (walk_special() only): the name is an ordinary
 * one. */
enum { WALK_ON = 1, WALK_ORDINARY };

/* ---- position.c: where the walk is ---- */
/* Moves the walk to a folder. With `own` the walk closes it later. */
void walk_move(struct walk *walk, int folder, bool own,
	       const struct stat *status);
/* Moves the walk to a folder whose status is not known. 0 or a negative
 * errno. */
int walk_to_host(struct walk *walk, int folder, bool own);
/* Move the walk to the root of the process, and to the root of the system. */
void walk_to_root(struct walk *walk);
void walk_to_top(struct walk *walk);
/* Walks "..". 0 or a negative errno. */
int walk_up(struct walk *walk);
/* Puts `text` in front of the rest of the path. WALK_ON or -ENAMETOOLONG. */
int walk_push(struct walk *walk, const char *text, const char *rest);
/* The kind of a descriptor's file system: PROC_SUPER_MAGIC, SYSFS_MAGIC or
 * 0. */
long walk_system(struct walk *walk, int host, dev_t device);

/* ---- ours.c: names in the simulator's own tables; a step's result ---- */
/* Walks the guest's /proc in place of the host's procfs. The walk starts at
 * `at` in /proc; `rest` comes after. */
int walk_proc(struct walk *walk, const char *at, const char *rest, bool follow,
	      struct host_path *path);
/* Walks a name in the system's root. The simulator provides parts of /proc,
 * /sys and /dev. */
int walk_special(struct walk *walk, const char *name, const char *rest,
		 bool follow, struct host_path *path);
/* Ends a walk at a file of /sys, which is open as `host` (taken over). The
 * simulator provides some files of /sys. */
int walk_found_machine(struct walk *walk, int host, struct host_path *path);

#endif
