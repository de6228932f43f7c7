/* Floats by their bits. */
#include "base/memory.h"
#include "opencl-rt/clc/ir/expand/build.h"

/* The sum of exponents, if it is that of a number. Denormal floats are 0 on the
 * device; 0, infinities and NaNs stay what they are. */
LLVMValueRef expand_ldexp(const struct expansion *expansion)
{
	enum { FRACTION = 23, SPECIAL = 255, FAR = 1000 };
	LLVMTypeRef type = expand_integers(expansion, EXPAND_DWORD);
	LLVMValueRef bits =
	    LLVMBuildBitCast(expansion->builder, expansion->a, type, "");
	LLVMValueRef sign =
	    expand_op_by(expansion, LLVMAnd, bits, (int)0x80000000);
	LLVMValueRef own = expand_op_by(
	    expansion, LLVMAnd,
	    expand_op_by(expansion, LLVMLShr, bits, FRACTION), SPECIAL);
	LLVMValueRef by = expansion->b, sum, result, is_special;

	by = expand_choose(expansion,
			   expand_compare_with(expansion, LLVMIntSGT, by, FAR),
			   expand_constant(type, FAR), by);
	by = expand_choose(expansion,
			   expand_compare_with(expansion, LLVMIntSLT, by, -FAR),
			   expand_constant(type, -FAR), by);
	sum = expand_op(expansion, LLVMAdd, own, by);
	result = expand_op(expansion, LLVMAdd, bits,
			   expand_op_by(expansion, LLVMShl, by, FRACTION));
	result = expand_choose(
	    expansion, expand_compare_with(expansion, LLVMIntSGE, sum, SPECIAL),
	    expand_op_by(expansion, LLVMOr, sign, SPECIAL << FRACTION), result);
	result = expand_choose(
	    expansion, expand_compare_with(expansion, LLVMIntSLE, sum, 0), sign,
	    result);
	is_special = expand_compare_with(expansion, LLVMIntEQ, own, SPECIAL);
	result = expand_choose(expansion, is_special, bits, result);
	result = expand_choose(
	    expansion, expand_compare_with(expansion, LLVMIntEQ, own, 0), sign,
	    result);
	return LLVMBuildBitCast(expansion->builder, result, expansion->type,
				"");
}

/* Whether a number is of the classes of a set. Without its sign each class is a
 * range of bits, and each lies behind the one before. */
LLVMValueRef expand_class(const struct expansion *expansion)
{
	static const struct {
		unsigned negative, positive;     /* bits of the set */
		unsigned long long single, wide; /* where it begins */
	} classes[] = {
	    {5, 6, 0, 0},                       /* 0 */
	    {4, 7, 1, 1},                       /* denormal */
	    {3, 8, 0x00800000, 1ull << 52},     /* normal */
	    {2, 9, 0x7f800000, 0x7ffull << 52}, /* infinite */
	    {0, 0, 0x7f800001, (0x7ffull << 52) + 1},
	    {1, 1, 0x7fc00000, 0xfffull << 51}, /* quiet NaN */
	};
	bool single = expansion->width == EXPAND_SINGLES;
	LLVMTypeRef type =
	    expand_integers(expansion, single ? EXPAND_DWORD : EXPAND_PIECE);
	unsigned set = (unsigned)LLVMConstIntGetZExtValue(expansion->b);
	LLVMValueRef bits =
	    LLVMBuildBitCast(expansion->builder, expansion->a, type, "");
	LLVMValueRef negative =
	    expand_compare_with(expansion, LLVMIntSLT, bits, 0);
	LLVMValueRef positive = LLVMBuildNot(expansion->builder, negative, "");
	LLVMValueRef size = expand_op_by(
	    expansion, LLVMLShr, expand_op_by(expansion, LLVMShl, bits, 1), 1);
	LLVMValueRef result = expand_constant(expand_integers(expansion, 1), 0);

	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		bool below = set >> classes[i].negative & 1;
		bool above = set >> classes[i].positive & 1;
		LLVMValueRef is =
		    expand_constant(expand_integers(expansion, 1), -1);

		if (!below && !above)
			continue;
		if (i)
			is = expand_compare_with(
			    expansion, LLVMIntUGE, size,
			    (long long)(single ? classes[i].single
					       : classes[i].wide));
		if (i + 1 < ARRAY_SIZE(classes))
			is = expand_op(
			    expansion, LLVMAnd, is,
			    expand_compare_with(
				expansion, LLVMIntULT, size,
				(long long)(single ? classes[i + 1].single
						   : classes[i + 1].wide)));
		if (!below || !above)
			is = expand_op(expansion, LLVMAnd, is,
				       below ? negative : positive);
		result = expand_op(expansion, LLVMOr, result, is);
	}
	return result;
}
