/* Our own code generator: from a kernel in LLVM's IR to the assembler's
 * text. */
#ifndef M2S_OPENCL_RT_CODEGEN_GENERATE_H
#define M2S_OPENCL_RT_CODEGEN_GENERATE_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#include "base/error.h"
#include "evergreen/kernel/kernel.h"

/* Generates the code of a function. `kernel` has the places of its arguments.
 * Everything must have been inlined; there are no switches, and there is one
 * return. Returns text for evg_assemble(), to be freed with free(). NULL and
 * *error, which names what the generator does not know. *local_size: bytes of
 * the function's own local variables. *structured: false when the generator
 * does not know the control flow. */
char *codegen_generate(LLVMValueRef function, const struct evg_kernel *kernel,
		       uint32_t *local_size, bool *structured,
		       struct error *error);

#endif
