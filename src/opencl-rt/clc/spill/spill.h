/* Values that move to scratch memory where a kernel needs more registers than
 * it has. */
#ifndef M2S_OPENCL_RT_CLC_SPILL_SPILL_H
#define M2S_OPENCL_RT_CLC_SPILL_SPILL_H

#include <llvm-c/Core.h>

#include "base/error.h"

/* Makes private variables of some values of a kernel, so that at most `dwords`
 * of registers are live at once as far as possible. It chooses the values that
 * relieve the most crowded places for the fewest accesses. Values that are
 * never live at the same time share variables. scratch_lower must follow, and
 * LLVM must keep the order of instructions. */
int spill_values(LLVMModuleRef module, LLVMValueRef kernel, unsigned dwords,
		 struct error *error);

/* Computes the addresses of parameters where they are used, so that none of
 * these values stays live elsewhere. */
void spill_bring_parameters(LLVMModuleRef module, LLVMValueRef kernel);

#endif
