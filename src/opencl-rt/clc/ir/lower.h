/* Rewrites of the LLVM module that make the back end's code right. */
#ifndef M2S_OPENCL_RT_CLC_IR_LOWER_H
#define M2S_OPENCL_RT_CLC_IR_LOWER_H

#include <llvm-c/Core.h>

#include "base/error.h"
#include "evergreen/kernel/kernel.h"

/* Functions that are not kernels would be compiled on their own too, badly:
 * makes them disappear into the kernels that use them. A kernel may be called
 * like any function, too (OpenCL 1.2, section 6.9 i); it stays. */
int lower_inline(LLVMModuleRef module, struct error *error);

/* Keeps only what the kernels need, inlines every call, and then: images and
 * samplers become numbers (images.h, with `program`); atomics on
 * global memory become marks (marker.h); memory fences wait for the stores;
 * work-item and work-group ids are frozen (the back end cannot select vectors
 * of their registers); unused volatile loads of local memory go away (they
 * crash it); negative zeros are hidden (zero.h); every return gets its tail mark. -1 and *error for what the device
 * cannot do: a call to something that has no body, recursion, 64-bit
 * atomics. */
int lower_module(LLVMModuleRef module, struct evg_program *program,
		 struct error *error);

/* For one of the fallbacks: splits a kernel's vector operations into scalar
 * ones and freezes elements taken from vectors of two and three, so that the
 * back end does not meet the insertions that it cannot select. */
int lower_vectors(LLVMModuleRef module, LLVMValueRef kernel,
		  struct error *error);

#endif
