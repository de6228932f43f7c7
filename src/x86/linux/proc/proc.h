/* /proc as guests see it, from the table of names.def: the row of a path, and
 * the file, folder or link behind it. */
#ifndef M2S_X86_LINUX_PROC_PROC_H
#define M2S_X86_LINUX_PROC_PROC_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/uio.h>

#include "x86/linux/state.h"

struct host_path;

enum proc_where { PROC_SYSTEM, PROC_PROCESS, PROC_DEVICE, PROC_MACHINE };

enum proc_kind {
	PROC_FOLDER, PROC_TEXT, PROC_SETTING, PROC_LINK, PROC_ALIAS,
	PROC_SPECIAL, PROC_HOST, PROC_NODE, PROC_SHARED, PROC_NAMESPACE
};

struct proc_name {
	enum proc_where where;
	const char *name;
	enum proc_kind kind;
	bool root_only;    /* only seen by programs with the host's root */
	const char *target;
};

/* ---- names.c ---- */
/* A parsed path of /proc. */
struct proc_place {
	const struct proc_name *row;
	struct process *process; /* of PROC_PROCESS, else NULL */
	struct context *task;    /* of .../task/TID, else NULL */
	/* The last part of the path: the name in its folder. */
	const char *name;
};

/* The row of a name in a folder of the table, or NULL. */
const struct proc_name *proc_row(const struct linux_system *system,
				 enum proc_where where, const char *name);
/* Calls `visit` for every row of a folder that guests see. */
void proc_visit(const struct linux_system *system, enum proc_where where,
		void (*visit)(void *owner, const struct proc_name *row),
		void *owner);
/* Looks up `text`, a path in /proc without ".", ".." and aliases: 0 or a
 * negative errno. */
int proc_look_up(struct linux_system *system, const char *text,
		 struct proc_place *place);
/* proc_look_up() of a path as in struct file: "/proc" or "/proc/...". */
int proc_look_up_made(struct linux_system *system, const char *made,
		      struct proc_place *place);

/* ---- walk.c ---- */
/* A walk through /proc. */
struct proc_walk {
	char at[PROC_PATH];  /* the place reached; "" is /proc itself */
	char rest[PATH_MAX]; /* the rest of the path */
	int links;           /* links followed so far */
	struct proc_place place;
};

enum proc_way {
	PROC_ARRIVED,  /* `place` is the end */
	PROC_UP,       /* ".." of /proc: `rest` goes on there */
	PROC_JUMP,     /* `place` is a link, from which `rest` goes on */
};
/* Continues a walk. Returns an enum proc_way or a negative errno. `follow`: a
 * link at the end is followed, too. */
int proc_walk(struct context *context, struct proc_walk *walk, bool follow);

/* ---- file.c ---- */
/* Fills in the host's file for a place. `at` is its path in /proc. 0 or a
 * negative errno. */
int proc_file(struct context *context, const char *at,
	      const struct proc_place *place, struct host_path *path);
/* proc_file() for a row of PROC_MACHINE. */
int proc_machine_file(struct context *context, const struct proc_name *row,
		      struct host_path *path);
/* ioctl(PROCMAP_QUERY) of an open file: 0 or a negative errno. */
int64_t proc_query_map(struct context *context, const struct file *file,
		       uint64_t address);
/* Writes to a PROC_SETTING. The number of bytes taken or a negative errno. */
int64_t proc_write(struct context *context, const char *made,
		   const char *bytes, size_t size);

/* ---- special.c ---- */
/* Opens a PROC_SPECIAL: a guest descriptor or a negative errno. */
int64_t proc_open_special(struct context *context,
			  const struct proc_place *place, uint64_t flags);

/* proc_is_memory(): whether a file is /proc/PID/mem or /proc/PID/pagemap.
 * proc_transfer(): reads or writes such a file, at `offset` or, with -1, at its
 * position. */
bool proc_is_memory(const struct file *file);
int64_t proc_transfer(struct context *context, struct file *file,
		      const struct iovec *list, int count, int64_t offset,
		      bool write);

/* ---- link.c ---- */
/* The host descriptor behind a PROC_LINK, which the caller must not close, or
 * -1. *file becomes the guest's open file if the link leads to one. */
int proc_link_host(const struct proc_place *place, const struct file **file);
/* The target of a link or alias. Its length, or -1 when `made` is neither. */
int proc_link(struct context *context, const char *made, char *target,
	      size_t size);

/* ---- list.c ---- */
/* The entries of a PROC_FOLDER, each ended by a zero byte; the caller frees
 * them. NULL when `made` is no such folder. */
char *proc_list(struct context *context, const char *made, size_t *size);

/* The inode of a folder /proc/PID, by descriptor or by path. Two processes have
 * different inodes even if they have the same id one after the other. False
 * when it is no such folder. */
bool proc_folder_number(const struct file *file, uint64_t *number);
bool proc_path_number(struct context *context, const char *made,
		      uint64_t *number);

/* ---- process-text.c, machine-text.c ---- */
/* Print a file of /proc. `task`: the thread whose file it is, or NULL. False
 * when there is no such file. */
bool proc_print_process(struct context *context, struct process *process,
			const struct context *task, const char *name,
			FILE *out);
bool proc_print_system(struct context *context, const char *name, FILE *out);

#endif
