/* Bitcode libraries. */
#ifndef M2S_OPENCL_RT_CLC_IR_LIBRARY_H
#define M2S_OPENCL_RT_CLC_IR_LIBRARY_H

#include <llvm-c/Core.h>

#include "base/error.h"

/* Links those of a library's functions to a module that it calls, and what they
 * call; the module's own have precedence. -1 and *error. */
int library_link(LLVMModuleRef module, const char *path, struct error *error);

#endif
