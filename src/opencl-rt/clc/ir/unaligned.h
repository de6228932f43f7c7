/* Private and local memory at addresses that are not aligned. */
#ifndef M2S_OPENCL_RT_CLC_IR_UNALIGNED_H
#define M2S_OPENCL_RT_CLC_IR_UNALIGNED_H

#include "opencl-rt/clc/ir/rewrite.h"

/* LLVM assumes that every load and store of private memory is one of a dword,
 * or of bytes within one dword, and reads and writes a vector of two bytes in
 * local memory as an aligned short. Here accesses that may cross the end of a
 * dword are split into aligned parts: elements of a vector, and bytes or shorts
 * of an element. */
void unaligned_lower(struct rewrite *rewrite);

#endif
