/* The words of alu/words.h as native code: each function emits the instructions
 * of its word. Included by native/alu.c alone. */
#ifndef M2S_EVERGREEN_EMU_NATIVE_WORDS_H
#define M2S_EVERGREEN_EMU_NATIVE_WORDS_H

#include "evergreen/emu/native/build.h"

#define SAY(word, ...) emit_##word(n, __VA_ARGS__)
#include "evergreen/emu/alu/words.h"

/* Conditions of COMPARE_FLOAT. */
enum { EQ = 0x00, UNORDERED = NATIVE_UNORDERED, NE = 0x04, LT = 0x11,
       GE = 0x1d, GT = 0x1e };

/* Digits of SHIFT_DWORD and SHIFT_QUAD. */
enum { RIGHT = 2, RIGHT_INT = 4, LEFT = 6 };

typedef struct native_place value;
typedef struct native_test test;

/* --- Instructions --------------------------------------------------------- */

static void swap(value *a, value *b)
{
	value other = *a;

	*a = *b;
	*b = other;
}

/* Emits insn with two sources. */
static value two(struct native *n, enum native_vector insn, value a, value b)
{
	unsigned first = native_in_register(n, a);
	unsigned dest = native_scratch(n);

	native_vector(&n->code, insn, dest, first, b, -1, 0, false);
	return native_reg(dest);
}

/* Emits a commutative insn: the sources may change places. */
static value either(struct native *n, enum native_vector insn, value a,
		    value b)
{
	if (a.in_memory)
		swap(&a, &b);
	return two(n, insn, a, b);
}

static value one(struct native *n, enum native_vector insn, value a)
{
	unsigned dest = native_scratch(n);

	native_vector(&n->code, insn, dest, 0, a, -1, 0, false);
	return native_reg(dest);
}

static value shifted(struct native *n, enum native_vector insn, unsigned digit,
		     value a, unsigned count)
{
	unsigned source = native_in_register(n, a);
	unsigned dest = native_scratch(n);

	native_shift(&n->code, insn, digit, dest, source, count);
	return native_reg(dest);
}

static value emit_constant(struct native *n, uint32_t bits)
{
	return native_constant(&n->code, bits);
}

static value emit_only(struct native *n, value a)
{
	native_keep(n, &a, 1);
	return a;
}

/* Words that are one instruction: of one source, of two, of two that may change
 * places. */
#define ONE(word, insn)                                                        \
	static value emit_##word(struct native *n, value a)                    \
	{                                                                      \
		return one(n, NATIVE_##insn, a);                               \
	}
#define TWO(word, insn)                                                        \
	static value emit_##word(struct native *n, value a, value b)           \
	{                                                                      \
		return two(n, NATIVE_##insn, a, b);                            \
	}
#define EITHER(word, insn)                                                     \
	static value emit_##word(struct native *n, value a, value b)           \
	{                                                                      \
		return either(n, NATIVE_##insn, a, b);                         \
	}

EITHER(sum, ADD_FLOAT)
TWO(difference, SUB_FLOAT)
EITHER(product, MUL_FLOAT)
TWO(quotient, DIV_FLOAT)
ONE(root, SQRT_FLOAT)
ONE(truncated, TRUNCATE)
ONE(int_to_float, INT_TO_FLOAT)
EITHER(bit_and, AND)
EITHER(bit_or, OR)
EITHER(bit_xor, XOR)
EITHER(int_sum, ADD_INT)
TWO(int_difference, SUB_INT)
EITHER(int_product, MUL_LOW)
EITHER(int_max, MAX_INT)
EITHER(int_min, MIN_INT)
EITHER(uint_max, MAX_UINT)
EITHER(uint_min, MIN_UINT)

/* --- Comparisons ---------------------------------------------------------- */

static unsigned test_register(struct native *n)
{
	static const unsigned masks[] = {2, 3, 6};

	if (!n->code.evex)
		return native_scratch(n);
	return masks[n->next_mask++ % 3];
}

static test compare(struct native *n, enum native_vector insn, int condition,
		    value a, value b)
{
	unsigned first = native_in_register(n, a);
	test result = {test_register(n)};

	native_vector(&n->code, insn, result.reg, first, b, condition, 0,
		      false);
	return result;
}

#define COMPARE(word, condition)                                               \
	static test emit_##word(struct native *n, value a, value b)            \
	{                                                                      \
		return compare(n, NATIVE_COMPARE_FLOAT, condition, a, b);      \
	}
COMPARE(float_eq, EQ)
COMPARE(float_ne, NE)
COMPARE(float_gt, GT)
COMPARE(float_ge, GE)
COMPARE(float_lt, LT)
COMPARE(float_unordered, UNORDERED)

static test opposite(struct native *n, test t)
{
	test result = {test_register(n)};

	if (n->code.evex)
		native_mask(&n->code, 0x44, false, result.reg, 0, t.reg);
	else
		native_vector(&n->code, NATIVE_XOR, result.reg, t.reg,
			      constant(0xffffffff), -1, 0, false);
	return result;
}

static test emit_mask_or(struct native *n, test a, test b)
{
	test result = {test_register(n)};

	if (n->code.evex)
		native_mask(&n->code, 0x45, true, result.reg, a.reg, b.reg);
	else
		native_vector(&n->code, NATIVE_OR, result.reg, a.reg,
			      native_reg(b.reg), -1, 0, false);
	return result;
}

static test emit_int_eq(struct native *n, value a, value b)
{
	if (n->code.evex)
		return compare(n, NATIVE_COMPARE_INT, 0, a, b);
	return (test){either(n, NATIVE_EQUAL_INT, a, b).reg};
}

static test emit_int_ne(struct native *n, value a, value b)
{
	if (n->code.evex)
		return compare(n, NATIVE_COMPARE_INT, 4, a, b);
	return opposite(n, int_eq(a, b));
}

static test emit_int_gt(struct native *n, value a, value b)
{
	if (n->code.evex)
		return compare(n, NATIVE_COMPARE_INT, 6, a, b);
	return (test){two(n, NATIVE_GREATER_INT, a, b).reg};
}

static test emit_int_ge(struct native *n, value a, value b)
{
	if (n->code.evex)
		return compare(n, NATIVE_COMPARE_INT, 5, a, b);
	return opposite(n, int_gt(b, a));
}

static test emit_uint_ge(struct native *n, value a, value b)
{
	if (n->code.evex)
		return compare(n, NATIVE_COMPARE_UINT, 5, a, b);
	return int_eq(uint_max(a, b), a);
}

static test emit_uint_gt(struct native *n, value a, value b)
{
	if (n->code.evex)
		return compare(n, NATIVE_COMPARE_UINT, 6, a, b);
	return opposite(n, uint_ge(b, a));
}

static value emit_choose(struct native *n, test t, value yes, value no)
{
	unsigned other = native_in_register(n, no);
	unsigned dest = native_scratch(n);

	if (n->code.evex)
		native_vector(&n->code, NATIVE_BLEND_MASK, dest, other, yes, -1,
			      t.reg, false);
	else
		native_vector(&n->code, NATIVE_BLEND, dest, other, yes,
			      (int)(t.reg << 4), 0, false);
	return native_reg(dest);
}

/* 0 and ~0 */
static value emit_mask_lanes(struct native *n, test t)
{
	unsigned dest;

	if (!n->code.evex)
		return native_reg(t.reg);
	dest = native_scratch(n);
	native_vector(&n->code, NATIVE_MASK_TO_LANES, dest, 0,
		      native_reg(t.reg), -1, 0, false);
	return native_reg(dest);
}

static value emit_where(struct native *n, test t, value a)
{
	unsigned dest;

	if (!n->code.evex)
		return bit_and(a, native_reg(t.reg));
	dest = native_scratch(n);
	native_vector(&n->code, NATIVE_LOAD, dest, 0, a, -1, t.reg, true);
	return native_reg(dest);
}

static value emit_where_not(struct native *n, test t, value a)
{
	if (!n->code.evex)
		return two(n, NATIVE_AND_NOT, native_reg(t.reg), a);
	return where(opposite(n, t), a);
}

/* --- Floats --------------------------------------------------------------- */

/* The sum is computed in the register of the addend. */
static value emit_fused(struct native *n, value a, value b, value c)
{
	unsigned first = native_in_register(n, a);
	unsigned dest = one(n, NATIVE_LOAD, c).reg;

	native_vector(&n->code, NATIVE_FUSED_231, dest, first, b, -1, 0, false);
	return native_reg(dest);
}

static value rounded(struct native *n, value a, int how)
{
	unsigned dest = native_scratch(n);

	native_vector(&n->code, NATIVE_ROUND_FLOAT, dest, 0, a, how | 8, 0,
		      false);
	return native_reg(dest);
}

#define ROUNDED(word, how)                                                     \
	static value emit_##word(struct native *n, value a)                    \
	{                                                                      \
		return rounded(n, a, how);                                     \
	}
ROUNDED(rounded_to_even, 0)
ROUNDED(rounded_down, 1)
ROUNDED(rounded_up, 2)
ROUNDED(rounded_to_zero, 3)

static value emit_number(struct native *n, value a)
{
	n->raw = true;
	return a;
}

/* --- Integers ------------------------------------------------------------- */

static value emit_bit_field(struct native *n, value a, unsigned first,
			    unsigned count)
{
	if (first)
		a = shifted(n, NATIVE_SHIFT_DWORD, RIGHT, a, first);
	return first + count == 32
		       ? a
		       : bit_and(a, constant(UINT32_MAX >> (32 - count)));
}

/* Shift counts use their low five bits. */
static value shift(struct native *n, enum native_vector insn, unsigned digit,
		   value a, value count)
{
	uint32_t known;

	if (native_known(n, count, &known))
		return shifted(n, NATIVE_SHIFT_DWORD, digit, a, known & 31);
	return two(n, insn, a, bit_and(count, constant(31)));
}

#define SHIFT(word, insn, digit)                                               \
	static value emit_##word(struct native *n, value a, value count)       \
	{                                                                      \
		return shift(n, NATIVE_##insn, digit, a, count);               \
	}
SHIFT(shift_left, SHIFT_LEFT, LEFT)
SHIFT(shift_right, SHIFT_RIGHT, RIGHT)
SHIFT(shift_right_int, SHIFT_RIGHT_INT, RIGHT_INT)

static value right_quad(struct native *n, value a)
{
	return shifted(n, NATIVE_SHIFT_QUAD, RIGHT, a, 32);
}

static value product_high(struct native *n, enum native_vector insn, value a,
			  value b)
{
	value even = two(n, insn, a, b);
	value odd = two(n, insn, right_quad(n, a), right_quad(n, b));
	unsigned dest;

	even = right_quad(n, even);
	if (n->code.evex) {
		odd = shifted(n, NATIVE_SHIFT_QUAD, LEFT, right_quad(n, odd),
			      32);
		return bit_or(even, odd);
	}
	dest = native_scratch(n);
	native_vector(&n->code, NATIVE_BLEND_FIXED, dest, even.reg, odd, 0xaa,
		      0, false);
	return native_reg(dest);
}

static value emit_int_product_high(struct native *n, value a, value b)
{
	return product_high(n, NATIVE_MUL_EVEN_INT, a, b);
}

static value emit_uint_product_high(struct native *n, value a, value b)
{
	return product_high(n, NATIVE_MUL_EVEN, a, b);
}

static value emit_bit_choose(struct native *n, value mask, value yes,
			     value no)
{
	unsigned dest, first;

	if (!n->code.evex) {
		value high = bit_and(mask, yes);

		return bit_or(high, two(n, NATIVE_AND_NOT, mask, no));
	}
	first = native_in_register(n, yes);
	dest = native_scratch(n);
	native_vector(&n->code, NATIVE_LOAD, dest, 0, mask, -1, 0, false);
	native_vector(&n->code, NATIVE_TERNARY, dest, first, no, 0xca, 0,
		      false);
	return native_reg(dest);
}

/* A field with a known offset and width. */
static value field(struct native *n, unsigned digit, value a, value b, value c)
{
	uint32_t offset = 0, width = 0;

	native_known(n, b, &offset);
	native_known(n, c, &width);
	offset &= 31;
	width &= 31;
	if (!width)
		return one(n, NATIVE_LOAD, constant(0));
	if (offset + width < 32) {
		a = shifted(n, NATIVE_SHIFT_DWORD, LEFT, a,
			    32 - offset - width);
		offset = 32 - width;
	}
	return shifted(n, NATIVE_SHIFT_DWORD, digit, a, offset);
}

static value emit_field_uint(struct native *n, value a, value offset,
			     value width)
{
	return field(n, RIGHT, a, offset, width);
}

static value emit_field_int(struct native *n, value a, value offset,
			    value width)
{
	return field(n, RIGHT_INT, a, offset, width);
}

/* Shifting by one first makes 32 - count of a count that is 0 as well. */
static value align_known(struct native *n, value a, value b, uint32_t count)
{
	value low = shifted(n, NATIVE_SHIFT_DWORD, RIGHT, b, count);
	value high = shifted(n, NATIVE_SHIFT_DWORD, LEFT, a, 1);

	return bit_or(low,
		      shifted(n, NATIVE_SHIFT_DWORD, LEFT, high, 31 - count));
}

static value align(struct native *n, value a, value b, value count)
{
	value high = shifted(n, NATIVE_SHIFT_DWORD, LEFT, a, 1);

	high = two(n, NATIVE_SHIFT_LEFT, high, bit_xor(count, constant(31)));
	return bit_or(two(n, NATIVE_SHIFT_RIGHT, b, count), high);
}

static value emit_bit_align(struct native *n, value a, value b, value count)
{
	uint32_t known;

	if (native_known(n, count, &known))
		return align_known(n, a, b, known & 31);
	return align(n, a, b, bit_and(count, constant(31)));
}

static value emit_byte_align(struct native *n, value a, value b, value count)
{
	uint32_t known;

	if (native_known(n, count, &known))
		return align_known(n, a, b, (known & 3) << 3);
	count = bit_and(count, constant(3));
	return align(n, a, b,
		     shifted(n, NATIVE_SHIFT_DWORD, LEFT, count, 3));
}

static value emit_uint_to_float(struct native *n, value a)
{
	value high, low;

	if (n->code.evex)
		return one(n, NATIVE_UINT_TO_FLOAT, a);
	high = int_to_float(bit_field(a, 16, 16));
	high = product(high, constant(0x47800000));
	low = bit_field(a, 0, 16);
	return sum(high, int_to_float(low));
}

/* --- Halves --------------------------------------------------------------- */

/* These instructions name the destination where others name the last source,
 * and a source of half a vector must be a register here. */
static value narrowed(struct native *n, enum native_vector insn, value a,
		      int immediate)
{
	unsigned source = native_in_register(n, a);
	unsigned dest = native_scratch(n);

	native_vector(&n->code, insn, source, 0, native_reg(dest), immediate, 0,
		      false);
	return native_reg(dest);
}

static value emit_half_bits(struct native *n, value a)
{
	enum { BY_MODE = 4 };

	return one(n, NATIVE_WIDEN_SHORT,
		   narrowed(n, NATIVE_TO_HALF, a, BY_MODE));
}

static value emit_half_value(struct native *n, value a)
{
	if (n->code.evex) {
		a = narrowed(n, NATIVE_NARROW_INT, a, -1);
	} else {
		a = bit_and(a, constant(0xffff));
		a = two(n, NATIVE_NARROW_QUADS, a, a);
		a = two(n, NATIVE_JOIN_QUADS, a,
			narrowed(n, NATIVE_UPPER_HALF, a, 1));
	}
	return one(n, NATIVE_FROM_HALF, a);
}

/* --- Words made of words -------------------------------------------------- */

#define WORD(word, ...) static value emit_##word(struct native *n, __VA_ARGS__)
#include "evergreen/emu/alu/composed.h"

#endif
