/* The tasks of m2s-clc: a program, or a part of one, from source or from
 * parts. */
#ifndef M2S_OPENCL_RT_CLC_BUILD_H
#define M2S_OPENCL_RT_CLC_BUILD_H

#include <stddef.h>

#include "base/error.h"
#include "opencl-rt/clc/frontend.h"
#include "opencl-rt/clc/options.h"

/* Runs the task of the options. Returns 0 and *product (free with free()): a
 * kernel binary, or an object (object.h). -1 and *error, which is empty when
 * clang has printed the reason. */
int build(const struct options *options, const struct clc_tools *tools,
	  char **product, size_t *size, struct error *error);

#endif
