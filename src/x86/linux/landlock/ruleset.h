/* Landlock for guests (landlock(7)), as Linux 6.12 has it: rights that a thread
 * gives up for itself and its children. They are checked where guests' calls
 * are served. They have nothing to do with the host's Landlock, which may
 * confine the simulator. landlock.h has the interface for other folders.
 *
 *	domain.c     the layers that hold for a thread, and their rulesets
 *	ruleset.c    the calls: making rulesets, filling and applying them
 *	place.c      where a file lies
 *	file.c       what may be done to files
 *	other.c      ports, signals, sockets without a path, ptrace */
#ifndef M2S_X86_LINUX_LANDLOCK_RULESET_H
#define M2S_X86_LINUX_LANDLOCK_RULESET_H

#include "x86/linux/files/path.h"
#include "x86/linux/state.h"

/* The version that programs see: the one of Linux 6.12. */
enum { LANDLOCK_VERSION = 6, LANDLOCK_LAYERS_MAX = 16 };

/* Rights to files; headers of older systems lack the last ones. */
enum {
	FS_EXECUTE = 1 << 0, FS_WRITE_FILE = 1 << 1, FS_READ_FILE = 1 << 2,
	FS_READ_DIR = 1 << 3, FS_REMOVE_DIR = 1 << 4, FS_REMOVE_FILE = 1 << 5,
	FS_MAKE_CHAR = 1 << 6, FS_MAKE_DIR = 1 << 7, FS_MAKE_REG = 1 << 8,
	FS_MAKE_SOCK = 1 << 9, FS_MAKE_FIFO = 1 << 10,
	FS_MAKE_BLOCK = 1 << 11, FS_MAKE_SYM = 1 << 12, FS_REFER = 1 << 13,
	FS_TRUNCATE = 1 << 14, FS_IOCTL_DEV = 1 << 15,
	FS_ALL = (1 << 16) - 1,
	/* Rights that also apply to files other than folders. */
	FS_FILE = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE |
		  FS_IOCTL_DEV,
};
enum { NET_BIND = 1 << 0, NET_CONNECT = 1 << 1, NET_ALL = 3 };
enum { SCOPE_ABSTRACT = 1 << 0, SCOPE_SIGNAL = 1 << 1, SCOPE_ALL = 3 };

/* A rule for the files below a folder, or for one file. */
struct fs_rule {
	dev_t device;
	ino_t inode;
	int host;          /* held open, so that no other file gets its inode */
	uint64_t allowed;
};

struct net_rule {
	uint16_t port;
	uint64_t allowed;
};

struct ruleset {
	unsigned references; /* descriptors and layers */
	/* Handled rights: forbidden except where rules allow them. */
	uint64_t fs, net, scoped;
	struct fs_rule *files;
	size_t file_count, file_capacity;
	struct net_rule *ports;
	size_t port_count, port_capacity;
};

/* A thread's last layer, and behind it the layers around it. */
struct landlock_domain {
	unsigned references;
	struct landlock_domain *outer; /* or NULL */
	/* Number of layers, with the outer ones. */
	int layers;
	struct ruleset *rules;         /* a copy that never changes */
};

/* ---- domain.c ---- */
struct ruleset *ruleset_hold(struct ruleset *rules);
void ruleset_drop(struct ruleset *rules);
/* A copy of a ruleset. Rules that are added to `from` later do not change
 * it. */
struct ruleset *ruleset_copy(const struct ruleset *from);
struct landlock_domain *domain_hold(struct landlock_domain *domain);
void domain_drop(struct landlock_domain *domain);
/* Creates a layer inside `outer` (may be NULL) with a copy of these rules. */
struct landlock_domain *domain_create(struct landlock_domain *outer,
				      const struct ruleset *rules);
/* Whether `outer` (NULL: no layers) is `inner` or lies around it. */
bool domain_contains(const struct landlock_domain *outer,
		     const struct landlock_domain *inner);

/* ---- place.c ---- */
/* A file or folder and the folders above it, innermost first. */
struct place {
	struct { dev_t device; ino_t inode; } *list;
	size_t count, capacity;
	bool exempt;       /* lies in no folder: a pipe, a socket */
};

/* The place of the file that a path leads to, and of the folder in which its
 * name is. */
void place_of_path(struct context *context, const struct host_path *path,
		   struct place *place);
void place_of_folder(struct context *context, const struct host_path *path,
		     struct place *place);
void place_free(struct place *place);
/* The rights that the rules of one layer allow at a place. */
uint64_t place_allowed(const struct place *place, const struct ruleset *rules);
/* The rights of `access` that any layer forbids at a place. */
uint64_t place_denied(const struct place *place,
		      const struct landlock_domain *domain, uint64_t access);
/* The rights that rules for the file itself allow, without the folders around
 * it. */
uint64_t place_allowed_itself(const struct place *place,
			      const struct ruleset *rules);

#endif
