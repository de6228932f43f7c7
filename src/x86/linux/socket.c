/* Sockets: the host's, never blocking there. */
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/process.h"

enum { CONTROL_MAX = 8192 };

/* Options that hand the host an address or a descriptor inside their value,
 * and those of kernel parts nobody needs, are not offered. */
static bool option_offered(int level, int name)
{
	switch (level) {
	case SOL_SOCKET:
		return name != SO_ATTACH_FILTER && name != SO_ATTACH_BPF &&
		       name != SO_ATTACH_REUSEPORT_CBPF &&
		       name != SO_ATTACH_REUSEPORT_EBPF;
	case IPPROTO_IP: /* packet filters are from 64 on */
		return name < 64;
	case IPPROTO_IPV6:
		return name < 64 || name > 66;
	case IPPROTO_TCP:
		return name != 35; /* TCP_ZEROCOPY_RECEIVE */
	case IPPROTO_UDP:
	case IPPROTO_ICMPV6:
	case IPPROTO_RAW:
	case 270: /* SOL_NETLINK */
		return true;
	default:
		return false;
	}
}

/* The error for the others: known levels without that option, or none. */
static int option_error(int level)
{
	return level < 256 ? -EOPNOTSUPP : -ENOPROTOOPT;
}

/* NULL when it is none: socket_error() says what is wrong. */
static struct file *get_socket(struct context *context, uint64_t descriptor)
{
	struct file *file = file_get(context->process, (int)descriptor);

	return file && file->is_socket ? file : NULL;
}

static int64_t socket_error(struct context *context, uint64_t descriptor)
{
	struct file *file = file_get(context->process, (int)descriptor);

	return !file || (fcntl(file->host, F_GETFL) & O_PATH) ? -EBADF
							      : -ENOTSOCK;
}

static int64_t install(struct context *context, int host, uint64_t flags)
{
	struct file *file;

	if (host < 0)
		return -errno;
	file = file_create(host, FILE_HOST);
	file->host_nonblock = true;
	file->nonblock = flags & SOCK_NONBLOCK;
	return file_install(context->process, file, 0, flags & SOCK_CLOEXEC);
}

int64_t call_socket(struct context *context, const uint64_t *a)
{
	int type = (int)a[1] & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (context->process->system->options->no_network &&
	    (int)a[0] != AF_UNIX)
		return -EACCES;

	return install(context,
		       socket((int)a[0], type | SOCK_NONBLOCK | SOCK_CLOEXEC,
			      (int)a[2]),
		       a[1]);
}

int64_t call_socketpair(struct context *context, const uint64_t *a)
{
	int type = (int)a[1] & ~(SOCK_NONBLOCK | SOCK_CLOEXEC), host[2];
	int32_t guest[2];

	if (socketpair((int)a[0], type | SOCK_NONBLOCK | SOCK_CLOEXEC,
		       (int)a[2], host) != 0)
		return -errno;
	for (int i = 0; i < 2; i++) {
		guest[i] = (int32_t)install(context, host[i], a[1]);
		if (guest[i] >= 0)
			file_get(context->process, guest[i])->peer =
				context->process->pid;
	}
	if (guest[1] < 0) {
		if (guest[0] >= 0)
			call_close(context,
				   (uint64_t[]){ (uint64_t)guest[0] });
		return guest[1];
	}
	return guest_put(context, a[3], guest, sizeof guest);
}

int64_t call_bind(struct context *context, const uint64_t *a)
{
	struct file *file = get_socket(context, a[0]);
	struct sockaddr_storage address;
	struct host_path path;
	socklen_t length;
	int64_t result;
	mode_t mask;

	if (!file)
		return socket_error(context, a[0]);
	result = address_get(context, a[1], a[2], true, &address, &length,
			     &path);
	if (!result) {
		mask = umask((mode_t)context->process->umask);
		result = host_result(bind(file->host,
					  (struct sockaddr *)&address,
					  length));
		umask(mask);
		/* The name is taken even if it is not a socket. */
		if (result == -EEXIST)
			result = -EADDRINUSE;
	}
	path_release(&path);
	return result;
}

int64_t call_connect(struct context *context, const uint64_t *a)
{
	struct file *file = get_socket(context, a[0]);
	struct sockaddr_storage address;
	struct host_path path;
	socklen_t length;
	int64_t result;

	if (!file)
		return socket_error(context, a[0]);
	if (context->resumed && context->wait.kind == WAIT_FILES &&
	    !file_ready(file, POLLOUT)) {
		result = wait_file(context, file, POLLOUT);
		return result == -EAGAIN ? -EINPROGRESS : result;
	}
	/* Asking again tells the host, too, that the connection is made. */
	result = address_get(context, a[1], a[2], false, &address, &length,
			     &path);
	if (!result)
		result = host_result(connect(
			file->host, (struct sockaddr *)&address, length));
	path_release(&path);
	if ((result == -EINPROGRESS || result == -EALREADY) && !file->nonblock)
		return wait_file(context, file, POLLOUT);
	if (result == -EISCONN && context->resumed)
		return 0;
	if (!result && address.ss_family == AF_UNIX)
		file->connecting = context->process->pid;
	/* A local socket whose listener's queue is full: try again. */
	if (result == -EAGAIN && !file->nonblock) {
		context->wait.deadline =
			clock_monotonic(context->process->system) + 1000000;
		return wait_for(context, WAIT_TIME, "a listening socket");
	}
	return result;
}

int64_t call_listen(struct context *context, const uint64_t *a)
{
	struct file *file = get_socket(context, a[0]);

	if (!file)
		return socket_error(context, a[0]);
	file->listener = context->process->pid;
	return host_result(listen(file->host, (int)a[1]));
}

/* The process at the other end of an accepted local connection, or 0: the
 * one whose socket the host says is the peer. */
static int connected_to(struct context *context, const struct file *accepted)
{
	struct ucred peer;
	socklen_t size = sizeof peer;

	if (getsockopt(accepted->host, SOL_SOCKET, SO_PEERCRED, &peer,
		       &size) != 0 || peer.pid != getpid())
		return 0;
	for (const struct process *process =
		     context->process->system->processes;
	     process; process = process->next)
		for (int i = 0; process->files && i < process->files->count;
		     i++) {
			struct file *file = process->files->list[i].file;

			if (file && file->connecting) {
				int pid = file->connecting;

				file->connecting = 0;
				file->peer = context->process->pid;
				return pid;
			}
		}
	return 0;
}

int64_t call_accept4(struct context *context, const uint64_t *a)
{
	struct file *file = get_socket(context, a[0]);
	struct sockaddr_storage address;
	socklen_t length = sizeof address;
	int64_t result;
	int host;

	if (!file)
		return socket_error(context, a[0]);
	if (a[3] & ~(uint64_t)(SOCK_NONBLOCK | SOCK_CLOEXEC))
		return -EINVAL;
	if (!file->host_nonblock && !file_ready(file, POLLIN))
		return file->nonblock ? -EAGAIN
				      : wait_file(context, file, POLLIN);
	host = accept4(file->host, (struct sockaddr *)&address, &length,
		       SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (host < 0 && errno == EAGAIN && !file->nonblock)
		return wait_file(context, file, POLLIN);
	if (host < 0)
		return -errno;
	result = address_put(context, &address, length, a[1], a[2]);
	if (result) {
		close(host);
		return result;
	}
	result = install(context, host, a[3]);
	if (result >= 0) {
		struct file *accepted =
			file_get(context->process, (int)result);

		memcpy(accepted->timeout, file->timeout,
		       sizeof file->timeout);
		accepted->peer = connected_to(context, accepted);
	}
	return result;
}

int64_t call_accept(struct context *context, const uint64_t *a)
{
	return call_accept4(context, (uint64_t[]){ a[0], a[1], a[2], 0 });
}

int64_t call_getsockname(struct context *context, const uint64_t *a)
{
	struct file *file = get_socket(context, a[0]);
	struct sockaddr_storage address;
	socklen_t length = sizeof address;

	if (!file)
		return socket_error(context, a[0]);
	if (getsockname(file->host, (struct sockaddr *)&address, &length))
		return -errno;
	if (!a[1])
		return -EFAULT;
	return address_put(context, &address, length, a[1], a[2]);
}

int64_t call_getpeername(struct context *context, const uint64_t *a)
{
	struct file *file = get_socket(context, a[0]);
	struct sockaddr_storage address;
	socklen_t length = sizeof address;

	if (!file)
		return socket_error(context, a[0]);
	if (getpeername(file->host, (struct sockaddr *)&address, &length))
		return -errno;
	if (!a[1])
		return -EFAULT;
	return address_put(context, &address, length, a[1], a[2]);
}

int64_t call_shutdown(struct context *context, const uint64_t *a)
{
	struct file *file = get_socket(context, a[0]);

	return file ? host_result(shutdown(file->host, (int)a[1])) : socket_error(context, a[0]);
}

/* ---- Options ---- */

static bool is_time_option(const uint64_t *a)
{
	return (int)a[1] == SOL_SOCKET &&
	       ((int)a[2] == SO_RCVTIMEO || (int)a[2] == SO_SNDTIMEO);
}

int64_t call_setsockopt(struct context *context, const uint64_t *a)
{
	struct file *file = get_socket(context, a[0]);
	uint8_t value[512];

	if (!file)
		return socket_error(context, a[0]);
	if (is_time_option(a)) {
		uint64_t time[2];
		unsigned word = context->abi32 ? 4 : 8;

		if (guest_get_word(context, a[3], time) ||
		    guest_get_word(context, a[3] + word, time + 1))
			return -EFAULT;
		if (a[4] < 2 * word)
			return -EINVAL;
		if (context->abi32) {
			time[0] = (uint64_t)(int32_t)time[0];
			time[1] = (uint64_t)(int32_t)time[1];
		}
		if (setsockopt(file->host, SOL_SOCKET, (int)a[2], time,
			       sizeof time))
			return -errno;
		/* The host never waits: the limit is ours. */
		file->timeout[(int)a[2] == SO_SNDTIMEO] =
			(int64_t)time[0] < 0
				? 0
				: (int64_t)(time[0] * 1000000000 +
					    time[1] * 1000);
		return 0;
	}
	if (!option_offered((int)a[1], (int)a[2]))
		return option_error((int)a[1]);
	if (a[4] > sizeof value)
		return -EINVAL;
	if (guest_get(context, a[3], value, a[4]))
		return -EFAULT;
	return host_result(setsockopt(file->host, (int)a[1], (int)a[2], value,
				      (socklen_t)a[4]));
}

/* struct ucred: to the host all guests are one process. The other end of a
 * pair, and who listened where this socket connected, are known. */
static void peer_identity(struct context *context, const struct file *file,
			  uint8_t *value, socklen_t size)
{
	int32_t words[3];

	if (size < sizeof words)
		return;
	memcpy(words, value, sizeof words);
	if (words[0] != getpid())
		return;
	words[0] = file->peer ? file->peer : context->process->pid;
	memcpy(value, words, sizeof words);
}

int64_t call_getsockopt(struct context *context, const uint64_t *a)
{
	struct file *file = get_socket(context, a[0]);
	uint8_t value[512];
	socklen_t length;

	if (!file)
		return socket_error(context, a[0]);
	if (guest_get(context, a[4], &length, sizeof length))
		return -EFAULT;
	if ((int)length < 0)
		return -EINVAL;
	if (is_time_option(a) && context->abi32) {
		int64_t time[2];
		int32_t narrow[2];

		length = sizeof time;
		if (getsockopt(file->host, SOL_SOCKET, (int)a[2], time,
			       &length))
			return -errno;
		narrow[0] = (int32_t)time[0];
		narrow[1] = (int32_t)time[1];
		length = sizeof narrow;
		memcpy(value, narrow, sizeof narrow);
	} else if (!option_offered((int)a[1], (int)a[2])) {
		return option_error((int)a[1]);
	} else {
		if (length > sizeof value)
			length = sizeof value;
		if (getsockopt(file->host, (int)a[1], (int)a[2], value,
			       &length))
			return -errno;
		if ((int)a[1] == SOL_SOCKET && (int)a[2] == SO_PEERCRED)
			peer_identity(context, file, value, length);
	}
	if (guest_put(context, a[3], value, length))
		return -EFAULT;
	return guest_put(context, a[4], &length, sizeof length);
}

/* ---- Messages ---- */

/* One message in host terms, made from the guest's arguments. */
struct message {
	struct msghdr header;
	struct sockaddr_storage address;
	struct iovec vectors[IOV_MAX];
	uint8_t control[CONTROL_MAX] __attribute__((aligned(8)));
};

static int64_t send_message(struct context *context, struct file *file,
			    struct message *message, uint64_t flags)
{
	int64_t result = host_result(sendmsg(
		file->host, &message->header,
		(int)flags | MSG_NOSIGNAL | MSG_DONTWAIT));

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
	/* Linux gives the flag back to whoever passed it. */
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
	vector.iov_base = (uint8_t *)vector.iov_base + context->progress;
	vector.iov_len -= context->progress;
	for (;;) {
		int type = 0;
		socklen_t length = sizeof type;

		result = send_message(context, file, &message, a[3]);
		path_release(&path);
		if (result < 0)
			return result == CALL_BLOCKS || !context->progress
				       ? result
				       : (int64_t)context->progress;
		context->progress += (uint64_t)result;
		vector.iov_base = (uint8_t *)vector.iov_base + result;
		vector.iov_len -= (size_t)result;
		if (!vector.iov_len || file->nonblock ||
		    (a[3] & MSG_DONTWAIT) ||
		    getsockopt(file->host, SOL_SOCKET, SO_TYPE, &type,
			       &length) ||
		    type != SOCK_STREAM)
			return (int64_t)context->progress;
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

/* struct msghdr of the guest: all fields are words, but for msg_namelen and
 * msg_flags. */
struct guest_header {
	uint64_t name, name_length, vectors, vector_count, control,
		control_length, flags;
};

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

static uint64_t round_to(uint64_t value, unsigned word)
{
	return (value + word - 1) / word * word;
}

/* Control messages: the header's length is a word, and data and the next
 * header start at multiples of a word. Descriptors are translated. */
static int64_t get_control(struct context *context,
			   const struct guest_header *from,
			   struct message *message)
{
	unsigned word = context->abi32 ? 4 : 8, head = word + 8;
	uint64_t at = 0;
	size_t used = 0;

	while (from->control && at + head <= from->control_length) {
		struct cmsghdr *to =
			(struct cmsghdr *)(message->control + used);
		uint64_t length, size;
		int32_t kind[2];

		if (guest_get_word(context, from->control + at, &length) ||
		    guest_get(context, from->control + at + word, kind, 8))
			return -EFAULT;
		if (length < head || length > from->control_length - at)
			return -EINVAL;
		size = length - head;
		if (used + CMSG_SPACE(size) > CONTROL_MAX)
			return -ENOBUFS;
		to->cmsg_len = CMSG_LEN(size);
		to->cmsg_level = kind[0];
		to->cmsg_type = kind[1];
		if (guest_get(context, from->control + at + head,
			      CMSG_DATA(to), size))
			return -EFAULT;
		if (kind[0] == SOL_SOCKET && kind[1] == SCM_RIGHTS)
			for (size_t i = 0; i + 4 <= size; i += 4) {
				int32_t descriptor;
				struct file *file;

				memcpy(&descriptor, CMSG_DATA(to) + i, 4);
				file = file_get(context->process, descriptor);
				if (!file)
					return -EBADF;
				descriptor = file->host;
				memcpy(CMSG_DATA(to) + i, &descriptor, 4);
			}
		else if (kind[0] == SOL_SOCKET &&
			 kind[1] == SCM_CREDENTIALS && size >= 4)
			memcpy(CMSG_DATA(to), &(int32_t){ getpid() }, 4);
		used += CMSG_SPACE(size);
		at += round_to(length, word);
	}
	message->header.msg_control = used ? message->control : NULL;
	message->header.msg_controllen = used;
	return 0;
}

/* An open file of some guest that a host descriptor is too (held), or NULL. */
static struct file *find_same(const struct linux_system *system, int host)
{
	pid_t own = getpid();

	for (const struct process *process = system->processes; process;
	     process = process->next)
		for (int i = 0; process->files && i < process->files->count;
		     i++) {
			struct file *file = process->files->list[i].file;

			if (file && syscall(SYS_kcmp, own, own, KCMP_FILE,
					    file->host, host) == 0)
				return file_hold(file);
		}
	return NULL;
}

/* A folder outside the root, sent by some host process, is no gift. */
static int32_t receive_descriptor(struct context *context, int host,
				  bool close_on_exec)
{
	struct stat status;
	struct file *same;

	if (confine_has_root(context->process->system) &&
	    fstat(host, &status) == 0 && S_ISDIR(status.st_mode) &&
	    !confine_is_inside(context->process->system, host)) {
		close(host);
		host = open("/dev/null", O_PATH | O_CLOEXEC);
	}
	/* Descriptors that guests sent are still the same open files. */
	same = find_same(context->process->system, host);
	if (same) {
		close(host);
		return (int32_t)file_install(context->process, same, 0,
					     close_on_exec);
	}
	same = file_create(host, FILE_HOST);
	same->host_nonblock = fcntl(host, F_GETFL) & O_NONBLOCK;
	return (int32_t)file_install(context->process, same, 0, close_on_exec);
}

/* Installs the descriptors of a message that fit `room` bytes and closes the
 * others: how many bytes they take. */
static size_t receive_rights(struct context *context, struct cmsghdr *header,
			     size_t size, uint64_t room, bool close_on_exec)
{
	size_t used = 0;

	for (size_t i = 0; i + 4 <= size; i += 4) {
		int32_t descriptor;

		memcpy(&descriptor, CMSG_DATA(header) + i, 4);
		if (used + 4 > room) {
			close(descriptor);
			continue;
		}
		descriptor = receive_descriptor(context, descriptor,
						close_on_exec);
		if (descriptor < 0)
			continue;
		memcpy(CMSG_DATA(header) + used, &descriptor, 4);
		used += 4;
	}
	return used;
}

static int64_t put_control(struct context *context,
			   const struct guest_header *to,
			   struct message *message, uint64_t flags,
			   uint64_t *length)
{
	unsigned word = context->abi32 ? 4 : 8, head = word + 8;

	*length = 0;
	for (struct cmsghdr *from = CMSG_FIRSTHDR(&message->header); from;
	     from = CMSG_NXTHDR(&message->header, from)) {
		size_t size = from->cmsg_len - CMSG_LEN(0);
		int32_t kind[2] = { from->cmsg_level, from->cmsg_type };
		uint64_t at = to->control + *length;

		uint64_t room = to->control_length > *length + head
					? to->control_length - *length - head
					: 0;

		if (kind[0] == SOL_SOCKET && kind[1] == SCM_RIGHTS)
			size = receive_rights(context, from, size, room,
					      flags & MSG_CMSG_CLOEXEC);
		if (size < from->cmsg_len - CMSG_LEN(0) || size > room) {
			message->header.msg_flags |= MSG_CTRUNC;
			if (!room || !size)
				break;
			size = size < room ? size : room;
		}
		if (guest_put_word(context, at, head + size) ||
		    guest_put(context, at + word, kind, 8) ||
		    guest_put(context, at + head, CMSG_DATA(from), size))
			return -EFAULT;
		*length += round_to(head + size, word);
	}
	if (*length > to->control_length)
		*length = to->control_length;
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

	return file ? send_one(context, file, a[1], a[2]) : socket_error(context, a[0]);
}

int64_t call_recvmsg(struct context *context, const uint64_t *a)
{
	struct file *file = get_socket(context, a[0]);

	return file ? receive_one(context, file, a[1], a[2]) : socket_error(context, a[0]);
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
	for (uint32_t i = (uint32_t)context->progress; i < count; i++) {
		uint64_t address = a[1] + (uint64_t)i * size;
		int64_t result;
		uint32_t length;

		if (i && (a[3] & MSG_WAITFORONE))
			flags |= MSG_DONTWAIT;
		result = send ? send_one(context, file, address, flags)
			      : receive_one(context, file, address, flags);
		context->progress = i;
		if (result == CALL_BLOCKS && !(context->interrupted && i))
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

	if (!context->resumed) {
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

/* ---- socketcall: the i386 door to all of the above ---- */

int64_t call_socketcall(struct context *context, const uint64_t *a)
{
	static const struct {
		call_handler *handler;
		unsigned arguments;
	} calls[] = {
		[1] = { call_socket, 3 },       [2] = { call_bind, 3 },
		[3] = { call_connect, 3 },      [4] = { call_listen, 2 },
		[5] = { call_accept, 3 },       [6] = { call_getsockname, 3 },
		[7] = { call_getpeername, 3 },  [8] = { call_socketpair, 4 },
		[9] = { call_sendto, 4 },       [10] = { call_recvfrom, 4 },
		[11] = { call_sendto, 6 },      [12] = { call_recvfrom, 6 },
		[13] = { call_shutdown, 2 },    [14] = { call_setsockopt, 5 },
		[15] = { call_getsockopt, 5 },  [16] = { call_sendmsg, 3 },
		[17] = { call_recvmsg, 3 },     [18] = { call_accept4, 4 },
		[19] = { call_recvmmsg, 5 },    [20] = { call_sendmmsg, 4 },
	};
	uint64_t b[CALL_ARGUMENTS] = { 0 };

	if (a[0] < 1 || a[0] >= ARRAY_SIZE(calls))
		return -EINVAL;
	for (unsigned i = 0; i < calls[a[0]].arguments; i++)
		if (guest_get_word(context, a[1] + 4 * i, b + i))
			return -EFAULT;
	return calls[a[0]].handler(context, b);
}
