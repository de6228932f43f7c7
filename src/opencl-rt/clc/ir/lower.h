/* Rewrites of the LLVM module that make the back end produce right code. */
#ifndef M2S_OPENCL_RT_CLC_IR_LOWER_H
#define M2S_OPENCL_RT_CLC_IR_LOWER_H

#include <llvm-c/Core.h>

#include "base/error.h"
#include "evergreen/kernel/kernel.h"

/* Inlines all calls, so that functions that are no kernels disappear into the
 * kernels that use them: the back end compiles such functions badly. A kernel
 * may be called like any function, too (OpenCL 1.2, section 6.9 i); it stays.
 * -1 and *error. */
int lower_inline(LLVMModuleRef module, struct error *error);

/* Keeps only what the kernels need and inlines every call. Then:
 *
 *  - images and samplers become numbers (images.h, with `program`);
 *  - atomics on global memory become marks (marker.h);
 *  - memory fences wait for the stores;
 *  - work-item and work-group ids are frozen (the back end cannot select
 *    vectors of their registers);
 *  - unused volatile loads of local memory are removed (they crash the back
 *    end);
 *  - negative zeros are hidden (zero.h);
 *  - every return gets its tail mark.
 *
 * -1 and *error for what the device cannot do: a call of a function without a
 * body, recursion, 64-bit atomics. */
int lower_module(LLVMModuleRef module, struct evg_program *program,
		 struct error *error);

/* For one of the fallbacks: splits a kernel's vector operations into scalar
 * ones, and freezes elements that are taken from vectors of two and three. So
 * the back end meets no insertions that it cannot select. */
int lower_vectors(LLVMModuleRef module, LLVMValueRef kernel,
		  struct error *error);

#endif
