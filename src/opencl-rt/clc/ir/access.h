/* Loads, stores and copies of scratch memory, made of marks (marker.h). */
#ifndef M2S_OPENCL_RT_CLC_IR_ACCESS_H
#define M2S_OPENCL_RT_CLC_IR_ACCESS_H

#include "opencl-rt/clc/ir/rewrite.h"

bool is_private(LLVMValueRef value);

/* Replace one instruction on private memory. -1 and *error for types that
 * nothing in OpenCL C has. */
int access_load(struct rewrite *rewrite, LLVMValueRef load);
int access_store(struct rewrite *rewrite, LLVMValueRef store);
/* A call, which may be anything: only the memory intrinsics of LLVM on private
 * memory are replaced. */
int access_copy(struct rewrite *rewrite, LLVMValueRef call);

/* The parts that copies are made of: `size` is 1, 2 or 4 bytes, to which the
 * address (bytes) is aligned; values have 8 * size bits. */
LLVMValueRef access_read(struct rewrite *rewrite, LLVMValueRef address,
			 unsigned size);
void access_write(struct rewrite *rewrite, LLVMValueRef address,
		  LLVMValueRef value, unsigned size);

#endif
