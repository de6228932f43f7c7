/* What open files consist of, and where a process sees files. */
#ifndef M2S_X86_LINUX_FILES_STATE_H
#define M2S_X86_LINUX_FILES_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "x86/linux/namespaces/kind.h"

struct file_async;
struct landlock_domain;
struct linux_system;
struct mqueue;
struct namespace;
struct ruleset;

enum { PROC_PATH = 256 }; /* bytes of a path in /proc */

enum file_kind {
	FILE_HOST,     /* everything is the host's */
	FILE_TIMER,    /* timerfd: an eventfd that our timers write */
	FILE_SIGNAL,   /* signalfd: an eventfd kept in step with `mask` */
	FILE_RANDOM,   /* /dev/random and /dev/urandom: our generator */
	FILE_LIST,     /* a folder of /proc whose entries we make up */
	FILE_MADE,     /* a file of /proc of ours, opened for writing */
	FILE_PROCESS,  /* pidfd: an eventfd, readable when `pid` has ended */
	FILE_MEMORY,   /* /proc/PID/mem */
	FILE_PAGEMAP,  /* /proc/PID/pagemap */
	FILE_QUEUE,    /* a POSIX message queue: an eventfd, see mqueue/ */
	FILE_RULESET,  /* of Landlock: see landlock/ */
	FILE_NAMESPACE, /* /proc/PID/ns/NAME: an empty file, see namespaces/ */
};

/* An open file description: what dup() and fork() share. */
struct file {
	struct linux_system *system; /* of FILE_TIMER, _SIGNAL, _PROCESS */
	unsigned references;
	enum file_kind kind;
	int host;           /* host descriptor */
	bool borrowed;      /* not to be closed (standard streams) */
	uint8_t stream;     /* which standard stream a borrowed one is */
	bool semaphore;     /* an eventfd of that kind */
	bool nonblock;      /* the guest's O_NONBLOCK */
	bool host_nonblock; /* the host descriptor never blocks */
	bool may_block;     /* pipe, socket, terminal: poll before use */
	bool is_pipe;       /* the end for writing of a pipe made by a guest */
	uint16_t pipe_end;  /* where the bytes of its last page end */
	bool is_socket;
	bool is_event;      /* an eventfd of the guest's */
	/* Local sockets: process ids of the other end, of who listens, and of
	 * who connected and was not accepted yet; 0: none or not known. */
	int peer, listener, connecting;
	int64_t timeout[2]; /* SO_RCVTIMEO, SO_SNDTIMEO in ns; 0: none */
	int owner, owner_signal; /* F_SETOWN, F_SETSIG */
	struct file_async *async; /* async/file.h, or NULL */
	uint64_t mask;      /* FILE_SIGNAL */
	int clock;          /* FILE_TIMER */
	int pid;            /* FILE_PROCESS */
	uint64_t memory;    /* FILE_MEMORY, FILE_PAGEMAP: the serial of `pid`'s */
	struct mqueue *queue; /* FILE_QUEUE */
	struct ruleset *ruleset; /* FILE_RULESET */
	struct namespace *space; /* FILE_NAMESPACE; NULL: the first */
	enum namespace_kind space_kind;
	bool reaped;        /* FILE_PROCESS: how it ended is known: */
	int exit_code;      /* as wait4() told it */
	uint64_t serial;    /* FILE_PROCESS: struct process has it */
	struct landlock_domain *domain; /* a socket: of who made it */
	uint32_t denied;    /* by Landlock, when it was opened */
	int access;         /* FILE_QUEUE: O_RDONLY, O_WRONLY, O_RDWR */
	int cookie_end;     /* where mq_notify() writes to, or 0 */
	int64_t expires, interval; /* ns of the clock; expires 0: disarmed */
	bool armed_signal;  /* FILE_SIGNAL: the eventfd is readable */
	bool owner_thread;  /* F_OWNER_TID */
	char *entries;      /* FILE_LIST: "3\0self\0..." */
	char made[PROC_PATH]; /* the name of /proc that it is, or "" */
	size_t entries_size, entries_at;
	/* Folder read by an i386 guest: host positions, which need 64 bits;
	 * the guest knows position i as i + 1. */
	int64_t *positions;
	size_t position_count, position_capacity;
};

struct descriptor {
	struct file *file; /* NULL: free */
	bool close_on_exec;
};

struct file_table {
	unsigned references;
	struct descriptor *list;
	int count;
};

/* Open files that somebody looks after. */
struct file_list {
	struct file **list;
	size_t count, capacity;
};

/* Where a process's paths begin. */
struct process_paths {
	int cwd;                    /* host descriptor of the current folder */
	char made_cwd[PROC_PATH];   /* when that is a folder of /proc */
	int root;                   /* chroot(): host descriptor, or -1 */
	unsigned umask;
};

#endif
