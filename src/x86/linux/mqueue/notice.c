/* POSIX message queues: telling a process that a message has come. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/mqueue/queue.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"

/* For SIGEV_THREAD the C library gives 32 bytes and a netlink socket, on which
 * a thread of its own gets them back, the last one saying why. */
enum { COOKIE_REASON = 31, REASON_MESSAGE = 1, REASON_REMOVED = 2 };

static void send_cookie(struct queue_notice *notice, uint8_t reason)
{
	notice->cookie[COOKIE_REASON] = reason;
	/* A thread that does not listen misses it, as in Linux. */
	if (write(notice->channel->socket.cookie_end, notice->cookie,
		  sizeof notice->cookie) < 0)
		return;
}

static void unregister(struct mqueue *queue)
{
	struct file *channel = queue->notice.channel;

	queue->notice = (struct queue_notice){ 0 };
	file_release(channel);
}

void mqueue_forget(struct mqueue *queue)
{
	if (queue->notice.pid && queue->notice.how == SIGEV_THREAD)
		send_cookie(&queue->notice, REASON_REMOVED);
	unregister(queue);
}

void mqueue_tell(struct context *sender, struct mqueue *queue)
{
	struct queue_notice *notice = &queue->notice;
	struct process *process;

	if (!notice->pid)
		return;
	process = process_find(sender->process->system, notice->pid);
	if (notice->how == SIGEV_SIGNAL && process)
		signal_send_process(
			process,
			&(struct signal_information){
				.number = notice->signal, .code = SI_MESGQ,
				.pid = sender->process->pid,
				.uid = (int)sender->process->credentials
					       .user[0],
				.value = notice->value,
			});
	if (notice->how == SIGEV_THREAD)
		send_cookie(notice, REASON_MESSAGE);
	unregister(queue);
}

/* The guest's netlink socket has no sender but us: a pair of local sockets
 * takes its place. 0 or a negative errno. */
static int make_channel(struct file *channel)
{
	int ends[2];

	if (channel->socket.cookie_end)
		return 0;
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
		       ends) != 0)
		return -errno;
	if (dup3(ends[0], channel->host, O_CLOEXEC) < 0) {
		close(ends[0]);
		close(ends[1]);
		return -EBADF;
	}
	close(ends[0]);
	channel->socket.cookie_end = ends[1];
	return 0;
}

static int is_netlink(const struct file *file)
{
	int domain = 0;
	socklen_t size = sizeof domain;

	return file->socket.cookie_end ||
	       (getsockopt(file->host, SOL_SOCKET, SO_DOMAIN, &domain,
			   &size) == 0 && domain == AF_NETLINK);
}

/* Reads struct sigevent: value, signal, how. 0 or a negative errno. */
static int get_notice(struct context *context, uint64_t address,
		      struct queue_notice *notice)
{
	const unsigned word = context->abi32 ? 4 : 8;

	if (guest_get_word(context, address, &notice->value) ||
	    guest_get(context, address + word, &notice->signal, 4) ||
	    guest_get(context, address + word + 4, &notice->how, 4))
		return -EFAULT;
	if (notice->how == SIGEV_NONE)
		return 0;
	if (notice->how == SIGEV_SIGNAL)
		return notice->signal < 1 || notice->signal > SIGNALS
			       ? -EINVAL
			       : 0;
	if (notice->how != SIGEV_THREAD)
		return -EINVAL;
	if (guest_get(context, notice->value, notice->cookie,
		      sizeof notice->cookie))
		return -EFAULT;
	notice->channel = file_get(context->process, notice->signal);
	if (!notice->channel)
		return -EBADF;
	if (!notice->channel->is_socket)
		return -ENOTSOCK;
	return is_netlink(notice->channel) ? make_channel(notice->channel)
					   : -EINVAL;
}

int64_t call_mq_notify(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	struct queue_notice notice = { .pid = process->pid,
				       .table = process->files };
	struct file *file;
	int error = a[1] ? get_notice(context, a[1], &notice) : 0;

	if (error)
		return error;
	file = mqueue_file(context, a[0], &error);
	if (!file)
		return error;
	if (!a[1]) {
		if (file->queue.object->notice.pid == process->pid)
			mqueue_forget(file->queue.object);
		return 0;
	}
	if (file->queue.object->notice.pid)
		return -EBUSY;
	if (notice.channel)
		file_hold(notice.channel);
	file->queue.object->notice = notice;
	return 0;
}
