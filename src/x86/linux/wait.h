/* Waits of system calls. */
#ifndef M2S_X86_LINUX_WAIT_H
#define M2S_X86_LINUX_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "x86/linux/futex/state.h"

struct context;
struct file;
struct mqueue;

enum wait_kind {
	WAIT_NONE,
	WAIT_FILES,   /* descriptors in wait.files */
	WAIT_FUTEX,
	WAIT_CHILD,
	WAIT_VFORK,
	WAIT_SIGNAL,
	WAIT_TIME,
	WAIT_STOPPED,
	WAIT_LOCK,    /* a record lock */
	WAIT_IPC,     /* System V IPC: see sysv/wait.c */
	WAIT_QUEUE,   /* a POSIX message queue */
	WAIT_EVENTS,  /* io_getevents() */
	WAIT_REQUEST, /* options->request */
};

struct wait_file {
	int host;     /* host descriptor */
	short events; /* POLLIN, ... */
};

/* The reason why a context does not run. A system call that would block fills
 * this in and returns CALL_BLOCKS. When the wait is over, the same call is made
 * again with `call.resumed` set. */
struct wait {
	enum wait_kind kind;
	const char *what;    /* for the deadlock report */
	struct wait_file *files;
	size_t file_count, file_capacity;
	int64_t deadline;    /* ns on the monotonic clock, INT64_MAX: none */
	/* Likewise, the deadline of recvmmsg() as a whole. */
	int64_t limit;
	bool woken;          /* by another context */
	struct futex_wait futex;
	int vfork_child;     /* process id */
	const void *lock_owner; /* WAIT_LOCK: the holder of the lock */
	const struct mqueue *queue; /* WAIT_QUEUE: for a message or room */
	bool queue_sends;
};

/* Waits for a file. Repeated calls add files to the wait. */
int64_t wait_file(struct context *context, const struct file *file,
		  short events);
void wait_add_host(struct context *context, int host, short events);
int64_t wait_for(struct context *context, enum wait_kind kind,
		 const char *what);
void wait_clear(struct context *context);

#endif
