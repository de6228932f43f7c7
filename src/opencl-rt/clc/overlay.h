/* Files that clang sees under other names: an overlay of its file system. */
#ifndef M2S_OPENCL_RT_CLC_OVERLAY_H
#define M2S_OPENCL_RT_CLC_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct overlay_file {
	/* Name that clang asks for; relative to any folder of its search path,
	 * unless it begins with '/'. */
	const char *name;
	const char *path; /* path of the file */
};

/* The folder that contains all of them, for clang's -I. */
#define OVERLAY_FOLDER "/embedded-headers"

/* A file for clang's -ivfsoverlay, in memory (process_memory_file), which the
 * caller closes. Each overlaid file is in OVERLAY_FOLDER and in the current
 * folder, where it hides others. Of two with one name the first counts. `only`:
 * the only folder of the host whose files clang finds besides; NULL: clang
 * finds all files. */
int overlay_open(const struct overlay_file *files, size_t count,
		 const char *only, struct error *error);

#endif
