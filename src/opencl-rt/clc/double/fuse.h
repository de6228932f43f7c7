/* From carriers (carrier.h) to the device's FP64 groups: what the fuse*.c files
 * share.
 *
 *     fuse.c          the kernels of a program
 *     fuse-clause.c   which carriers of a clause become one group
 *     fuse-emit.c     the group that they become */
#ifndef M2S_OPENCL_RT_CLC_DOUBLE_FUSE_H
#define M2S_OPENCL_RT_CLC_DOUBLE_FUSE_H

#include "opencl-rt/clc/double/carrier-read.h"

/* Puts operations in the place of the carriers of a clause. */
int fuse_clause(struct edit *edit, struct edit_cf *cf, struct error *error);

/* Puts the operation in the place of the index-th group. The index of the last
 * group that it takes, or -1. */
int fuse_emit(struct edit *edit, struct edit_cf *cf, size_t index,
	      const struct carrier *carrier, struct error *error);
/* Redirects what was linked to the carrier of a result to a slot of group
 * `id`. */
void fuse_relink(struct edit_cf *cf, const struct carrier_result *from,
		 uint32_t id, unsigned slot);

#endif
