#include "opencl-rt/clc/ir/block.h"

static void retarget(LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
	LLVMValueRef function = LLVMGetBasicBlockParent(from);
	LLVMBasicBlockRef block;

	for (block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

		for (unsigned i = 0; end && i < LLVMGetNumSuccessors(end); i++)
			if (LLVMGetSuccessor(end, i) == from)
				LLVMSetSuccessor(end, i, to);
	}
}

LLVMBasicBlockRef block_split(LLVMValueRef inst)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(inst), head;
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(inst));
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMValueRef first;

	head = LLVMInsertBasicBlockInContext(context, block, "");
	retarget(block, head);
	LLVMPositionBuilderAtEnd(builder, head);
	while ((first = LLVMGetFirstInstruction(block)) != inst) {
		LLVMInstructionRemoveFromParent(first);
		LLVMInsertIntoBuilder(builder, first);
	}
	LLVMDisposeBuilder(builder);
	return head;
}

void block_cut(LLVMValueRef inst)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(inst);
	LLVMBasicBlockRef head = block_split(inst);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(
		LLVMGetTypeContext(LLVMTypeOf(inst)));

	LLVMPositionBuilderAtEnd(builder, head);
	LLVMBuildBr(builder, block);
	LLVMDisposeBuilder(builder);
}
