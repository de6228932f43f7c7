/* The disassembly of a kernel as a user reads it. */
#ifndef M2S_EVERGREEN_ASM_LISTING_H
#define M2S_EVERGREEN_ASM_LISTING_H

#include <stdio.h>

#include "base/error.h"
#include "evergreen/kernel/kernel.h"

/* Prints what the kernel needs, its arguments and its code. -1 and *error,
 * with nothing printed, when the code cannot be decoded. */
int evg_listing_print(const struct evg_kernel *kernel, FILE *file,
		      struct error *error);

#endif
