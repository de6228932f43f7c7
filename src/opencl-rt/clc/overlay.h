/* Files that clang sees under other names than they have: an overlay of its
 * file system. */
#ifndef M2S_OPENCL_RT_CLC_OVERLAY_H
#define M2S_OPENCL_RT_CLC_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct overlay_file {
	const char *name; /* what clang asks for; relative to any folder that
			     it looks in, unless it begins with '/' */
	const char *path; /* where it is */
};

/* The folder that has all of them, for clang's -I. */
#define OVERLAY_FOLDER "/embedded-headers"

/* What clang's -ivfsoverlay wants: a file in memory (process_memory_file), to
 * be closed. Each file is in OVERLAY_FOLDER and in the current folder, where it
 * hides others. Of two with one name the first counts. `only`: the folder of
 * the host that clang finds besides, and no other file; NULL: all of them. */
int overlay_open(const struct overlay_file *files, size_t count,
		 const char *only, struct error *error);

#endif
