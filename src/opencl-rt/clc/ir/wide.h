/* Operations on 64-bit integers that the back end has wrong. */
#ifndef M2S_OPENCL_RT_CLC_IR_WIDE_H
#define M2S_OPENCL_RT_CLC_IR_WIDE_H

#include <llvm-c/Core.h>

/* Conversions from long to float become those from ulong of the magnitude, and
 * a sign: LLVM's own are wrong for negative numbers. */
void wide_lower(LLVMModuleRef module);

#endif
