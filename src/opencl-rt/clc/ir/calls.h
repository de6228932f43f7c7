/* Calls that are left when every function has been inlined. */
#ifndef M2S_OPENCL_RT_CLC_IR_CALLS_H
#define M2S_OPENCL_RT_CLC_IR_CALLS_H

#include <llvm-c/Core.h>

#include "base/error.h"

/* Those of printf become stores; LLVM's intrinsics and the helper library's
 * fence stay. -1 and *error, with the place in the source, for what no kernel
 * can call: a pointer, a function without a body, itself. */
int calls_lower(LLVMModuleRef module, struct error *error);

#endif
