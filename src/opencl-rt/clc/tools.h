/* The files that a compilation needs, and what tells that they changed. Not only
 * for m2s-clc: the cache's key has them, too. */
#ifndef M2S_OPENCL_RT_CLC_TOOLS_H
#define M2S_OPENCL_RT_CLC_TOOLS_H

#include "base/error.h"

struct clc_tools {
	char *compiler; /* m2s-clc itself */
	char *clang, *libclc, *helper;
	char *doubles;  /* built-in functions on doubles */
	char *fp64;     /* header about the extensions for doubles */
};

/* Finds what a compiler, the m2s-clc at this path, uses: from the environment
 * (M2S_CLANG, M2S_LIBCLC, M2S_CLC_HELPER), where configure found it, in the
 * usual places. 0, or -1 and *error, which names the package to install; tools
 * are to be freed in both cases. */
int clc_find_tools(struct clc_tools *tools, const char *compiler,
		   struct error *error);
void clc_free_tools(struct clc_tools *tools);

/* One line for each file: changes when any of them does, as its path, size and
 * time of modification tell. To be freed. */
char *clc_describe_tools(const struct clc_tools *tools);

#endif
