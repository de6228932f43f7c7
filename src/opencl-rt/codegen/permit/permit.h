/* What the program's build options permit. */
#ifndef M2S_OPENCL_RT_CODEGEN_PERMIT_PERMIT_H
#define M2S_OPENCL_RT_CODEGEN_PERMIT_PERMIT_H

#include <llvm-c/Core.h>

enum permit {
#define PERMIT(name, attribute) PERMIT_##name,
#include "opencl-rt/codegen/permit/permit.def"
	PERMIT_COUNT,
};

/* The set of what a function may do; a function is as strict as the strictest
 * that has become part of it. */
unsigned permits_of(LLVMValueRef function);

#endif
