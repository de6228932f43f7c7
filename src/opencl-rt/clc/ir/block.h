/* Cutting basic blocks. */
#ifndef M2S_OPENCL_RT_CLC_IR_BLOCK_H
#define M2S_OPENCL_RT_CLC_IR_BLOCK_H

#include <llvm-c/Core.h>

/* Moves everything before an instruction (no phi) into a new block in front of
 * its own, which keeps its name, the instruction and what follows, so that
 * blocks after it need no change. The new block has no end yet: its caller
 * builds a branch. */
LLVMBasicBlockRef block_split(LLVMValueRef inst);

/* The same with a branch. */
void block_cut(LLVMValueRef inst);

#endif
