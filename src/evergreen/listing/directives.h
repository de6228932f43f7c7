/* The directives at the head of a listing: the resources, constants and
 * arguments of a kernel. */
#ifndef M2S_EVERGREEN_LISTING_DIRECTIVES_H
#define M2S_EVERGREEN_LISTING_DIRECTIVES_H

#include <stdio.h>

#include "evergreen/kernel/kernel.h"

/* Prints the directives of a kernel (asm/directive.h), so that a listing can be
 * assembled again. */
void evg_directives_print(const struct evg_kernel *kernel, FILE *file);

#endif
