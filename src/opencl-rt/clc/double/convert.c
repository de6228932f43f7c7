#include "opencl-rt/clc/double/carrier-build.h"
#include "opencl-rt/clc/double/lower.h"
#include "opencl-rt/clc/double/operand.h"
#include "opencl-rt/clc/double/words.h"

/* High words of numbers made from an integer's bits: 2^52 + u has the low word
 * u; 2^84 + 2^32 u likewise. */
enum { HIGH_2_52 = 0x43300000, HIGH_2_84 = 0x45300000 };

/* The least normal single, 2^-126, and the least double that rounds to it. */
enum { LEAST_NORMAL = 0x00800000 };
#define LEAST_TO_NORMAL 0x1.fffffep-127

static unsigned number_width(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetIntTypeWidth(type);
}

/* Of an integer: its bits as the low word of 2^52 + u, less 2^52. With a sign
 * the bits of u = s + 2^31 are those of s with the first one turned. */
static struct operand from_word(struct lowering *lowering, LLVMValueRef value,
				bool is_signed)
{
	if (is_signed)
		value = LLVMBuildXor(lowering->builder, value,
				     word_constant(lowering, SIGN), "");
	return carrier_add(lowering,
			   operand_of(value,
				      word_constant(lowering, HIGH_2_52)),
			   operand_constant(lowering, is_signed
							      ? -0x1.000008p52
							      : -0x1p52));
}

/* Both halves of 64 bits so; only the last addition rounds. */
static struct operand from_quad(struct lowering *lowering, LLVMValueRef value,
				bool is_signed)
{
	LLVMValueRef words[2];
	struct operand high, low;

	words_split(lowering, value, words, 2);
	if (is_signed)
		words[1] = LLVMBuildXor(lowering->builder, words[1],
					word_constant(lowering, SIGN), "");
	high = operand_of(words[1], word_constant(lowering, HIGH_2_84));
	low = operand_of(words[0], word_constant(lowering, HIGH_2_52));
	high = carrier_add(lowering, high,
			   operand_constant(lowering,
					    is_signed ? -0x1.00000801p84
						      : -0x1.00000001p84));
	return carrier_add(lowering, high, low);
}

static struct operand from_integer(struct lowering *lowering,
				   LLVMValueRef value, bool is_signed)
{
	unsigned width = number_width(LLVMTypeOf(value));

	if (width > 32 && width < 64)
		value = is_signed ? LLVMBuildSExt(lowering->builder, value,
						  lowering->quad, "")
				  : LLVMBuildZExt(lowering->builder, value,
						  lowering->quad, "");
	if (width > 32)
		return from_quad(lowering, value, is_signed);
	if (width < 32)
		value = is_signed ? LLVMBuildSExt(lowering->builder, value,
						  lowering->word, "")
				  : LLVMBuildZExt(lowering->builder, value,
						  lowering->word, "");
	return from_word(lowering, value, is_signed);
}

/* floor(a) of a number from 0 up to, but not, 2^32. Adding 2^52 rounds it to an
 * integer in the low word; where that was up, 1 too much. */
static LLVMValueRef floor_word(struct lowering *lowering, struct operand a)
{
	struct operand sum = carrier_add(lowering, a,
					 operand_constant(lowering, 0x1p52));
	struct operand rounded = carrier_add(
		lowering, sum, operand_constant(lowering, -0x1p52));
	LLVMValueRef up;

	carrier_build(lowering, CARRIER_GREATER, rounded, a, &up);
	return LLVMBuildAdd(lowering->builder, sum.low,
			    single_as_word(lowering, up), "");
}

static LLVMValueRef sign_mask(struct lowering *lowering, struct operand a)
{
	LLVMValueRef high = single_as_word(lowering,
					   operand_high_word(lowering, a));

	return LLVMBuildAShr(lowering->builder, high,
			     word_constant(lowering, 31), "");
}

static struct operand magnitude(struct operand a)
{
	a.absolute = true;
	a.negate = false;
	return a;
}

/* Unsigned numbers, too: what is above -1 is 0. */
static LLVMValueRef to_word(struct lowering *lowering, struct operand a)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef number, sign;

	number = floor_word(lowering, magnitude(a));
	sign = sign_mask(lowering, a);
	return LLVMBuildSub(builder, LLVMBuildXor(builder, number, sign, ""),
			    sign, "");
}

/* The high word is floor(a / 2^32), the low one that of the exact rest. */
static LLVMValueRef to_quad(struct lowering *lowering, struct operand a)
{
	struct operand size = magnitude(a), rest;
	LLVMValueRef words[2], number, sign;
	LLVMBuilderRef builder = lowering->builder;

	carrier_build(lowering, CARRIER_MUL, size,
		      operand_constant(lowering, 0x1p-32), words);
	words[1] = floor_word(lowering, operand_of(words[0], words[1]));
	rest = carrier_multiply_add(lowering,
				    from_word(lowering, words[1], false),
				    operand_constant(lowering, -0x1p32), size);
	words[0] = floor_word(lowering, rest);
	number = words_join(lowering, words, 2, lowering->quad);
	sign = LLVMBuildSExt(builder, sign_mask(lowering, a), lowering->quad,
			     "");
	return LLVMBuildSub(builder, LLVMBuildXor(builder, number, sign, ""),
			    sign, "");
}

LLVMValueRef double_to_integer(struct lowering *lowering, struct operand a,
			       LLVMTypeRef type)
{
	LLVMValueRef value = LLVMGetIntTypeWidth(type) > 32
				     ? to_quad(lowering, a)
				     : to_word(lowering, a);

	if (LLVMTypeOf(value) == type)
		return value;
	return LLVMBuildTrunc(lowering->builder, value, type, "");
}

static LLVMValueRef to_single(struct lowering *lowering, struct operand a)
{
	LLVMValueRef result;

	carrier_build(lowering, CARRIER_TO_SINGLE, a,
		      operand_of(word_constant(lowering, 0),
				 word_constant(lowering, 0)), &result);
	return result;
}

LLVMValueRef double_to_normal_single(struct lowering *lowering,
				     struct operand a)
{
	return word_as_single(lowering, to_single(lowering, a));
}

/* The instruction makes 0 of some numbers whose nearest single is the least
 * normal one. Of their size and all above no result is less than that. */
LLVMValueRef double_to_single(struct lowering *lowering, struct operand a)
{
	LLVMValueRef result = to_single(lowering, a), least, sign, is_less;
	LLVMBuilderRef builder = lowering->builder;

	carrier_build(lowering, CARRIER_NOT_LESS, magnitude(a),
		      operand_constant(lowering, LEAST_TO_NORMAL), &least);
	least = LLVMBuildAnd(builder, least,
			     word_constant(lowering, LEAST_NORMAL), "");
	sign = LLVMBuildAnd(builder, result, word_constant(lowering, SIGN),
			    "");
	result = LLVMBuildAnd(builder, result, word_constant(lowering, ~SIGN),
			      "");
	is_less = LLVMBuildICmp(builder, LLVMIntULT, result, least, "");
	result = LLVMBuildSelect(builder, is_less, least, result, "");
	return word_as_single(lowering,
			      LLVMBuildOr(builder, result, sign, ""));
}

/* From a single, or from a half: LLVM makes one conversion of two. */
static struct operand from_single(struct lowering *lowering,
				  LLVMValueRef single)
{
	struct operand zero = operand_constant(lowering, 0);
	LLVMTypeRef type = LLVMTypeOf(single);
	LLVMValueRef result[2];

	if (LLVMGetTypeKind(type) == LLVMHalfTypeKind)
		single = LLVMBuildFPExt(
			lowering->builder, single,
			LLVMFloatTypeInContext(LLVMGetTypeContext(type)), "");
	carrier_build(lowering, CARRIER_TO_DOUBLE,
		      operand_of(single_as_word(lowering, single), zero.high),
		      zero, result);
	return operand_of(result[0], result[1]);
}

void lower_from_number(struct lowering *lowering, LLVMValueRef inst,
		       LLVMValueRef *result, unsigned count)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);

	LLVMPositionBuilderBefore(lowering->builder, inst);
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef number = number_element(
			lowering, LLVMGetOperand(inst, 0), i);
		struct operand value =
			opcode == LLVMFPExt
				? from_single(lowering, number)
				: from_integer(lowering, number,
					       opcode == LLVMSIToFP);

		result[2 * i] = value.low;
		result[2 * i + 1] = value.high;
	}
}
