/* What a file tells its owner by a signal: that it is ready (O_ASYNC), that
 * something happened in a folder (F_NOTIFY), that somebody else wants a file
 * with a lease (F_SETLEASE). See fcntl(2). */
#ifndef M2S_X86_LINUX_ASYNC_FILE_H
#define M2S_X86_LINUX_ASYNC_FILE_H

#include <sys/stat.h>

#include "x86/linux/state.h"

/* Of an open file that has any of the three. */
struct file_async {
	bool signals;         /* O_ASYNC */
	int descriptor;       /* number by which the owner knows the file */
	/* F_NOTIFY: an inotify descriptor of the host, or -1. */
	int folder;
	uint32_t events;      /* DN_* */
	/* F_SETLEASE: F_RDLCK, F_WRLCK or F_UNLCK; and, while it is broken,
	 * what it will be when time (monotonic) is up. */
	int lease, target;
	int64_t deadline;     /* 0: not broken */
	dev_t device;
	ino_t inode;
};

/* ---- signal.c ---- */
/* The file's, made when it has none. */
struct file_async *async_of(struct linux_system *system, struct file *file,
			    int descriptor);
/* Sends the signal of a file; `reason`: POLL_IN and the like. */
void async_send(struct linux_system *system, const struct file *file,
		int reason);
/* The host's `descriptor` makes async_poll() look at the file: 0 or a negative
 * errno. */
int async_watch(struct linux_system *system, struct file *file, int descriptor,
		uint32_t events);

/* ---- folder.c ---- */
/* Something happened in the folder of F_NOTIFY. */
void folder_changed(struct linux_system *system, struct file *file);

#endif
