/* Events that a file reports to its owner by a signal: the file is ready
 * (O_ASYNC), something happened in a folder (F_NOTIFY), another process wants a
 * file with a lease (F_SETLEASE). See fcntl(2). */
#ifndef M2S_X86_LINUX_ASYNC_FILE_H
#define M2S_X86_LINUX_ASYNC_FILE_H

#include <sys/stat.h>

#include "x86/linux/state.h"

/* State of an open file that uses any of the three. */
struct file_async {
	bool signals;         /* O_ASYNC */
	int descriptor;       /* the owner's descriptor of the file */
	/* F_NOTIFY: an inotify descriptor of the host, or -1. */
	int folder;
	uint32_t events;      /* DN_* */
	/* Called when something has happened in the folder. */
	void (*changed)(struct linux_system *system, struct file *file);
	/* F_SETLEASE: F_RDLCK, F_WRLCK or F_UNLCK. While the lease is being
	 * broken, `target` is its value from the deadline (monotonic) on. */
	int lease, target;
	int64_t deadline;     /* 0: not broken */
	dev_t device;
	ino_t inode;
};

/* ---- signal.c ---- */
/* The file's state, made when it has none. */
struct file_async *async_of(struct linux_system *system, struct file *file,
			    int descriptor);
/* Sends the signal of a file. `reason` is POLL_IN or another POLL_*. */
void async_send(struct linux_system *system, const struct file *file,
		int reason);
/* Makes async_poll() look at the file when the host descriptor is ready. 0 or a
 * negative errno. */
int async_watch(struct linux_system *system, struct file *file, int descriptor,
		uint32_t events);

#endif
