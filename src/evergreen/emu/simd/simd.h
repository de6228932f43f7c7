/* Host vectors.
 *
 * types.h has their types. width-16.h, width-32.h and width-64.h define the
 * same names for each width. Functions that are composed of these names are
 * here. Comparisons give a `vmask`, which is a mask register on v4 and a vector
 * of 0 and ~0 elsewhere.
 *
 * All functions give the same bits at every width: where an instruction set
 * lacks an operation (fused multiply-add on v2) it is built from exact steps.
 * Single-precision code runs with denormals flushed by the host (FTZ and DAZ in
 * MXCSR) and rounding to nearest, unless the program's float mode says
 * otherwise. */
#ifndef M2S_EVERGREEN_EMU_SIMD_SIMD_H
#define M2S_EVERGREEN_EMU_SIMD_SIMD_H

#include "evergreen/emu/simd/types.h"

#if VECTOR_BYTES == 64
#include "evergreen/emu/simd/width-64.h"
#elif VECTOR_BYTES == 32
#include "evergreen/emu/simd/width-32.h"
#else
#include "evergreen/emu/simd/width-16.h"
#endif

/* What each width defines:
 *
 *  - vmask; float_eq, float_gt, float_ge, float_lt, float_ne, float_unordered,
 *    int_eq, int_ne, int_gt, int_ge, uint_gt, uint_ge; choose, where,
 *    where_not, mask_lanes, mask_bits, store_masked
 *  - lane_numbers, uint_min, uint_max, reduce_min, reduce_max,
 *    multiply_high_unsigned
 *  - round_floor, round_ceil, round_trunc, round_even, square_root, and these
 *    of doubles (round_floor_double, ...); fused_single, fused_double,
 *    truncate_to_int, narrow_to_half, widen_half; join_pairs, split_pairs
 *  - gather, scatter, gather_pairs, unzip_pairs, load_structures */

SIMD vmask mask_and(vmask a, vmask b)
{
	return a & b;
}

SIMD vmask mask_or(vmask a, vmask b)
{
	return a | b;
}

/* The bits of vector `index`'s lanes, as bits 0 and up. */
SIMD unsigned vector_lanes(uint64_t lanes, unsigned index)
{
	return (unsigned)(lanes >> (index * VECTOR_LANES)) &
	       ((1u << VECTOR_LANES) - 1);
}

/* Expands 64 bits to a row of 0 and ~0. */
SIMD void expand_lanes(uint32_t *row, uint64_t lanes)
{
	vu bit = splat(1) << lane_numbers();

	for (unsigned i = 0; i < ROW_VECTORS; i++) {
		vu here = splat(vector_lanes(lanes, i)) & bit;

		store(row + i * VECTOR_LANES,
		      mask_lanes(int_ne(here, splat(0))));
	}
}

SIMD vu multiply_high_signed(vu a, vu b)
{
	vu high = multiply_high_unsigned(a, b);

	return high - ((vu)((vi)a >> 31) & b) - ((vu)((vi)b >> 31) & a);
}

/* Loads a dword per lane as gather does. One address for all lanes, and
 * consecutive dwords, take no gather. */
SIMD vu load_lanes(const uint8_t *base, vu offset)
{
	vu first = splat(offset[0]);

	if (!mask_bits(int_ne(offset, first + (lane_numbers() << 2))))
		return load_unaligned(base + offset[0]);
	if (!mask_bits(int_ne(offset, first))) {
		uint32_t dword;

		memcpy(&dword, base + offset[0], sizeof dword);
		return splat(dword);
	}
	return gather(base, offset);
}

/* The same of two dwords per lane: first and second ones. */
SIMD void load_pairs(const uint8_t *base, vu offset, vu out[2])
{
	vu first = splat(offset[0]), pairs[2];

	if (!mask_bits(int_ne(offset, first + (lane_numbers() << 3)))) {
		pairs[0] = load_unaligned(base + offset[0]);
		pairs[1] = load_unaligned(base + offset[0] + VECTOR_BYTES);
	} else if (!mask_bits(int_ne(offset, first))) {
		uint32_t dword[2];

		memcpy(dword, base + offset[0], sizeof dword);
		out[0] = splat(dword[0]);
		out[1] = splat(dword[1]);
		return;
	} else {
		gather_pairs(base, offset, pairs);
	}
	unzip_pairs(pairs, out);
}

/* Stores a dword for each lane whose bit is set; a higher lane's store comes
 * after a lower one's. */
SIMD void store_lanes(uint8_t *base, vu offset, vu value, unsigned lanes)
{
	if (lanes == (1u << VECTOR_LANES) - 1 &&
	    !mask_bits(int_ne(offset,
			      splat(offset[0]) + (lane_numbers() << 2)))) {
		store_unaligned(base + offset[0], value);
		return;
	}
	scatter(base, offset, value, lanes);
}

/* Four lanes' components from rows to four places in memory. */
SIMD void transpose_store(uint8_t *const place[4], const uint8_t *const row[4])
{
	__m128 a = _mm_load_ps((const float *)(const void *)row[0]);
	__m128 b = _mm_load_ps((const float *)(const void *)row[1]);
	__m128 c = _mm_load_ps((const float *)(const void *)row[2]);
	__m128 d = _mm_load_ps((const float *)(const void *)row[3]);

	_MM_TRANSPOSE4_PS(a, b, c, d);
	_mm_storeu_ps((float *)(void *)place[0], a);
	_mm_storeu_ps((float *)(void *)place[1], b);
	_mm_storeu_ps((float *)(void *)place[2], c);
	_mm_storeu_ps((float *)(void *)place[3], d);
}

#endif
