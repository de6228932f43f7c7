/* Socket addresses between guest and host.
 *
 * Only local ones differ: a path is the guest's, starting at its current
 * folder or below its root, and may be longer than what the host would
 * accept; an abstract name is kept apart from the host's when guests are
 * confined. What the host knows a socket by is a name in a folder that we
 * hold open; the guest is told the name that it gave. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/files/path.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/sockets/address.h"
#include "x86/linux/state.h"

#define HEAD offsetof(struct sockaddr_un, sun_path)

/* Linux makes such names of five hexadecimal digits (unix(7), autobind). */
enum { ANY_NAMES = 1 << 20 };

struct held_folder {
	dev_t device;
	ino_t inode;
	int host;
};

struct name {
	char *host, *guest;
};

struct socket_names {
	struct held_folder *folders;
	size_t folder_count, folder_capacity;
	struct name *names;
	size_t name_count, name_capacity;
	unsigned any; /* names given to sockets that asked for any */
};

static struct socket_names *names_of(struct linux_system *system)
{
	if (!system->socket_names)
		system->socket_names = xcalloc(1, sizeof(struct socket_names));
	return system->socket_names;
}

void address_free(struct linux_system *system)
{
	struct socket_names *names = system->socket_names;

	if (!names)
		return;
	for (size_t i = 0; i < names->folder_count; i++)
		close(names->folders[i].host);
	for (size_t i = 0; i < names->name_count; i++) {
		free(names->names[i].host);
		free(names->names[i].guest);
	}
	free(names->folders);
	free(names->names);
	free(names);
	system->socket_names = NULL;
}

/* A descriptor of the same folder that stays open as long as the system, so
 * that its number names that folder only. */
static int hold_folder(struct linux_system *system, int folder)
{
	struct socket_names *names = names_of(system);
	struct stat status;
	int host;

	if (fstat(folder, &status) != 0)
		return -errno;
	for (size_t i = 0; i < names->folder_count; i++)
		if (names->folders[i].device == status.st_dev &&
		    names->folders[i].inode == status.st_ino)
			return names->folders[i].host;
	host = fcntl(folder, F_DUPFD_CLOEXEC, 0);
	if (host < 0)
		return -errno;
	ARRAY_GROW(names->folders, names->folder_count,
		   names->folder_capacity);
	names->folders[names->folder_count++] = (struct held_folder){
		status.st_dev, status.st_ino, host
	};
	return host;
}

static void remember(struct linux_system *system, const char *host,
		     const char *guest)
{
	struct socket_names *names = names_of(system);

	for (size_t i = 0; i < names->name_count; i++)
		if (!strcmp(names->names[i].host, host)) {
			free(names->names[i].guest);
			names->names[i].guest = xstrdup(guest);
			return;
		}
	ARRAY_GROW(names->names, names->name_count, names->name_capacity);
	names->names[names->name_count++] =
		(struct name){ xstrdup(host), xstrdup(guest) };
}

/* ---- Abstract names ---- */

/* Confined guests meet only each other. */
static size_t private_prefix(const struct linux_system *system, char *text,
			     size_t size)
{
	if (!system->options->no_network && !confine_has_root(system))
		return 0;
	return (size_t)snprintf(text, size, "m2s-%d-", (int)getpid());
}

static int make_private(const struct linux_system *system,
			struct sockaddr_un *local, socklen_t *length)
{
	char prefix[32];
	size_t size = private_prefix(system, prefix, sizeof prefix);

	if (*length + size > sizeof *local)
		return -EINVAL;
	memmove(local->sun_path + 1 + size, local->sun_path + 1,
		*length - HEAD - 1);
	memcpy(local->sun_path + 1, prefix, size);
	*length += (socklen_t)size;
	return 0;
}

int64_t address_bind_any(struct context *context, int host)
{
	struct linux_system *system = context->process->system;
	struct sockaddr_un local = { .sun_family = AF_UNIX };
	socklen_t length = sizeof local;
	char prefix[32];

	if (!private_prefix(system, prefix, sizeof prefix))
		return host_result(bind(host, (struct sockaddr *)&local,
					HEAD));
	if (getsockname(host, (struct sockaddr *)&local, &length) == 0 &&
	    local.sun_family == AF_UNIX && length > HEAD)
		return 0; /* it has a name already */
	for (int i = 0; i < ANY_NAMES; i++) {
		memset(&local, 0, sizeof local);
		local.sun_family = AF_UNIX;
		snprintf(local.sun_path + 1, sizeof local.sun_path - 1, "%05x",
			 names_of(system)->any++ % ANY_NAMES);
		length = HEAD + 6;
		make_private(system, &local, &length);
		if (bind(host, (struct sockaddr *)&local, length) == 0)
			return 0;
		if (errno != EADDRINUSE)
			break;
	}
	return -errno;
}

/* ---- Both ways ---- */

/* The name by which the host shall know the socket `name` in a folder. Others
 * see the name, so it is the socket's path, unless a guest could swap the
 * folders on the way. */
static int host_name(struct linux_system *system, const struct host_path *path,
		     char *text, size_t size)
{
	char name[PATH_MAX];
	int folder, length;

	if (path->host >= 0)
		return snprintf(text, size, "%s", path->text);
	if (!confine_has_root(system) && !system->options->read_only &&
	    path_of_host(path->folder, name, sizeof name)) {
		length = snprintf(text, size, "%s/%s",
				  strcmp(name, "/") ? name : "", path->text);
		if (length < (int)size)
			return length;
	}
	folder = hold_folder(system, path->folder);
	return folder < 0 ? folder
			  : snprintf(text, size, "/proc/self/fd/%d/%s",
				     folder, path->text);
}

static int get_path(struct context *context, bool make,
		    struct sockaddr_un *local, socklen_t *length,
		    struct host_path *path)
{
	struct linux_system *system = context->process->system;
	char guest[sizeof local->sun_path + 1] = { 0 };
	int result;

	memcpy(guest, local->sun_path, *length - HEAD);
	result = path_resolve_text(context, AT_FDCWD, guest, !make, path);
	if (!result && make)
		result = path->missing ? confine_new(system, path)
				       : -EADDRINUSE;
	if (result)
		return result;
	memset(local->sun_path, 0, sizeof local->sun_path);
	result = host_name(system, path, local->sun_path,
			   sizeof local->sun_path);
	if (result < 0)
		return result;
	if (result >= (int)sizeof local->sun_path)
		return -ENAMETOOLONG;
	*length = (socklen_t)(HEAD + (size_t)result + 1);
	if (make)
		remember(system, local->sun_path, guest);
	return 0;
}

int address_get(struct context *context, uint64_t address, uint64_t size,
		bool make, struct sockaddr_storage *to, socklen_t *length,
		struct host_path *path)
{
	struct sockaddr_un *local = (struct sockaddr_un *)to;

	path->close = -1;
	memset(to, 0, sizeof *to);
	if (size > sizeof *to || (int)size < 0)
		return -EINVAL;
	if (guest_get(context, address, to, size))
		return -EFAULT;
	*length = (socklen_t)size;
	if (size <= HEAD || to->ss_family != AF_UNIX)
		return 0;
	if (size > sizeof *local)
		return -EINVAL;
	return local->sun_path[0]
		       ? get_path(context, make, local, length, path)
		       : make_private(context->process->system, local, length);
}

/* Turns an address of the host into the guest's. */
static void translate(struct linux_system *system,
		      struct sockaddr_storage *address, socklen_t *length)
{
	const struct socket_names *names = system->socket_names;
	struct sockaddr_un *local = (struct sockaddr_un *)address;
	char prefix[32];
	size_t size;

	if (*length <= HEAD || address->ss_family != AF_UNIX)
		return;
	size = private_prefix(system, prefix, sizeof prefix);
	if (!local->sun_path[0]) {
		if (size && *length > HEAD + 1 + size &&
		    !memcmp(local->sun_path + 1, prefix, size)) {
			*length -= (socklen_t)size;
			memmove(local->sun_path + 1, local->sun_path + 1 + size,
				*length - HEAD - 1);
		}
		return;
	}
	for (size_t i = 0; names && i < names->name_count; i++) {
		size_t room = sizeof *address - HEAD;

		if (strncmp(names->names[i].host, local->sun_path,
			    *length - HEAD))
			continue;
		size = strlen(names->names[i].guest) + 1;
		memset(local->sun_path, 0, room);
		memcpy(local->sun_path, names->names[i].guest,
		       size < room ? size : room);
		*length = (socklen_t)(HEAD + size);
		return;
	}
}

int address_put(struct context *context, struct sockaddr_storage *from,
		socklen_t length, uint64_t address, uint64_t size_address)
{
	int32_t room;

	if (!address)
		return 0;
	if (guest_get(context, size_address, &room, sizeof room))
		return -EFAULT;
	if (room < 0)
		return -EINVAL;
	translate(context->process->system, from, &length);
	if (length &&
	    guest_put(context, address, from,
		      (socklen_t)room < length ? (size_t)room : length))
		return -EFAULT;
	return guest_put(context, size_address, &length, sizeof length);
}

void address_translate(struct context *context, struct msghdr *header)
{
	if (header->msg_name)
		translate(context->process->system, header->msg_name,
			  &header->msg_namelen);
}
