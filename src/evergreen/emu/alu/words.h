/* The words of alu/operations.def that are defined twice: for vectors
 * (alu/vector.h) and for native code (native/words.h).
 *
 * The includer defines SAY(word, arguments). For vectors a word is a function
 * that computes; for native code it is a function that emits code. A `value` is
 * 32 bits of each lane, a `test` one bit of each lane. Other arguments are
 * numbers that are known when code is made. Words that are composed of other
 * words are defined once, in alu/composed.h. */
#ifndef M2S_EVERGREEN_EMU_ALU_WORDS_H
#define M2S_EVERGREEN_EMU_ALU_WORDS_H

/* Floats that the table and alu/composed.h name. */
enum {
	FLOAT_HALF = 0x3f000000,
	FLOAT_BELOW_ONE = 0x3f7fffff,
	FLOAT_ONE = 0x3f800000,
	FLOAT_TWO = 0x40000000,
	FLOAT_FOUR = 0x40800000,
	FLOAT_TWO_31 = 0x4f000000, /* 2^31 */
	FLOAT_MAX = 0x7f7fffff,
	FLOAT_INFINITY = 0x7f800000,
	FLOAT_NAN = 0x7fc00000, /* the only NaN that arithmetic makes */
	HALF_NAN = 0x7e00,
};

/* The same 32 bits in every lane. */
#define constant(bits) SAY(constant, bits)

/* --- Tests ---------------------------------------------------------------- */

/* Only _ne and _unordered are true of NaNs. */
#define float_eq(a, b) SAY(float_eq, a, b)
#define float_ne(a, b) SAY(float_ne, a, b)
#define float_gt(a, b) SAY(float_gt, a, b)
#define float_ge(a, b) SAY(float_ge, a, b)
#define float_lt(a, b) SAY(float_lt, a, b)
#define float_unordered(a, b) SAY(float_unordered, a, b)
#define int_eq(a, b) SAY(int_eq, a, b)
#define int_ne(a, b) SAY(int_ne, a, b)
#define int_gt(a, b) SAY(int_gt, a, b)
#define int_ge(a, b) SAY(int_ge, a, b)
#define uint_gt(a, b) SAY(uint_gt, a, b)
#define uint_ge(a, b) SAY(uint_ge, a, b)
#define mask_or(s, t) SAY(mask_or, s, t)

/* Values chosen by a test: one of two values, a value or 0, ~0 or 0. */
#define choose(t, yes, no) SAY(choose, t, yes, no)
#define where(t, a) SAY(where, t, a)
#define where_not(t, a) SAY(where_not, t, a)
#define mask_lanes(t) SAY(mask_lanes, t)

/* --- Floats --------------------------------------------------------------- */

/* Rounded as the float mode says. */
#define sum(a, b) SAY(sum, a, b)
#define difference(a, b) SAY(difference, a, b)
#define product(a, b) SAY(product, a, b)
#define quotient(a, b) SAY(quotient, a, b)
#define root(a) SAY(root, a)
/* a*b + c, rounded once. */
#define fused(a, b, c) SAY(fused, a, b, c)
/* To an integral float. */
#define rounded_down(a) SAY(rounded_down, a)
#define rounded_up(a) SAY(rounded_up, a)
#define rounded_to_zero(a) SAY(rounded_to_zero, a)
#define rounded_to_even(a) SAY(rounded_to_even, a)
/* Any NaN becomes FLOAT_NAN. Native code does so only before the bits can be
 * observed. */
#define number(a) SAY(number, a)

/* Truncates; 0x80000000 when an int32_t cannot hold the result. */
#define truncated(a) SAY(truncated, a)
#define int_to_float(a) SAY(int_to_float, a)
#define uint_to_float(a) SAY(uint_to_float, a)
/* To a half, by the float mode, in the low 16 bits, and from one. Denormal
 * halves are kept. A NaN becomes any NaN. */
#define half_bits(a) SAY(half_bits, a)
#define half_value(a) SAY(half_value, a)

/* --- Integers ------------------------------------------------------------- */

#define bit_and(a, b) SAY(bit_and, a, b)
#define bit_or(a, b) SAY(bit_or, a, b)
#define bit_xor(a, b) SAY(bit_xor, a, b)
/* Bit by bit: `yes` where the mask is 1, else `no`. */
#define bit_choose(mask, yes, no) SAY(bit_choose, mask, yes, no)
/* `count` bits from bit `first` on, as an unsigned number. */
#define bit_field(a, first, count) SAY(bit_field, a, first, count)

/* Counts of shifts use their low five bits. */
#define shift_left(a, count) SAY(shift_left, a, count)
#define shift_right(a, count) SAY(shift_right, a, count)
#define shift_right_int(a, count) SAY(shift_right_int, a, count)

#define int_sum(a, b) SAY(int_sum, a, b)
#define int_difference(a, b) SAY(int_difference, a, b)
#define int_max(a, b) SAY(int_max, a, b)
#define int_min(a, b) SAY(int_min, a, b)
#define uint_max(a, b) SAY(uint_max, a, b)
#define uint_min(a, b) SAY(uint_min, a, b)
/* The low and the high half of the product. */
#define int_product(a, b) SAY(int_product, a, b)
#define int_product_high(a, b) SAY(int_product_high, a, b)
#define uint_product_high(a, b) SAY(uint_product_high, a, b)

/* The low word of {a, b} shifted right by `count` bits or bytes: the low five,
 * or two, bits of the count. */
#define bit_align(a, b, count) SAY(bit_align, a, b, count)
#define byte_align(a, b, count) SAY(byte_align, a, b, count)

/* The field of `width` bits from bit `offset` on; both are numbers of five
 * bits. A field that goes beyond bit 31 ends there. Native code has these words
 * when offset and width are known. */
#define field_uint(a, offset, width) SAY(field_uint, a, offset, width)
#define field_int(a, offset, width) SAY(field_int, a, offset, width)

/* --- Native code's registers ---------------------------------------------- */

/* The value itself. The other values that were made or read so far are not
 * needed again. */
#define only(a) SAY(only, a)

/* --- Words made of words (alu/composed.h) --------------------------------- */

#define product_zero(a, b) SAY(product_zero, a, b)
#define fract(a) SAY(fract, a)
#define float_to_int(a) SAY(float_to_int, a)
#define float_to_half(a) SAY(float_to_half, a)
#define half_to_float(a) SAY(half_to_float, a)
#define low24(a) SAY(low24, a)
#define output_modified(a, modifier, clamp, clamp_keeps_nan)                   \
	SAY(output_modified, a, modifier, clamp, clamp_keeps_nan)

#endif
