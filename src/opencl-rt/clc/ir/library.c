#include "opencl-rt/clc/ir/library.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <stddef.h>

/* What the library has is for the kernels only, and may come twice: the library
 * may be linked again. */
static void hide(LLVMModuleRef library)
{
	for (LLVMValueRef value = LLVMGetFirstFunction(library); value;
	     value = LLVMGetNextFunction(value))
		if (!LLVMIsDeclaration(value))
			LLVMSetLinkage(value, LLVMLinkOnceODRLinkage);
	for (LLVMValueRef value = LLVMGetFirstGlobal(library); value;
	     value = LLVMGetNextGlobal(value))
		if (LLVMGetLinkage(value) == LLVMExternalLinkage &&
		    !LLVMIsDeclaration(value))
			LLVMSetLinkage(value, LLVMLinkOnceODRLinkage);
}

int library_link(LLVMModuleRef module, const char *path, struct error *error)
{
	LLVMMemoryBufferRef buffer = NULL;
	LLVMModuleRef library = NULL;
	char *text = NULL;

	if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &text)) {
		error_set(error, "cannot read %s: %s", path, text);
		LLVMDisposeMessage(text);
		return -1;
	}
	if (LLVMParseBitcodeInContext2(LLVMGetModuleContext(module), buffer,
				       &library)) {
		LLVMDisposeMemoryBuffer(buffer);
		return error_set(error, "%s is not bitcode: install m2s again",
				 path);
	}
	LLVMDisposeMemoryBuffer(buffer);
	hide(library);
	if (LLVMLinkModules2(module, library))
		return error_set(error, "%s does not fit the program: install "
				 "m2s again", path);
	return 0;
}
