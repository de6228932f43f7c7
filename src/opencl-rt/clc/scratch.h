/* Private arrays in scratch memory instead of registers. */
#ifndef M2S_OPENCL_RT_CLC_SCRATCH_H
#define M2S_OPENCL_RT_CLC_SCRATCH_H

#include <llvm-c/Core.h>
#include <stdint.h>

#include "base/error.h"

/* Moves the private variables of a kernel (which has no calls to other
 * functions left) that are larger than `keep` bytes to scratch memory. A
 * variable becomes a constant address there; pointers stay what they are, and
 * only loads, stores and copies through them change, into marks (marker.h) for
 * whole dwords. When any variable moves, all do that share a pointer with it:
 * a pointer that is neither certainly to scratch nor certainly to registers
 * makes everything move. *bytes: what a work-item needs. -1 and *error for
 * more than EVG_SCRATCH_SIZE_MAX and for what cannot be done with private
 * memory. */
int scratch_lower(LLVMModuleRef module, LLVMValueRef kernel, uint32_t *bytes,
		  struct error *error);

#endif
