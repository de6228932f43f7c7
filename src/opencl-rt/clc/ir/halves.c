#include "opencl-rt/clc/ir/halves.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { OPERANDS = 4 };

struct operation {
	LLVMBuilderRef builder;
	LLVMContextRef context;
	LLVMValueRef inst;
};

/* Floats, as many as there are halves in a type; NULL for other types. */
static LLVMTypeRef wide_type(const struct operation *operation,
			     LLVMTypeRef type)
{
	LLVMTypeRef single = LLVMFloatTypeInContext(operation->context);
	bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
	LLVMTypeRef element = is_vector ? LLVMGetElementType(type) : type;

	if (LLVMGetTypeKind(element) != LLVMHalfTypeKind)
		return NULL;
	return is_vector ? LLVMVectorType(single, LLVMGetVectorSize(type))
			 : single;
}

static LLVMTypeRef wide_or_same(const struct operation *operation,
				LLVMTypeRef type)
{
	LLVMTypeRef wide = wide_type(operation, type);

	return wide ? wide : type;
}

static LLVMValueRef wide_operand(const struct operation *operation,
				 unsigned index)
{
	LLVMValueRef value = LLVMGetOperand(operation->inst, index);
	LLVMTypeRef wide = wide_type(operation, LLVMTypeOf(value));

	return wide ? LLVMBuildFPExt(operation->builder, value, wide, "")
		    : value;
}

/* "llvm.fabs.v2f32" for "llvm.fabs.v2f16". */
static char *wide_name(const char *name)
{
	char *wide = xstrdup(name), *at = wide;

	while ((at = strstr(at, "f16")))
		memcpy(at, "f32", 3);
	return wide;
}

/* One of LLVM's functions, such as fabs; NULL for others. */
static LLVMValueRef wide_call(const struct operation *operation)
{
	LLVMValueRef callee = LLVMGetCalledValue(operation->inst), function;
	LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(
		LLVMGetInstructionParent(operation->inst)));
	unsigned count = LLVMGetNumArgOperands(operation->inst);
	LLVMTypeRef types[OPERANDS], type;
	LLVMValueRef operands[OPERANDS];
	char *name;

	if (!LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee) ||
	    count > OPERANDS)
		return NULL;
	for (unsigned i = 0; i < count; i++) {
		operands[i] = wide_operand(operation, i);
		types[i] = LLVMTypeOf(operands[i]);
	}
	type = LLVMFunctionType(
		wide_or_same(operation, LLVMTypeOf(operation->inst)), types,
		count, false);
	name = wide_name(LLVMGetValueName(callee));
	function = LLVMGetNamedFunction(module, name);
	if (!function)
		function = LLVMAddFunction(module, name, type);
	free(name);
	return LLVMBuildCall2(operation->builder, type, function, operands,
			      count, "");
}

/* The operation on floats; NULL for what works with halves as they are. */
static LLVMValueRef operation_on_floats(const struct operation *operation)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(operation->inst);
	LLVMTypeRef type = LLVMTypeOf(operation->inst);

	switch (opcode) {
	case LLVMFAdd:
	case LLVMFSub:
	case LLVMFMul:
	case LLVMFDiv:
	case LLVMFRem:
		return LLVMBuildBinOp(operation->builder, opcode,
				      wide_operand(operation, 0),
				      wide_operand(operation, 1), "");
	case LLVMFNeg:
		return LLVMBuildFNeg(operation->builder,
				     wide_operand(operation, 0), "");
	case LLVMFCmp:
		return LLVMBuildFCmp(operation->builder,
				     LLVMGetFCmpPredicate(operation->inst),
				     wide_operand(operation, 0),
				     wide_operand(operation, 1), "");
	case LLVMFPToUI:
	case LLVMFPToSI:
	case LLVMUIToFP:
	case LLVMSIToFP:
		return LLVMBuildCast(operation->builder, opcode,
				     wide_operand(operation, 0),
				     wide_or_same(operation, type), "");
	case LLVMCall:
		return wide_call(operation);
	default:
		return NULL;
	}
}

static bool has_halves(const struct operation *operation)
{
	unsigned count = (unsigned)LLVMGetNumOperands(operation->inst);

	for (unsigned i = 0; i < count; i++)
		if (wide_type(operation, LLVMTypeOf(LLVMGetOperand(
						 operation->inst, i))))
			return true;
	return wide_type(operation, LLVMTypeOf(operation->inst));
}

static void lower(const struct operation *operation)
{
	LLVMTypeRef type = LLVMTypeOf(operation->inst);
	LLVMValueRef value;

	if (!has_halves(operation))
		return;
	LLVMPositionBuilderBefore(operation->builder, operation->inst);
	value = operation_on_floats(operation);
	if (!value)
		return;
	if (wide_type(operation, type))
		value = LLVMBuildFPTrunc(operation->builder, value, type, "");
	LLVMReplaceAllUsesWith(operation->inst, value);
	LLVMInstructionEraseFromParent(operation->inst);
}

void halves_lower(LLVMModuleRef module)
{
	struct operation operation = {
		.context = LLVMGetModuleContext(module),
	};

	operation.builder = LLVMCreateBuilderInContext(operation.context);
	for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
	     function = LLVMGetNextFunction(function))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
		     block; block = LLVMGetNextBasicBlock(block)) {
			LLVMValueRef next = LLVMGetFirstInstruction(block);

			while ((operation.inst = next)) {
				next = LLVMGetNextInstruction(next);
				lower(&operation);
			}
		}
	LLVMDisposeBuilder(operation.builder);
}
