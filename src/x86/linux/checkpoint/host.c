/* Files of the host that descriptors in a checkpoint mean: their names in
 * /proc/self/fd, and opening them again. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "x86/linux/checkpoint/objects.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/state.h"

int64_t checkpoint_modified(const struct stat *status)
{
	return status->st_mtim.tv_sec * INT64_C(1000000000) +
	       status->st_mtim.tv_nsec;
}

bool checkpoint_is_stateless(const char *path)
{
	static const char *const devices[] = {
		"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
		"/dev/urandom"
	};

	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		if (!strcmp(path, devices[i]))
			return true;
	return false;
}

void checkpoint_name(int host, char *name)
{
	char own[32];
	size_t prefix;

	path_of_host(host, name, PATH_MAX);
	/* A file of /proc about m2s itself differs in the next run. */
	prefix = (size_t)snprintf(own, sizeof own, "/proc/%d", (int)getpid());
	if (prefix >= 10 && !strncmp(name, own, prefix) &&
	    (!name[prefix] || name[prefix] == '/')) {
		memmove(name + 10, name + prefix, strlen(name + prefix) + 1);
		memcpy(name, "/proc/self", 10);
	}
}

static bool is_openable(int host)
{
	char name[PATH_MAX];
	struct stat status;

	checkpoint_name(host, name);
	return checkpoint_is_stateless(name) ||
	       (fstat(host, &status) == 0 &&
		(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)));
}

/* Files of /proc that a guest may have open: those of the whole system, and
 * of the simulator's own only what tells nothing about it. */
static bool proc_is_open(const char *path)
{
	static const char *const own[] = {
		"/proc/self", "/proc/self/cgroup", "/proc/self/mountinfo",
		"/proc/self/mounts", "/proc/self/mountstats"
	};

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (!strcmp(path, own[i]))
			return true;
	return strncmp(path, "/proc/self", 10) &&
	       strncmp(path, "/proc/thread-self", 17) &&
	       !strstr(path, "..") && (path[6] < '0' || path[6] > '9');
}

int checkpoint_reopen(int host, uint32_t flags)
{
	char link[64];

	snprintf(link, sizeof link, "/proc/self/fd/%d", host);
	return open(link, (int)flags);
}

/* Whether a guest may have what `host` is open on; *inside: it lies where
 * guests see it. */
static bool host_may_have(const struct linux_system *system, const char *path,
			  int host, bool changes, bool *inside)
{
	char name[PATH_MAX];

	checkpoint_name(host, name);
	*inside = !confine_is_proc(host) && confine_is_inside(system, host);
	if (checkpoint_is_stateless(name))
		return true;
	if (!strcmp(path, "/proc") || !strncmp(path, "/proc/", 6))
		return !strncmp(name, "/proc", 5) && !changes;
	return *inside && (!changes || !confine_change_host(system, host));
}

/* Nothing is opened but files and folders: a device would notice, and for a
 * FIFO one would wait. */
int checkpoint_open(const struct checkpoint *checkpoint, const char *path,
		    int flags)
{
	const struct linux_system *system = checkpoint->system;
	bool changes = !(flags & O_PATH) && (flags & O_ACCMODE) != O_RDONLY;
	bool inside;
	int held, host = -1;

	if (!strncmp(path, "/proc/", 6) && !proc_is_open(path)) {
		errno = EACCES;
		return -1;
	}
	held = open(path, O_PATH | O_CLOEXEC |
				  (flags & (O_DIRECTORY | O_NOFOLLOW)));
	if (held < 0)
		return -1;
	if (!host_may_have(system, path, held, changes, &inside)) {
		errno = inside ? EROFS : EACCES;
	} else if (flags & O_PATH) {
		return held;
	} else if (!is_openable(held)) {
		errno = ENXIO;
	} else {
		host = checkpoint_reopen(held, (uint32_t)(flags & ~O_NOFOLLOW) |
						       O_CLOEXEC | O_NOCTTY);
	}
	close(held);
	return host;
}

int checkpoint_sum_file(int host, const char *path, uint64_t size,
			uint32_t *sum)
{
	enum { PIECE = 1 << 16 };
	char link[64];
	uint8_t *piece;
	uLong value = 0;
	int file;

	if (!path) {
		snprintf(link, sizeof link, "/proc/self/fd/%d", host);
		path = link;
	}
	file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file < 0)
		return -1;
	piece = xmalloc(PIECE);
	while (size) {
		ssize_t got = read(file, piece, size < PIECE ? size : PIECE);

		if (got <= 0)
			break;
		value = crc32_z(value, piece, (size_t)got);
		size -= (uint64_t)got;
	}
	free(piece);
	close(file);
	*sum = (uint32_t)value;
	return size ? -1 : 0;
}

bool checkpoint_is_generated(const char *path)
{
	return !strncmp(path, "/proc/", 6) || !strncmp(path, "/sys/", 5);
}
