/* Words of alu/words.h that are composed of other words, for vectors and for
 * native code alike. WORD(word, arguments) is the head of such a function.
 * There is no include guard: the includer defines WORD and SAY and includes
 * this file once. */

/* The rule of MUL, MULADD and DOT4: zero times anything is +0. */
WORD(product_zero, value a, value b)
{
	test zero = mask_or(float_eq(a, constant(0)), float_eq(b, constant(0)));

	return where_not(zero, product(a, b));
}

/* The result is below 1 even when the difference would round to 1. */
WORD(fract, value a)
{
	value r = difference(a, rounded_down(a));

	return choose(float_ge(r, constant(FLOAT_ONE)),
		      constant(FLOAT_BELOW_ONE), r);
}

/* Converts with saturation. `a` is integral or is truncated. NaN gives 0. */
WORD(float_to_int, value a)
{
	value r = truncated(a);

	r = choose(float_ge(a, constant(FLOAT_TWO_31)), constant(0x7fffffff),
		   r);
	return where_not(float_unordered(a, a), r);
}

/* A NaN keeps its sign. */
WORD(float_to_half, value a)
{
	value sign = bit_and(shift_right(a, constant(16)), constant(0x8000));

	return choose(float_unordered(a, a), bit_or(sign, constant(HALF_NAN)),
		      half_bits(a));
}

WORD(half_to_float, value a)
{
	value r = half_value(a);
	value sign = bit_and(r, constant(0x80000000));

	return choose(float_unordered(r, r), bit_or(sign, constant(FLOAT_NAN)),
		      r);
}

WORD(low24, value a)
{
	return bit_field(a, 0, 24);
}

/* Applies OMOD and CLAMP to a result. */
WORD(output_modified, value a, unsigned modifier, bool clamp,
     bool clamp_keeps_nan)
{
	static const uint32_t scale[4] = {FLOAT_ONE, FLOAT_TWO, FLOAT_FOUR,
					  FLOAT_HALF};
	test stays;

	if (modifier)
		a = only(number(product(a, constant(scale[modifier]))));
	if (!clamp)
		return a;
	stays = float_gt(a, constant(0));
	if (clamp_keeps_nan)
		stays = mask_or(stays, float_unordered(a, a));
	a = only(where(stays, a));
	return choose(float_gt(a, constant(FLOAT_ONE)), constant(FLOAT_ONE), a);
}
