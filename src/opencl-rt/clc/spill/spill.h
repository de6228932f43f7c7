/* Values moved to scratch memory where a kernel has more than registers. */
#ifndef M2S_OPENCL_RT_CLC_SPILL_SPILL_H
#define M2S_OPENCL_RT_CLC_SPILL_SPILL_H

#include <llvm-c/Core.h>

#include "base/error.h"

/* Makes private variables of some values of a kernel, so that no more than
 * `dwords` of registers are taken at once where that can be had: those that
 * relieve the most crowded places for the fewest accesses. Values that are
 * never wanted at the same time share variables. scratch_lower is to follow,
 * and LLVM must leave instructions in their order. */
int spill_values(LLVMModuleRef module, LLVMValueRef kernel, unsigned dwords,
		 struct error *error);

/* Computes the addresses of parameters where they are used, so that no value of
 * that kind is wanted elsewhere. */
void spill_bring_parameters(LLVMModuleRef module, LLVMValueRef kernel);

#endif
