/* System V shared memory: the declarations that its files share. */
#ifndef M2S_X86_LINUX_SYSV_SHARED_H
#define M2S_X86_LINUX_SYSV_SHARED_H

#include <stdint.h>
#include <sys/types.h>

#include "x86/linux/sysv/object.h"

struct context;
struct guest_memory;
struct linux_system;

struct segment {
	struct ipc_object object;
	uint64_t size;
	int file;
	dev_t device;
	ino_t inode;
	char name[32];   /* as /proc/self/maps shows it */
	int creator_pid, last_pid;
	int64_t attached, detached; /* seconds */
};

/* The segment of an id, or NULL. */
struct segment *shared_find(struct context *context, uint64_t id);
/* The number of pages that `size` bytes take. */
uint64_t shared_pages(uint64_t size);
/* The number of attachments of a segment in all memories but `without`, which
 * may be NULL. */
uint64_t shared_attachments(struct linux_system *system,
			    const struct segment *segment,
			    const struct guest_memory *without);
/* Frees a removed segment that no memory but `without` has attached. The
 * second looks at all segments. */
void shared_release(struct linux_system *system, struct segment *segment,
		    const struct guest_memory *without);
void shared_release_all(struct linux_system *system,
			const struct guest_memory *without);

#endif
