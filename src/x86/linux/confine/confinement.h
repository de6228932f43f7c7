/* The declarations that the files of this folder share. */
#ifndef M2S_X86_LINUX_CONFINE_CONFINEMENT_H
#define M2S_X86_LINUX_CONFINE_CONFINEMENT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "x86/linux/confine/shared.h"
#include "x86/linux/linux.h"
#include "x86/linux/state.h"

/* A folder held open, so that it need not be found by its name again. */
struct held_place {
	int host; /* O_PATH, or -1 */
	dev_t device;
	ino_t inode;
};

struct confinement {
	struct held_place root; /* the guest's "/" */
	bool whole;         /* the root is also the host's root */
	char path[PATH_MAX];/* of the root; "" for the host's */
	int proc;           /* the host's /proc */
	bool read_only;
	/* Host paths and descriptors of the folders in which writing is
	 * allowed. */
	struct linux_place *writable;
	size_t writable_count, writable_capacity;
	struct shared_folder shared; /* /dev/shm of a system of its own */
	/* The last file system found to be neither procfs nor sysfs; 0: none
	 * yet. */
	dev_t ordinary;
};

/* Whether `name` is `folder` or lies below it. */
bool confine_is_below(const char *name, const char *folder);

/* Opens a folder by its path: 0 or -1 with errno. */
int hold_place(struct held_place *place, const char *path);

#endif
