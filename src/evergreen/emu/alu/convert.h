/* Conversions that only the functions over vectors have. */

SIMD vu float_to_uint(vu a)
{
	vu high = difference(a, splat(FLOAT_TWO_31));
	vu r = truncated(a);

	r = choose(float_ge(a, splat(FLOAT_TWO_31)),
		   truncated(high) + splat(0x80000000), r);
	r = choose(float_ge(a, splat(0x4f800000)), splat(0xffffffff), r);
	return where(float_gt(a, splat(0)), r);
}

/* floor(a + 0.5) without rounding of the sum. */
SIMD vu float_to_int_half_up(vu a)
{
	vu whole = rounded_down(a);
	vu up = where(float_ge(difference(a, whole), splat(FLOAT_HALF)),
		      splat(FLOAT_ONE));

	return float_to_int(sum(whole, up));
}
