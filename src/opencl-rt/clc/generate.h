/* Programs by our code generator (codegen/). */
#ifndef M2S_OPENCL_RT_CLC_GENERATE_H
#define M2S_OPENCL_RT_CLC_GENERATE_H

#include <llvm-c/Core.h>

#include "evergreen/kernel/kernel.h"
#include "opencl-rt/clc/backend.h"

/* Compiles the kernels of a module, which changes; `program` has their
 * signatures, and gets their code. As backend_compile. */
enum backend_status generate_program(const struct backend_options *options,
				     LLVMModuleRef module,
				     struct evg_program *program,
				     char **binary, size_t *binary_size,
				     struct error *error);

#endif
