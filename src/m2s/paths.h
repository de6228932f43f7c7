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
 * that name leads to the library of the guest's ABI. */
char *paths_redirect(const struct paths *paths, const char *path, bool abi32);

#endif
