/* The words of alu/words.h over vectors, except for those that simd.h has. The
 * host flushes denormals. */
#ifndef M2S_EVERGREEN_EMU_ALU_VECTOR_H
#define M2S_EVERGREEN_EMU_ALU_VECTOR_H

#include <stdbool.h>

#include "evergreen/emu/simd/simd.h"

#define SAY(word, ...) word(__VA_ARGS__)
#include "evergreen/emu/alu/words.h"

typedef vu value;
typedef vmask test;

#define F(x) ((vf)(x))

SIMD vu constant(uint32_t bits)
{
	return splat(bits);
}

/* --- Floats --------------------------------------------------------------- */

SIMD vu sum(vu a, vu b)
{
	return (vu)(F(a) + F(b));
}

SIMD vu difference(vu a, vu b)
{
	return (vu)(F(a) - F(b));
}

SIMD vu product(vu a, vu b)
{
	return (vu)(F(a) * F(b));
}

SIMD vu quotient(vu a, vu b)
{
	return (vu)(F(a) / F(b));
}

SIMD vu root(vu a)
{
	return (vu)square_root(F(a));
}

SIMD vu fused(vu a, vu b, vu c)
{
	return (vu)fused_single(F(a), F(b), F(c));
}

SIMD vu rounded_down(vu a)
{
	return (vu)round_floor(F(a));
}

SIMD vu rounded_up(vu a)
{
	return (vu)round_ceil(F(a));
}

SIMD vu rounded_to_zero(vu a)
{
	return (vu)round_trunc(F(a));
}

SIMD vu rounded_to_even(vu a)
{
	return (vu)round_even(F(a));
}

/* Which of two NaN operands survives an x86 operation depends on how the
 * compiler ordered them. */
SIMD vu number(vu a)
{
	return choose(float_unordered(a, a), splat(FLOAT_NAN), a);
}

SIMD vu truncated(vu a)
{
	return truncate_to_int(F(a));
}

SIMD vu int_to_float(vu a)
{
	return (vu)__builtin_convertvector((vi)a, vf);
}

SIMD vu uint_to_float(vu a)
{
	/* Both halves convert exactly: only the sum rounds. */
	vf high = __builtin_convertvector((vi)(a >> 16), vf);
	vf low = __builtin_convertvector((vi)(a & 0xffff), vf);

	return (vu)(high * 65536.0f + low);
}

SIMD vu half_bits(vu a)
{
	return narrow_to_half(F(a));
}

SIMD vu half_value(vu a)
{
	return (vu)widen_half(a);
}

/* --- Integers ------------------------------------------------------------- */

SIMD vu bit_and(vu a, vu b)
{
	return a & b;
}

SIMD vu bit_or(vu a, vu b)
{
	return a | b;
}

SIMD vu bit_xor(vu a, vu b)
{
	return a ^ b;
}

SIMD vu bit_choose(vu mask, vu yes, vu no)
{
	return (mask & yes) | (~mask & no);
}

SIMD vu bit_field(vu a, unsigned first, unsigned count)
{
	return a >> first & UINT32_MAX >> (32 - count);
}

SIMD vu shift_left(vu a, vu count)
{
	return a << (count & 31);
}

SIMD vu shift_right(vu a, vu count)
{
	return a >> (count & 31);
}

SIMD vu shift_right_int(vu a, vu count)
{
	return (vu)((vi)a >> (vi)(count & 31));
}

SIMD vu int_sum(vu a, vu b)
{
	return a + b;
}

SIMD vu int_difference(vu a, vu b)
{
	return a - b;
}

SIMD vu int_max(vu a, vu b)
{
	return choose(int_gt(a, b), a, b);
}

SIMD vu int_min(vu a, vu b)
{
	return choose(int_gt(a, b), b, a);
}

SIMD vu int_product(vu a, vu b)
{
	return a * b;
}

SIMD vu int_product_high(vu a, vu b)
{
	return multiply_high_signed(a, b);
}

SIMD vu uint_product_high(vu a, vu b)
{
	return multiply_high_unsigned(a, b);
}

/* Count below 32. */
SIMD vu align(vu a, vu b, vu count)
{
	return b >> count | a << 1 << (31 - count);
}

SIMD vu bit_align(vu a, vu b, vu count)
{
	return align(a, b, count & 31);
}

SIMD vu byte_align(vu a, vu b, vu count)
{
	return align(a, b, (count & 3) << 3);
}

/* Field of `width` bits at `offset`, moved to the top of the word. */
SIMD vu field_left(vu a, vu offset, vu width)
{
	return a << ((splat(32) - offset - width) & 31);
}

SIMD vu field_uint(vu a, vu offset, vu width)
{
	vu inside, r;

	offset &= 31;
	width &= 31;
	inside = field_left(a, offset, width) >> ((splat(32) - width) & 31);
	r = choose(uint_gt(splat(32), offset + width), inside, a >> offset);
	return choose(int_eq(width, splat(0)), splat(0), r);
}

SIMD vu field_int(vu a, vu offset, vu width)
{
	vu inside, r;

	offset &= 31;
	width &= 31;
	inside = (vu)((vi)field_left(a, offset, width) >>
		      (vi)((splat(32) - width) & 31));
	r = choose(uint_gt(splat(32), offset + width), inside,
		   (vu)((vi)a >> (vi)offset));
	return choose(int_eq(width, splat(0)), splat(0), r);
}

/* --- Words made of words -------------------------------------------------- */

/* Vectors need no such hint. */
SIMD vu only(vu a)
{
	return a;
}

#define WORD(word, ...) SIMD value word(__VA_ARGS__)
#include "evergreen/emu/alu/composed.h"

#endif
