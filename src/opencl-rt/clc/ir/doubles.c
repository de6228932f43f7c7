#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/clc/ir/doubles.h"

/* Functions of the helper library (helper/double-*.cl) for what is an
 * instruction or intrinsic of LLVM and not of the device. */
static const struct {
	const char *intrinsic; /* up to its type; NULL: an instruction */
	LLVMOpcode opcode;
	const char *function;
} replacements[] = {
	{ NULL, LLVMFDiv, "__m2s_divide_64" },
	{ NULL, LLVMFRem, "_Z4fmoddd" },
	{ "llvm.sqrt.", LLVMCall, "_Z4sqrtd" },
	{ "llvm.floor.", LLVMCall, "_Z5floord" },
	{ "llvm.ceil.", LLVMCall, "_Z4ceild" },
	{ "llvm.trunc.", LLVMCall, "_Z5truncd" },
	{ "llvm.rint.", LLVMCall, "_Z4rintd" },
	{ "llvm.nearbyint.", LLVMCall, "_Z4rintd" },
	{ "llvm.roundeven.", LLVMCall, "_Z4rintd" },
	{ "llvm.round.", LLVMCall, "_Z5roundd" },
};

static const char *replacement_of(LLVMValueRef inst)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
	LLVMTypeRef type = LLVMTypeOf(inst);
	const char *name = "";

	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	if (LLVMGetTypeKind(type) != LLVMDoubleTypeKind)
		return NULL;
	if (opcode == LLVMCall) {
		LLVMValueRef callee = LLVMGetCalledValue(inst);

		if (!LLVMIsAFunction(callee))
			return NULL;
		name = LLVMGetValueName(callee);
	}
	for (size_t i = 0; i < ARRAY_SIZE(replacements); i++) {
		const char *intrinsic = replacements[i].intrinsic;

		if (replacements[i].opcode == opcode &&
		    (!intrinsic || !strncmp(name, intrinsic,
					    strlen(intrinsic))))
			return replacements[i].function;
	}
	return NULL;
}

/* Calls the function for each element. */
static void replace(LLVMModuleRef module, LLVMBuilderRef builder,
		    LLVMValueRef inst, const char *name)
{
	bool is_call = LLVMGetInstructionOpcode(inst) == LLVMCall;
	int count = is_call ? (int)LLVMGetNumArgOperands(inst)
			    : LLVMGetNumOperands(inst);
	LLVMTypeRef type = LLVMTypeOf(inst);
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef number = LLVMDoubleTypeInContext(context);
	LLVMTypeRef types[2] = { number, number }, function_type;
	bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
	unsigned elements = is_vector ? LLVMGetVectorSize(type) : 1;
	LLVMValueRef function = LLVMGetNamedFunction(module, name);
	LLVMValueRef result = LLVMGetUndef(type);

	function_type = LLVMFunctionType(number, types, (unsigned)count, false);
	if (!function)
		function = LLVMAddFunction(module, name, function_type);
	LLVMPositionBuilderBefore(builder, inst);
	for (unsigned i = 0; i < elements; i++) {
		LLVMValueRef index = LLVMConstInt(
			LLVMInt32TypeInContext(context), i, false);
		LLVMValueRef arguments[2], value;

		for (int k = 0; k < count; k++) {
			value = LLVMGetOperand(inst, (unsigned)k);
			arguments[k] = is_vector
					       ? LLVMBuildExtractElement(
							 builder, value, index,
							 "")
					       : value;
		}
		value = LLVMBuildCall2(builder, function_type, function,
				       arguments, (unsigned)count, "");
		result = is_vector ? LLVMBuildInsertElement(builder, result,
							    value, index, "")
				   : value;
	}
	LLVMReplaceAllUsesWith(inst, result);
	LLVMInstructionEraseFromParent(inst);
}

static bool replace_all(LLVMModuleRef module)
{
	LLVMBuilderRef builder =
		LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
	bool any = false;

	for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
	     function = LLVMGetNextFunction(function))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
		     block; block = LLVMGetNextBasicBlock(block)) {
			LLVMValueRef inst = LLVMGetFirstInstruction(block);

			while (inst) {
				LLVMValueRef next =
					LLVMGetNextInstruction(inst);
				const char *name = replacement_of(inst);

				if (name)
					replace(module, builder, inst, name);
				any |= name != NULL;
				inst = next;
			}
		}
	LLVMDisposeBuilder(builder);
	return any;
}

/* The library's functions are for the kernels only. */
static void hide(LLVMModuleRef library)
{
	for (LLVMValueRef value = LLVMGetFirstFunction(library); value;
	     value = LLVMGetNextFunction(value))
		if (!LLVMIsDeclaration(value))
			LLVMSetLinkage(value, LLVMLinkOnceODRLinkage);
}

static int link_library(LLVMModuleRef module, const char *path,
			struct error *error)
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

int doubles_lower(LLVMModuleRef module, const char *helper,
		  struct error *error)
{
	/* The library divides, too; a function that it calls by an
	 * instruction is in it. */
	if (!replace_all(module))
		return 0;
	if (link_library(module, helper, error))
		return -1;
	replace_all(module);
	return 1;
}
