/* Landlock (landlock(7)): restricts files by the folders above them, TCP, and
 * from version 6 on abstract sockets and signals. Headers are often older than
 * the kernel, so this file defines the names of later versions itself. */
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/sanitized.h"
#include "base/wall/internal.h"

enum {
	ACCESS_TRUNCATE = 1 << 14,      /* version 3 */
	ACCESS_DEVICE_CONTROL = 1 << 15,/* version 5: ioctl */

	READ_ACCESS = LANDLOCK_ACCESS_FS_READ_FILE |
		      LANDLOCK_ACCESS_FS_READ_DIR,
	EXECUTE_ACCESS = LANDLOCK_ACCESS_FS_EXECUTE |
			 LANDLOCK_ACCESS_FS_READ_FILE,
	DEVICE_ACCESS = ACCESS_DEVICE_CONTROL,
	CHANGE_ACCESS = LANDLOCK_ACCESS_FS_WRITE_FILE |
			LANDLOCK_ACCESS_FS_REMOVE_DIR |
			LANDLOCK_ACCESS_FS_REMOVE_FILE |
			LANDLOCK_ACCESS_FS_MAKE_DIR |
			LANDLOCK_ACCESS_FS_MAKE_REG |
			LANDLOCK_ACCESS_FS_MAKE_SOCK |
			LANDLOCK_ACCESS_FS_MAKE_FIFO |
			LANDLOCK_ACCESS_FS_MAKE_SYM |
			LANDLOCK_ACCESS_FS_REFER | ACCESS_TRUNCATE,
	/* Access rights that a rule for a file may have. */
	FILE_ACCESS = LANDLOCK_ACCESS_FS_READ_FILE |
		      LANDLOCK_ACCESS_FS_WRITE_FILE |
		      LANDLOCK_ACCESS_FS_EXECUTE | ACCESS_TRUNCATE |
		      ACCESS_DEVICE_CONTROL,

	NET_BIND = 1, NET_CONNECT = 2,           /* version 4: TCP */
	SCOPE_ABSTRACT = 1, SCOPE_SIGNAL = 2,    /* version 6 */
};

struct attributes {
	uint64_t files, network, scopes;
};

int wall_landlock(void)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
			       LANDLOCK_CREATE_RULESET_VERSION);

	return version < 0 ? 0 : (int)version;
}

/* All access rights that this version knows. */
static uint64_t known_accesses(int version)
{
	static const int bits[] = { 0, 13, 14, 15, 15, 16 };
	int last = sizeof bits / sizeof *bits - 1;

	return (UINT64_C(1) << bits[version < last ? version : last]) - 1;
}

static struct attributes attributes_of(const struct wall *wall, int version)
{
	struct attributes attributes = { 0 };

	if (wall->files)
		attributes.files = known_accesses(version);
	if (wall->no_network && version >= 4)
		attributes.network = NET_BIND | NET_CONNECT;
	if (version >= 6)
		attributes.scopes = SCOPE_SIGNAL |
				    (wall->private_names ? SCOPE_ABSTRACT : 0);
	return attributes;
}

static uint64_t accesses_of(unsigned access)
{
	return (access & WALL_LIST ? LANDLOCK_ACCESS_FS_READ_DIR : 0) |
	       (access & WALL_READ ? READ_ACCESS : 0) |
	       (access & WALL_CHANGE ? CHANGE_ACCESS : 0) |
	       (access & WALL_PIPES ? LANDLOCK_ACCESS_FS_WRITE_FILE : 0) |
	       (access & WALL_CLEAR ? LANDLOCK_ACCESS_FS_REMOVE_DIR : 0) |
	       (access & WALL_EXECUTE ? EXECUTE_ACCESS : 0) |
	       (access & WALL_DEVICE ? DEVICE_ACCESS : 0);
}

/* The kernel drops its state of a file of /proc that no process has open, and
 * the rule with it: so these files stay open. */
static void close_place(int file)
{
	struct statfs system;

	if (fstatfs(file, &system) || system.f_type != PROC_SUPER_MAGIC)
		close(file);
}

static int add_place(int ruleset, const struct wall_place *place,
		     uint64_t known, struct error *error)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access = accesses_of(place->access) & known,
	};
	struct stat status;
	int result = 0;

	rule.parent_fd = open(place->path, O_PATH | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return 0; /* what is not there needs no rule */
	if (!fstat(rule.parent_fd, &status) && !S_ISDIR(status.st_mode))
		rule.allowed_access &= FILE_ACCESS;
	/* EBADFD: a pipe, a socket, a memory file, which are always free. */
	if (rule.allowed_access &&
	    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH,
		    &rule, 0) && errno != EBADFD)
		result = error_set(error, "Landlock: cannot allow %s: %s",
					  place->path,
				   strerror(errno));
	close_place(rule.parent_fd);
	return result;
}

static int restrict_self(const struct wall *wall, int ruleset, uint64_t known,
			 struct error *error)
{
	const struct wall_place own = { (char *)"/proc/self", WALL_READ };

	if (SANITIZED && wall->files && add_place(ruleset, &own, known, error))
		return -1;
	for (size_t i = 0; i < wall->count && wall->files; i++)
		if (add_place(ruleset, &wall->places[i], known, error))
			return -1;
	if (syscall(SYS_landlock_restrict_self, ruleset, 0))
		return error_set(error, "Landlock: %s", strerror(errno));
	return 0;
}

int landlock_enter(const struct wall *wall, struct error *error)
{
	int version = wall_landlock(), ruleset, result;
	struct attributes attributes = attributes_of(wall, version);

	if (!version)
		return error_set(error, "the kernel has no Landlock (it needs "
				 "Linux 5.13, built with it, and landlock in "
				 "its list of security modules, lsm=)");
	if (!attributes.files && !attributes.network && !attributes.scopes)
		return 0;
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes,
			       sizeof attributes, 0);
	if (ruleset < 0)
		return error_set(error, "Landlock: %s", strerror(errno));
	result = restrict_self(wall, ruleset, attributes.files, error);
	close(ruleset);
	return result;
}
