/* POSIX message queues: opening, removing, attributes. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/mqueue/mqueue.h"
#include "x86/linux/mqueue/queue.h"
#include "x86/linux/namespaces/namespace.h"
#include "x86/linux/state.h"

/* As Linux has them unless told otherwise (mq_overview(7)). */
enum {
	QUEUES_MAX = 256,
	MESSAGES_DEFAULT = 10, MESSAGES_MAX = 10, MESSAGES_CEILING = 65536,
	SIZE_DEFAULT = 8192, SIZE_MAX_DEFAULT = 8192, SIZE_CEILING = 1 << 24,
	/* What RLIMIT_MSGQUEUE counts for each message beside its bytes, and
	 * for each priority (getrlimit(2)). */
	MESSAGE_BYTES = 48, NODE_BYTES = 48, PRIORITIES = 32768,
};

/* ---- Names ---- */

static struct mqueue *find_queue(struct context *context, const char *name)
{
	const struct namespace *space = namespace_of(context, SLOT_IPC);
	struct mqueue *queue = context->process->system->queues;

	while (queue && (queue->space != space || !queue->name ||
			 strcmp(queue->name, name)))
		queue = queue->next;
	return queue;
}

/* The C library has taken the leading slash away. */
static int get_queue_name(struct context *context, uint64_t address, char *name)
{
	int length = guest_get_string(context, address, name, NAME_MAX + 1);

	if (length < 0)
		return length;
	if (!length)
		return -ENOENT;
	return strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, "..")
		       ? -EACCES
		       : 0;
}

static void remove_queue(struct linux_system *system, struct mqueue *queue)
{
	struct mqueue **link = &system->queues;

	while (*link != queue)
		link = &(*link)->next;
	*link = queue->next;
	mqueue_forget(queue);
	while (queue->first) {
		struct queued_message *next = queue->first->next;

		free(queue->first);
		queue->first = next;
	}
	close(queue->host);
	free(queue->name);
	free(queue);
}

static void remove_unused(struct linux_system *system, struct mqueue *queue)
{
	if (!queue->references && !queue->name)
		remove_queue(system, queue);
}

/* ---- Attributes: flags, limits and count, eight words ---- */

enum { FLAGS, MESSAGES, SIZE, COUNT, ATTRIBUTES = 8 };

static int get_queue_attributes(struct context *context, uint64_t address,
				int64_t *attributes)
{
	const unsigned word = context->abi32 ? 4 : 8;
	uint64_t value;

	for (unsigned i = 0; i < ATTRIBUTES; i++) {
		if (guest_get_word(context, address + i * word, &value))
			return -EFAULT;
		attributes[i] = context->abi32 ? (int32_t)value
					       : (int64_t)value;
	}
	return 0;
}

static int put_attributes(struct context *context, uint64_t address,
			  const int64_t *attributes)
{
	const unsigned word = context->abi32 ? 4 : 8;

	for (unsigned i = 0; i < ATTRIBUTES; i++)
		if (guest_put_word(context, address + i * word,
				   (uint64_t)attributes[i]))
			return -EFAULT;
	return 0;
}

static int64_t accounted(int64_t messages, int64_t size)
{
	int64_t nodes = messages < PRIORITIES ? messages : PRIORITIES;

	return messages * (size + MESSAGE_BYTES) + nodes * NODE_BYTES;
}

/* 0, or a negative errno when there cannot be such a queue. */
static int check_limits(const struct process *process, int64_t messages,
			int64_t size)
{
	bool more = has_capability(process, CAP_SYS_RESOURCE);
	const unsigned user = process->credentials.user[0];
	int64_t used = 0;
	int count = 0;

	if (messages <= 0 || size <= 0 ||
	    messages > (more ? MESSAGES_CEILING : MESSAGES_MAX) ||
	    size > (more ? SIZE_CEILING : SIZE_MAX_DEFAULT))
		return -EINVAL;
	for (const struct mqueue *queue = process->system->queues; queue;
	     queue = queue->next, count++)
		if (queue->user == user)
			used += accounted(queue->message_limit,
					  queue->size_limit);
	if (count >= QUEUES_MAX && !more)
		return -ENOSPC;
	return (uint64_t)(used + accounted(messages, size)) >
			       process->limit[RLIMIT_MSGQUEUE][0]
		       ? -EMFILE
		       : 0;
}

/* ---- Calls ---- */

static struct mqueue *make_queue(struct context *context, const char *name,
				 unsigned mode, const int64_t *attributes)
{
	struct process *process = context->process;
	struct linux_system *system = process->system;
	struct mqueue *queue;
	int host = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (host < 0)
		return NULL;
	queue = xcalloc(1, sizeof *queue);
	queue->name = xstrdup(name);
	queue->space = namespace_of(context, SLOT_IPC);
	queue->user = process->credentials.user[3];
	queue->group = process->credentials.group[3];
	queue->mode = mode & 07777 & ~process->paths.umask;
	queue->message_limit = attributes[MESSAGES];
	queue->size_limit = attributes[SIZE];
	queue->host = host;
	queue->next = system->queues;
	system->queues = queue;
	return queue;
}

static bool may_open(const struct process *process, const struct mqueue *queue,
		     uint64_t flags)
{
	static const unsigned wanted[] = { 4, 2, 6 };
	const struct credentials *own = &process->credentials;
	unsigned granted = queue->mode;

	if (own->user[3] == queue->user)
		granted >>= 6;
	else if (in_group(own, queue->group))
		granted >>= 3;
	return !(wanted[flags & O_ACCMODE] & ~granted) ||
	       has_capability(process, CAP_DAC_OVERRIDE);
}

static void mqueue_descriptor_closed(const void *table, const struct file *file)
{
	if (file->queue.object->notice.pid &&
	    file->queue.object->notice.table == table)
		mqueue_forget(file->queue.object);
}

static void mqueue_released(struct file *file)
{
	file->queue.object->references--;
	remove_unused(file->system, file->queue.object);
}

static const struct file_events queue_events = {
	.descriptor_closed = mqueue_descriptor_closed,
	.released = mqueue_released,
};

static int64_t open_queue(struct process *process, struct mqueue *queue,
			  uint64_t flags)
{
	int host = fcntl(queue->host, F_DUPFD_CLOEXEC, 0);
	struct file *file;
	int64_t result;

	if (host < 0) {
		remove_unused(process->system, queue);
		return -errno;
	}
	file = file_create(host, FILE_QUEUE);
	file->system = process->system;
	file->events = &queue_events;
	file->queue.object = queue;
	file->queue.access = flags & O_ACCMODE;
	file->nonblock = flags & O_NONBLOCK;
	file->host_nonblock = true;
	queue->references++;
	result = file_install(process, file, 0, true);
	return result;
}

int64_t call_mq_open(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	int64_t attributes[ATTRIBUTES] = { 0, MESSAGES_DEFAULT, SIZE_DEFAULT };
	const bool create = a[1] & O_CREAT;
	char name[NAME_MAX + 1];
	struct mqueue *queue;
	int result = 0;

	if (create && a[3])
		result = get_queue_attributes(context, a[3], attributes);
	if (!result)
		result = get_queue_name(context, a[0], name);
	if (result)
		return result;
	queue = find_queue(context, name);
	if (!queue && !create)
		return -ENOENT;
	if (queue && create && (a[1] & O_EXCL))
		return -EEXIST;
	if ((a[1] & O_ACCMODE) == O_ACCMODE)
		return -EINVAL;
	if (queue && !may_open(process, queue, a[1]))
		return -EACCES;
	if (!queue) {
		result = check_limits(process, attributes[MESSAGES],
				      attributes[SIZE]);
		if (result)
			return result;
		queue = make_queue(context, name, (unsigned)a[2], attributes);
	}
	return queue ? open_queue(process, queue, a[1]) : -errno;
}

int64_t call_mq_unlink(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	char name[NAME_MAX + 1];
	struct mqueue *queue;
	int result = get_queue_name(context, a[0], name);

	if (result)
		return result;
	queue = find_queue(context, name);
	if (!queue)
		return -ENOENT;
	/* Their folder is everybody's, with the sticky bit. */
	if (process->credentials.user[3] != queue->user &&
	    !has_capability(process, CAP_FOWNER))
		return -EPERM;
	free(queue->name);
	queue->name = NULL;
	remove_unused(process->system, queue);
	return 0;
}

int64_t call_mq_getsetattr(struct context *context, const uint64_t *a)
{
	int64_t new[ATTRIBUTES], old[ATTRIBUTES] = { 0 };
	int result = a[1] ? get_queue_attributes(context, a[1], new) : 0;
	struct file *file;

	if (result)
		return result;
	if (a[1] && (new[FLAGS] & ~(int64_t)O_NONBLOCK))
		return -EINVAL;
	file = mqueue_file(context, a[0], &result);
	if (!file)
		return result;
	old[FLAGS] = file->nonblock ? O_NONBLOCK : 0;
	old[MESSAGES] = file->queue.object->message_limit;
	old[SIZE] = file->queue.object->size_limit;
	old[COUNT] = file->queue.object->count;
	if (a[1])
		file->nonblock = new[FLAGS];
	return a[2] ? put_attributes(context, a[2], old) : 0;
}

/* ---- Descriptors ---- */

int64_t mqueue_read(struct context *context, const struct file *file,
		    uint64_t address, uint64_t size)
{
	const struct mqueue *queue = file->queue.object;
	uint64_t bytes = 0;
	char text[80];
	int length;

	for (const struct queued_message *message = queue->first; message;
	     message = message->next)
		bytes += message->size;
	length = snprintf(text, sizeof text,
			  "QSIZE:%-10llu NOTIFY:%-5d SIGNO:%-5d "
			  "NOTIFY_PID:%-6d\n",
			  (unsigned long long)bytes, queue->notice.how,
			  queue->notice.pid ? queue->notice.signal : 0,
			  queue->notice.pid);
	if (size > (uint64_t)length)
		size = (uint64_t)length;
	return guest_put(context, address, text, size) ? -EFAULT
						       : (int64_t)size;
}

void mqueue_space_left(const struct namespace *space)
{
	struct mqueue *queue = space->system->queues, *next;

	for (; queue; queue = next) {
		next = queue->next;
		if (queue->space != space)
			continue;
		free(queue->name);
		queue->name = NULL;
		queue->space = NULL;
		remove_unused(space->system, queue);
	}
}

void mqueue_free(struct linux_system *system)
{
	while (system->queues)
		remove_queue(system, system->queues);
}
