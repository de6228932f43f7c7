/* Cutting basic blocks. */
#ifndef M2S_OPENCL_RT_CLC_IR_BLOCK_H
#define M2S_OPENCL_RT_CLC_IR_BLOCK_H

#include <llvm-c/Core.h>

/* Moves everything before an instruction (no phi) into a new block in front of
 * its block. The old block keeps its name, the instruction and what follows, so
 * that later blocks need no change. The new block has no terminator yet: the
 * caller builds a branch. */
LLVMBasicBlockRef block_split(LLVMValueRef inst);

/* Does block_split and builds the branch. */
void block_cut(LLVMValueRef inst);

#endif
