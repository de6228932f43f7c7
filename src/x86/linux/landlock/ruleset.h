/* Landlock for guests (landlock(7)), as Linux 6.12 has it: rights that a thread
 * gives up for itself and what it makes. They are checked where guests' calls
 * are served, and have nothing to do with the host's Landlock, behind which the
 * simulator may run. What other folders need of it is in landlock.h.
 *
 *	ruleset.c    rulesets and the three system calls
 *	domain.c     the layers that hold for a thread
 *	place.c      where a file lies
 *	file.c       what may be done to files
 *	other.c      ports, signals, sockets without a path, ptrace */
#ifndef M2S_X86_LINUX_LANDLOCK_RULESET_H
#define M2S_X86_LINUX_LANDLOCK_RULESET_H

#include "x86/linux/files/path.h"
#include "x86/linux/state.h"

/* The version that programs are told: that of Linux 6.12. */
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
	/* Those that make sense for what is no folder. */
	FS_FILE = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE |
		  FS_IOCTL_DEV,
};
enum { NET_BIND = 1 << 0, NET_CONNECT = 1 << 1, NET_ALL = 3 };
enum { SCOPE_ABSTRACT = 1 << 0, SCOPE_SIGNAL = 1 << 1, SCOPE_ALL = 3 };

/* Files below a folder, or a file. */
struct fs_rule {
	dev_t device;
	ino_t inode;
	int host;          /* held open, so that nothing else gets its inode */
	uint64_t allowed;
};

struct net_rule {
	uint16_t port;
	uint64_t allowed;
};

struct ruleset {
	unsigned references; /* descriptors and layers */
	uint64_t fs, net, scoped; /* handled: forbidden but for the rules */
	struct fs_rule *files;
	size_t file_count, file_capacity;
	struct net_rule *ports;
	size_t port_count, port_capacity;
};

/* A thread's last layer and, behind it, those that it has inherited. */
struct landlock_domain {
	unsigned references;
	struct landlock_domain *outer; /* or NULL */
	int layers;                    /* with the outer ones */
	struct ruleset *rules;         /* that nobody changes any more */
};

/* ---- ruleset.c ---- */
struct ruleset *ruleset_hold(struct ruleset *rules);
void ruleset_drop(struct ruleset *rules);

/* ---- domain.c ---- */
struct landlock_domain *domain_hold(struct landlock_domain *domain);
void domain_drop(struct landlock_domain *domain);
/* A layer within `outer` (may be NULL) with a copy of these rules. */
struct landlock_domain *domain_create(struct landlock_domain *outer,
				      const struct ruleset *rules);
/* Whether `outer` (NULL: none at all) is `inner` or around it. */
bool domain_contains(const struct landlock_domain *outer,
		     const struct landlock_domain *inner);

/* ---- place.c ---- */
/* A file or folder and the folders above it, from the inside. */
struct place {
	struct { dev_t device; ino_t inode; } *list;
	size_t count, capacity;
	bool exempt;       /* lies in no folder: a pipe, a socket */
};

/* Of what a path leads to, and of the folder in which its name is. */
void place_of_path(struct context *context, const struct host_path *path,
		   struct place *place);
void place_of_folder(struct context *context, const struct host_path *path,
		     struct place *place);
void place_free(struct place *place);
/* What the rules of one layer allow there. */
uint64_t place_allowed(const struct place *place, const struct ruleset *rules);
/* What of `access` some layer forbids there. */
uint64_t place_denied(const struct place *place,
		      const struct landlock_domain *domain, uint64_t access);
/* The object alone, without what is around it. */
uint64_t place_allowed_itself(const struct place *place,
			      const struct ruleset *rules);

#endif
