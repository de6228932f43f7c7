/* The way that reads of global memory take. */
#ifndef M2S_OPENCL_RT_CODEGEN_PATH_PATH_H
#define M2S_OPENCL_RT_CODEGEN_PATH_PATH_H

#include "opencl-rt/codegen/select.h"

/* Whether AMD's driver let reads through a pointer use the caches: only those of
 * an argument that is const and restrict (AMD's OpenCL guide of SDK 2.x, on the
 * texture path of buffers). Pointers that may be of several arguments, or of
 * none that is known, are read past the caches. */
bool path_is_cached_by_amd(const struct selection *selection,
			   LLVMValueRef pointer);

#endif
