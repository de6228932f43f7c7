/* POSIX message queues: the descriptors of one, and what poll() sees. */
#include <errno.h>
#include <unistd.h>

#include "x86/linux/files/files.h"
#include "x86/linux/mqueue/queue.h"
#include "x86/linux/state.h"

void mqueue_show_state(struct mqueue *queue)
{
	const uint64_t full = UINT64_MAX - 1;
	uint64_t value = !queue->count ? 0
			 : queue->count == queue->message_limit ? full
								: 1;
	uint64_t old;

	/* A counter of 0 cannot be read, one at its limit not be written. */
	if (read(queue->host, &old, sizeof old) < 0 && errno != EAGAIN)
		return;
	if (value && write(queue->host, &value, sizeof value) < 0)
		return;
}

struct file *mqueue_file(struct context *context, uint64_t descriptor,
			 int *error)
{
	struct file *file = file_get(context->process, (int)descriptor);

	*error = -EBADF;
	return file && file->kind == FILE_QUEUE ? file : NULL;
}
