/* From carriers (carrier.h) to the device's FP64 groups: what the fuse*.c files
 * share.
 *
 *     fuse.c          the kernels of a program
 *     fuse-clause.c   which carriers of a clause become one group
 *     fuse-emit.c     the group that they become */
#ifndef M2S_OPENCL_RT_CLC_DOUBLE_FUSE_H
#define M2S_OPENCL_RT_CLC_DOUBLE_FUSE_H

#include "opencl-rt/clc/double/carrier-read.h"

/* Replaces the carriers of a clause by operations. */
int fuse_clause(struct edit *edit, struct edit_cf *cf, struct error *error);

/* Replaces the index-th group by the operation. Returns the index of the
 * operation's last group, or -1. */
int fuse_emit(struct edit *edit, struct edit_cf *cf, size_t index,
	      const struct carrier *carrier, struct error *error);
/* Redirects the links to a carrier's result to a slot of group `id`. */
void fuse_relink(struct edit_cf *cf, const struct carrier_result *from,
		 uint32_t id, unsigned slot);

#endif
