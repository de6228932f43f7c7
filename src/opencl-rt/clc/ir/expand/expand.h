/* LLVM's functions of numbers as instructions. */
#ifndef M2S_OPENCL_RT_CLC_IR_EXPAND_EXPAND_H
#define M2S_OPENCL_RT_CLC_IR_EXPAND_EXPAND_H

#include <llvm-c/Core.h>

/* Calls that the code generator has no operations for become instructions that
 * it has: quotients of more than 64 bits by numbers of up to 16, shifts of two
 * numbers, saturated sums, choices and counts of bits of
 * more than 64 bits or of an odd number of them, comparisons with three
 * results, and ldexp of floats. LLVM's optimizer makes these calls of such
 * instructions, so no pass of it may follow that combines instructions. */
void expand_lower(LLVMModuleRef module);

#endif
