#include "evergreen/emu/element-reference.h"

#include <math.h>
#include <string.h>

const struct reference_format reference_formats[] = {
	{1, 'i', {8}}, {2, 'i', {4, 4}}, {3, 'i', {2, 3, 3}},
	{5, 'i', {16}}, {6, 'f', {16}}, {7, 'i', {8, 8}},
	{8, 'i', {5, 6, 5}}, {9, 'i', {5, 5, 6}}, {10, 'i', {5, 5, 5, 1}},
	{11, 'i', {4, 4, 4, 4}}, {12, 'i', {1, 5, 5, 5}}, {13, 'i', {32}},
	{14, 'f', {32}}, {15, 'i', {16, 16}}, {16, 'f', {16, 16}},
	{17, 'i', {24, 8}}, {19, 'i', {8, 24}}, {21, 'i', {11, 11, 10}},
	{22, 'f', {11, 11, 10}}, {23, 'i', {10, 11, 11}},
	{24, 'f', {10, 11, 11}}, {25, 'i', {10, 10, 10, 2}},
	{26, 'i', {8, 8, 8, 8}}, {27, 'i', {2, 10, 10, 10}},
	{29, 'i', {32, 32}}, {30, 'f', {32, 32}},
	{31, 'i', {16, 16, 16, 16}}, {32, 'f', {16, 16, 16, 16}},
	{34, 'i', {32, 32, 32, 32}}, {35, 'f', {32, 32, 32, 32}},
	{43, 's', {9, 9, 9}}, {44, 'i', {8, 8, 8}}, {45, 'i', {16, 16, 16}},
	{46, 'f', {16, 16, 16}}, {47, 'i', {32, 32, 32}},
	{48, 'f', {32, 32, 32}},
};
const unsigned reference_format_count =
	sizeof reference_formats / sizeof *reference_formats;

uint32_t reference_bits(double value)
{
	float f = (float)value;
	uint32_t bits;

	memcpy(&bits, &f, sizeof bits);
	return bits;
}

double reference_single(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof f);
	return (double)f;
}

unsigned reference_components(const struct reference_format *format)
{
	unsigned count = 0;

	while (count < 4 && format->bits[count])
		count++;
	return count;
}

unsigned reference_bytes(const struct reference_format *format)
{
	unsigned bits = format->kind == 's' ? 5 : 0;

	for (unsigned c = 0; c < 4; c++)
		bits += format->bits[c];
	return bits / 8;
}

/* Bit by bit, from a string of bytes. */
static uint64_t take(const uint8_t *bytes, unsigned from, unsigned count)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < count; i++)
		value |= (uint64_t)(bytes[(from + i) / 8] >> (from + i) % 8 &
				    1) << i;
	return value;
}

static uint32_t small_float(unsigned raw, unsigned bits)
{
	unsigned fraction_bits = bits == 16 ? 10 : bits - 5;
	unsigned exponent = raw >> fraction_bits & 31;
	unsigned fraction = raw & ((1u << fraction_bits) - 1);
	double sign = bits == 16 && raw >> 15 ? -1 : 1;

	if (exponent == 31)
		return fraction ? (sign < 0 ? 0xffc00000 : 0x7fc00000)
				: reference_bits(sign * INFINITY);
	if (!exponent)
		return reference_bits(
			sign * ldexp(fraction, -14 - (int)fraction_bits));
	return reference_bits(
		sign * ldexp((1 << fraction_bits) + fraction,
			     (int)exponent - 15 - (int)fraction_bits));
}

uint32_t reference_read(const struct reference_format *format,
			const struct reference_numbers *numbers,
			const uint8_t *place, unsigned c)
{
	unsigned unit = 1u << numbers->endian_swap, from = 0;
	unsigned bits = format->bits[c], size = reference_bytes(format);
	uint8_t bytes[16];
	int64_t value;
	double most;

	for (unsigned i = 0; i < size; i++) {
		bool whole = i / unit * unit + unit <= size;

		bytes[i] = place[whole ? i / unit * unit + unit - 1 - i % unit
				       : i];
	}
	for (unsigned i = 0; i < c; i++)
		from += format->bits[i];
	value = (int64_t)take(bytes, from, bits);
	if (format->kind == 's')
		return reference_bits(
			ldexp((double)value,
			      (int)take(bytes, 27, 5) - 24));
	if (format->kind == 'f')
		return bits == 32 ? (uint32_t)value
				  : small_float((unsigned)value, bits);
	if (numbers->is_signed && value >> (bits - 1))
		value -= INT64_C(1) << bits;
	if (numbers->number_format == 1)
		return (uint32_t)value;
	if (numbers->number_format == 2)
		return reference_bits((double)value);
	if (!numbers->is_signed)
		return reference_bits((double)value / (ldexp(1, bits) - 1));
	if (numbers->no_zero)
		return reference_bits((2 * (double)value + 1) /
				      (ldexp(1, bits) - 1));
	most = bits == 1 ? 1 : ldexp(1, bits - 1) - 1;
	return reference_bits(fmax((double)value / most, -1));
}

/* Ties to even. */
static double nearest(double x)
{
	double low = floor(x), part = x - low;

	if (part > 0.5 || (part == 0.5 && fmod(low, 2) != 0))
		low++;
	return low;
}

static uint64_t to_small_float(uint32_t single, unsigned bits)
{
	unsigned fraction_bits = bits == 16 ? 10 : bits - 5;
	double value = reference_single(single), unit;
	uint64_t sign = bits == 16 ? (uint64_t)(single >> 31) << 15 : 0;
	uint64_t infinite = UINT64_C(31) << fraction_bits;
	int exponent;

	if (isnan(value))
		return sign | infinite | UINT64_C(1) << (fraction_bits - 1);
	if (single >> 31 && bits != 16)
		return 0;
	value = fabs(value);
	if (isinf(value))
		return sign | infinite;
	if (value == 0)
		return sign;
	frexp(value, &exponent); /* value = [0.5, 1) * 2^exponent */
	exponent = exponent - 1 < -14 ? -14 : exponent - 1;
	unit = ldexp(1, exponent - (int)fraction_bits);
	value = nearest(value / unit); /* in units of the last place */
	/* Denormals have the exponent 0, which stands for -14, too. */
	value += (double)(exponent + 14) * ldexp(1, (int)fraction_bits);
	return sign | (value >= (double)infinite ? infinite
						 : (uint64_t)value);
}

static uint64_t to_bits(const struct reference_numbers *numbers,
			uint32_t component, unsigned bits)
{
	double least = numbers->is_signed ? -ldexp(1, bits - 1) : 0;
	double most = numbers->is_signed ? ldexp(1, bits - 1) - 1
					 : ldexp(1, bits) - 1;
	double value = reference_single(component);

	if (numbers->number_format == 1)
		value = numbers->is_signed ? (double)(int32_t)component
					   : (double)component;
	else if (isnan(value))
		value = 0;
	if (numbers->number_format == 0)
		value *= most;
	value = nearest(fmax(fmin(value, 1e18), -1e18));
	value = fmax(fmin(value, most), least);
	return (uint64_t)(int64_t)value;
}

void reference_write(const struct reference_format *format,
		     const struct reference_numbers *numbers,
		     const uint32_t component[4], uint8_t *bytes)
{
	unsigned from = 0;

	memset(bytes, 0, reference_bytes(format));
	for (unsigned c = 0; c < reference_components(format); c++) {
		unsigned bits = format->bits[c];
		uint64_t raw = format->kind == 'i'
				       ? to_bits(numbers, component[c], bits)
			       : bits == 32 ? component[c]
					    : to_small_float(component[c],
							     bits);

		for (unsigned i = 0; i < bits; i++, from++)
			bytes[from / 8] |= (uint8_t)((raw >> i & 1)
						     << from % 8);
	}
}
