/* Where the simulator's own files are: in the build tree or installed. */
#ifndef M2S_M2S_PATHS_H
#define M2S_M2S_PATHS_H

#include <stdbool.h>

struct paths {
	char *compiler;                     /* m2s-clc */
	char *opencl_i386, *opencl_x86_64;  /* NULL where there is none */
	char *vendors;                      /* our OpenCL vendor folder */
	char *cache;                        /* compiled kernels, or NULL */
};

void paths_find(struct paths *paths);
void paths_clear(struct paths *paths);

/* What a guest opens instead of `path` (free it), or NULL: the ICD loader sees
 * our vendor folder, in which libm2s-opencl.so.1 is named without a path, and
 * that name leads to the library of the guest's ABI. It never sees the host's
 * folder: another platform would run kernels as simulated x86 code. */
char *paths_redirect(const struct paths *paths, const char *path, bool abi32);

/* If a guest opens `path` to look for OpenCL platforms: the file of m2s without
 * which it finds none. NULL: it is there, or `path` is another one. */
const char *paths_missing(const struct paths *paths, const char *path,
			  bool abi32);

#endif
