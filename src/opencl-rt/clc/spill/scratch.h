/* Private variables in scratch memory instead of registers. */
#ifndef M2S_OPENCL_RT_CLC_IR_SCRATCH_H
#define M2S_OPENCL_RT_CLC_IR_SCRATCH_H

#include <llvm-c/Core.h>
#include <stdint.h>

#include "base/error.h"

/* Moves the private variables of a kernel, which calls no functions any more,
 * to scratch memory. A variable becomes a constant address there; pointers
 * stay what they are, and only loads, stores and copies through them change,
 * into marks (marker.h) for whole dwords. *bytes: what a work-item needs, 0
 * when there was nothing to move. -1 and *error for more than
 * EVG_SCRATCH_SIZE_MAX and for what private memory cannot do. */
int scratch_lower(LLVMModuleRef module, LLVMValueRef kernel, uint32_t *bytes,
		  struct error *error);

/* Makes private variables of the values that a kernel keeps in registers from
 * one basic block to another, after cutting long blocks: the kernel then needs
 * few registers, and time. scratch_lower is to follow. */
int scratch_spill(LLVMModuleRef module, LLVMValueRef kernel,
		  struct error *error);

#endif
