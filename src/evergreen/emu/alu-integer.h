/* Integer ALU operations. Shift counts use their low five bits. */

VALUE2(AND_INT, return a & b;)
VALUE2(OR_INT, return a | b;)
VALUE2(XOR_INT, return a ^ b;)
VALUE1(NOT_INT, return ~a;)
VALUE2(ADD_INT, return a + b;)
VALUE2(SUB_INT, return a - b;)
VALUE2(ADDC_UINT, return mask_lanes(uint_gt(a, a + b)) & 1;)
VALUE2(SUBB_UINT, return mask_lanes(uint_gt(b, a)) & 1;)

VALUE2(ASHR_INT, return (vu)((vi)a >> (vi)(b & 31));)
VALUE2(LSHR_INT, return a >> (b & 31);)
VALUE2(LSHL_INT, return a << (b & 31);)

VALUE2(MAX_INT, return choose(int_gt(a, b), a, b);)
VALUE2(MIN_INT, return choose(int_gt(a, b), b, a);)
VALUE2(MAX_UINT, return uint_max(a, b);)
VALUE2(MIN_UINT, return uint_min(a, b);)

VALUE2(SETE_INT, return mask_lanes(int_eq(a, b));)
VALUE2(SETGT_INT, return mask_lanes(int_gt(a, b));)
VALUE2(SETGE_INT, return mask_lanes(int_ge(a, b));)
VALUE2(SETNE_INT, return mask_lanes(int_ne(a, b));)
VALUE2(SETGT_UINT, return mask_lanes(uint_gt(a, b));)
VALUE2(SETGE_UINT, return mask_lanes(uint_ge(a, b));)

VALUE3(CNDE_INT, return choose(int_eq(a, splat(0)), b, c);)
VALUE3(CNDGT_INT, return choose(int_gt(a, splat(0)), b, c);)
VALUE3(CNDGE_INT, return choose(int_ge(a, splat(0)), b, c);)

/* --- Products ----------------------------------------------------------- */

VALUE2(MULLO_INT, return a * b;)
VALUE2(MULLO_UINT, return a * b;)
VALUE2(MULHI_INT, return multiply_high_signed(a, b);)
VALUE2(MULHI_UINT, return multiply_high_unsigned(a, b);)
VALUE2(MUL_UINT24, return (a & 0xffffff) * (b & 0xffffff);)
VALUE2(MULHI_UINT24,
       return multiply_high_unsigned(a & 0xffffff, b & 0xffffff);)
VALUE3(MULADD_UINT24, return (a & 0xffffff) * (b & 0xffffff) + c;)

/* --- Bits --------------------------------------------------------------- */

SIMD vu popcount(vu a)
{
	a -= a >> 1 & 0x55555555;
	a = (a & 0x33333333) + (a >> 2 & 0x33333333);
	a = (a + (a >> 4)) & 0x0f0f0f0f;
	a += a >> 8;
	return (a + (a >> 16)) & 0x3f;
}

/* 32 for 0 */
SIMD vu leading_zeros(vu a)
{
	a |= a >> 1;
	a |= a >> 2;
	a |= a >> 4;
	a |= a >> 8;
	a |= a >> 16;
	return splat(32) - popcount(a);
}

SIMD vu or_none(vmask none, vu value)
{
	return mask_lanes(none) | value;
}

VALUE1(BCNT_INT, return popcount(a);)
VALUE1(FFBH_UINT, return or_none(int_eq(a, splat(0)), leading_zeros(a));)
VALUE1(FFBL_INT, return or_none(int_eq(a, splat(0)), popcount((a & -a) - 1));)
VALUE1(FFBH_INT,
       vu unlike = a ^ (vu)((vi)a >> 31);
       return or_none(int_eq(unlike, splat(0)), leading_zeros(unlike));)
VALUE1(BFREV_INT,
       a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
       a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
       a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
       a = (a >> 8 & 0x00ff00ff) | (a & 0x00ff00ff) << 8;
       return a >> 16 | a << 16;)
VALUE2(BFM_INT,
       return ((splat(1) << (a & 31)) - 1) << (b & 31);)

/* Field of `width` bits at `offset`, moved to the top of the word. */
SIMD vu field_left(vu a, vu offset, vu width)
{
	return a << ((splat(32) - offset - width) & 31);
}

VALUE3(BFE_UINT,
       vu offset = b & 31; vu width = c & 31;
       vu inside = field_left(a, offset, width) >> ((splat(32) - width) & 31);
       vu r = choose(uint_gt(splat(32), offset + width), inside, a >> offset);
       return choose(int_eq(width, splat(0)), splat(0), r);)
VALUE3(BFE_INT,
       vu offset = b & 31; vu width = c & 31;
       vi top = (vi)field_left(a, offset, width);
       vu inside = (vu)(top >> (vi)((splat(32) - width) & 31));
       vu r = choose(uint_gt(splat(32), offset + width), inside,
		     (vu)((vi)a >> (vi)offset));
       return choose(int_eq(width, splat(0)), splat(0), r);)
VALUE3(BFI_INT, return (a & b) | (~a & c);)

/* Low word of {a, b} >> count, count below 32. */
SIMD vu align(vu a, vu b, vu count)
{
	return b >> count | a << 1 << (31 - count);
}

VALUE3(BIT_ALIGN_INT, return align(a, b, c & 31);)
VALUE3(BYTE_ALIGN_INT, return align(a, b, (c & 3) << 3);)

/* --- Bytes -------------------------------------------------------------- */

VALUE3(LERP_UINT,
       vu even = splat(0x00ff00ff); vu one = c & 0x00010001;
       vu low = ((a & even) + (b & even) + one) >> 1 & even;
       vu odd = c >> 8 & 0x00010001;
       vu high = ((a >> 8 & even) + (b >> 8 & even) + odd) >> 1 & even;
       return low | high << 8;)

SIMD vu byte_differences(vu a, vu b)
{
	vu sum = splat(0);

	for (int k = 0; k < 32; k += 8) {
		vi difference = (vi)(a >> k & 0xff) - (vi)(b >> k & 0xff);
		vi sign = difference >> 31;

		sum += (vu)((difference ^ sign) - sign);
	}
	return sum;
}

VALUE3(SAD_ACCUM_UINT, return byte_differences(a, b) + c;)
VALUE3(SAD_ACCUM_HI_UINT, return (byte_differences(a, b) << 16) + c;)

/* --- With the result of the next lower slot ----------------------------- */

PREVIOUS3(SAD_ACCUM_PREV_UINT, return byte_differences(a, b) + c;)
PREVIOUS2(BCNT_ACCUM_PREV_INT, return popcount(a) + b;)

/* Set bits of `a` below this lane, among the lanes of one half. */
SIMD vu lanes_below(vu a, unsigned i, unsigned first)
{
	vi lane = (vi)(lane_numbers() + splat(i * VECTOR_LANES - first));
	vu below = (splat(1) << (vu)(lane & 31)) - 1;

	below = choose(int_gt((vu)lane, splat(31)), splat(0xffffffff), below);
	below = choose(int_gt(splat(0), (vu)lane), splat(0), below);
	return popcount(a & below);
}

VALUE1(MBCNT_32HI_INT, return lanes_below(a, i, 32);)
PREVIOUS2(MBCNT_32LO_ACCUM_PREV_INT, return lanes_below(a, i, 0) + b;)

/* --- Predicates --------------------------------------------------------- */

PREDICATE(PRED_SETE_INT, int_eq(a, b))
PREDICATE(PRED_SETGT_INT, int_gt(a, b))
PREDICATE(PRED_SETGE_INT, int_ge(a, b))
PREDICATE(PRED_SETNE_INT, int_ne(a, b))
PREDICATE(PRED_SETGT_UINT, uint_gt(a, b))
PREDICATE(PRED_SETGE_UINT, uint_ge(a, b))
