/* The second wall: what the host's kernel lets this process do.
 *
 * The emulator checks what a guest asks for. A wall makes the host's kernel
 * check it once more, so that a mistake in those checks does not give a guest
 * all rights of the user who runs the simulator. It is described first and
 * then entered, for good:
 *
 *	struct wall wall = { .files = true };
 *	wall_add(&wall, "/home/me/root", WALL_READ | WALL_CHANGE);
 *	wall_enter(&wall, &error);
 *	wall_clear(&wall);
 *
 * The parts of a wall, in the order in which they are entered:
 *
 *	namespace.c   private mounts: only the places
 *	privilege.c   no capabilities but those for files and ids
 *	landlock.c    the places again, in case the mounts are evaded;
 *	              no TCP, abstract sockets and signals to the outside
 *	filter.c      system calls that are not in a list do not exist
 *
 * All of it holds for the threads and programs that the process starts later,
 * so a wall is entered before there is a second thread. */
#ifndef M2S_BASE_WALL_WALL_H
#define M2S_BASE_WALL_WALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum wall_access {
	WALL_LIST = 1,    /* listing folders */
	WALL_READ = 2,    /* and reading files */
	WALL_CHANGE = 4,  /* writing, creating, removing, renaming: not making
	                   * device files */
	WALL_EXECUTE = 8, /* by the host: what guests execute is only read */
	WALL_DEVICE = 16, /* a device file that may be opened */
	WALL_CLEAR = 32,  /* removing folders that are empty */
	/* Only in a wall with `view`: */
	WALL_OWN = 64,    /* an empty folder in memory instead of the host's */
	/* The file of the base at this path, not the host's. */
	WALL_BASE = 128,
	WALL_PIPES = 256, /* opening FIFOs for writing: the mount, which is
	                   * read-only, keeps files as they are */
};

struct wall_place {
	char *path;
	unsigned access; /* 0: the place exists, but cannot be opened */
};

/* A system call that the process may make. */
struct wall_call {
	int number;
	bool limited;      /* only if this argument has this value */
	unsigned argument; /* from 0 */
	uint64_t value;
};

/* A system call that is refused with EPERM, although the process may make it
 * otherwise, because of bits of an argument. */
struct wall_refusal {
	int number;
	unsigned argument;
	uint64_t mask, value;
};

struct wall {
	/* Files: only the places can be opened. */
	bool files;
	struct wall_place *places;
	size_t count, capacity;
	/* A private view of the files: a mount namespace that has only the
	 * places or, with `base`, that folder as "/" and the places in it. */
	bool view;
	const char *base;
	bool base_changes; /* the base is not read-only */
	/* Network: only sockets between processes inside the wall. */
	bool no_network;
	/* No abstract sockets of processes outside (Landlock 6). */
	bool private_names;
	bool own_network; /* a network namespace without devices */
	/* The system calls that the process may make. */
	const struct wall_call *calls;
	size_t call_count;
	const struct wall_refusal *refusals;
	size_t refusal_count;
};

/* Adds a place, which need not exist. The path is copied; a relative one
 * starts at the current folder. */
void wall_add(struct wall *wall, const char *path, unsigned access);
/* Adds the file of an open descriptor: it can be opened once more, as the
 * descriptor is. */
void wall_add_descriptor(struct wall *wall, int descriptor);
void wall_clear(struct wall *wall);

/* The kernel's version of Landlock, 0 without it. */
int wall_landlock(void);

/* The capabilities of this process, a bit each (capabilities(7)). A wall takes
 * most of them away. */
uint64_t wall_capabilities(void);

/* Enters the wall. 0; or -1 and *error, which says what the host lacks. After
 * an error the process may be half inside the wall, and should end. */
int wall_enter(const struct wall *wall, struct error *error);

#endif
