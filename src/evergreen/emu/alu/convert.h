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

/* The number that must be added to the magnitude so that dropping 13 bits
 * rounds it by the float mode. */
SIMD vu half_increment(vu magnitude, vu sign)
{
	unsigned rounding = _mm_getcsr() & _MM_ROUND_MASK;
	uint32_t up = rounding == _MM_ROUND_UP ? 0x1fff : 0;
	uint32_t down = rounding == _MM_ROUND_DOWN ? 0x1fff : 0;

	if (rounding == _MM_ROUND_NEAREST)
		return 0xfff + (magnitude >> 13 & 1);
	return choose(int_ne(sign, splat(0)), splat(down), splat(up));
}

/* Converts to half by the single rounding mode. Denormal halves are kept. */
SIMD vu float_to_half(vu a)
{
	vu sign = a & 0x80000000;
	vu magnitude = a ^ sign;
	vu increment = half_increment(magnitude, sign);
	/* 0.5's unit in the last place is a half's least denormal. */
	vu shifted = sum(a, sign | FLOAT_HALF);
	vu tiny = (shifted & 0x7fffffff) - splat(FLOAT_HALF);
	vu normal = (magnitude - splat(112u << 23) + increment) >> 13;
	vu r = choose(int_gt(splat(0x38800000), magnitude), tiny, normal);
	/* Beyond the largest half, 65504. */
	vu over = choose(int_eq(increment, splat(0)), splat(0x7bff),
			 splat(0x7c00));

	r = choose(int_ge(magnitude, splat(0x47800000) - increment), over, r);
	r = choose(int_eq(magnitude, splat(FLOAT_INFINITY)), splat(0x7c00), r);
	r = choose(int_gt(magnitude, splat(FLOAT_INFINITY)), splat(0x7e00), r);
	return r | sign >> 16;
}

SIMD vu half_to_float(vu a)
{
	vu sign = (a & 0x8000) << 16;
	vu magnitude = (a & 0x7fff) << 13;
	vu exponent = magnitude & 0x0f800000;
	vu normal = magnitude + splat(112u << 23);
	/* The sign is dropped: 0 may become -0. */
	vu tiny = difference(magnitude + splat(113u << 23), splat(113u << 23)) &
		  0x7fffffff;
	vu special = choose(int_eq(magnitude, splat(0x0f800000)),
			    splat(FLOAT_INFINITY), splat(FLOAT_NAN));
	vu r = choose(int_eq(exponent, splat(0)), tiny, normal);

	r = choose(int_eq(exponent, splat(0x0f800000)), special, r);
	return r | sign;
}
