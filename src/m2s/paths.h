/* The places of the simulator's own files, in the build tree or installed. */
#ifndef M2S_M2S_PATHS_H
#define M2S_M2S_PATHS_H

#include <stdbool.h>

struct paths {
	char *compiler;                     /* m2s-clc */
	char *opencl_i386, *opencl_x86_64;  /* NULL: there is none */
	char *vendors;                      /* our OpenCL vendor folder */
	char *cache;                        /* compiled kernels, or NULL */
};

void paths_find(struct paths *paths);
/* The same for m2s in another folder than this program's. */
void paths_find_from(struct paths *paths, const char *folder);
void paths_clear(struct paths *paths);

/* Returns the path that a guest opens instead of `path` (free it), or NULL. The
 * ICD loader finds our vendor folder in place of the host's, since another
 * platform would run kernels as simulated x86 code. Our folder names
 * libm2s-opencl.so.1 without a path, and this name leads to the library of the
 * guest's ABI. */
char *paths_redirect(const struct paths *paths, const char *path, bool abi32);

/* Returns the name of a missing file of m2s when a guest opens `path` to look
 * for OpenCL platforms and therefore finds none. Otherwise NULL. */
const char *paths_missing(const struct paths *paths, const char *path,
			  bool abi32);

#endif
