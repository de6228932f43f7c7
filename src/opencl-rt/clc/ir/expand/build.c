#include "opencl-rt/clc/ir/expand/build.h"

#include <stdlib.h>

#include "base/memory.h"
#include "opencl-rt/clc/ir/rewrite.h"

static bool is_vector(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

LLVMTypeRef expand_element(LLVMTypeRef type)
{
	return is_vector(type) ? LLVMGetElementType(type) : type;
}

/* Integers of `width` bits, as many as the call's first operand has elements.
 */
LLVMTypeRef expand_integers(const struct expansion *expansion, int width)
{
	LLVMTypeRef type = LLVMIntTypeInContext(
	    LLVMGetModuleContext(expansion->module), (unsigned)width);

	return is_vector(expansion->type)
		   ? LLVMVectorType(type, LLVMGetVectorSize(expansion->type))
		   : type;
}

LLVMValueRef expand_constant(LLVMTypeRef type, long long value)
{
	LLVMValueRef number =
	    LLVMConstInt(expand_element(type), (unsigned long long)value, true);
	unsigned count = is_vector(type) ? LLVMGetVectorSize(type) : 0;
	LLVMValueRef *numbers = xcalloc(count + 1, sizeof *numbers);

	for (unsigned i = 0; i < count; i++)
		numbers[i] = number;
	if (count)
		number = LLVMConstVector(numbers, count);
	free(numbers);
	return number;
}

LLVMValueRef expand_op(const struct expansion *expansion, LLVMOpcode opcode,
		       LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildBinOp(expansion->builder, opcode, a, b, "");
}

/* With a number that is known. */
LLVMValueRef expand_op_by(const struct expansion *expansion, LLVMOpcode opcode,
			  LLVMValueRef a, long long number)
{
	return expand_op(expansion, opcode, a,
			 expand_constant(LLVMTypeOf(a), number));
}

LLVMValueRef expand_choose(const struct expansion *expansion,
			   LLVMValueRef condition, LLVMValueRef yes,
			   LLVMValueRef no)
{
	return LLVMBuildSelect(expansion->builder, condition, yes, no, "");
}

LLVMValueRef expand_compare(const struct expansion *expansion,
			    LLVMIntPredicate predicate, LLVMValueRef a,
			    LLVMValueRef b)
{
	return LLVMBuildICmp(expansion->builder, predicate, a, b, "");
}

LLVMValueRef expand_compare_with(const struct expansion *expansion,
				 LLVMIntPredicate predicate, LLVMValueRef a,
				 long long number)
{
	return expand_compare(expansion, predicate, a,
			      expand_constant(LLVMTypeOf(a), number));
}

/* The same number with more or fewer bits; new ones are 0. */
LLVMValueRef expand_resize(const struct expansion *expansion, LLVMValueRef a,
			   int width)
{
	int from = (int)LLVMGetIntTypeWidth(expand_element(LLVMTypeOf(a)));
	LLVMTypeRef type = expand_integers(expansion, width);

	if (from == width)
		return a;
	return from > width ? LLVMBuildTrunc(expansion->builder, a, type, "")
			    : LLVMBuildZExt(expansion->builder, a, type, "");
}

bool expand_is_named(const struct expansion *expansion, const char *start)
{
	return starts_with(
	    LLVMGetValueName(LLVMGetCalledValue(expansion->call)), start);
}
