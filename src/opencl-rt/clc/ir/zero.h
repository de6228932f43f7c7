/* The float constant -0.0, which LLVM's back end takes for 0.0. */
#ifndef M2S_OPENCL_RT_CLC_IR_ZERO_H
#define M2S_OPENCL_RT_CLC_IR_ZERO_H

#include "opencl-rt/clc/ir/rewrite.h"

/* Replaces every negative zero among the operands of the module's instructions
 * by an expression that LLVM cannot fold. To be called when no more constants
 * will be folded. */
void zero_lower(struct rewrite *rewrite);

#endif
