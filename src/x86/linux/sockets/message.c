/* Sending and receiving on sockets: bytes, and messages of several parts. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/path.h"
#include "x86/linux/landlock/landlock.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/sockets/address.h"
#include "x86/linux/sockets/message.h"
#include "x86/linux/sockets/socket.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/wait.h"

static int64_t send_message(struct context *context, struct file *file,
			    struct message *message, uint64_t flags)
{
	const struct msghdr *header = &message->header;
	int64_t result = 0;

	/* Only sockets without a path are restricted here. */
	if (context->landlock && header->msg_name &&
	    message->address.ss_family == AF_UNIX)
		result = landlock_address(context, file, &message->address,
					  header->msg_namelen, false);
	if (result)
		return result;
	result = host_result(sendmsg(
		file->host, header, (int)flags | MSG_NOSIGNAL | MSG_DONTWAIT));

	if (result == -EAGAIN && !file->nonblock && !(flags & MSG_DONTWAIT))
		return wait_file(context, file, POLLOUT);
	if (result == -EPIPE && !(flags & MSG_NOSIGNAL))
		send_pipe_signal(context);
	return result;
}

static int64_t receive_message(struct context *context, struct file *file,
			       struct message *message, uint64_t flags)
{
	int64_t result = host_result(
		recvmsg(file->host, &message->header,
			(int)(flags & ~(uint64_t)MSG_CMSG_CLOEXEC) |
				MSG_DONTWAIT | MSG_CMSG_CLOEXEC));

	if (result == -EAGAIN && !file->nonblock &&
	    !(flags & (MSG_DONTWAIT | MSG_ERRQUEUE)))
		return wait_file(context, file, POLLIN);
	/* Linux returns the flag to callers that passed it. */
	if (!(flags & MSG_CMSG_CLOEXEC))
		message->header.msg_flags &= ~MSG_CMSG_CLOEXEC;
	return result;
}

int64_t call_sendto(struct context *context, const uint64_t *a)
{
	struct file *file = get_socket(context, a[0]);
	struct message message = { 0 };
	struct host_path path = { .close = -1 };
	uint64_t size = a[2];
	struct iovec vector;
	int64_t result;

	if (!file)
		return socket_error(context, a[0]);
	vector.iov_base = guest_bytes(context, a[1], &size, false);
	if (!vector.iov_base)
		return -EFAULT;
	vector.iov_len = size;
	message.header.msg_iov = &vector;
	message.header.msg_iovlen = 1;
	if (a[4]) {
		result = address_get(context, a[4], a[5], false,
				     &message.address,
				     &message.header.msg_namelen, &path);
		if (result) {
			path_release(&path);
			return result;
		}
		message.header.msg_name = &message.address;
	}
	/* A stream send that blocks ends when all is sent. */
	vector.iov_base = (uint8_t *)vector.iov_base + context->call.progress;
	vector.iov_len -= context->call.progress;
	for (;;) {
		int type = 0;
		socklen_t length = sizeof type;

		result = send_message(context, file, &message, a[3]);
		path_release(&path);
		if (result < 0)
			return result == CALL_BLOCKS || !context->call.progress
				       ? result
				       : (int64_t)context->call.progress;
		context->call.progress += (uint64_t)result;
		vector.iov_base = (uint8_t *)vector.iov_base + result;
		vector.iov_len -= (size_t)result;
		if (!vector.iov_len || file->nonblock ||
		    (a[3] & MSG_DONTWAIT) ||
		    getsockopt(file->host, SOL_SOCKET, SO_TYPE, &type,
			       &length) ||
		    type != SOCK_STREAM)
			return (int64_t)context->call.progress;
	}
}

int64_t call_recvfrom(struct context *context, const uint64_t *a)
{
	struct file *file = get_socket(context, a[0]);
	struct message message = { 0 };
	uint64_t size = a[2];
	struct iovec vector;
	int64_t result, put;

	if (!file)
		return socket_error(context, a[0]);
	vector.iov_base = guest_bytes(context, a[1], &size, true);
	if (!vector.iov_base)
		return -EFAULT;
	vector.iov_len = size;
	message.header.msg_iov = &vector;
	message.header.msg_iovlen = 1;
	message.header.msg_name = &message.address;
	message.header.msg_namelen = sizeof message.address;
	result = receive_message(context, file, &message, a[3]);
	if (result < 0)
		return result;
	put = address_put(context, &message.address,
			  message.header.msg_namelen, a[4], a[5]);
	return put ? put : result;
}

static int get_header(struct context *context, uint64_t address,
		      struct guest_header *to)
{
	unsigned word = context->abi32 ? 4 : 8;
	uint64_t words[7];

	for (unsigned i = 0; i < 7; i++)
		if (guest_get_word(context, address + i * word, words + i))
			return -EFAULT;
	*to = (struct guest_header){
		words[0], (uint32_t)words[1], words[2], words[3],
		words[4], words[5], (uint32_t)words[6],
	};
	return 0;
}

static int64_t send_one(struct context *context, struct file *file,
			uint64_t address, uint64_t flags)
{
	struct message *message = xcalloc(1, sizeof *message);
	struct host_path path = { .close = -1 };
	struct guest_header from;
	int64_t result = get_header(context, address, &from);
	int count;

	if (!result && from.name) {
		result = address_get(context, from.name, from.name_length,
				     false, &message->address,
				     &message->header.msg_namelen, &path);
		message->header.msg_name = &message->address;
	}
	if (!result)
		result = get_control(context, &from, message);
	if (!result) {
		count = from.vector_count > IOV_MAX
				? -EMSGSIZE
				: guest_vectors(context, from.vectors,
						from.vector_count, false,
						message->vectors);
		message->header.msg_iov = message->vectors;
		message->header.msg_iovlen = count < 0 ? 0 : (size_t)count;
		result = count < 0 ? count
				   : send_message(context, file, message,
						  flags);
	}
	path_release(&path);
	free(message);
	return result;
}

static int64_t receive_one(struct context *context, struct file *file,
			   uint64_t address, uint64_t flags)
{
	struct message *message = xcalloc(1, sizeof *message);
	unsigned word = context->abi32 ? 4 : 8;
	struct guest_header to;
	uint64_t control = 0;
	int64_t result = get_header(context, address, &to), put;
	int count;

	if (result)
		goto done;
	count = to.vector_count > IOV_MAX
			? -EMSGSIZE
			: guest_vectors(context, to.vectors, to.vector_count,
					true, message->vectors);
	if (count < 0) {
		result = count;
		goto done;
	}
	message->header.msg_iov = message->vectors;
	message->header.msg_iovlen = (size_t)count;
	message->header.msg_name = &message->address;
	message->header.msg_namelen = sizeof message->address;
	if (to.control && to.control_length) {
		message->header.msg_control = message->control;
		/* The host's headers may be longer: put_control() sees to
		 * what does not fit. */
		message->header.msg_controllen =
			context->abi32 || to.control_length > CONTROL_MAX
				? CONTROL_MAX
				: to.control_length;
	}
	result = receive_message(context, file, message, flags);
	if (result < 0)
		goto done;
	address_translate(context, &message->header);
	put = put_control(context, &to, message, flags, &control);
	if (!put && to.name &&
	    guest_put(context, to.name, &message->address,
		      to.name_length < message->header.msg_namelen
			      ? to.name_length
			      : message->header.msg_namelen))
		put = -EFAULT;
	if (!put &&
	    (guest_put(context, address + word,
		       &message->header.msg_namelen, 4) ||
	     guest_put_word(context, address + 5 * word, control) ||
	     guest_put(context, address + 6 * word,
		       &message->header.msg_flags, 4)))
		put = -EFAULT;
	if (put)
		result = put;
done:
	free(message);
	return result;
}

int64_t call_sendmsg(struct context *context, const uint64_t *a)
{
	struct file *file = get_socket(context, a[0]);

	return file ? send_one(context, file, a[1], a[2])
		    : socket_error(context, a[0]);
}

int64_t call_recvmsg(struct context *context, const uint64_t *a)
{
	struct file *file = get_socket(context, a[0]);

	return file ? receive_one(context, file, a[1], a[2])
		    : socket_error(context, a[0]);
}

/* struct mmsghdr: a msghdr and the length, padded to a word. What has been
 * done before the call had to wait is in context->progress. */
static int64_t several(struct context *context, const uint64_t *a, bool send)
{
	struct file *file = get_socket(context, a[0]);
	unsigned word = context->abi32 ? 4 : 8, size = 8 * word;
	uint32_t count = (uint32_t)a[2] > 1024 ? 1024 : (uint32_t)a[2];
	uint64_t flags = a[3] & ~(uint64_t)MSG_WAITFORONE;

	if (!file)
		return socket_error(context, a[0]);
	for (uint32_t i = (uint32_t)context->call.progress; i < count; i++) {
		uint64_t address = a[1] + (uint64_t)i * size;
		int64_t result;
		uint32_t length;

		if (i && (a[3] & MSG_WAITFORONE))
			flags |= MSG_DONTWAIT;
		result = send ? send_one(context, file, address, flags)
			      : receive_one(context, file, address, flags);
		context->call.progress = i;
		if (result == CALL_BLOCKS && !(context->call.interrupted && i))
			return result;
		if (result < 0)
			return i ? i : result;
		length = (uint32_t)result;
		if (guest_put(context, address + 7 * word, &length, 4))
			return -EFAULT;
		if (!send && context->wait.limit != INT64_MAX &&
		    context->wait.limit <=
			    clock_monotonic(context->process->system))
			return i + 1;
	}
	return count;
}

int64_t call_sendmmsg(struct context *context, const uint64_t *a)
{
	return several(context, a, true);
}

/* The time is looked at after each message only, as Linux does. */
static int64_t receive_several(struct context *context, const uint64_t *a,
			       bool wide)
{
	int64_t time;
	int result;

	if (!context->call.resumed) {
		context->wait.limit = INT64_MAX;
		if (a[4]) {
			result = guest_get_time(context, a[4], wide, &time);
			if (result)
				return result;
			context->wait.limit =
				clock_monotonic(context->process->system) +
				time;
		}
	}
	return several(context, a, false);
}

int64_t call_recvmmsg(struct context *context, const uint64_t *a)
{
	return receive_several(context, a, false);
}

int64_t call_recvmmsg_time64(struct context *context, const uint64_t *a)
{
	return receive_several(context, a, true);
}
