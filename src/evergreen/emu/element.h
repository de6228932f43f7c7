/* Elements of buffers and texels of images: conversion between numbers and
 * their bits in memory.
 *
 * Two functions read the same bits: element_read reads one element of any
 * format, element_rows reads 64 elements of the formats that kernels mostly
 * use. */
#ifndef M2S_EVERGREEN_EMU_ELEMENT_H
#define M2S_EVERGREEN_EMU_ELEMENT_H

#include <math.h>

#include "evergreen/emu/simd/simd.h"
#include "evergreen/emu/state.h"

enum { ELEMENT_BYTES_MAX = 16 };

SIMD uint32_t float_to_bits(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof bits);
	return bits;
}

SIMD float bits_to_float(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof f);
	return f;
}

SIMD bool element_is_float(const struct evg_element *element)
{
	return element->format->kind != EVG_FORMAT_BITS;
}

/* Whether a component is an integer in the register, not a float. */
SIMD bool element_is_integer(const struct evg_element *element)
{
	return !element_is_float(element) &&
	       element->number_format == EVG_NUMBER_INT;
}

/* The value of a select of 1. */
SIMD uint32_t element_one(const struct evg_element *element)
{
	return element->number_format == EVG_NUMBER_INT ? 1 : 0x3f800000;
}

/* --- Reading ------------------------------------------------------------ */

/* Reads a float with or without a sign, with five bits of exponent and
 * `fraction_bits` of fraction. Its denormals are normal singles. */
SIMD uint32_t small_float_read(uint32_t raw, unsigned fraction_bits)
{
	uint32_t fraction = raw & ((1u << fraction_bits) - 1);
	uint32_t exponent = raw >> fraction_bits & 31;
	uint32_t sign = raw >> (fraction_bits + 5) << 31;

	fraction <<= 23 - fraction_bits;
	if (exponent == 31)
		return sign | (fraction ? 0x7fc00000 : 0x7f800000);
	if (exponent)
		return sign | (exponent + 112) << 23 | fraction;
	return sign | float_to_bits((float)fraction * 0x1p-37f);
}

/* NORM: the greatest value is 1. Of a signed format the two least values are
 * both -1, unless no_zero is set: then no value is exactly 0. */
SIMD float norm_read(const struct evg_element *element, uint32_t raw,
		     int32_t as_int, unsigned bits)
{
	if (!element->is_signed && bits <= 24)
		return (float)raw / (float)((1u << bits) - 1);
	if (!element->is_signed)
		return (float)((double)raw / 4294967295.0);
	if (element->no_zero)
		return (float)((2.0 * as_int + 1) /
			       (double)(UINT32_MAX >> (32 - bits)));
	/* A sign bit alone: 0 and -1. */
	if (bits == 1)
		return (float)as_int;
	if (as_int < -(int32_t)(UINT32_MAX >> (33 - bits)))
		return -1;
	if (bits <= 24)
		return (float)as_int / (float)(UINT32_MAX >> (33 - bits));
	return (float)((double)as_int /
		       (double)(UINT32_MAX >> (33 - bits)));
}

SIMD uint32_t component_read(const struct evg_element *element, uint32_t raw,
			     unsigned bits)
{
	unsigned spare = 32 - bits;
	int32_t as_int = (int32_t)(raw << spare) >> spare;

	if (element->format->kind == EVG_FORMAT_FLOAT)
		return bits == 32   ? raw
		       : bits == 16 ? small_float_read(raw, 10)
				    : small_float_read(raw, bits - 5);
	switch (element->number_format) {
	case EVG_NUMBER_NORM:
		return float_to_bits(norm_read(element, raw, as_int, bits));
	case EVG_NUMBER_SCALED:
		return float_to_bits(element->is_signed ? (float)as_int
							: (float)raw);
	default:
		return element->is_signed ? (uint32_t)as_int : raw;
	}
}

/* Swaps the bytes of each whole half-word (1) or word (2). */
SIMD void element_swap(uint8_t *bytes, unsigned count, unsigned endian_swap)
{
	unsigned unit = 1u << endian_swap;

	if (!endian_swap)
		return;
	for (unsigned start = 0; start + unit <= count; start += unit)
		for (unsigned i = 0; i < unit / 2; i++) {
			uint8_t low = bytes[start + i];

			bytes[start + i] = bytes[start + unit - 1 - i];
			bytes[start + unit - 1 - i] = low;
		}
}

/* Reads the components that the format has, and 0 for the others. */
SIMD void element_read(const struct evg_element *element, const uint8_t *place,
		       uint32_t component[4])
{
	const struct evg_data_format *format = element->format;
	uint8_t bytes[ELEMENT_BYTES_MAX + 8] = {0};

	memcpy(bytes, place, format->bytes);
	element_swap(bytes, format->bytes, element->endian_swap);
	memset(component, 0, 4 * sizeof *component);
	for (unsigned c = 0; c < format->components; c++) {
		unsigned bits = format->bits[c];
		uint32_t raw;

		memcpy(&raw, bytes + format->shift[c] / 8, sizeof raw);
		raw >>= format->shift[c] % 8;
		raw &= UINT32_MAX >> (32 - bits);
		if (format->kind == EVG_FORMAT_SHARED)
			component[c] = float_to_bits(
				ldexpf((float)raw, (bytes[3] >> 3) - 24));
		else
			component[c] = component_read(element, raw, bits);
	}
}

/* --- Reading a row of elements -------------------------------------------- */

/* A row of halves as singles. */
SIMD vu half_row(vu raw)
{
	vu sign = (raw & 0x8000) << 16;
	vu exponent = raw & 0x7c00, fraction = raw & 0x3ff;
	vu small = (vu)(__builtin_convertvector((vi)fraction, vf) *
			splat_float(0x1p-24f));
	vu normal = (exponent | fraction) << 13;
	vu huge = choose(int_eq(fraction, splat(0)), splat(0x7f800000),
			 splat(0x7fc00000));

	normal = choose(int_eq(exponent, splat(0)), small,
			normal + (112u << 23));
	return sign | choose(int_eq(exponent, splat(0x7c00)), huge, normal);
}

SIMD vu norm_row(const struct evg_element *element, vu raw, unsigned bits)
{
	vf value = __builtin_convertvector((vi)raw, vf);
	unsigned digits = bits - element->is_signed;
	vf limit = splat_float((float)((1u << digits) - 1));
	vu least = (vu)splat_float(-1);

	value /= limit;
	if (!element->is_signed)
		return (vu)value;
	return choose(float_lt((vu)value, least), least, (vu)value);
}

/* Whether element_rows knows the format. */
SIMD bool element_has_rows(const struct evg_element *element)
{
	const struct evg_data_format *format = element->format;
	unsigned bits = format->bits[0];

	if (element->endian_swap || format->kind == EVG_FORMAT_SHARED)
		return false;
	if (format->kind == EVG_FORMAT_FLOAT)
		return bits == 16 || bits == 32;
	for (unsigned c = 0; c < format->components; c++)
		if (element->number_format != EVG_NUMBER_INT &&
		    (format->bits[c] > 24 ||
		     (element->is_signed &&
		      (element->no_zero || format->bits[c] < 2))))
			return false;
	return true;
}

SIMD vu component_row(const struct evg_element *element, vu raw, unsigned bits)
{
	unsigned spare = 32 - bits;

	if (bits == 32)
		return raw;
	if (element->format->kind == EVG_FORMAT_FLOAT)
		return half_row(raw);
	if (element->is_signed)
		raw = (vu)((vi)(raw << spare) >> (int32_t)spare);
	switch (element->number_format) {
	case EVG_NUMBER_NORM:
		return norm_row(element, raw, bits);
	case EVG_NUMBER_SCALED:
		return (vu)__builtin_convertvector((vi)raw, vf);
	default:
		return raw;
	}
}

/* Reads the elements at base + address[lane] for every lane. A vector load may
 * read up to three bytes behind an element. */
static inline void element_rows(const struct evg_element *element,
				const uint8_t *base,
				const uint32_t address[EVG_WAVEFRONT_SIZE],
				uint32_t component[4][EVG_WAVEFRONT_SIZE])
{
	const struct evg_data_format *format = element->format;
	unsigned components = format->components;

	if (!element_has_rows(element)) {
		for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
			uint32_t one[4];

			element_read(element, base + address[lane], one);
			for (unsigned c = 0; c < 4; c++)
				component[c][lane] = one[c];
		}
		return;
	}
	for (unsigned i = 0; i < ROW_VECTORS; i++) {
		vu from = load(address + i * VECTOR_LANES), dword = splat(0);

		if (format->bytes == 16) {
			vu part[4];

			load_structures(base, address + i * VECTOR_LANES,
					part);
			for (unsigned c = 0; c < 4; c++)
				store(component[c] + i * VECTOR_LANES,
				      part[c]);
			continue;
		}
		for (unsigned c = 0; c < 4; c++) {
			unsigned shift = format->shift[c];
			vu value = splat(0);

			if (c < components) {
				unsigned spare = 32u - format->bits[c];

				if (!(shift & 31) || !c)
					dword = load_lanes(base,
							   from + shift / 8);
				value = dword >> (shift & 31);
				value &= UINT32_MAX >> spare;
				value = component_row(element, value,
						      format->bits[c]);
			}
			store(component[c] + i * VECTOR_LANES, value);
		}
	}
}

/* --- Writing ------------------------------------------------------------ */

/* Rounds to nearest, ties to even. Values that are too large become
 * infinite. */
SIMD uint32_t small_float_write(uint32_t single, unsigned fraction_bits,
				bool has_sign)
{
	uint32_t sign = single >> 31, magnitude = single & 0x7fffffff;
	uint32_t infinite = 31u << fraction_bits, result, lost, half;
	int exponent = (int)(magnitude >> 23) - 112;
	unsigned shift = 23 - fraction_bits;

	if (magnitude > 0x7f800000)
		return infinite | 1u << (fraction_bits - 1) |
		       (has_sign ? sign << 15 : 0);
	if (sign && !has_sign)
		return 0;
	if (exponent >= 31) {
		result = infinite;
	} else {
		uint32_t fraction = magnitude & 0x7fffff;

		if (exponent <= 0) {
			fraction |= magnitude >> 23 ? 0x800000 : 0;
			shift += exponent < -24 ? 25 : (unsigned)(1 - exponent);
			exponent = 0;
		}
		if (shift > 25)
			shift = 25;
		/* A carry out of the fraction raises the exponent. */
		result = (uint32_t)exponent << fraction_bits |
			 fraction >> shift;
		lost = fraction & ((1u << shift) - 1);
		half = 1u << (shift - 1);
		result += lost > half || (lost == half && result & 1);
	}
	return result | (has_sign ? sign << 15 : 0);
}

/* Rounds to nearest even and saturates to `bits` bits (OpenCL 1.2, 8.3:
 * convert_T_sat_rte). NaN becomes 0. */
SIMD uint32_t integer_write(const struct evg_element *element, double value,
			    unsigned bits)
{
	double greatest = (double)(UINT32_MAX >> (32 - bits)), least = 0;

	if (element->is_signed) {
		greatest = (greatest - 1) / 2;
		least = -greatest - 1;
	}
	value = rint(value);
	if (!(value > least))
		value = value <= least ? least : 0;
	if (value > greatest)
		value = greatest;
	return (uint32_t)(int64_t)value;
}

SIMD uint32_t component_write(const struct evg_element *element,
			      uint32_t value, unsigned bits)
{
	double limit = (double)(UINT32_MAX >> (32 - bits));

	if (element->format->kind == EVG_FORMAT_FLOAT)
		return bits == 32   ? value
		       : bits == 16 ? small_float_write(value, 10, true)
				    : small_float_write(value, bits - 5, false);
	switch (element->number_format) {
	case EVG_NUMBER_NORM:
		if (element->is_signed)
			limit = (limit - 1) / 2;
		return integer_write(
			element, (double)bits_to_float(value) * limit, bits);
	case EVG_NUMBER_SCALED:
		return integer_write(element, (double)bits_to_float(value),
				     bits);
	default:
		return integer_write(element,
				     element->is_signed
					     ? (double)(int32_t)value
					     : (double)value,
				     bits);
	}
}

/* The largest of the three components determines the exponent. */
SIMD uint32_t shared_write(const uint32_t component[4])
{
	double value[3], largest = 0;
	int exponent;

	for (unsigned c = 0; c < 3; c++) {
		value[c] = (double)bits_to_float(component[c]);
		value[c] = value[c] > 0 ? value[c] : 0;
		if (value[c] > 65408)
			value[c] = 65408;
		largest = value[c] > largest ? value[c] : largest;
	}
	exponent = largest > 0 ? ilogb(largest) : -16;
	exponent = exponent < -16 ? -16 : exponent;
	if (rint(ldexp(largest, 8 - exponent)) > 511)
		exponent++;
	for (unsigned c = 0; c < 3; c++)
		value[c] = rint(ldexp(value[c], 8 - exponent));
	return (uint32_t)value[0] | (uint32_t)value[1] << 9 |
	       (uint32_t)value[2] << 18 | (uint32_t)(exponent + 16) << 27;
}

SIMD void element_write(const struct evg_element *element, uint8_t *place,
			const uint32_t component[4])
{
	const struct evg_data_format *format = element->format;
	uint8_t bytes[ELEMENT_BYTES_MAX + 8] = {0};

	if (format->kind == EVG_FORMAT_SHARED) {
		uint32_t all = shared_write(component);

		memcpy(bytes, &all, sizeof all);
	}
	for (unsigned c = 0; c < format->components; c++) {
		unsigned bits = format->bits[c], shift = format->shift[c];
		uint32_t raw, old;

		if (format->kind == EVG_FORMAT_SHARED)
			break;
		raw = component_write(element, component[c], bits) &
		      UINT32_MAX >> (32 - bits);
		memcpy(&old, bytes + shift / 8, sizeof old);
		old |= raw << shift % 8;
		memcpy(bytes + shift / 8, &old, sizeof old);
	}
	element_swap(bytes, format->bytes, element->endian_swap);
	memcpy(place, bytes, format->bytes);
}

#endif
