/* Vectors of coordinates and colours, as the back end can select them. */
#include "base/memory.h"
#include "opencl-rt/clc/ir/images.h"

static bool is_vector_of_four(LLVMValueRef value)
{
	return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind &&
	       LLVMGetVectorSize(LLVMTypeOf(value)) == 4;
}

/* Element i of a vector, from where it was before it came into vectors. */
static LLVMValueRef element_of(LLVMBuilderRef builder, LLVMTypeRef int_type,
			       LLVMValueRef from, unsigned i)
{
	LLVMValueRef index;
	unsigned size;
	int mask;

	if (LLVMIsAInsertElementInst(from)) {
		index = LLVMGetOperand(from, 2);
		if (LLVMIsAConstantInt(index))
			return LLVMConstIntGetZExtValue(index) == i
				       ? LLVMGetOperand(from, 1)
				       : element_of(builder, int_type,
						    LLVMGetOperand(from, 0),
						    i);
	}
	if (LLVMIsAShuffleVectorInst(from)) {
		size = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(from, 0)));
		mask = LLVMGetMaskValue(from, i);
		if (mask < 0)
			return LLVMGetUndef(
				LLVMGetElementType(LLVMTypeOf(from)));
		return element_of(builder, int_type,
				  LLVMGetOperand(from, (unsigned)mask >= size),
				  (unsigned)mask % size);
	}
	if (LLVMIsABitCastInst(from) && is_vector_of_four(from) &&
	    is_vector_of_four(LLVMGetOperand(from, 0)))
		return LLVMBuildBitCast(
			builder,
			element_of(builder, int_type, LLVMGetOperand(from, 0),
				   i),
			LLVMGetElementType(LLVMTypeOf(from)), "");
	return LLVMBuildExtractElement(
		builder, from, LLVMConstInt(int_type, i, false), "");
}

static void split_operand(LLVMBuilderRef builder, LLVMValueRef call,
			  unsigned operand)
{
	LLVMValueRef from = LLVMGetOperand(call, operand), element, index;
	LLVMValueRef place = LLVMGetUndef(LLVMTypeOf(from));
	LLVMTypeRef int_type =
		LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(from)));

	LLVMPositionBuilderBefore(builder, call);
	for (unsigned i = 0; i < 4; i++) {
		index = LLVMConstInt(int_type, i, false);
		element = element_of(builder, int_type, from, i);
		if (!LLVMIsConstant(element))
			element = LLVMBuildFreeze(builder, element, "");
		place = LLVMBuildInsertElement(builder, place, element, index,
					       "");
	}
	LLVMSetOperand(call, operand, place);
}

void images_split_coordinates(LLVMModuleRef module)
{
	static const struct {
		const char *name;
		unsigned operand;
	} calls[] = {
		{ SAMPLE_INTRINSIC, 0 },
		{ LOAD_INTRINSIC, 0 },
		{ STORE_INTRINSIC, 0 },
		{ STORE_INTRINSIC, 1 },
	};
	LLVMBuilderRef builder =
		LLVMCreateBuilderInContext(LLVMGetModuleContext(module));

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		LLVMValueRef function = LLVMGetNamedFunction(module,
							     calls[i].name);
		LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL;

		for (; use; use = LLVMGetNextUse(use))
			split_operand(builder, LLVMGetUser(use),
				      calls[i].operand);
	}
	LLVMDisposeBuilder(builder);
}
