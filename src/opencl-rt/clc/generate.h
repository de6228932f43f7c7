/* Whole programs by our own code generator (codegen/). */
#ifndef M2S_OPENCL_RT_CLC_GENERATE_H
#define M2S_OPENCL_RT_CLC_GENERATE_H

#include <llvm-c/Core.h>

#include "evergreen/kernel/kernel.h"
#include "opencl-rt/clc/backend.h"

/* Compiles the kernels of a module that nothing has been done to; `program` has
 * their signatures. 0 and *binary (free with free()); -1 and *error, which names
 * the kernel and what it has that the generator does not know. The module stays
 * as it is. */
int generate_program(const struct backend_options *options,
		     LLVMModuleRef module, const struct evg_program *program,
		     char **binary, size_t *binary_size, struct error *error);

#endif
