#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/clc/ir/library.h"
#include "opencl-rt/clc/ir/doubles.h"

/* Functions of the helper library (helper/double-*.cl) for what is an
 * instruction or intrinsic of LLVM and not of the device. */
struct replacement {
	const char *intrinsic; /* up to its type; NULL: an instruction */
	LLVMOpcode opcode;
	const char *function;
};

static const struct replacement replacements[] = {
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

/* The same for floats, on chips without FMA. */
static const struct replacement fused = {
	"llvm.fma.", LLVMCall, "__m2s_fma_32"
};

static LLVMTypeKind number_kind(LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);

	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type);
}

static const char *called_name(LLVMValueRef inst)
{
	LLVMValueRef callee = NULL;

	if (LLVMGetInstructionOpcode(inst) == LLVMCall)
		callee = LLVMIsAFunction(LLVMGetCalledValue(inst));
	return callee ? LLVMGetValueName(callee) : "";
}

static bool fits(const struct replacement *row, LLVMValueRef inst)
{
	return row->opcode == LLVMGetInstructionOpcode(inst) &&
	       (!row->intrinsic || !strncmp(called_name(inst), row->intrinsic,
					    strlen(row->intrinsic)));
}

static const char *replacement_of(LLVMValueRef inst, enum evg_chip chip)
{
	LLVMTypeKind kind = number_kind(inst);

	if (kind == LLVMFloatTypeKind && !evg_chip_info[chip].fma &&
	    fits(&fused, inst))
		return fused.function;
	for (size_t i = 0; kind == LLVMDoubleTypeKind &&
			   i < ARRAY_SIZE(replacements); i++)
		if (fits(&replacements[i], inst))
			return replacements[i].function;
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
	bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
	unsigned elements = is_vector ? LLVMGetVectorSize(type) : 1;
	LLVMTypeRef number = is_vector ? LLVMGetElementType(type) : type;
	LLVMTypeRef types[] = { number, number, number }, function_type;
	LLVMValueRef function = LLVMGetNamedFunction(module, name);
	LLVMValueRef result = LLVMGetUndef(type);

	function_type = LLVMFunctionType(number, types, (unsigned)count, false);
	if (!function)
		function = LLVMAddFunction(module, name, function_type);
	LLVMPositionBuilderBefore(builder, inst);
	for (unsigned i = 0; i < elements; i++) {
		LLVMValueRef index = LLVMConstInt(
			LLVMInt32TypeInContext(context), i, false);
		LLVMValueRef arguments[3], value;

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

static bool replace_all(LLVMModuleRef module, enum evg_chip chip)
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
				const char *name = replacement_of(inst, chip);

				if (name)
					replace(module, builder, inst, name);
				any |= name != NULL;
				inst = next;
			}
		}
	LLVMDisposeBuilder(builder);
	return any;
}

int doubles_lower(LLVMModuleRef module, const char *helper, enum evg_chip chip,
		  struct error *error)
{
	/* The library divides, too; a function that it calls by an
	 * instruction is in it. */
	if (!replace_all(module, chip))
		return 0;
	if (library_link(module, helper, error))
		return -1;
	replace_all(module, chip);
	return 1;
}
