/* Copies of memory. */
#ifndef M2S_OPENCL_RT_CLC_IR_COPY_H
#define M2S_OPENCL_RT_CLC_IR_COPY_H

#include <llvm-c/Core.h>

#include "base/error.h"

/* llvm.memcpy, llvm.memmove and llvm.memset become loads and stores, short ones
 * without a loop. */
void copies_lower(LLVMModuleRef module, struct error *error);

#endif
