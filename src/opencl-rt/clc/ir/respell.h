/* IR of one front end in the words of another. */
#ifndef M2S_OPENCL_RT_CLC_IR_RESPELL_H
#define M2S_OPENCL_RT_CLC_IR_RESPELL_H

#include <llvm-c/Core.h>

#include "base/error.h"
#include "opencl-rt/clc/front-end.h"

/* A module of a front end as the first front end would have made it: data layout,
 * address spaces, calling conventions, types, names of functions, and kernels
 * that get structures as values. `module` goes away. NULL and *error. */
LLVMModuleRef respell_module(LLVMModuleRef module, enum front_end from,
			     struct error *error);
/* Behind linking: calls of functions that are declared with other types than they
 * are defined with. */
void respell_calls(LLVMModuleRef module);

#endif
