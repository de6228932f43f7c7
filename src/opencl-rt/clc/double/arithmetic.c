#include <string.h>

#include "opencl-rt/clc/double/carrier-build.h"
#include "opencl-rt/clc/double/lower.h"
#include "opencl-rt/clc/double/operand.h"
#include "opencl-rt/clc/double/words.h"
#include "opencl-rt/clc/ir/rewrite.h"

#define LDEXP_NAME "llvm.amdgcn.ldexp.f64" /* in helper/double-*.cl */

static struct operand negated(struct operand operand)
{
	operand.negate = !operand.negate;
	return operand;
}

/* For one element of operations with up to three operands. False: unknown. */
static bool lower_element(struct lowering *lowering, LLVMValueRef inst,
			  const struct operand *a, LLVMValueRef *result)
{
	LLVMBuilderRef builder = lowering->builder;
	const char *name = called_name(inst);
	struct operand value;
	LLVMValueRef sign;

	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMFAdd:
		carrier_build(lowering, CARRIER_ADD, a[0], a[1], result);
		return true;
	case LLVMFSub:
		carrier_build(lowering, CARRIER_ADD, a[0], negated(a[1]),
			      result);
		return true;
	case LLVMFMul:
		carrier_build(lowering, CARRIER_MUL, a[0], a[1], result);
		return true;
	case LLVMFNeg: /* its operand came with the sign taken off */
		break;
	case LLVMCall:
		if (starts_with(name, "llvm.minnum.")) {
			carrier_build(lowering, CARRIER_MIN, a[0], a[1],
				      result);
			return true;
		}
		if (starts_with(name, "llvm.maxnum.")) {
			carrier_build(lowering, CARRIER_MAX, a[0], a[1],
				      result);
			return true;
		}
		if (starts_with(name, "llvm.fma.") ||
		    starts_with(name, "llvm.fmuladd.")) {
			value = carrier_multiply_add(lowering, a[0], a[1],
						     a[2]);
			result[0] = value.low;
			result[1] = value.high;
			return true;
		}
		if (!starts_with(name, "llvm.copysign."))
			return false;
		sign = single_as_word(lowering,
				      operand_high_word(lowering, a[1]));
		sign = LLVMBuildAnd(builder, sign,
				    word_constant(lowering, SIGN), "");
		result[0] = a[0].low;
		result[1] = LLVMBuildAnd(builder, a[0].high,
					 word_constant(lowering, ~SIGN), "");
		result[1] = LLVMBuildOr(builder, result[1], sign, "");
		return true;
	default:
		return false;
	}
	return false;
}

/* A sign by itself, where it is no other operation's modifier. */
static void apply_sign(struct lowering *lowering, struct operand a,
		       LLVMValueRef *result)
{
	result[0] = a.low;
	result[1] = a.high;
	if (a.absolute)
		result[1] = LLVMBuildAnd(lowering->builder, result[1],
					 word_constant(lowering, ~SIGN), "");
	if (a.negate)
		result[1] = LLVMBuildXor(lowering->builder, result[1],
					 word_constant(lowering, SIGN), "");
}

static int lower_by_element(struct lowering *lowering, LLVMValueRef inst,
			    LLVMValueRef *result, unsigned count)
{
	bool is_sign = LLVMGetInstructionOpcode(inst) == LLVMFNeg ||
		       is_fabs(inst);
	int operand_count = LLVMIsACallInst(inst)
				    ? (int)LLVMGetNumArgOperands(inst)
				    : LLVMGetNumOperands(inst);
	struct operands operands[3];

	if (operand_count > 3)
		return lower_unknown(lowering, inst);
	if (is_sign) {
		if (operands_read(lowering, inst, &operands[0]))
			return -1;
	} else {
		for (int k = 0; k < operand_count; k++) {
			LLVMValueRef value = LLVMGetOperand(inst, k);

			if (!is_double(LLVMTypeOf(value)))
				return lower_unknown(lowering, inst);
			if (operands_read(lowering, value, &operands[k]))
				return -1;
		}
	}
	LLVMPositionBuilderBefore(lowering->builder, inst);
	for (unsigned i = 0; i < count; i++) {
		struct operand a[3];

		if (is_sign) {
			apply_sign(lowering, operands_element(&operands[0], i),
				   result + 2 * i);
			continue;
		}
		for (int k = 0; k < operand_count; k++)
			a[k] = operands_element(&operands[k], i);
		if (!lower_element(lowering, inst, a, result + 2 * i))
			return lower_unknown(lowering, inst);
	}
	return 0;
}

/* The exponent is the same for all elements: a scalar function. */
static int lower_ldexp(struct lowering *lowering, LLVMValueRef inst,
		       LLVMValueRef *result)
{
	struct operands a;

	if (operands_read(lowering, LLVMGetOperand(inst, 0), &a))
		return -1;
	LLVMPositionBuilderBefore(lowering->builder, inst);
	carrier_build(lowering, CARRIER_LDEXP, operands_element(&a, 0),
		      operand_of(LLVMGetOperand(inst, 1),
				 word_constant(lowering, 0)),
		      result);
	return 0;
}

int lower_arithmetic(struct lowering *lowering, LLVMValueRef inst,
		     LLVMValueRef *result, unsigned count)
{
	return strcmp(called_name(inst), LDEXP_NAME)
		       ? lower_by_element(lowering, inst, result, count)
		       : lower_ldexp(lowering, inst, result);
}
