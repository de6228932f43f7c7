/* Operations on 64-bit integers for which the back end makes wrong code. */
#ifndef M2S_OPENCL_RT_CLC_IR_WIDE_H
#define M2S_OPENCL_RT_CLC_IR_WIDE_H

#include <llvm-c/Core.h>

/* Conversions from long to float become a conversion from ulong of the
 * magnitude, and a sign. LLVM's own conversions are wrong for negative
 * numbers. */
void wide_lower(LLVMModuleRef module);

#endif
