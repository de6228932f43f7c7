/* Functions become parts of the kernels that call them. */
#ifndef M2S_OPENCL_RT_CLC_IR_INLINE_H
#define M2S_OPENCL_RT_CLC_IR_INLINE_H

#include <llvm-c/Core.h>

#include "base/error.h"

/* Inlines all calls and removes the functions that are no kernels. A kernel may
 * be called like any function, too (OpenCL 1.2, section 6.9 i); it stays. -1 and
 * *error. */
int calls_inline(LLVMModuleRef module, struct error *error);

#endif
