#include "opencl-rt/clc/ir/inline.h"

#include "opencl-rt/clc/ir/rewrite.h"
#include "opencl-rt/clc/ir/signature.h"

int calls_inline(LLVMModuleRef module, struct error *error)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMValueRef value;

	for (value = LLVMGetFirstFunction(module); value;
	     value = LLVMGetNextFunction(value)) {
		if (LLVMIsDeclaration(value))
			continue;
		set_attribute(context, value, "noinline", false);
		set_attribute(context, value, "optnone", false);
		if (!is_kernel(value))
			LLVMSetLinkage(value, LLVMInternalLinkage);
		set_attribute(context, value, "alwaysinline", true);
	}
	for (value = LLVMGetFirstGlobal(module); value;
	     value = LLVMGetNextGlobal(value))
		if (!LLVMIsDeclaration(value) &&
		    LLVMGetLinkage(value) != LLVMAppendingLinkage)
			LLVMSetLinkage(value, LLVMInternalLinkage);
	return run_passes(module, "always-inline,globaldce", error);
}
