#include "opencl-rt/clc/ir/retype.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

static void copy_attributes(LLVMValueRef from, LLVMValueRef to,
			    LLVMAttributeIndex index)
{
	unsigned count = LLVMGetAttributeCountAtIndex(from, index);
	LLVMAttributeRef *list = xcalloc(count + 1, sizeof *list);

	LLVMGetAttributesAtIndex(from, index, list);
	for (unsigned i = 0; i < count; i++)
		LLVMAddAttributeAtIndex(to, index, list[i]);
	free(list);
}

static void copy_metadata(LLVMValueRef from, LLVMValueRef to)
{
	size_t count;
	LLVMValueMetadataEntry *entries =
	    LLVMGlobalCopyAllMetadata(from, &count);

	for (unsigned i = 0; i < count; i++)
		LLVMGlobalSetMetadata(
		    to, LLVMValueMetadataEntriesGetKind(entries, i),
		    LLVMValueMetadataEntriesGetMetadata(entries, i));
	LLVMDisposeValueMetadataEntries(entries);
}

/* Block by block out of one function and into the other: LLVMMoveBasicBlockBefore
 * of LLVM 19 leaves a block's function as it was. */
static void move_body(LLVMValueRef old, LLVMValueRef new)
{
	LLVMBasicBlockRef block;

	while ((block = LLVMGetFirstBasicBlock(old))) {
		LLVMRemoveBasicBlockFromParent(block);
		LLVMAppendExistingBasicBlock(new, block);
	}
}

LLVMValueRef retype_function(LLVMModuleRef module, LLVMValueRef old,
			     const LLVMTypeRef *types)
{
	unsigned count = LLVMCountParams(old);
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMValueRef new = LLVMAddFunction(
		module, "",
		LLVMFunctionType(LLVMVoidTypeInContext(context),
				 (LLVMTypeRef *)types, count, false));

	LLVMSetFunctionCallConv(new, LLVMGetFunctionCallConv(old));
	LLVMSetLinkage(new, LLVMGetLinkage(old));
	copy_attributes(old, new, LLVMAttributeFunctionIndex);
	for (unsigned i = 0; i < count; i++)
		if (types[i] == LLVMTypeOf(LLVMGetParam(old, i)))
			copy_attributes(old, new, i + 1);
	copy_metadata(old, new);
	move_body(old, new);
	return new;
}
