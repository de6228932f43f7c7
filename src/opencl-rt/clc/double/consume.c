#include "opencl-rt/clc/double/carrier-build.h"
#include "opencl-rt/clc/double/lower.h"
#include "opencl-rt/clc/double/operand.h"
#include "opencl-rt/clc/double/words.h"

#include <string.h>

#define TO_SINGLE_NAME "llvm.nvvm.d2f.rn.ftz" /* in helper/double-basic.cl */

static LLVMValueRef test(struct lowering *lowering,
			 enum carrier_operation operation, struct operand a,
			 struct operand b)
{
	LLVMValueRef mask;

	carrier_build(lowering, operation, a, b, &mask);
	return mask;
}

static LLVMValueRef compare_operands(struct lowering *lowering,
				     LLVMRealPredicate predicate,
				     struct operand a, struct operand b)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef mask = NULL;
	bool invert = false;

	switch (predicate) {
	case LLVMRealPredicateFalse:
	case LLVMRealPredicateTrue:
		return LLVMConstInt(lowering->bit,
				    predicate == LLVMRealPredicateTrue, false);
	case LLVMRealOEQ: mask = test(lowering, CARRIER_EQUAL, a, b); break;
	case LLVMRealUNE: mask = test(lowering, CARRIER_NOT_EQUAL, a, b); break;
	case LLVMRealULE: invert = true; /* fall through */
	case LLVMRealOGT: mask = test(lowering, CARRIER_GREATER, a, b); break;
	case LLVMRealULT: invert = true; /* fall through */
	case LLVMRealOGE: mask = test(lowering, CARRIER_NOT_LESS, a, b); break;
	case LLVMRealUGE: invert = true; /* fall through */
	case LLVMRealOLT: mask = test(lowering, CARRIER_GREATER, b, a); break;
	case LLVMRealUGT: invert = true; /* fall through */
	case LLVMRealOLE: mask = test(lowering, CARRIER_NOT_LESS, b, a); break;
	case LLVMRealUEQ: invert = true; /* fall through */
	case LLVMRealONE:
		mask = LLVMBuildOr(builder,
				   test(lowering, CARRIER_GREATER, a, b),
				   test(lowering, CARRIER_GREATER, b, a), "");
		break;
	case LLVMRealUNO: invert = true; /* fall through */
	case LLVMRealORD:
		mask = test(lowering, CARRIER_EQUAL, a, a);
		if (!LLVMIsConstant(b.high))
			mask = LLVMBuildAnd(
				builder, mask,
				test(lowering, CARRIER_EQUAL, b, b), "");
		break;
	}
	return LLVMBuildICmp(builder, invert ? LLVMIntEQ : LLVMIntNE, mask,
			     word_constant(lowering, 0), "");
}

static int lower_store(struct lowering *lowering, LLVMValueRef inst)
{
	LLVMValueRef value = LLVMGetOperand(inst, 0);
	LLVMValueRef *words = words_of(lowering, value);

	if (!words)
		return -1;
	LLVMPositionBuilderBefore(lowering->builder, inst);
	words_store(lowering, inst, words,
		    2 * element_count(LLVMTypeOf(value)));
	return 0;
}

/* Comparisons and conversions, element by element. */
static int lower_to_other(struct lowering *lowering, LLVMValueRef inst)
{
	LLVMTypeRef type = LLVMTypeOf(inst), part_type = type;
	LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
	LLVMValueRef result = LLVMGetUndef(type);
	struct operands a, b = { 0 };

	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		part_type = LLVMGetElementType(type);
	if (operands_read(lowering, LLVMGetOperand(inst, 0), &a) ||
	    (opcode == LLVMFCmp &&
	     operands_read(lowering, LLVMGetOperand(inst, 1), &b)))
		return -1;
	LLVMPositionBuilderBefore(lowering->builder, inst);
	for (unsigned i = 0; i < element_count(type); i++) {
		LLVMValueRef part;

		if (opcode == LLVMFCmp)
			part = compare_operands(
			    lowering, LLVMGetFCmpPredicate(inst),
			    operands_element(&a, i), operands_element(&b, i));
		else if (opcode == LLVMFPTrunc)
			part = double_to_single(lowering,
						operands_element(&a, i));
		else
			part = double_to_integer(lowering,
						 operands_element(&a, i),
						 part_type);
		result = set_element(lowering, result, part, i);
	}
	LLVMReplaceAllUsesWith(inst, result);
	return 0;
}

/* The helper library's call for numbers that are known to be normal. */
static int lower_to_normal_single(struct lowering *lowering, LLVMValueRef inst)
{
	struct operands a;

	if (operands_read(lowering, LLVMGetOperand(inst, 0), &a))
		return -1;
	LLVMPositionBuilderBefore(lowering->builder, inst);
	LLVMReplaceAllUsesWith(
		inst, double_to_normal_single(lowering,
					      operands_element(&a, 0)));
	return 0;
}

int lower_from_double(struct lowering *lowering, LLVMValueRef inst)
{
	LLVMValueRef *words;

	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMStore:
		return lower_store(lowering, inst);
	case LLVMFCmp:
	case LLVMFPToSI:
	case LLVMFPToUI:
		return lower_to_other(lowering, inst);
	case LLVMFPTrunc:
		if (LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMFloatTypeKind ||
		    LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMVectorTypeKind)
			return lower_to_other(lowering, inst);
		return lower_unknown(lowering, inst);
	case LLVMCall:
		return strcmp(called_name(inst), TO_SINGLE_NAME)
			       ? lower_unknown(lowering, inst)
			       : lower_to_normal_single(lowering, inst);
	case LLVMBitCast:
		words = words_of(lowering, LLVMGetOperand(inst, 0));
		if (!words)
			return -1;
		LLVMPositionBuilderBefore(lowering->builder, inst);
		LLVMReplaceAllUsesWith(
			inst,
			words_join(lowering, words,
				   2 * element_count(LLVMTypeOf(
					       LLVMGetOperand(inst, 0))),
				   LLVMTypeOf(inst)));
		return 0;
	default:
		return lower_unknown(lowering, inst);
	}
}
