/* POSIX message queues, as other folders see them. */
#ifndef M2S_X86_LINUX_MQUEUE_MQUEUE_H
#define M2S_X86_LINUX_MQUEUE_MQUEUE_H

#include <stdint.h>

struct context;
struct file;
struct linux_system;
struct namespace;

/* read() of a queue's descriptor: the text that describes the queue. */
int64_t mqueue_read(struct context *context, const struct file *file,
		    uint64_t address, uint64_t size);
/* To be called when a descriptor table closes a descriptor of a queue, and when
 * its last descriptor is closed. */
void mqueue_free(struct linux_system *system);
/* To be called when no process is in an IPC namespace any more: its queues lose
 * their names. */
void mqueue_space_left(const struct namespace *space);

#endif
