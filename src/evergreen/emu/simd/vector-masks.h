/* Masks where the host has no mask registers: vectors of 0 and ~0. */
#ifndef M2S_EVERGREEN_EMU_SIMD_VECTOR_MASKS_H
#define M2S_EVERGREEN_EMU_SIMD_VECTOR_MASKS_H

#include "evergreen/emu/simd/types.h"

typedef vi vmask;

SIMD vmask float_eq(vu a, vu b)
{
	return (vf)a == (vf)b;
}

SIMD vmask float_gt(vu a, vu b)
{
	return (vf)a > (vf)b;
}

SIMD vmask float_ge(vu a, vu b)
{
	return (vf)a >= (vf)b;
}

SIMD vmask float_lt(vu a, vu b)
{
	return (vf)a < (vf)b;
}

SIMD vmask float_ne(vu a, vu b)
{
	return (vf)a != (vf)b;
}

SIMD vmask int_eq(vu a, vu b)
{
	return a == b;
}

SIMD vmask int_ne(vu a, vu b)
{
	return a != b;
}

SIMD vmask int_gt(vu a, vu b)
{
	return (vi)a > (vi)b;
}

SIMD vmask int_ge(vu a, vu b)
{
	return (vi)a >= (vi)b;
}

SIMD vmask uint_gt(vu a, vu b)
{
	return a > b;
}

SIMD vmask uint_ge(vu a, vu b)
{
	return a >= b;
}

SIMD vu where(vmask mask, vu value)
{
	return (vu)mask & value;
}

SIMD vu where_not(vmask mask, vu value)
{
	return ~(vu)mask & value;
}

SIMD vu mask_lanes(vmask mask)
{
	return (vu)mask;
}

SIMD vu choose(vmask mask, vu yes, vu no);

/* Writes the lanes of vector `index` of a row whose bit is set in `lanes`
 * (64 bits for the row); `lane_masks` is the same mask as a row of 0 and ~0. */
SIMD void store_masked(void *row, unsigned index, vu value, uint64_t lanes,
		       const uint32_t *lane_masks)
{
	uint8_t *place = (uint8_t *)row + index * VECTOR_BYTES;

	vmask mask = *(const vmask *)((const uint8_t *)lane_masks +
				      index * VECTOR_BYTES);

	(void)lanes;
	store(place, choose(mask, value, load(place)));
}

/* Least and greatest element. */
SIMD uint32_t reduce_min(vu a)
{
	uint32_t r = a[0];

	for (int i = 1; i < VECTOR_LANES; i++)
		r = a[i] < r ? a[i] : r;
	return r;
}

SIMD uint32_t reduce_max(vu a)
{
	uint32_t r = a[0];

	for (int i = 1; i < VECTOR_LANES; i++)
		r = a[i] > r ? a[i] : r;
	return r;
}

/* Stores the dwords at base + offset of the lanes whose bit is set. A higher
 * lane's store comes after a lower one's. */
SIMD void scatter(uint8_t *base, vu offset, vu value, unsigned lanes)
{
	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctz(lanes);
		uint32_t dword = value[lane];

		memcpy(base + offset[lane], &dword, sizeof dword);
	}
}

#endif
