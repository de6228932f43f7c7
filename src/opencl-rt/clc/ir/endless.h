/* Loops with no way out. */
#ifndef M2S_OPENCL_RT_CLC_IR_ENDLESS_H
#define M2S_OPENCL_RT_CLC_IR_ENDLESS_H

#include <llvm-c/Core.h>

/* Gives each loop that lanes never leave a way out that they never take, so that
 * all control flow of a function ends at a return; what cannot be reached returns,
 * too. Switches have been lowered. */
void endless_lower(LLVMModuleRef module);

#endif
