/* Image parameters of kernels. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/clc/ir/image-lowering.h"

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

/* An empty function like the kernel, with wide image parameters. */
static LLVMValueRef declare_widened(struct lowering *lowering, LLVMValueRef old)
{
	const struct evg_kernel *kernel = lowering->kernel;
	uint32_t count = kernel->argument_count;
	LLVMTypeRef *types = xcalloc(count + 1, sizeof *types);
	LLVMValueRef new;

	for (uint32_t i = 0; i < count; i++)
		types[i] = kernel->arguments[i].kind == EVG_ARGUMENT_IMAGE
			       ? lowering->image_type
			       : LLVMTypeOf(LLVMGetParam(old, i));
	new = LLVMAddFunction(
	    lowering->module, "",
	    LLVMFunctionType(LLVMVoidTypeInContext(lowering->context), types,
			     count, false));
	free(types);
	LLVMSetFunctionCallConv(new, LLVMGetFunctionCallConv(old));
	LLVMSetLinkage(new, LLVMGetLinkage(old));
	copy_attributes(old, new, LLVMAttributeFunctionIndex);
	for (uint32_t i = 0; i < count; i++)
		if (kernel->arguments[i].kind != EVG_ARGUMENT_IMAGE)
			copy_attributes(old, new, i + 1);
	copy_metadata(old, new);
	return new;
}

static void move_body(struct lowering *lowering, LLVMValueRef old,
		      LLVMValueRef new)
{
	LLVMBasicBlockRef place = LLVMAppendBasicBlockInContext(
			      lowering->context, new, ""),
			  block;

	while ((block = LLVMGetFirstBasicBlock(old)))
		LLVMMoveBasicBlockBefore(block, place);
	LLVMDeleteBasicBlock(place);
}

void image_parameters_widen(struct lowering *lowering, LLVMValueRef old)
{
	const struct evg_kernel *kernel = lowering->kernel;
	LLVMValueRef new = declare_widened(lowering, old);

	move_body(lowering, old, new);
	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		const struct evg_argument *argument = &kernel->arguments[i];
		LLVMValueRef parameter = LLVMGetParam(new, i);

		if (argument->kind == EVG_ARGUMENT_IMAGE)
			parameter = LLVMConstIntToPtr(
			    lowering_number(lowering, argument->number),
			    lowering->object_type);
		LLVMReplaceAllUsesWith(LLVMGetParam(old, i), parameter);
	}
	LLVMDeleteFunction(old);
	LLVMSetValueName2(new, kernel->name, strlen(kernel->name));
	lowering->function = new;
}
