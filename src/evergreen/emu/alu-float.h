/* Single-precision ALU operations (evergreen-isa: alu.def, rows with an F32
 * result, and float comparisons). Denormals are flushed by the host. */

/* The rule of MUL, MULADD and DOT4: zero times anything is +0. */
SIMD vf multiply_zero(vu a, vu b)
{
	vmask zero = mask_or(float_eq(a, splat(0)), float_eq(b, splat(0)));

	return F(choose(zero, splat(0), (vu)(F(a) * F(b))));
}

SIMD vu float_mask(vmask mask)
{
	return mask_lanes(mask) & splat(FLOAT_ONE);
}

VALUE1(MOV, return a;)
NUMBER2(ADD, F(a) + F(b))
NUMBER2(MUL, multiply_zero(a, b))
NUMBER2(MUL_IEEE, F(a) * F(b))

NUMBER3(MULADD, multiply_zero(a, b) + F(c))
NUMBER3(MULADD_M2, (multiply_zero(a, b) + F(c)) * 2.0f)
NUMBER3(MULADD_M4, (multiply_zero(a, b) + F(c)) * 4.0f)
NUMBER3(MULADD_D2, (multiply_zero(a, b) + F(c)) * 0.5f)
/* Not fused: the product is rounded first (-ffp-contract=off). */
NUMBER3(MULADD_IEEE, F(a) * F(b) + F(c))
NUMBER3(FMA, fused(F(a), F(b), F(c)))

VALUE2(MAX, return choose(float_ge(a, b), a, b);)
VALUE2(MIN, return choose(float_lt(a, b), a, b);)
VALUE2(MAX_DX10,
       return choose(mask_or(float_ge(a, b), float_unordered(b, b)), a, b);)
VALUE2(MIN_DX10,
       return choose(mask_or(float_lt(a, b), float_unordered(b, b)), a, b);)

VALUE2(SETE, return float_mask(float_eq(a, b));)
VALUE2(SETGT, return float_mask(float_gt(a, b));)
VALUE2(SETGE, return float_mask(float_ge(a, b));)
VALUE2(SETNE, return float_mask(float_ne(a, b));)
VALUE2(SETE_DX10, return mask_lanes(float_eq(a, b));)
VALUE2(SETGT_DX10, return mask_lanes(float_gt(a, b));)
VALUE2(SETGE_DX10, return mask_lanes(float_ge(a, b));)
VALUE2(SETNE_DX10, return mask_lanes(float_ne(a, b));)

VALUE3(CNDE, return choose(float_eq(a, splat(0)), b, c);)
VALUE3(CNDGT, return choose(float_gt(a, splat(0)), b, c);)
VALUE3(CNDGE, return choose(float_ge(a, splat(0)), b, c);)

/* Below one even where the difference would round to one. */
VALUE1(FRACT,
       vu r = number(F(a) - round_floor(F(a)));
       return choose(float_ge(r, splat(FLOAT_ONE)), splat(FLOAT_BELOW_ONE),
		     r);)
NUMBER1(TRUNC, round_trunc(F(a)))
NUMBER1(CEIL, round_ceil(F(a)))
NUMBER1(RNDNE, round_even(F(a)))
NUMBER1(FLOOR, round_floor(F(a)))

/* --- Conversions -------------------------------------------------------- */

/* Saturating; `a` is integral already or is truncated. NaN gives 0. */
SIMD vu float_to_int(vf a)
{
	vu r = truncate_to_int(a);

	r = choose(float_ge((vu)a, splat(0x4f000000)), splat(0x7fffffff), r);
	return choose(float_unordered((vu)a, (vu)a), splat(0), r);
}

SIMD vu float_to_uint(vf a)
{
	vf high = a - splat_float(0x1p31f);
	vu r = truncate_to_int(a);

	r = choose(float_ge((vu)a, splat(0x4f000000)),
		   truncate_to_int(high) + splat(0x80000000), r);
	r = choose(float_ge((vu)a, splat(0x4f800000)), splat(0xffffffff), r);
	return choose(float_gt((vu)a, splat(0)), r, splat(0));
}

SIMD vu uint_to_float(vu a)
{
	/* Both halves convert exactly: only the sum rounds. */
	vf high = __builtin_convertvector((vi)(a >> 16), vf);
	vf low = __builtin_convertvector((vi)(a & 0xffff), vf);

	return (vu)(high * 65536.0f + low);
}

VALUE1(FLT_TO_INT, return float_to_int(F(a));)
VALUE1(FLT_TO_UINT, return float_to_uint(F(a));)
VALUE1(FLT_TO_INT_FLOOR, return float_to_int(round_floor(F(a)));)
/* floor(a + 0.5), the sum not rounded. */
VALUE1(FLT_TO_INT_RPI,
       vf whole = round_floor(F(a));
       vu up = mask_lanes(float_ge((vu)(F(a) - whole), splat(0x3f000000)));
       return float_to_int(whole + F(up & splat(FLOAT_ONE)));)
VALUE1(INT_TO_FLT, return (vu)__builtin_convertvector((vi)a, vf);)
VALUE1(UINT_TO_FLT, return uint_to_float(a);)
VALUE1(UBYTE0_FLT, return uint_to_float(a & 0xff);)
VALUE1(UBYTE1_FLT, return uint_to_float(a >> 8 & 0xff);)
VALUE1(UBYTE2_FLT, return uint_to_float(a >> 16 & 0xff);)
VALUE1(UBYTE3_FLT, return uint_to_float(a >> 24);)

/* What must be added to the magnitude, so that cutting 13 bits off rounds it as
 * the float mode says. */
SIMD vu half_increment(vu magnitude, vu sign)
{
	unsigned rounding = _mm_getcsr() & _MM_ROUND_MASK;
	uint32_t up = rounding == _MM_ROUND_UP ? 0x1fff : 0;
	uint32_t down = rounding == _MM_ROUND_DOWN ? 0x1fff : 0;

	if (rounding == _MM_ROUND_NEAREST)
		return 0xfff + (magnitude >> 13 & 1);
	return choose(int_ne(sign, splat(0)), splat(down), splat(up));
}

/* By the single rounding mode; a half's denormals are kept. */
VALUE1(FLT32_TO_FLT16,
       vu sign = a & 0x80000000;
       vu magnitude = a ^ sign;
       vu increment = half_increment(magnitude, sign);
       /* 0.5's unit in the last place is a half's least denormal. */
       vu shifted = (vu)(F(a) + F(sign | 0x3f000000));
       vu tiny = (shifted & 0x7fffffff) - splat(0x3f000000);
       vu normal = (magnitude - splat(112u << 23) + increment) >> 13;
       vu r = choose(int_gt(splat(0x38800000), magnitude), tiny, normal);
       /* Beyond the largest half, 65504. */
       vu over = choose(int_eq(increment, splat(0)), splat(0x7bff),
			splat(0x7c00));
       r = choose(int_ge(magnitude, splat(0x47800000) - increment), over, r);
       r = choose(int_eq(magnitude, splat(FLOAT_INFINITY)), splat(0x7c00), r);
       r = choose(int_gt(magnitude, splat(FLOAT_INFINITY)), splat(0x7e00), r);
       return r | sign >> 16;)

VALUE1(FLT16_TO_FLT32,
       vu sign = (a & 0x8000) << 16;
       vu magnitude = (a & 0x7fff) << 13;
       vu exponent = magnitude & 0x0f800000;
       vu normal = magnitude + splat(112u << 23);
       /* The sign goes: 0 may come out as -0. */
       vu tiny = (vu)(F(magnitude + splat(113u << 23)) -
		      F(splat(113u << 23))) & 0x7fffffff;
       vu special = choose(int_eq(magnitude, splat(0x0f800000)),
			   splat(FLOAT_INFINITY), splat(FLOAT_NAN));
       vu r = choose(int_eq(exponent, splat(0)), tiny, normal);
       r = choose(int_eq(exponent, splat(0x0f800000)), special, r);
       return r | sign;)

/* --- Predicates --------------------------------------------------------- */

PREDICATE(PRED_SETE, float_eq(a, b))
PREDICATE(PRED_SETGT, float_gt(a, b))
PREDICATE(PRED_SETGE, float_ge(a, b))
PREDICATE(PRED_SETNE, float_ne(a, b))
