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

/* Whether any instruction has to do with doubles. */
bool double_is_used(LLVMModuleRef module);

/* Links the helper library (a bitcode file) for what needs it; to be followed
 * by the inlining of all calls. -1 and *error when the file is not usable. */
int double_prepare(LLVMModuleRef module, const char *helper,
		   struct error *error);

/* Leaves no double in the module but in globals, types of memory and the
 * parameters of kernels. -1 and *error for what it does not know. */
int double_lower(LLVMModuleRef module, struct error *error);

/* Puts the device's instructions in the place of the carriers in every kernel
 * of a binary image, in place: the code shrinks. -1 and *error when a kernel
 * would not fit, or a carrier is not whole. `lines` (NULL is fine) follows the
 * code. */
int double_fuse(const char *name, void *image, size_t size,
		struct evg_lines *lines, struct error *error);

#endif
