/* Calls of printf become stores to the printf buffer (printf-buffer.h). */
#ifndef M2S_OPENCL_RT_CLC_IR_PRINT_H
#define M2S_OPENCL_RT_CLC_IR_PRINT_H

#include "opencl-rt/clc/ir/rewrite.h"

/* Replaces one call of printf. -1 and *error for arguments that printf cannot
 * take. */
int print_lower(struct rewrite *rewrite, LLVMValueRef call);

/* Whether print_lower has changed this kernel. */
bool print_is_used(LLVMValueRef kernel);

#endif
