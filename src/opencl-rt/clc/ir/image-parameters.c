/* Image parameters of kernels. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/clc/ir/image-lowering.h"
#include "opencl-rt/clc/ir/retype.h"

/* The kernel with wide image parameters. */
static LLVMValueRef widen(struct lowering *lowering, LLVMValueRef old)
{
	const struct evg_kernel *kernel = lowering->kernel;
	uint32_t count = kernel->argument_count;
	LLVMTypeRef *types = xcalloc(count + 1, sizeof *types);
	LLVMValueRef new;

	for (uint32_t i = 0; i < count; i++)
		types[i] = kernel->arguments[i].kind == EVG_ARGUMENT_IMAGE
			       ? lowering->image_type
			       : LLVMTypeOf(LLVMGetParam(old, i));
	new = retype_function(lowering->module, old, types);
	free(types);
	return new;
}

void image_parameters_widen(struct lowering *lowering, LLVMValueRef old)
{
	const struct evg_kernel *kernel = lowering->kernel;
	LLVMValueRef new = widen(lowering, old);

	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		const struct evg_argument *argument = &kernel->arguments[i];
		LLVMValueRef parameter = LLVMGetParam(new, i);

		if (argument->kind == EVG_ARGUMENT_IMAGE)
			parameter = LLVMConstIntToPtr(
			    lowering_number(lowering, argument->number),
			    LLVMTypeOf(LLVMGetParam(old, i)));
		LLVMReplaceAllUsesWith(LLVMGetParam(old, i), parameter);
	}
	LLVMDeleteFunction(old);
	LLVMSetValueName2(new, kernel->name, strlen(kernel->name));
	lowering->function = new;
}
