/* Sockets: the host's, never blocking there. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/path.h"
#include "x86/linux/landlock/landlock.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/sockets/address.h"
#include "x86/linux/sockets/socket.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/wait.h"

struct file *get_socket(struct context *context, uint64_t descriptor)
{
	struct file *file = file_get(context->process, (int)descriptor);

	return file && file->is_socket ? file : NULL;
}

int64_t socket_error(struct context *context, uint64_t descriptor)
{
	struct file *file = file_get(context->process, (int)descriptor);

	return !file || (fcntl(file->host, F_GETFL) & O_PATH) ? -EBADF
							      : -ENOTSOCK;
}

static int64_t install_socket(struct context *context, int host, uint64_t flags)
{
	struct file *file;

	if (host < 0)
		return -errno;
	file = file_create(host, FILE_HOST);
	file->host_nonblock = true;
	file->nonblock = flags & SOCK_NONBLOCK;
	landlock_socket_made(context, file);
	return file_install(context->process, file, 0, flags & SOCK_CLOEXEC);
}

int64_t call_socket(struct context *context, const uint64_t *a)
{
	int type = (int)a[1] & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (context->process->system->options->no_network &&
	    (int)a[0] != AF_UNIX)
		return -EACCES;

	return install_socket(context,
			      socket((int)a[0],
				     type | SOCK_NONBLOCK | SOCK_CLOEXEC,
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
		guest[i] = (int32_t)install_socket(context, host[i], a[1]);
		if (guest[i] >= 0)
			file_get(context->process, guest[i])->socket.peer =
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

/* A path that is no address of the socket's is not looked at: what the host
 * says of any, or 0. */
static int64_t wrong_family(struct context *context, const struct file *file,
			    const uint64_t *a)
{
	static const struct sockaddr_un any = { AF_UNIX, "any" };
	uint16_t family;
	int domain = AF_UNIX;
	socklen_t size = sizeof domain;

	if (a[2] < sizeof family ||
	    guest_get(context, a[1], &family, sizeof family) ||
	    family != AF_UNIX ||
	    getsockopt(file->host, SOL_SOCKET, SO_DOMAIN, &domain, &size) ||
	    domain == AF_UNIX)
		return 0;
	return host_result(bind(file->host, (const struct sockaddr *)&any,
				a[2] < sizeof any ? (socklen_t)a[2]
						  : sizeof any));
}

static int restrain_bind(struct context *context, const struct file *file,
			 const struct sockaddr_storage *address, socklen_t size,
			 const struct host_path *path)
{
	const struct sockaddr_un *local = (const struct sockaddr_un *)address;

	if (address->ss_family == AF_UNIX)
		return size > offsetof(struct sockaddr_un, sun_path) &&
				       local->sun_path[0]
			       ? landlock_make(context, path, S_IFSOCK)
			       : 0;
	return landlock_address(context, file, address, size, true);
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
	result = wrong_family(context, file, a);
	if (result)
		return result;
	result = address_get(context, a[1], a[2], true, &address, &length,
			     &path);
	if (!result && context->landlock)
		result = restrain_bind(context, file, &address, length, &path);
	if (!result && address.ss_family == AF_UNIX &&
	    length == sizeof address.ss_family) {
		result = address_bind_any(context, file->host);
	} else if (!result) {
		mask = umask((mode_t)context->process->paths.umask);
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
	if (context->call.resumed && context->wait.kind == WAIT_FILES &&
	    !file_ready(file, POLLOUT)) {
		result = wait_file(context, file, POLLOUT);
		return result == -EAGAIN ? -EINPROGRESS : result;
	}
	/* Asking again tells the host, too, that the connection is made. */
	result = address_get(context, a[1], a[2], false, &address, &length,
			     &path);
	if (!result && context->landlock)
		result = landlock_address(context, file, &address, length,
					  false);
	if (!result)
		result = host_result(connect(
			file->host, (struct sockaddr *)&address, length));
	path_release(&path);
	if ((result == -EINPROGRESS || result == -EALREADY) && !file->nonblock)
		return wait_file(context, file, POLLOUT);
	if (result == -EISCONN && context->call.resumed)
		return 0;
	if (!result && address.ss_family == AF_UNIX)
		file->socket.connecting = context->process->pid;
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
	file->socket.listener = context->process->pid;
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

			if (file && file->socket.connecting) {
				int pid = file->socket.connecting;

				file->socket.connecting = 0;
				file->socket.peer = context->process->pid;
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
	result = install_socket(context, host, a[3]);
	if (result >= 0) {
		struct file *accepted =
			file_get(context->process, (int)result);

		memcpy(accepted->socket.timeout, file->socket.timeout,
		       sizeof file->socket.timeout);
		accepted->socket.peer = connected_to(context, accepted);
	}
	return result;
}

int64_t call_accept(struct context *context, const uint64_t *a)
{
	return call_accept4(context, (uint64_t[]){ a[0], a[1], a[2], 0 });
}

/* The address of this end, or of the other. */
static int64_t get_socket_name(struct context *context, const uint64_t *a,
			       bool peer)
{
	struct file *file = get_socket(context, a[0]);
	struct sockaddr_storage address;
	socklen_t length = sizeof address;

	if (!file)
		return socket_error(context, a[0]);
	if (peer ? getpeername(file->host, (struct sockaddr *)&address,
			       &length)
		 : getsockname(file->host, (struct sockaddr *)&address,
			       &length))
		return -errno;
	if (!a[1])
		return -EFAULT;
	return address_put(context, &address, length, a[1], a[2]);
}

int64_t call_getsockname(struct context *context, const uint64_t *a)
{
	return get_socket_name(context, a, false);
}

int64_t call_getpeername(struct context *context, const uint64_t *a)
{
	return get_socket_name(context, a, true);
}

int64_t call_shutdown(struct context *context, const uint64_t *a)
{
	struct file *file = get_socket(context, a[0]);

	return file ? host_result(shutdown(file->host, (int)a[1]))
		    : socket_error(context, a[0]);
}

/* ---- socketcall: the i386 door to all of the above ---- */
