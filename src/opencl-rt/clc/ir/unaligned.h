/* Private memory at addresses that are not aligned. */
#ifndef M2S_OPENCL_RT_CLC_IR_UNALIGNED_H
#define M2S_OPENCL_RT_CLC_IR_UNALIGNED_H

#include "opencl-rt/clc/ir/rewrite.h"

/* LLVM takes every load and store of private memory for one of a dword, or of
 * bytes within one. Those that may cross its end are made of parts that are
 * aligned: of elements of a vector, and of bytes or shorts of an element. */
void unaligned_lower(struct rewrite *rewrite);

#endif
