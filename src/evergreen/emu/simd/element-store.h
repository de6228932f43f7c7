/* Writes a row of elements: what element_write does for one element, for the
 * formats that kernels mostly use. */
#ifndef M2S_EVERGREEN_EMU_SIMD_ELEMENT_STORE_H
#define M2S_EVERGREEN_EMU_SIMD_ELEMENT_STORE_H

#include "evergreen/emu/element.h"

/* Whether element_store_rows knows the format. */
SIMD bool element_stores_rows(const struct evg_element *element)
{
	const struct evg_data_format *format = element->format;

	if (element->endian_swap || format->kind == EVG_FORMAT_SHARED ||
	    (format->bytes & (format->bytes - 1)))
		return false;
	for (unsigned c = 0; c < format->components; c++)
		if (format->shift[c] % 32 + format->bits[c] > 32 ||
		    (format->kind == EVG_FORMAT_FLOAT &&
		     format->bits[c] != 16 && format->bits[c] != 32))
			return false;
	return true;
}

/* Rounded to nearest even, saturated to `bits` bits; NaN becomes 0. */
SIMD vu saturate_double(const struct evg_element *element, vd value[2],
			unsigned bits)
{
	double greatest = (double)(UINT32_MAX >> (32 - bits)), least = 0;

	if (element->is_signed) {
		greatest = (greatest - 1) / 2;
		least = -greatest - 1;
	}
	for (unsigned h = 0; h < 2; h++) {
		vd v = value[h];

		v = choose_double(v > least, v,
				  choose_double(v <= least,
						splat_double(least),
						splat_double(0)));
		v = choose_double(v > greatest, splat_double(greatest), v);
		/* A sum of this size has no digits below one: it is rounded to
		 * an integer, which its low bits hold. */
		value[h] = v + 0x1.8p52;
	}
	return narrow_uint((vq)value[0], (vq)value[1]);
}

SIMD vu saturate_integer(const struct evg_element *element, vu value,
			 unsigned bits)
{
	uint32_t greatest = (1u << (bits - 1)) - 1;

	if (bits == 32)
		return value;
	if (!element->is_signed)
		return uint_min(value, splat(UINT32_MAX >> (32 - bits)));
	value = choose(int_gt(value, splat(greatest)), splat(greatest), value);
	return choose(int_gt(splat(~greatest), value), splat(~greatest),
		      value);
}

SIMD vu half_store_row(vu value)
{
	for (unsigned lane = 0; lane < VECTOR_LANES; lane++)
		value[lane] = small_float_write(value[lane], 10, true);
	return value;
}

/* The bits of a row of component_write. */
SIMD vu component_store_row(const struct evg_element *element, vu value,
			    unsigned bits)
{
	double limit = (double)(UINT32_MAX >> (32 - bits));
	vd number[2];

	if (element->format->kind == EVG_FORMAT_FLOAT)
		return bits == 32 ? value : half_store_row(value);
	if (element_is_integer(element))
		return saturate_integer(element, value, bits);
	widen_float(value, number);
	if (element->number_format == EVG_NUMBER_NORM) {
		if (element->is_signed)
			limit = (limit - 1) / 2;
		number[0] *= limit;
		number[1] *= limit;
	}
	return saturate_double(element, number, bits);
}

/* To base + address[lane] for each of `lanes`, the higher lane last.
 * component[c] is the row of the format's component c. */
static inline void
element_store_rows(const struct evg_element *element, uint8_t *base,
		   uint64_t lanes, const uint32_t address[EVG_WAVEFRONT_SIZE],
		   const uint32_t *const component[4])
{
	const struct evg_data_format *format = element->format;
	alignas(64) uint32_t dword[4][EVG_WAVEFRONT_SIZE];

	for (unsigned i = 0; i < ROW_VECTORS; i++) {
		unsigned start = i * VECTOR_LANES;
		vu whole[4] = {{0}};

		if (!vector_lanes(lanes, i))
			continue;
		for (unsigned c = 0; c < format->components; c++) {
			unsigned bits = format->bits[c];
			vu raw = component_store_row(
				element, load(component[c] + start), bits);

			whole[format->shift[c] / 32] |=
				(raw & UINT32_MAX >> (32 - bits))
				<< format->shift[c] % 32;
		}
		if (format->bytes == 4) {
			store_lanes(base, load(address + start), whole[0],
				    vector_lanes(lanes, i));
			continue;
		}
		for (unsigned d = 0; d < 4; d++)
			store(dword[d] + start, whole[d]);
	}
	if (format->bytes == 4)
		return;
	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(lanes);
		const uint32_t all[4] = {dword[0][lane], dword[1][lane],
					 dword[2][lane], dword[3][lane]};
		uint8_t *place = base + address[lane];

		if (format->bytes == 16)
			memcpy(place, all, 16);
		else if (format->bytes == 8)
			memcpy(place, all, 8);
		else if (format->bytes == 2)
			memcpy(place, all, 2);
		else
			*place = (uint8_t)all[0];
	}
}

#endif
