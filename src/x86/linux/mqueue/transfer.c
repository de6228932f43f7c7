/* POSIX message queues: sending and receiving. Who waits is served in order
 * of arrival: a message, or room for one, that others have waited longer for
 * is theirs, even before they had a turn. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/mqueue/queue.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/wait.h"

enum { PRIORITY_MAX = 32768 };

/* ---- Waiting ---- */

static bool waits(const struct context *context, const struct mqueue *queue,
		  bool sends)
{
	return !context->ended && context->wait.kind == WAIT_QUEUE &&
	       context->wait.queue == queue &&
	       context->wait.queue_sends == sends;
}

/* How many wait, of those who came before `than`, or all when that does not
 * wait. */
static int64_t count_waiting(const struct context *than,
			     const struct mqueue *queue, bool sends)
{
	const bool waited = waits(than, queue, sends);
	int64_t count = 0;

	for (const struct context *context = than->process->system->contexts;
	     context; context = context->next)
		if (context != than && waits(context, queue, sends) &&
		    (!waited ||
		     context->wait.futex.order < than->wait.futex.order))
			count++;
	return count;
}

static void wake_waiting(struct linux_system *system,
			 const struct mqueue *queue, bool sends)
{
	for (struct context *context = system->contexts; context;
	     context = context->next)
		if (waits(context, queue, sends))
			context->wait.woken = true;
}

/* The limit is a time of CLOCK_REALTIME. */
static int64_t get_deadline(struct context *context, uint64_t address,
			    bool wide, int64_t *deadline)
{
	struct linux_system *system = context->process->system;
	int64_t result;

	*deadline = INT64_MAX;
	if (!address)
		return 0;
	result = guest_get_time(context, address, wide, deadline);
	*deadline += clock_monotonic(system) - clock_realtime(system);
	return result;
}

static int64_t wait_turn(struct context *context, const struct file *file,
			 bool sends, int64_t deadline)
{
	struct linux_system *system = context->process->system;
	struct wait *wait = &context->wait;

	if (file->nonblock)
		return -EAGAIN;
	if (!context->call.resumed) {
		wait->deadline = deadline;
		wait->queue = file->queue.object;
		wait->queue_sends = sends;
		wait->futex.order = ++system->futex_serial;
	}
	if (wait->deadline <= clock_monotonic(system))
		return -ETIMEDOUT;
	return wait_for(context, WAIT_QUEUE,
			sends ? "room in a queue (mq_send)"
			      : "a message (mq_receive)");
}

/* ---- Messages ---- */

/* Behind those of its priority. */
static void queue_message(struct mqueue *queue, struct queued_message *message)
{
	struct queued_message **link = &queue->first;

	while (*link && (*link)->priority >= message->priority)
		link = &(*link)->next;
	message->next = *link;
	*link = message;
	queue->count++;
	mqueue_show_state(queue);
}

static struct queued_message *take_message(struct mqueue *queue)
{
	struct queued_message *message = queue->first;

	queue->first = message->next;
	queue->count--;
	mqueue_show_state(queue);
	return message;
}

/* Reads a message of the guest's; NULL: its bytes are not there. */
static struct queued_message *get_message(struct context *context,
					  const uint64_t *a)
{
	struct queued_message *message = xmalloc(sizeof *message + a[2]);

	message->priority = (unsigned)a[3];
	message->size = a[2];
	if (!guest_get(context, a[1], message->bytes, a[2]))
		return message;
	free(message);
	return NULL;
}

static int64_t send_now(struct context *context, struct mqueue *queue,
			struct queued_message *message)
{
	const bool told = !queue->count && !count_waiting(context, queue,
							  false);

	queue_message(queue, message);
	wake_waiting(context->process->system, queue, false);
	if (told)
		mqueue_tell(context, queue);
	return 0;
}

static int64_t do_send(struct context *context, const uint64_t *a, bool wide)
{
	struct mqueue *queue;
	struct file *file;
	struct queued_message *message;
	int64_t deadline, result = 0;
	int error;

	if ((uint32_t)a[3] >= PRIORITY_MAX)
		return -EINVAL;
	if (!context->call.resumed)
		result = get_deadline(context, a[4], wide, &deadline);
	if (result)
		return result;
	file = mqueue_file(context, a[0], &error);
	if (!file)
		return error;
	if (file->queue.access == O_RDONLY)
		return -EBADF;
	queue = file->queue.object;
	if (a[2] > (uint64_t)queue->size_limit)
		return -EMSGSIZE;
	message = get_message(context, a);
	if (!message)
		return -EFAULT;
	if (queue->message_limit - queue->count >
	    count_waiting(context, queue, true))
		return send_now(context, queue, message);
	free(message); /* it is read again */
	return wait_turn(context, file, true, deadline);
}

static int64_t receive_now(struct context *context, struct mqueue *queue,
			   const uint64_t *a)
{
	struct queued_message *message = take_message(queue);
	int64_t result = (int64_t)message->size;

	wake_waiting(context->process->system, queue, true);
	if ((a[3] && guest_put(context, a[3], &message->priority, 4)) ||
	    guest_put(context, a[1], message->bytes, message->size))
		result = -EFAULT;
	free(message);
	return result;
}

static int64_t do_receive(struct context *context, const uint64_t *a,
			  bool wide)
{
	struct mqueue *queue;
	struct file *file;
	int64_t deadline, result = 0;
	int error;

	if (!context->call.resumed)
		result = get_deadline(context, a[4], wide, &deadline);
	if (result)
		return result;
	file = mqueue_file(context, a[0], &error);
	if (!file)
		return error;
	if (file->queue.access == O_WRONLY)
		return -EBADF;
	queue = file->queue.object;
	if (a[2] < (uint64_t)queue->size_limit)
		return -EMSGSIZE;
	return queue->count > count_waiting(context, queue, false)
		       ? receive_now(context, queue, a)
		       : wait_turn(context, file, false, deadline);
}

int64_t call_mq_timedsend(struct context *context, const uint64_t *a)
{
	return do_send(context, a, false);
}

int64_t call_mq_timedsend_time64(struct context *context, const uint64_t *a)
{
	return do_send(context, a, true);
}

int64_t call_mq_timedreceive(struct context *context, const uint64_t *a)
{
	return do_receive(context, a, false);
}

int64_t call_mq_timedreceive_time64(struct context *context,
				    const uint64_t *a)
{
	return do_receive(context, a, true);
}
