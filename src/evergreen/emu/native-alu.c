/* Native code of ALU operations: as in alu-float.h and alu-integer.h. */
#include "evergreen/emu/native-build.h"

enum {
	FLOAT_ONE = 0x3f800000,
	FLOAT_BELOW_ONE = 0x3f7fffff,
	FLOAT_TWO_31 = 0x4f000000,
};

/* Conditions of COMPARE_FLOAT. */
enum { EQ = 0x00, UNORDERED = NATIVE_UNORDERED, NE = 0x04, LT = 0x11,
       GE = 0x1d, GT = 0x1e };

typedef struct native_place place;
typedef struct native_test test;

/* --- Building blocks ------------------------------------------------------ */

static place constant(struct native *n, uint32_t value)
{
	return native_constant(&n->code, value);
}

static void swap(place *a, place *b)
{
	place other = *a;

	*a = *b;
	*b = other;
}

/* insn with two sources. */
static place two(struct native *n, enum native_vector insn, place a, place b)
{
	unsigned first = native_in_register(n, a);
	unsigned dest = native_scratch(n);

	native_vector(&n->code, insn, dest, first, b, -1, 0, false);
	return native_reg(dest);
}

/* The same where the sources may change places. */
static place either(struct native *n, enum native_vector insn, place a,
		    place b)
{
	if (a.in_memory)
		swap(&a, &b);
	return two(n, insn, a, b);
}

static place one(struct native *n, enum native_vector insn, place a)
{
	unsigned dest = native_scratch(n);

	native_vector(&n->code, insn, dest, 0, a, -1, 0, false);
	return native_reg(dest);
}

static place shifted(struct native *n, enum native_vector insn, unsigned digit,
		     place a, unsigned count)
{
	unsigned source = native_in_register(n, a);
	unsigned dest = native_scratch(n);

	native_shift(&n->code, insn, digit, dest, source, count);
	return native_reg(dest);
}

static place left(struct native *n, place a, unsigned count)
{
	return shifted(n, NATIVE_SHIFT_DWORD, 6, a, count);
}

static place right(struct native *n, place a, unsigned count)
{
	return shifted(n, NATIVE_SHIFT_DWORD, 2, a, count);
}

static place right_int(struct native *n, place a, unsigned count)
{
	return shifted(n, NATIVE_SHIFT_DWORD, 4, a, count);
}

static place right_quad(struct native *n, place a, unsigned count)
{
	return shifted(n, NATIVE_SHIFT_QUAD, 2, a, count);
}

/* --- Comparisons ---------------------------------------------------------- */

static unsigned test_register(struct native *n)
{
	static const unsigned masks[] = {2, 3, 6};

	if (!n->code.evex)
		return native_scratch(n);
	return masks[n->next_mask++ % 3];
}

static test compare(struct native *n, enum native_vector insn, int condition,
		    place a, place b)
{
	unsigned first = native_in_register(n, a);
	test result = {test_register(n)};

	native_vector(&n->code, insn, result.reg, first, b, condition, 0,
		      false);
	return result;
}

static test compare_float(struct native *n, int condition, place a, place b)
{
	return compare(n, NATIVE_COMPARE_FLOAT, condition, a, b);
}

static test not(struct native *n, test t)
{
	test result = {test_register(n)};

	if (n->code.evex)
		native_mask(&n->code, 0x44, false, result.reg, 0, t.reg);
	else
		native_vector(&n->code, NATIVE_XOR, result.reg, t.reg,
			      constant(n, 0xffffffff), -1, 0, false);
	return result;
}

static test or(struct native *n, test a, test b)
{
	test result = {test_register(n)};

	if (n->code.evex)
		native_mask(&n->code, 0x45, true, result.reg, a.reg, b.reg);
	else
		native_vector(&n->code, NATIVE_OR, result.reg, a.reg,
			      native_reg(b.reg), -1, 0, false);
	return result;
}

static test equal(struct native *n, place a, place b)
{
	if (n->code.evex)
		return compare(n, NATIVE_COMPARE_INT, 0, a, b);
	return (test){either(n, NATIVE_EQUAL_INT, a, b).reg};
}

static test unequal(struct native *n, place a, place b)
{
	if (n->code.evex)
		return compare(n, NATIVE_COMPARE_INT, 4, a, b);
	return not(n, equal(n, a, b));
}

static test greater_int(struct native *n, place a, place b)
{
	if (n->code.evex)
		return compare(n, NATIVE_COMPARE_INT, 6, a, b);
	return (test){two(n, NATIVE_GREATER_INT, a, b).reg};
}

static test greater_equal_int(struct native *n, place a, place b)
{
	if (n->code.evex)
		return compare(n, NATIVE_COMPARE_INT, 5, a, b);
	return not(n, greater_int(n, b, a));
}

static test greater_equal_uint(struct native *n, place a, place b)
{
	if (n->code.evex)
		return compare(n, NATIVE_COMPARE_UINT, 5, a, b);
	return equal(n, either(n, NATIVE_MAX_UINT, a, b), a);
}

static test greater_uint(struct native *n, place a, place b)
{
	if (n->code.evex)
		return compare(n, NATIVE_COMPARE_UINT, 6, a, b);
	return not(n, greater_equal_uint(n, b, a));
}

static place choose(struct native *n, test t, place yes, place no)
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
static place lanes(struct native *n, test t)
{
	unsigned dest;

	if (!n->code.evex)
		return native_reg(t.reg);
	dest = native_scratch(n);
	native_vector(&n->code, NATIVE_MASK_TO_LANES, dest, 0,
		      native_reg(t.reg), -1, 0, false);
	return native_reg(dest);
}

/* The value where the test is true, else 0. */
static place where(struct native *n, test t, place value)
{
	unsigned dest;

	if (!n->code.evex)
		return either(n, NATIVE_AND, value, native_reg(t.reg));
	dest = native_scratch(n);
	native_vector(&n->code, NATIVE_LOAD, dest, 0, value, -1, t.reg, true);
	return native_reg(dest);
}

static place where_not(struct native *n, test t, place value)
{
	if (!n->code.evex)
		return two(n, NATIVE_AND_NOT, native_reg(t.reg), value);
	return where(n, not(n, t), value);
}

/* NaNs are to have one encoding, when somebody sees their bits. */
static place number(struct native *n, place value)
{
	n->raw = true;
	return value;
}

/* --- Float ---------------------------------------------------------------- */

static place product(struct native *n, place a, place b)
{
	return either(n, NATIVE_MUL_FLOAT, a, b);
}

static place sum(struct native *n, place a, place b)
{
	return either(n, NATIVE_ADD_FLOAT, a, b);
}

/* Zero times anything is +0. */
static place product_zero(struct native *n, place a, place b)
{
	test zero = or(n, compare_float(n, EQ, a, constant(n, 0)),
		       compare_float(n, EQ, b, constant(n, 0)));

	return where_not(n, zero, product(n, a, b));
}

static place rounded(struct native *n, place a, int how)
{
	unsigned dest = native_scratch(n);

	native_vector(&n->code, NATIVE_ROUND_FLOAT, dest, 0, a, how | 8, 0,
		      false);
	return native_reg(dest);
}

static place truncated(struct native *n, place a)
{
	place r = one(n, NATIVE_TRUNCATE, a);
	test high = compare_float(n, GE, a, constant(n, FLOAT_TWO_31));

	r = choose(n, high, constant(n, 0x7fffffff), r);
	return where_not(n, compare_float(n, UNORDERED, a, a), r);
}

static place fract(struct native *n, place a)
{
	place whole = rounded(n, a, 1);
	place r = number(n, two(n, NATIVE_SUB_FLOAT, a, whole));
	test high = compare_float(n, GE, r, constant(n, FLOAT_ONE));

	return choose(n, high, constant(n, FLOAT_BELOW_ONE), r);
}

static place uint_to_float(struct native *n, place a)
{
	place high, low;

	if (n->code.evex)
		return one(n, NATIVE_UINT_TO_FLOAT, a);
	high = one(n, NATIVE_INT_TO_FLOAT, right(n, a, 16));
	high = product(n, high, constant(n, 0x47800000));
	low = either(n, NATIVE_AND, a, constant(n, 0xffff));
	return sum(n, high, one(n, NATIVE_INT_TO_FLOAT, low));
}

static place byte_to_float(struct native *n, place a, unsigned shift)
{
	if (shift)
		a = right(n, a, shift);
	return one(n, NATIVE_INT_TO_FLOAT,
		   shift == 24 ? a
			       : either(n, NATIVE_AND, a, constant(n, 0xff)));
}

static place output_modified(struct native *n, place value, unsigned modifier,
			     bool clamp, bool clamp_keeps_nan)
{
	static const uint32_t scale[4] = {FLOAT_ONE, 0x40000000, 0x40800000,
					  0x3f000000};

	if (modifier)
		value = number(n, product(n, value,
					  constant(n, scale[modifier])));
	native_keep(n, &value, 1);
	if (clamp) {
		test stays = compare_float(n, GT, value, constant(n, 0));

		if (clamp_keeps_nan)
			stays = or(n, stays,
				   compare_float(n, UNORDERED, value, value));
		value = where(n, stays, value);
		native_keep(n, &value, 1);
		value = choose(n,
			       compare_float(n, GT, value,
					     constant(n, FLOAT_ONE)),
			       constant(n, FLOAT_ONE), value);
	}
	return value;
}

/* --- Integer -------------------------------------------------------------- */

/* Shift counts use their low five bits. */
static place count_of(struct native *n, place count)
{
	return either(n, NATIVE_AND, count, constant(n, 31));
}

static place shift(struct native *n, enum native_vector insn, unsigned digit,
		   place a, place b)
{
	uint32_t known;

	if (native_known(n, n->uop, 1, &known))
		return shifted(n, NATIVE_SHIFT_DWORD, digit, a, known & 31);
	return two(n, insn, a, count_of(n, b));
}

static place multiply_high(struct native *n, enum native_vector insn, place a,
			   place b)
{
	place even = two(n, insn, a, b);
	place odd = two(n, insn, right_quad(n, a, 32), right_quad(n, b, 32));
	unsigned dest;

	even = right_quad(n, even, 32);
	if (n->code.evex) {
		odd = shifted(n, NATIVE_SHIFT_QUAD, 6, right_quad(n, odd, 32),
			      32);
		return either(n, NATIVE_OR, even, odd);
	}
	dest = native_scratch(n);
	native_vector(&n->code, NATIVE_BLEND_FIXED, dest, even.reg, odd, 0xaa,
		      0, false);
	return native_reg(dest);
}

static place bits24(struct native *n, place a)
{
	return either(n, NATIVE_AND, a, constant(n, 0xffffff));
}

/* (yes & mask) | (no & ~mask) */
static place merge_bits(struct native *n, place mask, place yes, place no)
{
	unsigned dest, first;

	if (!n->code.evex) {
		place high = either(n, NATIVE_AND, mask, yes);

		return either(n, NATIVE_OR, high,
			      two(n, NATIVE_AND_NOT, mask, no));
	}
	first = native_in_register(n, yes);
	dest = native_scratch(n);
	native_vector(&n->code, NATIVE_LOAD, dest, 0, mask, -1, 0, false);
	native_vector(&n->code, NATIVE_TERNARY, dest, first, no, 0xca, 0,
		      false);
	return native_reg(dest);
}

/* A field whose offset and width are known. */
static place field(struct native *n, place a, bool is_signed)
{
	uint32_t offset = 0, width = 0;

	native_known(n, n->uop, 1, &offset);
	native_known(n, n->uop, 2, &width);
	offset &= 31;
	width &= 31;
	if (!width)
		return one(n, NATIVE_LOAD, constant(n, 0));
	if (offset + width < 32) {
		a = left(n, a, 32 - offset - width);
		offset = 32 - width;
	}
	return is_signed ? right_int(n, a, offset) : right(n, a, offset);
}

static place align(struct native *n, place a, place b, place c,
		   unsigned scale)
{
	place count, up;
	uint32_t known;

	if (native_known(n, n->uop, 2, &known)) {
		known = scale ? (known & 3) << 3 : known & 31;
		return either(n, NATIVE_OR, right(n, b, known),
			      left(n, left(n, a, 1), 31 - known));
	}
	count = scale ? left(n, either(n, NATIVE_AND, c, constant(n, 3)), 3)
		      : count_of(n, c);
	up = two(n, NATIVE_XOR, count, constant(n, 31));
	return either(n, NATIVE_OR, two(n, NATIVE_SHIFT_RIGHT, b, count),
		      two(n, NATIVE_SHIFT_LEFT, left(n, a, 1), up));
}

/* --- Operations ----------------------------------------------------------- */

/* Names for native-alu.def. ONE: 1.0 where true. */
#define ONE(t) where(n, t, constant(n, FLOAT_ONE))
#define C(value) constant(n, value)
#define FLOAT(condition, x, y) compare_float(n, condition, x, y)

bool native_ignores_nan(enum evg_alu_op op)
{
	switch (op) {
#define NATIVE_NUMBER(id, ...) case EVG_ALU_##id:
#include "evergreen/emu/native-alu.def"
	case EVG_ALU_SETE:
	case EVG_ALU_SETGT:
	case EVG_ALU_SETGE:
	case EVG_ALU_SETNE:
	case EVG_ALU_SETE_DX10:
	case EVG_ALU_SETGT_DX10:
	case EVG_ALU_SETGE_DX10:
	case EVG_ALU_SETNE_DX10:
	case EVG_ALU_PRED_SETE:
	case EVG_ALU_PRED_SETGT:
	case EVG_ALU_PRED_SETGE:
	case EVG_ALU_PRED_SETNE:
	case EVG_ALU_FLT_TO_INT:
	case EVG_ALU_FLT_TO_INT_FLOOR:
		return true;
	default:
		return false;
	}
}

bool native_gives_number(enum evg_alu_op op)
{
	switch (op) {
#define NATIVE_NUMBER(id, ...) case EVG_ALU_##id:
#include "evergreen/emu/native-alu.def"
		return true;
	default:
		return false;
	}
}

bool native_has(const struct native *n, const struct evg_uop *uop)
{
	uint32_t known;

	if (!uop->op)
		return false;
	switch ((enum evg_alu_op)(uop->op - 1)) {
#define NATIVE_VALUE(id, ...) case EVG_ALU_##id:
#define NATIVE_NUMBER(id, ...) case EVG_ALU_##id:
#include "evergreen/emu/native-alu.def"
		return uop->dest != EVG_NO_ROW;
#define NATIVE_PREDICATE(id, ...) case EVG_ALU_##id:
#include "evergreen/emu/native-alu.def"
		return uop->dest == EVG_NO_ROW;
	case EVG_ALU_BFE_UINT:
	case EVG_ALU_BFE_INT:
		return uop->dest != EVG_NO_ROW &&
		       native_known(n, uop, 1, &known) &&
		       native_known(n, uop, 2, &known);
	default:
		return false;
	}
}

static place plain(struct native *n, place a, place b, place c)
{
	switch ((enum evg_alu_op)(n->uop->op - 1)) {
#define NATIVE_VALUE(id, ...)                                                  \
	case EVG_ALU_##id:                                                     \
		return __VA_ARGS__;
#define NATIVE_NUMBER(id, ...)                                                 \
	case EVG_ALU_##id:                                                     \
		return number(n, __VA_ARGS__);
#include "evergreen/emu/native-alu.def"
	case EVG_ALU_BFE_UINT:
	case EVG_ALU_BFE_INT:
		return field(n, a, n->uop->op - 1 == EVG_ALU_BFE_INT);
	default:
		return a;
	}
}

static void modify_sources(struct native *n)
{
	const struct evg_modifiers *m = n->uop->extra;

	for (unsigned k = 0; m && k < 3; k++) {
		place *source = &n->source[k];

		if (m->source_and[k] != 0xffffffff)
			*source = either(n, NATIVE_AND, *source,
					 constant(n, m->source_and[k]));
		if (m->source_xor[k])
			*source = either(n, NATIVE_XOR, *source,
					 constant(n, m->source_xor[k]));
	}
	native_keep(n, n->source, 3);
}

struct native_place native_operation(struct native *n)
{
	const struct evg_modifiers *m = n->uop->extra;
	place result;

	modify_sources(n);
	result = plain(n, n->source[0], n->source[1], n->source[2]);
	native_keep(n, &result, 1);
	return m ? output_modified(n, result, m->output_modifier, m->clamp,
				   m->clamp_keeps_nan)
		 : result;
}

void native_predicate(struct native *n)
{
	place a, b;
	test t = {0};

	modify_sources(n);
	a = n->source[0];
	b = n->source[1];
	switch ((enum evg_alu_op)(n->uop->op - 1)) {
#define NATIVE_PREDICATE(id, ...)                                              \
	case EVG_ALU_##id:                                                     \
		t = __VA_ARGS__;                                               \
		break;
#include "evergreen/emu/native-alu.def"
	default:
		break;
	}
	native_store_pending(n, t);
}
