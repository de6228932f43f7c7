/* Private variables in scratch memory instead of registers. */
#ifndef M2S_OPENCL_RT_CLC_IR_SCRATCH_H
#define M2S_OPENCL_RT_CLC_IR_SCRATCH_H

#include <llvm-c/Core.h>
#include <stdint.h>

#include "base/error.h"

/* Moves the private variables of a kernel, all of whose calls are inlined, to
 * scratch memory. A variable becomes a constant address there. Pointers stay as
 * they are; only loads, stores and copies through them become marks (marker.h)
 * for whole dwords. *bytes: the scratch memory of a work-item, 0 when no
 * variable was moved. -1 and *error for more than EVG_SCRATCH_SIZE_MAX and for
 * operations that private memory does not support. */
int scratch_lower(LLVMModuleRef module, LLVMValueRef kernel, uint32_t *bytes,
		  struct error *error);

/* Cuts long basic blocks, and makes private variables of the values that a
 * kernel keeps in registers from one block to another. The kernel then needs
 * few registers, and more time. scratch_lower must follow. */
int scratch_spill(LLVMModuleRef module, LLVMValueRef kernel,
		  struct error *error);

#endif
