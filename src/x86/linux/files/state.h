/* Open files and descriptor tables, and the folders of a process. */
#ifndef M2S_X86_LINUX_FILES_STATE_H
#define M2S_X86_LINUX_FILES_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "x86/linux/namespaces/kind.h"

struct file;
struct file_async;
struct landlock_domain;
struct linux_system;
struct mqueue;
struct namespace;
struct ruleset;

enum { PROC_PATH = 256 }; /* bytes of a path in /proc */

enum file_kind {
	FILE_HOST,     /* a file of the host */
	/* Timerfd: an eventfd that the simulator's timers write. */
	FILE_TIMER,
	FILE_SIGNAL,   /* signalfd: an eventfd kept in step with `mask` */
	/* /dev/random and /dev/urandom: the simulator's generator. */
	FILE_RANDOM,
	FILE_LIST,     /* a folder of /proc whose entries the simulator makes */
	FILE_MADE,     /* a file of the simulator's /proc, opened for writing */
	/* pidfd: an eventfd, readable after the end of process `pid` */
	FILE_PROCESS,
	FILE_MEMORY,   /* /proc/PID/mem */
	FILE_PAGEMAP,  /* /proc/PID/pagemap */
	FILE_QUEUE,    /* a POSIX message queue: an eventfd, see mqueue/ */
	FILE_RULESET,  /* a ruleset of Landlock: see landlock/ */
	FILE_NAMESPACE, /* /proc/PID/ns/NAME: an empty file, see namespaces/ */
};

/* Functions of the creator of a kind of file. They may be NULL. */
struct file_events {
	/* Called when a descriptor table closes a descriptor of the file. */
	void (*descriptor_closed)(const void *table, const struct file *file);
	/* Called when the last descriptor of the file is closed. */
	void (*released)(struct file *file);
};

/* Of a local socket. */
struct file_socket {
	/* Process ids of the peer, of the listener, and of a process whose
	 * connection is not accepted yet; 0: none or unknown. */
	int peer, listener, connecting;
	int cookie_end;     /* the end to which mq_notify() writes, or 0 */
	int64_t timeout[2]; /* SO_RCVTIMEO, SO_SNDTIMEO in ns; 0: none */
	struct landlock_domain *domain; /* of its creator */
};

/* The receiver of a file's signals: a process, group or thread. */
struct file_owner {
	int id, signal;     /* F_SETOWN, F_SETSIG */
	bool thread;        /* F_OWNER_TID */
};

/* FILE_SIGNAL. */
struct file_signals {
	uint64_t mask;
	bool armed;         /* the eventfd is readable */
};

/* FILE_TIMER. */
struct file_timer {
	int64_t expires, interval; /* ns of the clock; expires 0: disarmed */
	int clock;
};

/* FILE_PROCESS, FILE_MEMORY, FILE_PAGEMAP. */
struct file_process {
	int pid;
	int exit_code;      /* as wait4() reported it, if `reaped` */
	uint64_t serial;    /* FILE_PROCESS: serial of the process */
	/* FILE_MEMORY, FILE_PAGEMAP: the serial of the memory */
	uint64_t memory;
	bool reaped;        /* FILE_PROCESS: the status is known */
};

/* FILE_QUEUE. */
struct file_queue {
	struct mqueue *object;
	int access;         /* O_RDONLY, O_WRONLY, O_RDWR */
};

/* FILE_NAMESPACE. */
struct file_namespace {
	struct namespace *object; /* NULL: the first */
	enum namespace_kind kind;
};

/* FILE_LIST. */
struct file_listing {
	char *entries;      /* "3\0self\0..." */
	size_t size, at;
};

/* Folder read by an i386 guest: host positions, which need 64 bits; the guest
 * knows position i as i + 1. */
struct file_positions {
	int64_t *list;
	size_t count, capacity;
};

/* Of a pipe made by a guest. */
struct file_pipe {
	bool writes;        /* the end for writing */
	uint16_t end;       /* end of the data in the pipe's last page */
};

/* An open file description, which dup() and fork() share. */
struct file {
	struct linux_system *system; /* of FILE_TIMER, _SIGNAL, _PROCESS */
	unsigned references;
	enum file_kind kind;
	const struct file_events *events; /* or NULL */
	int host;           /* host descriptor */
	bool borrowed;      /* not to be closed (standard streams) */
	uint8_t stream;     /* which standard stream a borrowed one is */
	bool semaphore;     /* an eventfd with EFD_SEMAPHORE */
	bool nonblock;      /* the guest's O_NONBLOCK */
	bool host_nonblock; /* the host descriptor never blocks */
	bool may_block;     /* pipe, socket, terminal: poll before use */
	bool is_socket;
	bool is_event;      /* an eventfd made by the guest */
	uint32_t denied;    /* rights that Landlock denied at the open */
	struct file_pipe pipe;
	struct file_socket socket;
	struct file_owner owner;
	struct file_async *async; /* async/file.h, or NULL */
	struct file_signals signals;
	struct file_timer timer;
	struct file_process process;
	struct file_queue queue;
	struct ruleset *ruleset; /* FILE_RULESET */
	struct file_namespace namespace;
	struct file_listing listing;
	struct file_positions positions;
	char made[PROC_PATH]; /* the file's path in /proc, or "" */
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

/* A list of open files. */
struct file_list {
	struct file **list;
	size_t count, capacity;
};

/* The folders at which a process's paths begin. */
struct process_paths {
	int cwd;                    /* host descriptor of the current folder */
	char made_cwd[PROC_PATH];   /* its path when it is a folder of /proc */
	int root;                   /* chroot(): host descriptor, or -1 */
	unsigned umask;
};

#endif
