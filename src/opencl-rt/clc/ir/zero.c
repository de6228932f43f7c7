/* LLVM's back end puts the inline constant 0.0 where -0.0 is an operand: it
 * compares the two as numbers. A literal would do, but there is no way to ask
 * for one. So the word 0x80000000 is computed, once in each kernel, from the
 * number of work-groups, of which there never are 2^31.
 *
 * A back end that sees a negation near a constant 0.0 may move it there and
 * make a -0.0 itself (c ? -x : 0.0 becomes -(c ? x : -0.0)): such zeros are
 * hidden, too. */
#include "opencl-rt/clc/ir/zero.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define GROUPS "llvm.r600.read.ngroups.x"

static const uint32_t sign_bit = 0x80000000;

struct zeros {
	struct rewrite *rewrite;
	LLVMTypeRef float_type;
	/* Of the function that is worked on; NULL until it needs them. */
	LLVMValueRef function;
	LLVMValueRef negative_word, negative, positive;
	/* Whether 0.0 is to be replaced in this instruction, too. */
	bool positive_too;
};

/* --- What takes the place of zeros -------------------------------------- */

static void build_zeros(struct zeros *zeros)
{
	struct rewrite *rewrite = zeros->rewrite;
	LLVMTypeRef type = LLVMFunctionType(rewrite->int_type, NULL, 0, false);
	LLVMValueRef groups = LLVMGetNamedFunction(rewrite->module, GROUPS);
	LLVMValueRef sign = number(rewrite, sign_bit), count, word;
	LLVMBuilderRef builder;

	if (zeros->negative)
		return;
	if (!groups)
		groups = LLVMAddFunction(rewrite->module, GROUPS, type);
	builder = LLVMCreateBuilderInContext(rewrite->context);
	LLVMPositionBuilderBefore(
		builder, LLVMGetFirstInstruction(
				 LLVMGetEntryBasicBlock(zeros->function)));
	count = LLVMBuildCall2(builder, type, groups, NULL, 0, "");
	word = LLVMBuildAnd(builder, count, sign, "");
	zeros->positive = LLVMBuildBitCast(builder, word, zeros->float_type,
					   "");
	word = LLVMBuildAnd(builder, LLVMBuildNot(builder, count, ""), sign,
			    "");
	zeros->negative_word = word;
	zeros->negative = LLVMBuildBitCast(builder, word, zeros->float_type,
					   "");
	LLVMDisposeBuilder(builder);
}

/* Whether a constant of this type has elements. */
static unsigned zeroed_elements(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMVectorTypeKind: return LLVMGetVectorSize(type);
	case LLVMArrayTypeKind: return LLVMGetArrayLength(type);
	case LLVMStructTypeKind: return LLVMCountStructElementTypes(type);
	default: return 0;
	}
}

/* What replaces a constant without elements, or NULL. */
static LLVMValueRef replace_number(struct zeros *zeros, LLVMValueRef constant,
				   bool words)
{
	LLVMBool loses;
	double value;

	if (LLVMIsAConstantInt(constant)) {
		if (!words ||
		    LLVMTypeOf(constant) != zeros->rewrite->int_type ||
		    LLVMConstIntGetZExtValue(constant) != sign_bit)
			return NULL;
		build_zeros(zeros);
		return zeros->negative_word;
	}
	if (LLVMTypeOf(constant) != zeros->float_type ||
	    !(LLVMIsAConstantFP(constant) || LLVMIsNull(constant)))
		return NULL;
	value = LLVMIsAConstantFP(constant)
			? LLVMConstRealGetDouble(constant, &loses)
			: 0;
	if (value != 0 || (!signbit(value) && !zeros->positive_too))
		return NULL;
	build_zeros(zeros);
	return signbit(value) ? zeros->negative : zeros->positive;
}

/* The same for any constant; builds at the builder's place. `words`: whether
 * integers become floats. */
static LLVMValueRef replace(struct zeros *zeros, LLVMValueRef constant,
			    bool words)
{
	LLVMTypeRef type = LLVMTypeOf(constant);
	bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
	LLVMBuilderRef builder = zeros->rewrite->builder;
	unsigned count = zeroed_elements(type);
	LLVMValueRef whole = constant;

	if (!count)
		return replace_number(zeros, constant, words);
	if (LLVMIsUndef(constant) || LLVMIsAConstantExpr(constant) ||
	    (LLVMIsNull(constant) && !zeros->positive_too))
		return NULL;
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef element, other;

		element = LLVMGetAggregateElement(constant, i);
		other = element ? replace(zeros, element, words) : NULL;
		if (!other)
			continue;
		whole = is_vector ? LLVMBuildInsertElement(
					    builder, whole, other,
					    number(zeros->rewrite, i), "")
				  : LLVMBuildInsertValue(builder, whole, other,
							 i, "");
	}
	return whole == constant ? NULL : whole;
}

/* --- Where zeros are ---------------------------------------------------- */

static bool is_float(const struct zeros *zeros, LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return type == zeros->float_type;
}

/* Whether the words that an instruction takes become floats. */
static bool makes_floats(const struct zeros *zeros, LLVMValueRef inst)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);

	if (opcode == LLVMBitCast)
		return is_float(zeros, LLVMTypeOf(inst));
	if (opcode != LLVMPHI && opcode != LLVMSelect)
		return false;
	for (LLVMUseRef use = LLVMGetFirstUse(inst); use;
	     use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (LLVMGetInstructionOpcode(user) == LLVMBitCast &&
		    is_float(zeros, LLVMTypeOf(user)))
			return true;
	}
	return false;
}

static bool is_negation(LLVMValueRef value)
{
	return LLVMIsAInstruction(value) &&
	       LLVMGetInstructionOpcode(value) == LLVMFNeg;
}

/* Whether a negation may be moved to the instruction's operands. */
static bool is_negated(LLVMValueRef inst)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);

	if (opcode != LLVMSelect && opcode != LLVMFMul)
		return false;
	for (int k = 0; k < LLVMGetNumOperands(inst); k++)
		if (is_negation(LLVMGetOperand(inst, (unsigned)k)))
			return true;
	for (LLVMUseRef use = LLVMGetFirstUse(inst); use;
	     use = LLVMGetNextUse(use))
		if (is_negation(LLVMGetUser(use)))
			return true;
	return false;
}

static bool is_negative_zero(const struct zeros *zeros, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	LLVMBool loses;
	double real;

	if (!is_float(zeros, type) || !LLVMIsConstant(value))
		return false;
	for (unsigned i = 0; i < zeroed_elements(type); i++) {
		LLVMValueRef element = LLVMGetAggregateElement(value, i);

		if (!element || !is_negative_zero(zeros, element))
			return false;
	}
	if (zeroed_elements(type))
		return true;
	if (!LLVMIsAConstantFP(value))
		return false;
	real = LLVMConstRealGetDouble(value, &loses);
	return real == 0 && signbit(real);
}

/* -0.0 - x is how older libraries write -x. */
static bool replace_subtraction(struct zeros *zeros, LLVMValueRef inst)
{
	if (LLVMGetInstructionOpcode(inst) != LLVMFSub ||
	    !is_negative_zero(zeros, LLVMGetOperand(inst, 0)))
		return false;
	LLVMPositionBuilderBefore(zeros->rewrite->builder, inst);
	LLVMReplaceAllUsesWith(inst, LLVMBuildFNeg(zeros->rewrite->builder,
						   LLVMGetOperand(inst, 1),
						   ""));
	LLVMInstructionEraseFromParent(inst);
	return true;
}

/* An earlier operand of a phi for the same block, which has to be the same, or
 * NULL. */
static LLVMValueRef earlier_operand(LLVMValueRef inst, unsigned k)
{
	if (LLVMGetInstructionOpcode(inst) != LLVMPHI)
		return NULL;
	for (unsigned i = 0; i < k; i++)
		if (LLVMGetIncomingBlock(inst, i) ==
		    LLVMGetIncomingBlock(inst, k))
			return LLVMGetOperand(inst, i);
	return NULL;
}

/* The operand of a phi is built where its edge begins. */
static void place_builder(struct zeros *zeros, LLVMValueRef inst, unsigned k)
{
	if (LLVMGetInstructionOpcode(inst) == LLVMPHI)
		inst = LLVMGetBasicBlockTerminator(
			LLVMGetIncomingBlock(inst, k));
	LLVMPositionBuilderBefore(zeros->rewrite->builder, inst);
}

static void lower_instruction(struct zeros *zeros, LLVMValueRef inst)
{
	bool words = makes_floats(zeros, inst);

	if (replace_subtraction(zeros, inst) ||
	    LLVMGetInstructionOpcode(inst) == LLVMSwitch)
		return;
	zeros->positive_too = is_negated(inst);
	for (int k = 0; k < LLVMGetNumOperands(inst); k++) {
		LLVMValueRef operand = LLVMGetOperand(inst, (unsigned)k);
		LLVMValueRef other;

		if (!LLVMIsAConstant(operand) || LLVMIsAGlobalValue(operand))
			continue;
		other = earlier_operand(inst, (unsigned)k);
		if (!other) {
			place_builder(zeros, inst, (unsigned)k);
			other = replace(zeros, operand, words);
		}
		if (other)
			LLVMSetOperand(inst, (unsigned)k, other);
	}
}

void zero_lower(struct rewrite *rewrite)
{
	struct zeros zeros = {
		.rewrite = rewrite,
		.float_type = LLVMFloatTypeInContext(rewrite->context),
	};

	for (LLVMValueRef function = LLVMGetFirstFunction(rewrite->module);
	     function; function = LLVMGetNextFunction(function)) {
		struct list list = function_instructions(function);

		zeros.function = function;
		zeros.negative_word = zeros.negative = zeros.positive = NULL;
		for (size_t i = 0; i < list.count; i++)
			lower_instruction(&zeros, list.items[i]);
		free(list.items);
	}
}
