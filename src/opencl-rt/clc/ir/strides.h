/* Products in loops. */
#ifndef M2S_OPENCL_RT_CLC_IR_STRIDES_H
#define M2S_OPENCL_RT_CLC_IR_STRIDES_H

#include <llvm-c/Core.h>

/* What a loop around other loops makes of its counter by sums and products with
 * numbers that it does not change becomes a number of its own that grows by the same
 * amount in each turn. (LLVM's loop-reduce does so in innermost loops only.) Loops have
 * been simplified, and switches lowered. */
void strides_lower(LLVMModuleRef module);

#endif
