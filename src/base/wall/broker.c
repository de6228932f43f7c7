#include "base/wall/broker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"

enum action { ACTION_OPEN, ACTION_RENAME, ACTION_UNLINK, ACTION_STAT };

struct request {
	enum action action;
	int flags;
	mode_t mode;
	char path[PATH_MAX], to[PATH_MAX];
};

/* Answers with the descriptor of the file that was opened. */
struct reply {
	int result, code; /* as of a call of the host, and errno */
	bool ours;        /* the broker has the name */
	struct stat status;
};

/* The broker of this process, -1: none. What a process may open belongs to it
 * as a whole, as its current folder does. */
static int own_broker = -1;

/* --- Names -------------------------------------------------------------- */

/* The start of the last name in a path. */
static size_t name_at(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash + 1 - path) : 0;
}

struct allowed {
	char *path;      /* as it is asked for */
	int folder;      /* where it is, links followed, or -1 */
	int code;        /* errno, then */
	const char *name;/* what it is called there */
	bool special;    /* no regular file, from the start */
};

struct broker {
	int socket;
	struct allowed *list;
	size_t count;
};

/* Splits a name that belongs to `base` into the parts before and behind `base`.
 * False when the name does not belong to `base`. */
static bool rename_like(const char *name, const char *base, const char *real,
			char own[NAME_MAX + 1])
{
	int before = name[0] == '.' && base[0] != '.';
	size_t length = strlen(base);

	if (strncmp(name + before, base, length))
		return false;
	name += before + length;
	return (!*name || *name == '.') &&
	       snprintf(own, NAME_MAX + 1, "%s%s%s", before ? "." : "", real,
			name) <= NAME_MAX;
}

/* The entry for a path, and its name in the entry's folder. NULL when the path
 * is not one of the broker's. */
static const struct allowed *locate(const struct broker *broker,
				    const char *path, char own[NAME_MAX + 1])
{
	size_t at = name_at(path);

	for (size_t i = 0; i < broker->count && path[at]; i++) {
		const struct allowed *allowed = &broker->list[i];

		if (name_at(allowed->path) == at &&
		    !memcmp(allowed->path, path, at) &&
		    rename_like(path + at, allowed->path + at, allowed->name,
				own))
			return allowed;
	}
	return NULL;
}

/* --- The broker --------------------------------------------------------- */

/* A device or a pipe that another process puts there meanwhile is not opened,
 * because opening it would block. */
static int open_file(const struct allowed *allowed, const char *name,
		     const struct request *request)
{
	int flags = request->flags | O_NOFOLLOW | O_CLOEXEC |
		    (allowed->special ? 0 : O_NONBLOCK);
	int file = openat(allowed->folder, name, flags, request->mode);
	struct stat status;

	if (file < 0 || allowed->special ||
	    (!fstat(file, &status) && S_ISREG(status.st_mode)))
		return file;
	close(file);
	errno = EACCES;
	return -1;
}

static int act(const struct broker *broker, const struct request *request,
	       struct reply *reply)
{
	char name[NAME_MAX + 1], other[NAME_MAX + 1];
	const struct allowed *at = locate(broker, request->path, name);
	const struct allowed *to = request->action == ACTION_RENAME
					   ? locate(broker, request->to, other)
					   : at;

	reply->ours = at && to;
	if (!reply->ours)
		return -1;
	if (at->folder < 0 || to->folder < 0) {
		errno = at->folder < 0 ? at->code : to->code;
		return -1;
	}
	switch (request->action) {
	case ACTION_OPEN:
		return open_file(at, name, request);
	case ACTION_RENAME:
		return renameat(at->folder, name, to->folder, other);
	case ACTION_UNLINK:
		return unlinkat(at->folder, name, 0);
	case ACTION_STAT:
		return fstatat(at->folder, name, &reply->status,
			       request->flags);
	}
	return -1;
}

/* Room for one descriptor. */
union control {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr aligned;
};

static void send_reply(int socket, struct reply *reply, int file)
{
	union control control = { { 0 } };
	struct iovec part = { reply, sizeof *reply };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	struct cmsghdr *header;

	if (file >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof control.bytes;
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof file);
		memcpy(CMSG_DATA(header), &file, sizeof file);
	}
	sendmsg(socket, &message, MSG_NOSIGNAL);
	if (file >= 0)
		close(file);
}

static void serve(const struct broker *broker)
{
	struct request request;

	while (recv(broker->socket, &request, sizeof request, 0) ==
	       (ssize_t)sizeof request) {
		struct reply reply = { 0 };
		int result;

		request.path[PATH_MAX - 1] = request.to[PATH_MAX - 1] = 0;
		result = act(broker, &request, &reply);
		reply.code = result < 0 ? errno : 0;
		reply.result = result < 0 ? -1 : 0;
		send_reply(broker->socket, &reply,
			   request.action == ACTION_OPEN ? result : -1);
	}
}

/* Signals are meant for the process that we work for, and when it ends, so do
 * we. Nothing of it stays open here. */
static void be_quiet(int socket)
{
	int kept = fcntl(socket, F_DUPFD_CLOEXEC, 4);
	int null = open("/dev/null", O_RDWR);
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (int i = 0; i < 3 && null >= 0; i++)
		dup2(null, i);
	dup2(kept, 3);
	close_range(4, UINT_MAX, 0);
}

static void allow(struct broker *broker, const char *path, const char *real)
{
	struct allowed *allowed = &broker->list[broker->count++];
	size_t at = name_at(real);
	char *folder = at ? xasprintf("%.*s", (int)at, real) : xstrdup(".");
	struct stat status;

	allowed->path = xstrdup(path);
	allowed->name = xstrdup(real + at);
	allowed->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	allowed->code = errno;
	allowed->special = !stat(real, &status) && !S_ISREG(status.st_mode);
	free(folder);
}

static void run_broker(int socket, const char *const *paths, size_t count)
{
	struct broker broker = { .socket = 3 };

	be_quiet(socket);
	broker.list = xcalloc(2 * count + 1, sizeof *broker.list);
	for (size_t i = 0; i < count; i++) {
		char *real = realpath(paths[i], NULL);

		allow(&broker, paths[i], real ? real : paths[i]);
		if (real)
			allow(&broker, real, real);
		free(real);
	}
	serve(&broker);
	_exit(0);
}

int broker_start(const char *const *paths, size_t count, struct error *error)
{
	int sockets[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return error_set(error, "cannot make a socket pair: %s",
					strerror(errno));
	child = fork();
	if (!child)
		run_broker(sockets[1], paths, count);
	close(sockets[1]);
	if (child < 0) {
		close(sockets[0]);
		return error_set(error, "cannot start a process (fork): %s",
					strerror(errno));
	}
	own_broker = sockets[0];
	return 0;
}

/* --- Asking ------------------------------------------------------------- */

static int received_file(struct msghdr *message)
{
	const struct cmsghdr *header = CMSG_FIRSTHDR(message);
	int file = -1;

	if (header && header->cmsg_type == SCM_RIGHTS)
		memcpy(&file, CMSG_DATA(header), sizeof file);
	return file;
}

static ssize_t receive(struct msghdr *message)
{
	ssize_t size;

	do
		size = recvmsg(own_broker, message, MSG_CMSG_CLOEXEC);
	while (size < 0 && errno == EINTR);
	return size;
}

/* Whether the broker has the name; *file is what it opened. */
static bool ask(struct request *request, const char *path,
		struct reply *reply, int *file)
{
	union control control;
	struct iovec part = { reply, sizeof *reply };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof control.bytes,
	};

	*file = -1;
	if (own_broker < 0 || strlen(path) >= sizeof request->path)
		return false;
	memcpy(request->path, path, strlen(path) + 1);
	if (send(own_broker, request, sizeof *request, MSG_NOSIGNAL) < 0 ||
	    receive(&message) != (ssize_t)sizeof *reply)
		return false;
	*file = received_file(&message);
	errno = reply->code;
	return reply->ours;
}

int broker_open(const char *path, int flags, mode_t mode)
{
	mode_t mask = umask(0);
	struct request request = { .action = ACTION_OPEN, .flags = flags,
				   .mode = mode & ~mask };
	struct reply reply;
	int file;

	umask(mask);
	return ask(&request, path, &reply, &file) ? file
						  : open(path, flags, mode);
}

int broker_rename(const char *from, const char *to)
{
	struct request request = { .action = ACTION_RENAME };
	struct reply reply;
	int file;

	snprintf(request.to, sizeof request.to, "%s", to);
	return ask(&request, from, &reply, &file) ? reply.result
						  : rename(from, to);
}

int broker_unlink(const char *path)
{
	struct request request = { .action = ACTION_UNLINK };
	struct reply reply;
	int file;

	return ask(&request, path, &reply, &file) ? reply.result
						  : unlink(path);
}

int broker_stat(const char *path, struct stat *status, int flags)
{
	struct request request = { .action = ACTION_STAT, .flags = flags };
	struct reply reply;
	int file;

	if (!ask(&request, path, &reply, &file))
		return fstatat(AT_FDCWD, path, status, flags);
	*status = reply.status;
	return reply.result;
}
