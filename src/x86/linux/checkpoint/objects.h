/* What the parts that save descriptors share: checkpoint/host.c (files of the
 * host), checkpoint/describe.c (finding out what a descriptor is),
 * checkpoint/pipe.c, checkpoint/objects.c (saving, and making again) and
 * checkpoint/files.c. */
#ifndef M2S_X86_LINUX_CHECKPOINT_OBJECTS_H
#define M2S_X86_LINUX_CHECKPOINT_OBJECTS_H

#include <fcntl.h>
#include <sys/stat.h>

#include "x86/linux/checkpoint/checkpoint.h"

enum {
	/* flags of open() that are given again. */
	FLAGS_KEPT = O_ACCMODE | O_APPEND | O_NONBLOCK | O_DIRECTORY |
		     O_PATH | O_NOFOLLOW | O_NOATIME | O_DIRECT | O_SYNC |
		     O_DSYNC,
};

/* ---- checkpoint/host.c ---- */
/* When a file was changed, in ns since the epoch. */
int64_t checkpoint_modified(const struct stat *status);
/* Devices that are the same in the next run. */
bool checkpoint_is_stateless(const char *path);
/* Files of /proc and /sys, whose bytes are made up when read. */
bool checkpoint_is_generated(const char *path);
/* CRC-32 of the first `size` bytes of a file, by its path or, if that is
 * NULL, of a descriptor; -1 when they cannot be read. */
int checkpoint_sum_file(int host, const char *path, uint64_t size,
			uint32_t *sum);
/* Another descriptor of the file behind one, with flags of open(). -1 with
 * errno. */
int checkpoint_reopen(int host, uint32_t flags);

/* ---- checkpoint/pipe.c ---- */
/* Copies what a pipe holds, without taking it out, and how it lies in the
 * host's buffers. */
void object_read_pipe(struct checkpoint *checkpoint,
		      struct checkpoint_object *object, int reader);
/* Makes such a pipe again. */
void object_make_pipe(struct checkpoint *checkpoint,
		      struct checkpoint_object *object);

/* ---- checkpoint/objects.c ---- */
/* A new object at the end of the list; the others may move. */
struct checkpoint_object *objects_add(struct checkpoint *checkpoint);

#endif
