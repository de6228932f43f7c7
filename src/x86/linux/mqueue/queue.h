/* POSIX message queues among the guest processes of one system
 * (mq_overview(7)). The host's queues are not used. */
#ifndef M2S_X86_LINUX_MQUEUE_QUEUE_H
#define M2S_X86_LINUX_MQUEUE_QUEUE_H

#include "x86/linux/state.h"

struct queued_message {
	struct queued_message *next;
	unsigned priority;
	size_t size;
	uint8_t bytes[];
};

/* The process that is notified when a message comes to an empty queue. */
struct queue_notice {
	int pid;              /* 0: none */
	const void *table;    /* descriptor table of that process */
	int how;              /* SIGEV_* */
	int signal;
	uint64_t value;
	struct file *channel; /* SIGEV_THREAD: receives the cookie */
	uint8_t cookie[32];
};

struct mqueue {
	struct mqueue *next;
	char *name;           /* NULL: unlinked */
	/* The IPC namespace of the name; NULL: the first. */
	const struct namespace *space;
	unsigned references;  /* open file descriptions */
	unsigned user, group, mode;
	/* Most messages; most bytes of each. */
	int64_t message_limit, size_limit;
	int64_t count;
	struct queued_message *first; /* highest priority, oldest first */
	/* An eventfd for poll(): readable while there are messages, writable
	 * while there is room. */
	int host;
	struct queue_notice notice;
};

/* ---- descriptor.c ---- */
/* The open queue of a descriptor, or NULL and *error. */
struct file *mqueue_file(struct context *context, uint64_t descriptor,
			 int *error);
/* Sets the eventfd so that poll() sees the queue's present state. */
void mqueue_show_state(struct mqueue *queue);

/* ---- notice.c ---- */
/* To be called when a message came to an empty queue and no thread waits for
 * it: sends the notification. */
void mqueue_tell(struct context *sender, struct mqueue *queue);
/* Cancels the notification. */
void mqueue_forget(struct mqueue *queue);

#endif
