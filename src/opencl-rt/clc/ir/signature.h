/* The signatures of the kernels of an LLVM module. */
#ifndef M2S_OPENCL_RT_CLC_IR_SIGNATURE_H
#define M2S_OPENCL_RT_CLC_IR_SIGNATURE_H

#include <llvm-c/Core.h>

#include "base/error.h"
#include "evergreen/kernel/kernel.h"

/* Whether a function is a kernel with a body. */
bool is_kernel(LLVMValueRef function);

/* A program with the module's kernels: names, arguments with their places in
 * constant buffer 0, attributes. No code. Free with evg_program_free. NULL and
 * *error for an argument that the device cannot take. */
struct evg_program *signature_read(LLVMModuleRef module,
				   const char *build_options,
				   struct error *error);

#endif
