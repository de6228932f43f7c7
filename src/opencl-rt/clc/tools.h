/* The files that a compilation needs, and a description that changes when they
 * do. m2s-clc uses the files; the cache's key contains the description. */
#ifndef M2S_OPENCL_RT_CLC_TOOLS_H
#define M2S_OPENCL_RT_CLC_TOOLS_H

#include "base/error.h"

struct clc_tools {
	char *compiler; /* m2s-clc itself */
	char *clang, *libclc, *helper;
	char *lean;     /* libclc without its explicit conversions */
	char *doubles;  /* built-in functions on doubles */
	char *fp64;     /* header about the extensions for doubles */
};

/* Finds the files of a compiler, the m2s-clc at this path: from the environment
 * (M2S_CLANG, M2S_LIBCLC, M2S_CLC_HELPER), where configure found them, or in
 * the usual places. 0, or -1 and *error, which names the package to install.
 * The caller frees *tools in both cases. */
int clc_find_tools(struct clc_tools *tools, const char *compiler,
		   struct error *error);
void clc_free_tools(struct clc_tools *tools);

/* A text with one line for each file: its path, size and time of modification.
 * It changes when any file does. The caller frees it. */
char *clc_describe_tools(const struct clc_tools *tools);

#endif
