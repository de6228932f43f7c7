/* Scalar definitions of the operations that join slots: sums, packing, results
 * of the next lower slot, double precision; and operands for each. For
 * test-alu-wide alone. */
#ifndef M2S_TESTS_EVERGREEN_EMU_WIDE_REFERENCE_H
#define M2S_TESTS_EVERGREEN_EMU_WIDE_REFERENCE_H

#include "evergreen/emu/alu-reference.h"
#include "evergreen/emu/fixture.h"

/* One lane's operands: source k of slot s in R(1 + k), channel s; results in
 * R5. A definition fills `result` and says which channels it defines. */
typedef unsigned definition(uint32_t source[3][4], unsigned lane,
			    uint32_t result[4]);
typedef uint32_t operand_maker(unsigned slot);

struct operation {
	enum evg_alu_op op;
	unsigned slots;      /* mask */
	definition *define;
	operand_maker *make;
};

/* --- Operands ----------------------------------------------------------- */

static uint32_t any_bits(unsigned slot)
{
	(void)slot;
	return random_bits();
}

static uint32_t some_float(unsigned slot)
{
	static const uint32_t corners[] = {
		0, 0x80000000, 0x3f800000, 0x7f800000, 0x7fc00000, 0x00000001,
		0x437f0000, 0x43800000, 0xbf000000, 0x3f000000, 0x3fc00000};
	uint32_t r = random_bits();

	(void)slot;
	if (random_bits() % 4 == 0)
		return corners[r % (sizeof corners / sizeof *corners)];
	return (r & 0x807fffff) | ((120 + (r >> 8) % 16) << 23);
}

static uint32_t double_low(void)
{
	uint32_t r = random_bits();

	return r % 3 ? r : r % 5 ? 0 : 0xffffffff;
}

static uint32_t double_high(void)
{
	static const uint32_t corners[] = {
		0, 0x80000000, 0x3ff00000, 0xbff00000, 0x7ff00000, 0xfff00000,
		0x7ff80000, 0x00100000, 0x000fffff, 0x80080000, 0x7fefffff,
		0x3fe00000, 0x40080000, 0x1ff00000, 0x20000000, 0x00000001};
	uint32_t r = random_bits();

	if (random_bits() % 2)
		return corners[r % (sizeof corners / sizeof *corners)];
	return (r & 0x800fffff) | ((1010 + (r >> 8) % 28) << 20);
}

/* High dwords in the first slot of a pair. */
static uint32_t pair_operand(unsigned slot)
{
	return slot % 2 ? double_low() : double_high();
}

static uint32_t four_operand(unsigned slot)
{
	return slot == 3 ? double_low() : double_high();
}

static uint32_t exponent_operand(unsigned slot)
{
	uint32_t r = random_bits();

	if (slot % 2)
		return double_low();
	return r % 2 ? r % 64 - 32 : double_high();
}

/* --- Definitions -------------------------------------------------------- */

static unsigned all(uint32_t result[4], uint32_t value)
{
	for (int s = 0; s < 4; s++)
		result[s] = value;
	return 0xf;
}

static float dot(uint32_t source[3][4], bool zero_rule)
{
	float sum = 0;

	for (int s = 0; s < 4; s++) {
		float x = f(source[0][s]), y = f(source[1][s]);
		float p = operand_of(zero_rule ? product_zero(x, y)
					       : product(x, y));

		sum = s ? operand_of(f(out(sum + p))) : p;
	}
	return sum;
}

static unsigned dot4(uint32_t source[3][4], unsigned lane, uint32_t result[4])
{
	(void)lane;
	return all(result, out(dot(source, true)));
}

static unsigned dot4_ieee(uint32_t source[3][4], unsigned lane,
			  uint32_t result[4])
{
	(void)lane;
	return all(result, out(dot(source, false)));
}

static unsigned pack(uint32_t source[3][4], unsigned lane, uint32_t result[4])
{
	uint32_t packed = 0;

	(void)lane;
	for (int s = 0; s < 4; s++) {
		uint32_t byte = saturate_uint(nearest_integer((double)f(source[0][s])));

		packed |= (byte > 255 ? 255 : byte) << 8 * s;
	}
	return all(result, packed);
}

/* x takes y's result, y takes z's, z takes w's; w is a MOV here. */
static unsigned chain(uint32_t source[3][4], uint32_t result[4],
		      uint32_t (*step)(uint32_t a, uint32_t b))
{
	result[3] = source[0][3];
	for (int s = 2; s >= 0; s--)
		result[s] = step(source[0][s], source[1][s]) + result[s + 1];
	return 0xf;
}

static uint32_t count_step(uint32_t a, uint32_t b)
{
	(void)b;
	return (uint32_t)bit_count(a);
}

static unsigned bcnt_chain(uint32_t source[3][4], unsigned lane,
			   uint32_t result[4])
{
	(void)lane;
	return chain(source, result, count_step);
}

static unsigned sad_chain(uint32_t source[3][4], unsigned lane,
			  uint32_t result[4])
{
	(void)lane;
	return chain(source, result, byte_sum);
}

static uint64_t bits_below(unsigned lane)
{
	return lane ? UINT64_MAX >> (64 - lane) : 0;
}

static unsigned mbcnt_chain(uint32_t source[3][4], unsigned lane,
			    uint32_t result[4])
{
	uint32_t below = (uint32_t)bits_below(lane);

	result[3] = source[0][3];
	for (int s = 2; s >= 0; s--)
		result[s] = (uint32_t)bit_count(source[0][s] & below) +
			    result[s + 1];
	return 0xf;
}

static unsigned mbcnt_high(uint32_t source[3][4], unsigned lane,
			   uint32_t result[4])
{
	uint32_t below = (uint32_t)(bits_below(lane) >> 32);

	for (int s = 0; s < 4; s++)
		result[s] = (uint32_t)bit_count(source[0][s] & below);
	return 0xf;
}

static double join_bits(uint32_t high, uint32_t low)
{
	uint64_t bits = (uint64_t)high << 32 | low;
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static double flushed(double value, bool flush)
{
	return flush && fabs(value) < DBL_MIN ? copysign(0.0, value) : value;
}

static double join(uint32_t high, uint32_t low)
{
	return flushed(join_bits(high, low), reference_mode.flush_double_in);
}

/* Operands that pass through keep the bits of a NaN, and denormals. */
static void split_same(double value, uint32_t *low, uint32_t *high)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	*low = (uint32_t)bits;
	*high = (uint32_t)(bits >> 32);
}

static void split(double value, uint32_t *low, uint32_t *high)
{
	if (isnan(value)) {
		*low = 0;
		*high = 0x7ff80000;
		return;
	}
	split_same(flushed(value, reference_mode.flush_double_out), low, high);
}

/* a, b, c are the operands as arithmetic sees them, x, y, z as they are. */
#define PAIR_DEFINITION(name, split, expression)                               \
	static unsigned name(uint32_t source[3][4], unsigned lane,             \
			     uint32_t result[4])                               \
	{                                                                      \
		(void)lane;                                                    \
		for (int s = 0; s < 4; s += 2) {                               \
			double a = join(source[0][s], source[0][s + 1]);       \
			double b = join(source[1][s], source[1][s + 1]);       \
			double x = join_bits(source[0][s], source[0][s + 1]);  \
			double y = join_bits(source[1][s], source[1][s + 1]);  \
			double z = join_bits(source[2][s], source[2][s + 1]);  \
                                                                               \
			(void)a, (void)b, (void)x, (void)y, (void)z;           \
			split(expression, &result[s], &result[s + 1]);         \
		}                                                              \
		return 0xf;                                                    \
	}
#define PAIR_TEST(name, condition, yes, no)                                    \
	static unsigned name(uint32_t source[3][4], unsigned lane,             \
			     uint32_t result[4])                               \
	{                                                                      \
		(void)lane;                                                    \
		for (int s = 0; s < 4; s += 2) {                               \
			double a = join(source[0][s], source[0][s + 1]);       \
			double b = join(source[1][s], source[1][s + 1]);       \
                                                                               \
			result[s] = result[s + 1] = (condition) ? yes : no;    \
		}                                                              \
		return 0xf;                                                    \
	}

static double fract_double(double a)
{
	double r = a - floor(a);

	return r >= 1 ? 0x1.fffffffffffffp-1 : r;
}

PAIR_DEFINITION(add_64, split, a + b)
PAIR_DEFINITION(max_64, split_same,
		isnan(b) ? x : isnan(a) ? y : a >= b ? x : y)
PAIR_DEFINITION(min_64, split_same,
		isnan(b) ? x : isnan(a) ? y : a < b ? x : y)
PAIR_DEFINITION(cndne_64, split_same, a != 0 ? y : z)
PAIR_DEFINITION(fract_64, split, fract_double(a))
PAIR_TEST(sete_64, a == b, TRUE_BITS, 0)
PAIR_TEST(setne_64, a != b, TRUE_BITS, 0)
PAIR_TEST(setgt_64, a > b, TRUE_BITS, 0)
PAIR_TEST(setge_64, a >= b, TRUE_BITS, 0)
PAIR_TEST(pred_sete_64, a == b, 0, 0x3f800000)
PAIR_TEST(pred_setgt_64, a > b, 0, 0x3f800000)
PAIR_TEST(pred_setge_64, a >= b, 0, 0x3f800000)

static unsigned to_double(uint32_t source[3][4], unsigned lane,
			  uint32_t result[4])
{
	(void)lane;
	for (int s = 0; s < 4; s += 2)
		split((double)f(source[0][s]), &result[s], &result[s + 1]);
	return 0xf;
}

static unsigned to_single(uint32_t source[3][4], unsigned lane,
			  uint32_t result[4])
{
	(void)lane;
	for (int s = 0; s < 4; s += 2)
		result[s] = out_double(join(source[0][s], source[0][s + 1]));
	return 0x5;
}

static unsigned ldexp_64(uint32_t source[3][4], unsigned lane,
			 uint32_t result[4])
{
	(void)lane;
	for (int s = 0; s < 4; s += 2) {
		int32_t e = (int32_t)source[1][s];

		split(ldexp(join(source[0][s], source[0][s + 1]),
			    e > 5000 ? 5000 : e < -5000 ? -5000 : e),
		      &result[s], &result[s + 1]);
	}
	return 0xf;
}

/* What takes four slots gives its double in x and y, and again in z and w. */
static unsigned twice(uint32_t result[4])
{
	result[2] = result[0];
	result[3] = result[1];
	return 0xf;
}

static unsigned mul_64(uint32_t source[3][4], unsigned lane, uint32_t result[4])
{
	(void)lane;
	split(join(source[0][0], source[0][3]) *
		      join(source[1][0], source[1][3]),
	      &result[0], &result[1]);
	return twice(result);
}

static unsigned fma_64(uint32_t source[3][4], unsigned lane, uint32_t result[4])
{
	(void)lane;
	split(fma(join(source[0][0], source[0][3]),
		  join(source[1][0], source[1][3]),
		  join(source[2][0], source[2][3])),
	      &result[0], &result[1]);
	return twice(result);
}

static unsigned frexp_64(uint32_t source[3][4], unsigned lane,
			 uint32_t result[4])
{
	double a = join(source[0][0], source[0][3]), m = a;
	uint64_t bits;
	int e = 0;

	(void)lane;
	if (isfinite(a))
		m = frexp(a, &e);
	memcpy(&bits, &m, sizeof bits);
	result[1] = (uint32_t)e;
	result[2] = (uint32_t)bits;
	result[3] = (uint32_t)(bits >> 32);
	return 0xe;
}

static const struct operation operations[] = {
	{EVG_ALU_DOT4, 0xf, dot4, some_float},
	{EVG_ALU_DOT4_IEEE, 0xf, dot4_ieee, some_float},
	{EVG_ALU_FLT_TO_UINT4, 0xf, pack, some_float},
	{EVG_ALU_BCNT_ACCUM_PREV_INT, 0x7, bcnt_chain, any_bits},
	{EVG_ALU_SAD_ACCUM_PREV_UINT, 0x7, sad_chain, any_bits},
	{EVG_ALU_MBCNT_32LO_ACCUM_PREV_INT, 0x7, mbcnt_chain, any_bits},
	{EVG_ALU_MBCNT_32HI_INT, 0xf, mbcnt_high, any_bits},
	{EVG_ALU_ADD_64, 0xf, add_64, pair_operand},
	{EVG_ALU_MAX_64, 0xf, max_64, pair_operand},
	{EVG_ALU_MIN_64, 0xf, min_64, pair_operand},
	{EVG_ALU_CNDNE_64, 0xf, cndne_64, pair_operand},
	{EVG_ALU_FRACT_64, 0xf, fract_64, pair_operand},
	{EVG_ALU_SETE_64, 0xf, sete_64, pair_operand},
	{EVG_ALU_SETNE_64, 0xf, setne_64, pair_operand},
	{EVG_ALU_SETGT_64, 0xf, setgt_64, pair_operand},
	{EVG_ALU_SETGE_64, 0xf, setge_64, pair_operand},
	{EVG_ALU_PRED_SETE_64, 0x3, pred_sete_64, pair_operand},
	{EVG_ALU_PRED_SETGT_64, 0x3, pred_setgt_64, pair_operand},
	{EVG_ALU_PRED_SETGE_64, 0x3, pred_setge_64, pair_operand},
	{EVG_ALU_FLT32_TO_FLT64, 0xf, to_double, some_float},
	{EVG_ALU_FLT64_TO_FLT32, 0xf, to_single, pair_operand},
	{EVG_ALU_LDEXP_64, 0xf, ldexp_64, exponent_operand},
	{EVG_ALU_MUL_64, 0xf, mul_64, four_operand},
	{EVG_ALU_FMA_64, 0xf, fma_64, four_operand},
	{EVG_ALU_FREXP_64, 0xf, frexp_64, four_operand},
};

#endif
