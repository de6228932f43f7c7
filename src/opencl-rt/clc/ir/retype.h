/* Functions with other types of parameters. */
#ifndef M2S_OPENCL_RT_CLC_IR_RETYPE_H
#define M2S_OPENCL_RT_CLC_IR_RETYPE_H

#include <llvm-c/Core.h>

/* A function like `old`, without a name, with its body, attributes and metadata,
 * and with parameters of these types, one for each of the old function's; a
 * parameter keeps its attributes where the type is the same. The body still uses
 * the parameters of `old`, which is left without one. */
LLVMValueRef retype_function(LLVMModuleRef module, LLVMValueRef old,
			     const LLVMTypeRef *types);

#endif
