/* System V message queues. */
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/socket.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/state.h"
#include "x86/linux/sysv/object.h"
#include "x86/linux/wait.h"

/* Linux's defaults (linux/msg.h). */
enum {
	SEGMENT_SIZE = 16, SEGMENTS = 0xffff,
	COPY = 040000, /* MSG_COPY */
	STAT_ANY = 13, /* MSG_STAT_ANY */
};

struct message_queue {
	struct ipc_object object;
	struct message *first;
	size_t count, bytes, limit;
	/* process ids of the last sender and receiver */
	int sender, receiver;
	int64_t sent, received;      /* seconds */
};

static struct message_queue *find_message_queue(struct context *context,
						uint64_t id)
{
	return (struct message_queue *)ipc_find(context,
						IPC_MESSAGES, (int)id);
}

void messages_free(struct ipc_object *object)
{
	struct message_queue *queue = (struct message_queue *)object;

	while (queue->first) {
		struct message *next = queue->first->next;

		free(queue->first);
		queue->first = next;
	}
	free(queue);
}

int64_t call_msgget(struct context *context, const uint64_t *a)
{
	struct message_queue *queue;
	struct ipc_object *found;
	int64_t id;
	int result = ipc_look_up(context, IPC_MESSAGES, (int32_t)a[0], a[1],
				 &found);

	if (result)
		return result;
	if (found) {
		result = ipc_permitted(context, found, a[1] & 0777);
		return result ? result : found->id;
	}
	queue = xcalloc(1, sizeof *queue);
	queue->limit = sysv_setting(context, IPC_QUEUE_BYTES);
	id = ipc_add(context, &queue->object, IPC_MESSAGES, (int32_t)a[0], a[1],
		     sysv_setting(context, IPC_QUEUES));
	if (id < 0)
		messages_free(&queue->object);
	return id;
}

/* ---- The queue ---- */

static bool message_fits(const struct message_queue *queue, size_t size)
{
	return queue->bytes + size <= queue->limit &&
	       queue->count + 1 <= queue->limit;
}

/* Whether a receiver of `type` takes the message. */
static bool wanted(const struct message *message, int64_t type, int flags)
{
	if (!type)
		return true;
	if (type < 0)
		return message->type <= -type;
	return (message->type == type) != !!(flags & MSG_EXCEPT);
}

/* The place of the message that a receiver gets, or NULL. */
static struct message **choose(struct message_queue *queue, int64_t type,
			       int flags)
{
	struct message **best = NULL;
	int64_t number = 0;

	for (struct message **link = &queue->first; *link;
	     link = &(*link)->next) {
		if (flags & COPY) {
			if (number++ == type)
				return link;
			continue;
		}
		if (!wanted(*link, type, flags))
			continue;
		if (type >= 0)
			return link;
		if (!best || (*link)->type < (*best)->type)
			best = link;
	}
	return best;
}

static void append_message(struct message_queue *queue, struct message *message)
{
	struct message **last = &queue->first;

	while (*last)
		last = &(*last)->next;
	message->next = NULL;
	*last = message;
	queue->count++;
	queue->bytes += message->size;
}

/* Hands a message to a waiting receiver, or queues it. */
static void send_out(struct linux_system *system, struct message_queue *queue,
		     struct message *message, int pid)
{
	queue->sender = pid;
	queue->sent = ipc_seconds(system);
	for (struct ipc_wait *wait = sysv_of(system)->waits; wait;
	     wait = wait->next) {
		if (wait->object != &queue->object || wait->done ||
		    !wait->receives ||
		    !wanted(message, wait->type, wait->flags))
			continue;
		if (message->size > wait->size &&
		    !(wait->flags & MSG_NOERROR)) {
			ipc_complete(system, wait, -E2BIG);
			continue;
		}
		queue->receiver = wait->pid;
		queue->received = queue->sent;
		wait->message = message;
		ipc_complete(system, wait, 0);
		return;
	}
	append_message(queue, message);
}

/* Lets waiting senders continue that now have room. */
static void let_send(struct linux_system *system, struct message_queue *queue)
{
	ipc_wait_clean(system);
	for (struct ipc_wait *wait = sysv_of(system)->waits; wait;
	     wait = wait->next) {
		struct message *message = wait->message;

		if (wait->object != &queue->object || wait->done ||
		    wait->receives || !message_fits(queue, message->size))
			continue;
		wait->message = NULL;
		send_out(system, queue, message, wait->pid);
		ipc_complete(system, wait, 0);
	}
}

/* Copies a message out: its size or -EFAULT. */
static int64_t copy_message_out(struct context *context,
				const struct message *message, uint64_t address,
				uint64_t limit)
{
	unsigned word = context->abi32 ? 4 : 8;
	size_t size = message->size < limit ? message->size : (size_t)limit;

	if (guest_put_word(context, address, (uint64_t)message->type) ||
	    guest_put(context, address + word, message->bytes, size))
		return -EFAULT;
	return (int64_t)size;
}

/* ---- Calls ---- */

/* A restarted call. */
static int64_t go_on_waiting(struct context *context, uint64_t address)
{
	struct ipc_wait *wait = ipc_waiting(context);
	int64_t result;

	if (!wait)
		return -EIDRM;
	if (!wait->done)
		return wait_for(context, WAIT_IPC, context->wait.what);
	result = wait->result;
	if (!result && wait->receives)
		result = copy_message_out(context, wait->message, address,
					  wait->size);
	ipc_wait_free(context->process->system, wait);
	return result;
}

int64_t call_msgsnd(struct context *context, const uint64_t *a)
{
	struct linux_system *system = context->process->system;
	unsigned word = context->abi32 ? 4 : 8;
	struct message_queue *queue;
	struct message *message;
	struct ipc_wait *wait;
	uint64_t type;
	int result;

	if (context->call.resumed)
		return go_on_waiting(context, 0);
	if (guest_get_word(context, a[1], &type))
		return -EFAULT;
	if (context->abi32)
		type = (uint64_t)(int32_t)type;
	if (a[2] > sysv_setting(context, IPC_MESSAGE_BYTES) || (int)a[0] < 0 ||
	    (int64_t)type < 1)
		return -EINVAL;
	message = xmalloc(sizeof *message + a[2]);
	message->type = (int64_t)type;
	message->size = a[2];
	queue = find_message_queue(context, a[0]);
	result = guest_get(context, a[1] + word, message->bytes, a[2]);
	if (!result && !queue)
		result = -EINVAL;
	if (!result)
		result = ipc_permitted(context, &queue->object,
				       IPC_ANY_WRITE);
	if (!result && !message_fits(queue, a[2]) && (a[3] & IPC_NOWAIT))
		result = -EAGAIN;
	if (result) {
		free(message);
		return result;
	}
	if (message_fits(queue, a[2])) {
		ipc_wait_clean(system);
		send_out(system, queue, message, context->process->pid);
		return 0;
	}
	wait = ipc_block(context, &queue->object);
	wait->message = message;
	return wait_for(context, WAIT_IPC, "room in a queue (msgsnd)");
}

static int64_t receive_message(struct context *context, uint64_t id,
			       uint64_t address, uint64_t size, int64_t type,
			       int flags)
{
	struct linux_system *system = context->process->system;
	struct message_queue *queue;
	struct message **link, *message;
	struct ipc_wait *wait;
	int64_t result;

	if (context->call.resumed)
		return go_on_waiting(context, address);
	if ((int)id < 0 ||
	    (context->abi32 ? (int32_t)size < 0 : (int64_t)size < 0))
		return -EINVAL;
	if ((flags & COPY) && ((flags & MSG_EXCEPT) || !(flags & IPC_NOWAIT)))
		return -EINVAL;
	if (type == INT64_MIN)
		type = -INT64_MAX;
	queue = find_message_queue(context, id);
	if (!queue)
		return -EINVAL;
	result = ipc_permitted(context, &queue->object, IPC_ANY_READ);
	if (result)
		return result;
	link = choose(queue, type, flags);
	if (link) {
		message = *link;
		if (message->size > size && !(flags & MSG_NOERROR))
			return -E2BIG;
		if (flags & COPY)
			return copy_message_out(context, message, address,
						size);
		*link = message->next;
		queue->count--;
		queue->bytes -= message->size;
		queue->receiver = context->process->pid;
		queue->received = ipc_seconds(system);
		let_send(system, queue);
		result = copy_message_out(context, message, address, size);
		free(message);
		return result;
	}
	if (flags & IPC_NOWAIT)
		return -ENOMSG;
	wait = ipc_block(context, &queue->object);
	wait->receives = true;
	wait->type = type;
	wait->size = size;
	wait->flags = flags;
	return wait_for(context, WAIT_IPC, "a message (msgrcv)");
}

int64_t call_msgrcv(struct context *context, const uint64_t *a)
{
	int64_t type = context->abi32 ? (int32_t)a[3] : (int64_t)a[3];

	return receive_message(context, a[0], a[1], a[2], type, (int)a[4]);
}

void messages_print(const struct ipc_object *object, FILE *out)
{
	const struct message_queue *queue =
		(const struct message_queue *)object;

	fprintf(out, "  %10zu %10zu %5d %5d", queue->bytes, queue->count,
		queue->sender, queue->receiver);
	ipc_print_owner(object, out);
	fprintf(out, " %10" PRId64 " %10" PRId64 " %10" PRId64 "\n",
		queue->sent, queue->received, object->changed);
}

/* ---- Control ---- */

static const struct ipc_field sent = { { 48, 36, 24 }, { 8, 8, 4 } };
static const struct ipc_field received = { { 56, 44, 28 }, { 8, 8, 4 } };
static const struct ipc_field changed = { { 64, 52, 32 }, { 8, 8, 4 } };
static const struct ipc_field bytes = { { 72, 60, 44 }, { 8, 4, 2 } };
static const struct ipc_field counted = { { 80, 64, 46 }, { 8, 4, 2 } };
static const struct ipc_field limit = { { 88, 68, 48 }, { 8, 4, 2 } };
static const struct ipc_field sender = { { 96, 72, 50 }, { 4, 4, 2 } };
static const struct ipc_field receiver = { { 100, 76, 52 }, { 4, 4, 2 } };
static const uint8_t structure_bytes[IPC_LAYOUTS] = { 120, 88, 56 };

static int64_t queue_status(struct context *context,
			    const struct message_queue *queue,
			    enum ipc_layout layout, uint64_t address)
{
	uint8_t buffer[IPC_STRUCTURE_MAX] = { 0 };

	ipc_store_owner(buffer, layout, &queue->object);
	ipc_store(buffer, layout, &sent, (uint64_t)queue->sent);
	ipc_store(buffer, layout, &received, (uint64_t)queue->received);
	ipc_store(buffer, layout, &changed, (uint64_t)queue->object.changed);
	ipc_store(buffer, layout, &bytes, queue->bytes);
	ipc_store(buffer, layout, &counted, queue->count);
	ipc_store(buffer, layout, &limit, queue->limit);
	ipc_store(buffer, layout, &sender, (uint64_t)queue->sender);
	ipc_store(buffer, layout, &receiver, (uint64_t)queue->receiver);
	return guest_put(context, address, buffer, structure_bytes[layout]);
}

static int64_t queue_information(struct context *context, bool used,
				 uint64_t address)
{
	const struct ipc_table *table =
		ipc_of(context)->tables + IPC_MESSAGES;
	const int32_t bytes = (int32_t)sysv_setting(context, IPC_QUEUE_BYTES);
	const int32_t queues = (int32_t)sysv_setting(context, IPC_QUEUES);
	/* pool, map, max, mnb, mni, ssz, tql, and 16 bits: seg */
	int32_t words[8] = {
		(int32_t)(queues * bytes / 1024),
		bytes,
		(int32_t)sysv_setting(context, IPC_MESSAGE_BYTES),
		bytes,
		queues,
		SEGMENT_SIZE,
		bytes,
		SEGMENTS,
	};

	if (used) {
		words[0] = (int32_t)table->count;
		words[1] = words[6] = 0;
	}
	for (size_t i = 0; used && i < table->capacity; i++)
		if (table->list[i]) {
			const struct message_queue *queue =
				(struct message_queue *)table->list[i];

			words[1] += (int32_t)queue->count;
			words[6] += (int32_t)queue->bytes;
		}
	return guest_put(context, address, words, sizeof words)
		       ? -EFAULT
		       : ipc_highest(context, IPC_MESSAGES);
}

static int64_t set_queue(struct context *context, struct message_queue *queue,
			 enum ipc_layout layout, const uint8_t *buffer)
{
	uint64_t new_limit = ipc_fetch(buffer, layout, &limit);
	int64_t result = ipc_owned(context, &queue->object);

	if (!result && new_limit > sysv_setting(context, IPC_QUEUE_BYTES) &&
	    !ipc_capable(context, CAP_SYS_RESOURCE))
		result = -EPERM;
	if (!result)
		result = ipc_set_owner(context, buffer, layout,
				       &queue->object);
	if (!result) {
		queue->limit = new_limit;
		let_send(context->process->system, queue);
	}
	return result;
}

int64_t call_msgctl(struct context *context, const uint64_t *a)
{
	struct linux_system *system = context->process->system;
	int command = (int)a[1];
	enum ipc_layout layout = ipc_layout_of(context, &command);
	struct message_queue *queue = find_message_queue(context, a[0]);
	uint8_t buffer[IPC_STRUCTURE_MAX];
	int64_t result = 0;

	if ((int)a[0] < 0 || command < 0)
		return -EINVAL;
	if (command == IPC_INFO || command == MSG_INFO)
		return queue_information(context, command == MSG_INFO, a[2]);
	if (command == MSG_STAT || command == STAT_ANY)
		queue = (struct message_queue *)ipc_at_index(
			context, IPC_MESSAGES, (int)a[0]);
	if (command == IPC_SET &&
	    guest_get(context, a[2], buffer, structure_bytes[layout]))
		return -EFAULT;
	if (!queue)
		return -EINVAL;
	switch (command) {
	case IPC_STAT:
	case MSG_STAT:
		result = ipc_permitted(context, &queue->object, IPC_ANY_READ);
		/* fall through */
	case STAT_ANY:
		if (!result)
			result = queue_status(context, queue, layout, a[2]);
		return result || command == IPC_STAT ? result
						     : queue->object.id;
	case IPC_SET:
		return set_queue(context, queue, layout, buffer);
	case IPC_RMID:
		result = ipc_owned(context, &queue->object);
		if (!result) {
			ipc_remove(system, &queue->object);
			messages_free(&queue->object);
		}
		return result;
	default:
		return -EINVAL;
	}
}
