/* Operations on values, element by element. */
#include <math.h>

#include "codegen/random/program.h"

static double cut_real(enum element element, double value)
{
	return element == FLOAT ? (double)(float)value : value;
}

static double real_operation(enum operation operation, enum element element,
			     double a, double b, double c)
{
	switch (operation) {
	case ADD:
		return a + b;
	case SUB:
		return a - b;
	case MUL:
		return a * b;
	case NEGATE:
		return -a;
	case FMA:
		return element == FLOAT
			       ? (double)fmaf((float)a, (float)b, (float)c)
			       : fma(a, b, c);
	case FMIN:
		return fmin(a, b);
	case FMAX:
		return fmax(a, b);
	case FLOOR:
		return floor(a);
	case CEIL:
		return ceil(a);
	case TRUNC:
		return trunc(a);
	case RINT:
		return rint(a);
	case ROUND:
		return round(a);
	case FABS:
		return fabs(a);
	default:
		return 0;
	}
}

/* Integers of every type are exact here. */
__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

static wide largest(enum element element)
{
	return ((wide)1 << (element_bits(element) -
			    element_is_signed(element))) - 1;
}

static wide smallest(enum element element)
{
	return element_is_signed(element) ? -largest(element) - 1 : 0;
}

static wide saturate(enum element element, wide value)
{
	if (value > largest(element))
		return largest(element);
	return value < smallest(element) ? smallest(element) : value;
}

static wide widen(enum element element, uint64_t bits)
{
	return element_is_signed(element) ? (wide)(int64_t)bits : (wide)bits;
}

/* The high half: of 64 bits by way of unsigned ones. */
static wide high_half(enum element element, wide a, wide b)
{
	unsigned bits = element_bits(element);
	unsigned_wide product = (unsigned_wide)a * (unsigned_wide)b;

	return element_is_signed(element) ? (wide)product >> bits
					  : (wide)(product >> bits);
}

static wide rotate(enum element element, uint64_t value, uint64_t count)
{
	unsigned bits = element_bits(element);
	uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;

	value &= mask;
	count %= bits;
	return (wide)(count ? value << count | value >> (bits - count) : value);
}

static unsigned leading_zeros(enum element element, uint64_t value)
{
	unsigned bits = element_bits(element);
	unsigned count = 0;

	while (count < bits && !(value >> (bits - 1 - count) & 1))
		count++;
	return count;
}

static unsigned ones(enum element element, uint64_t value)
{
	unsigned count = 0;

	for (unsigned i = 0; i < element_bits(element); i++)
		count += value >> i & 1;
	return count;
}

/* The complement where it does not fit. */
static wide complemented(enum element element, wide value)
{
	return value == saturate(element, value) ? value : ~value;
}

static wide product(enum element element, wide a, wide b)
{
	wide result;

	/* 128 bits may be too few. */
	if (__builtin_mul_overflow(a, b, &result))
		return ~(wide)((unsigned_wide)a * (unsigned_wide)b);
	return complemented(element, result);
}

/* Pieces of so many bits in the opposite order. */
static wide mirrored(enum element element, uint64_t value, unsigned piece)
{
	uint64_t result = 0, mask = (1U << piece) - 1;

	for (unsigned i = 0; i < element_bits(element); i += piece)
		result = result << piece | (value >> i & mask);
	return (wide)result;
}

static unsigned zeros_behind(enum element element, uint64_t value)
{
	unsigned count = 0;

	while (count < element_bits(element) && !(value >> count & 1))
		count++;
	return count;
}

static wide funnel(enum element element, const uint64_t *u)
{
	unsigned bits = element_bits(element), count = u[2] % bits;
	uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;

	if (!count)
		return (wide)u[0];
	return (wide)(u[0] << count | (u[1] & mask) >> (bits - count));
}

/* On the number whose upper half is u[0], the lower one u[1]. */
static wide wide_operation(enum operation operation, const uint64_t *u)
{
	unsigned_wide a = (unsigned_wide)u[0] << 64 | u[1];
	unsigned_wide b = (unsigned_wide)u[2] << 64 | u[0];
	unsigned count = u[2] % 128;

	switch (operation) {
	case WIDE_ADD:
		return (wide)((a + b) >> 61);
	case WIDE_SUB:
		return (wide)((a - b) >> 61);
	case WIDE_MUL:
		return (wide)(a * b >> 64);
	case WIDE_LEFT:
		return (wide)(a << count >> 64);
	case WIDE_RIGHT:
		return (wide)(a >> count);
	case WIDE_SIGNED:
		return (wide)a >> count;
	case WIDE_LESS:
		return (wide)a < (wide)b;
	case WIDE_BELOW:
		return a <= b;
	case WIDE_SAME:
		return a == (b ^ (unsigned_wide)u[2] << 64 ^
			     (unsigned_wide)u[0] << 64);
	case WIDE_TURN:
		return (wide)((a << count | a >> (-count & 127)) >> 32);
	case WIDE_LEAST:
		return (wide)((a < b ? a : b) >> 40);
	case WIDE_FULL:
		return (wide)((a + b < a ? ~(unsigned_wide)0 : a + b) >> 62);
	case WIDE_TENTH:
		return (wide)((a / 10 ^ b % 1000) >> 1);
	default:
		return 0;
	}
}

/* The low bits of the result count. */
static wide builtin(enum operation operation, enum element element,
		    const wide *v, const uint64_t *u)
{
	switch (operation) {
	case MIN:
		return v[0] < v[1] ? v[0] : v[1];
	case MAX:
		return v[0] > v[1] ? v[0] : v[1];
	case ADD_SAT:
		return saturate(element, v[0] + v[1]);
	case SUB_SAT:
		return saturate(element, v[0] - v[1]);
	case HADD:
		return (v[0] + v[1]) >> 1;
	case RHADD:
		return (v[0] + v[1] + 1) >> 1;
	case MUL_HI:
		return high_half(element, v[0], v[1]);
	case MAD_HI:
		return high_half(element, v[0], v[1]) + v[2];
	case ROTATE:
		return rotate(element, u[0], u[1]);
	case BITSELECT:
		return (wide)((u[0] & ~u[2]) | (u[1] & u[2]));
	case CLZ:
		return leading_zeros(element, u[0]);
	case POPCOUNT:
		return ones(element, u[0]);
	case ABS:
		return v[0] < 0 ? -v[0] : v[0];
	case ABS_DIFF:
		return v[0] < v[1] ? v[1] - v[0] : v[0] - v[1];
	case ADD_OVER:
		return complemented(element, v[0] + v[1]);
	case SUB_OVER:
		return complemented(element, v[0] - v[1]);
	case MUL_OVER:
		return product(element, v[0], v[1]);
	case REVERSE:
		return mirrored(element, u[0], 1);
	case BYTES:
		return mirrored(element, u[0], 8);
	case BEHIND:
		return zeros_behind(element, u[0]);
	case FUNNEL:
		return funnel(element, u);
	case MUL24:
		return (v[0] & 0x7fffff) * (v[1] & 0x7fffff);
	case MAD24:
		return (v[0] & 0x7fffff) * (v[1] & 0x7fffff) + v[2];
	default:
		return wide_operation(operation, u);
	}
}

static wide integer_operation(enum operation operation, enum element element,
			      const uint64_t *u)
{
	wide v[3] = { widen(element, u[0]), widen(element, u[1]),
		      widen(element, u[2]) };
	wide divisor = (v[1] & largest(element)) | 1;
	unsigned count = (unsigned)u[1] & (element_bits(element) - 1);

	switch (operation) {
	case ADD:
		return v[0] + v[1];
	case SUB:
		return v[0] - v[1];
	case MUL:
		return (wide)(u[0] * u[1]);
	case DIV:
		return v[0] / divisor;
	case MOD:
		return v[0] % divisor;
	case AND:
		return v[0] & v[1];
	case OR:
		return v[0] | v[1];
	case XOR:
		return v[0] ^ v[1];
	case SHL:
		return (wide)(u[0] << count);
	case SHR:
		return v[0] >> count;
	case NOT:
		return ~v[0];
	case NEGATE:
		return -v[0];
	default:
		return builtin(operation, element, v, u);
	}
}

void evaluate_operation(enum operation operation, struct type type,
			const struct value *operands, struct value *result)
{
	unsigned count = operation_info[operation].operands;
	enum element element = type.element;

	for (unsigned i = 0; i < type.width; i++) {
		uint64_t bits[3] = { 0 };
		double real[3] = { 0 };

		for (unsigned k = 0; k < count; k++) {
			bits[k] = operands[k].bits[i];
			real[k] = operands[k].real[i];
		}
		if (element_is_real(element))
			result->real[i] = cut_real(
				element,
				real_operation(operation, element, real[0],
					       real[1], real[2]));
		else
			result->bits[i] = element_cut(
				element, (uint64_t)integer_operation(
						 operation, element, bits));
	}
}

/* --- Conversions ---------------------------------------------------------- */

static double to_real(enum element from, enum element to, uint64_t bits)
{
	if (element_is_signed(from))
		return to == FLOAT ? (double)(float)(int64_t)bits
				   : (double)(int64_t)bits;
	return to == FLOAT ? (double)(float)bits : (double)bits;
}

/* Out of range only where it saturates. */
static uint64_t from_real(enum element to, double value)
{
	double top = ldexp(1, (int)element_bits(to) - element_is_signed(to));

	if (value >= top)
		return (uint64_t)largest(to);
	if (value <= (double)smallest(to))
		return (uint64_t)smallest(to);
	return element_is_signed(to) ? (uint64_t)(int64_t)value
				     : (uint64_t)value;
}

void evaluate_convert(struct type from, struct type to, bool saturated,
		      const struct value *operand, struct value *result)
{
	for (unsigned i = 0; i < to.width; i++) {
		uint64_t bits = operand->bits[i];
		double real = operand->real[i];

		if (element_is_real(from.element)) {
			if (element_is_real(to.element))
				result->real[i] = cut_real(to.element, real);
			else
				result->bits[i] = from_real(to.element, real);
		} else if (element_is_real(to.element)) {
			result->real[i] =
				to_real(from.element, to.element, bits);
		} else {
			wide value = widen(from.element, bits);

			if (saturated)
				value = saturate(to.element, value);
			result->bits[i] =
				element_cut(to.element, (uint64_t)value);
		}
	}
}
