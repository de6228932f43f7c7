/* Loads, stores and copies of scratch memory, which become marks (marker.h). */
#ifndef M2S_OPENCL_RT_CLC_IR_ACCESS_H
#define M2S_OPENCL_RT_CLC_IR_ACCESS_H

#include "opencl-rt/clc/ir/rewrite.h"

bool is_private(LLVMValueRef value);

/* Replace one instruction on private memory. -1 and *error for types that
 * OpenCL C does not have. */
int access_load(struct rewrite *rewrite, LLVMValueRef load);
int access_store(struct rewrite *rewrite, LLVMValueRef store);
/* Replaces a call of LLVM's memory intrinsics on private memory. Other calls
 * stay. */
int access_copy(struct rewrite *rewrite, LLVMValueRef call);

/* The same for every kind of memory, as ordinary loads and stores. */
void access_copy_plainly(struct rewrite *rewrite, LLVMValueRef call);

/* The parts of copies. `size` is 1, 2 or 4 bytes, and the address (bytes) is
 * aligned to it. Values have 8 * size bits. */
LLVMValueRef access_read(struct rewrite *rewrite, LLVMValueRef address,
			 unsigned size);
void access_write(struct rewrite *rewrite, LLVMValueRef address,
		  LLVMValueRef value, unsigned size);

#endif
