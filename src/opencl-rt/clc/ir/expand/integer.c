/* Integers: quotients, shifts of two numbers, choices, sums that stay in the
 * range. */
#include <stddef.h>

#include "opencl-rt/clc/ir/expand/build.h"

/* --- Quotients by numbers of up to 16 bits --------------------------- */

/* As by hand, with digits of 16 bits, so that a remainder and the next digit
 * are a number of 32. */
static LLVMValueRef divide(const struct expansion *expansion, LLVMValueRef a,
			   unsigned divisor, LLVMValueRef *quotient)
{
	enum { DIGIT = 16, DIGIT_MASK = 0xffff };
	int width = (int)LLVMGetIntTypeWidth(expand_element(LLVMTypeOf(a)));
	LLVMTypeRef type = expand_integers(expansion, EXPAND_DWORD);
	LLVMValueRef rest = expand_constant(type, 0), digit, result;

	result = expand_constant(LLVMTypeOf(a), 0);
	for (int at = (width - 1) / DIGIT * DIGIT; at >= 0; at -= DIGIT) {
		digit = expand_resize(expansion,
				      expand_op_by(expansion, LLVMLShr, a, at),
				      EXPAND_DWORD);
		digit = expand_op_by(expansion, LLVMAnd, digit, DIGIT_MASK);
		rest = expand_op(expansion, LLVMOr, digit,
				 expand_op_by(expansion, LLVMShl, rest, DIGIT));
		digit = expand_resize(
		    expansion, expand_op_by(expansion, LLVMUDiv, rest, divisor),
		    width);
		result = expand_op(expansion, LLVMOr, result,
				   expand_op_by(expansion, LLVMShl, digit, at));
		rest = expand_op_by(expansion, LLVMURem, rest, divisor);
	}
	if (quotient)
		*quotient = result;
	return rest;
}

LLVMValueRef expand_quotient(const struct expansion *expansion)
{
	unsigned divisor = (unsigned)LLVMConstIntGetZExtValue(expansion->b);
	LLVMValueRef quotient, rest;

	rest = divide(expansion, expansion->a, divisor, &quotient);
	if (LLVMGetInstructionOpcode(expansion->call) == LLVMUDiv)
		return quotient;
	return expand_resize(expansion, rest, expansion->width);
}

/* --- Shifts of two numbers ------------------------------------------- */

/* The count modulo the width, in 32 bits. */
static LLVMValueRef count_of(const struct expansion *expansion)
{
	LLVMValueRef count = LLVMGetOperand(expansion->call, 2);
	unsigned width = (unsigned)expansion->width;

	if (width & (width - 1))
		return divide(expansion, count, width, NULL);
	return expand_op_by(expansion, LLVMAnd,
			    expand_resize(expansion, count, EXPAND_DWORD),
			    width - 1);
}

/* A shift by less than the width, of which one more than given is certain. */
static LLVMValueRef shift_more(const struct expansion *expansion,
			       LLVMOpcode opcode, LLVMValueRef a,
			       LLVMValueRef count)
{
	return expand_op(expansion, opcode,
			 expand_op_by(expansion, opcode, a, 1),
			 expand_resize(expansion, count, expansion->width));
}

LLVMValueRef expand_funnel(const struct expansion *expansion)
{
	LLVMValueRef count = count_of(expansion);
	LLVMValueRef rest = expand_op(
	    expansion, LLVMSub,
	    expand_constant(LLVMTypeOf(count), expansion->width - 1), count);
	LLVMValueRef by = expand_resize(expansion, count, expansion->width);

	if (expand_is_named(expansion, "llvm.fshl."))
		return expand_op(
		    expansion, LLVMOr,
		    expand_op(expansion, LLVMShl, expansion->a, by),
		    shift_more(expansion, LLVMLShr, expansion->b, rest));
	return expand_op(expansion, LLVMOr,
			 expand_op(expansion, LLVMLShr, expansion->b, by),
			 shift_more(expansion, LLVMShl, expansion->a, rest));
}

/* --- Choices --------------------------------------------------------- */

LLVMValueRef expand_choice(const struct expansion *expansion)
{
	LLVMIntPredicate predicate =
	    expand_is_named(expansion, "llvm.smin.")   ? LLVMIntSLT
	    : expand_is_named(expansion, "llvm.smax.") ? LLVMIntSGT
	    : expand_is_named(expansion, "llvm.umin.") ? LLVMIntULT
						       : LLVMIntUGT;

	return expand_choose(
	    expansion,
	    expand_compare(expansion, predicate, expansion->a, expansion->b),
	    expansion->a, expansion->b);
}

LLVMValueRef expand_magnitude(const struct expansion *expansion)
{
	LLVMValueRef a = expansion->a;

	return expand_choose(expansion,
			     expand_compare_with(expansion, LLVMIntSLT, a, 0),
			     expand_op(expansion, LLVMSub,
				       expand_constant(expansion->type, 0), a),
			     a);
}

/* -1, 0 or 1 for less, equal or greater. */
LLVMValueRef expand_order(const struct expansion *expansion)
{
	bool is_signed = expand_is_named(expansion, "llvm.scmp.");
	LLVMTypeRef type = LLVMTypeOf(expansion->call);
	LLVMValueRef less =
	    expand_compare(expansion, is_signed ? LLVMIntSLT : LLVMIntULT,
			   expansion->a, expansion->b);
	LLVMValueRef greater =
	    expand_compare(expansion, is_signed ? LLVMIntSGT : LLVMIntUGT,
			   expansion->a, expansion->b);

	return expand_choose(
	    expansion, less, expand_constant(type, -1),
	    LLVMBuildZExt(expansion->builder, greater, type, ""));
}

/* --- Sums and differences that stay in the range --------------------- */

/* The sign is not that of the first operand, and the second's says that it
 * should be: then the result is the end of the range that the sign belongs to.
 */
LLVMValueRef expand_saturated(const struct expansion *expansion)
{
	bool adds = expand_is_named(expansion, "llvm.sadd.") ||
		    expand_is_named(expansion, "llvm.uadd.");
	LLVMValueRef a = expansion->a, b = expansion->b, over, end;
	LLVMValueRef sum = expand_op(expansion, adds ? LLVMAdd : LLVMSub, a, b);
	long long sign = expansion->width - 1;

	if (expand_is_named(expansion, "llvm.u")) {
		over = adds ? expand_compare(expansion, LLVMIntULT, sum, a)
			    : expand_compare(expansion, LLVMIntULT, a, b);
		return expand_choose(
		    expansion, over,
		    expand_constant(expansion->type, adds ? -1 : 0), sum);
	}
	over =
	    expand_op(expansion, LLVMAnd, expand_op(expansion, LLVMXor, sum, a),
		      expand_op(expansion, LLVMXor, adds ? sum : a, b));
	end = expand_op(
	    expansion, LLVMXor, expand_op_by(expansion, LLVMAShr, sum, sign),
	    expand_op_by(expansion, LLVMShl,
			 expand_constant(expansion->type, 1), sign));
	return expand_choose(
	    expansion, expand_compare_with(expansion, LLVMIntSLT, over, 0), end,
	    sum);
}
