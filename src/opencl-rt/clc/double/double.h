/* Double precision for a back end that has none.
 *
 *	prepare   division and the rest that the device has no instruction for
 *	          become calls of the helper library
 *	lower     doubles become pairs of words, operations on them carriers
 *	          (carrier.h)
 *	(LLVM's back end)
 *	fuse      carriers become the device's FP64 instructions */
#ifndef M2S_OPENCL_RT_CLC_DOUBLE_DOUBLE_H
#define M2S_OPENCL_RT_CLC_DOUBLE_DOUBLE_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct evg_lines;

/* Whether any instruction uses doubles. */
bool double_is_used(LLVMModuleRef module);

/* Links the parts of the helper library (a bitcode file) that the module needs.
 * The caller must then inline all calls. -1 and *error when the file is not
 * usable. */
int double_prepare(LLVMModuleRef module, const char *helper,
		   struct error *error);

/* Removes doubles from the module, except in globals, types of memory and the
 * parameters of kernels. -1 and *error for an unknown operation. */
int double_lower(LLVMModuleRef module, struct error *error);

/* Replaces the carriers in every kernel of a binary image by the device's
 * instructions, in place: the code shrinks. -1 and *error when a kernel would
 * not fit, or a carrier is damaged. `lines` (NULL is fine) is updated with the
 * code. */
int double_fuse(const char *name, void *image, size_t size,
		struct evg_lines *lines, struct error *error);

#endif
