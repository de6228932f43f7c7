/* Dwords of scratch memory. */
#ifndef M2S_OPENCL_RT_CLC_IR_ACCESS_DWORD_H
#define M2S_OPENCL_RT_CLC_IR_ACCESS_DWORD_H

#include "opencl-rt/clc/ir/rewrite.h"

/* The dword with the byte at an address. */
LLVMValueRef access_read_dword(struct rewrite *rewrite, LLVMValueRef address);
void access_write_dword(struct rewrite *rewrite, LLVMValueRef address,
			LLVMValueRef value);
/* The integer type of this number of bytes. */
LLVMTypeRef access_integer(struct rewrite *rewrite, unsigned bytes);

#endif
