/* Our own code generator: a kernel of LLVM's IR to the assembler's text. */
#ifndef M2S_OPENCL_RT_CODEGEN_GENERATE_H
#define M2S_OPENCL_RT_CODEGEN_GENERATE_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#include "base/error.h"
#include "evergreen/kernel/kernel.h"

/* Code for a function of which `kernel` says the arguments' places: everything
 * is inlined, there are no switches and one return. Text for evg_assemble(), to
 * be freed with free(); NULL and *error, what the kernel has that the generator
 * does not know. *local_size is what its own local variables take, bytes;
 * *structured is false when the control flow is what is not known. */
char *codegen_generate(LLVMValueRef function, const struct evg_kernel *kernel,
		       uint32_t *local_size, bool *structured,
		       struct error *error);

#endif
