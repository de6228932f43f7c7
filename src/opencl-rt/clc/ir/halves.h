/* Arithmetic on halves, which the device does not have. */
#ifndef M2S_OPENCL_RT_CLC_IR_HALVES_H
#define M2S_OPENCL_RT_CLC_IR_HALVES_H

#include <llvm-c/Core.h>

/* Operations on halves become operations on floats between conversions. A
 * program has halves in memory only, but LLVM finds that an operation on floats
 * which come from halves and become one might as well be done on halves: it must
 * not have a chance to do so again. */
void halves_lower(LLVMModuleRef module);

#endif
