/* What the files that save descriptors share: checkpoint/host.c (files of the
 * host), checkpoint/describe.c (classifying a descriptor), checkpoint/pipe.c,
 * checkpoint/objects.c (saving and restoring) and checkpoint/files.c. */
#ifndef M2S_X86_LINUX_CHECKPOINT_OBJECTS_H
#define M2S_X86_LINUX_CHECKPOINT_OBJECTS_H

#include <fcntl.h>
#include <sys/stat.h>

#include "x86/linux/checkpoint/checkpoint.h"

enum {
	/* Flags of open() that are restored. */
	FLAGS_KEPT = O_ACCMODE | O_APPEND | O_NONBLOCK | O_DIRECTORY |
		     O_PATH | O_NOFOLLOW | O_NOATIME | O_DIRECT | O_SYNC |
		     O_DSYNC,
};

/* ---- checkpoint/host.c ---- */
/* The time of a file's last change, in ns since the epoch. */
int64_t checkpoint_modified(const struct stat *status);
/* Whether the path is a device without state, such as /dev/null. */
bool checkpoint_is_stateless(const char *path);
/* Whether the path is a file of /proc or /sys, whose bytes are generated when
 * it is read. */
bool checkpoint_is_generated(const char *path);
/* CRC-32 of the first `size` bytes of a file, by its path or, if that is
 * NULL, of a descriptor; -1 when they cannot be read. */
int checkpoint_sum_file(int host, const char *path, uint64_t size,
			uint32_t *sum);
/* Opens the file behind a host descriptor once more, with flags of open(). -1
 * with errno. */
int checkpoint_reopen(int host, uint32_t flags);

/* ---- checkpoint/pipe.c ---- */
/* Copies the contents of a pipe without removing them, and their layout in the
 * host's buffers. */
void object_read_pipe(struct checkpoint *checkpoint,
		      struct checkpoint_object *object, int reader);
/* Makes a pipe with the saved contents and layout. */
void object_make_pipe(struct checkpoint *checkpoint,
		      struct checkpoint_object *object);

/* ---- checkpoint/objects.c ---- */
/* Adds an object at the end of the list. Pointers to other objects become
 * invalid. */
struct checkpoint_object *objects_add(struct checkpoint *checkpoint);

#endif
