/* Host vectors of 64 bytes: x86-64-v4 (AVX-512).
 * simd.h lists the names. */
#ifndef M2S_EVERGREEN_EMU_SIMD_WIDTH_64_H
#define M2S_EVERGREEN_EMU_SIMD_WIDTH_64_H

#include "evergreen/emu/simd/types.h"

/* 0, 1, 2, ... */
SIMD vu lane_numbers(void)
{
	return (vu){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
}

typedef __mmask16 vmask;

#define FLOAT_COMPARE(name, predicate)                                         \
	SIMD vmask name(vu a, vu b)                                            \
	{                                                                      \
		return _mm512_cmp_ps_mask((__m512)a, (__m512)b, predicate);    \
	}
FLOAT_COMPARE(float_eq, _CMP_EQ_OQ)

FLOAT_COMPARE(float_gt, _CMP_GT_OQ)
FLOAT_COMPARE(float_ge, _CMP_GE_OQ)
FLOAT_COMPARE(float_lt, _CMP_LT_OQ)
FLOAT_COMPARE(float_ne, _CMP_NEQ_UQ)
FLOAT_COMPARE(float_unordered, _CMP_UNORD_Q)
#undef FLOAT_COMPARE
SIMD vmask int_eq(vu a, vu b)
{
	return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
}

SIMD vmask int_ne(vu a, vu b)
{
	return _mm512_cmpneq_epi32_mask((__m512i)a, (__m512i)b);
}

SIMD vmask int_gt(vu a, vu b)
{
	return _mm512_cmpgt_epi32_mask((__m512i)a, (__m512i)b);
}

SIMD vmask int_ge(vu a, vu b)
{
	return _mm512_cmpge_epi32_mask((__m512i)a, (__m512i)b);
}

SIMD vmask uint_gt(vu a, vu b)
{
	return _mm512_cmpgt_epu32_mask((__m512i)a, (__m512i)b);
}

SIMD vmask uint_ge(vu a, vu b)
{
	return _mm512_cmpge_epu32_mask((__m512i)a, (__m512i)b);
}

SIMD vu choose(vmask mask, vu yes, vu no)
{
	return (vu)_mm512_mask_blend_epi32(mask, (__m512i)no, (__m512i)yes);
}

/* The value or 0. */
SIMD vu where(vmask mask, vu value)
{
	return (vu)_mm512_maskz_mov_epi32(mask, (__m512i)value);
}

SIMD vu where_not(vmask mask, vu value)
{
	return where((vmask)~mask, value);
}

/* ~0 where true. */
SIMD vu mask_lanes(vmask mask)
{
	return (vu)_mm512_movm_epi32(mask);
}

SIMD unsigned mask_bits(vmask mask)
{
	return mask;
}

/* Writes the lanes of vector `index` of a row whose bit is set in `lanes`
 * (64 bits for the row); `lane_masks` is the same mask as a row of 0 and ~0. */
SIMD void store_masked(void *row, unsigned index, vu value, uint64_t lanes,
		       const uint32_t *lane_masks)
{
	uint8_t *place = (uint8_t *)row + index * VECTOR_BYTES;

	(void)lane_masks;
	_mm512_mask_store_epi32(place, (__mmask16)(lanes >> (index * 16)),
				(__m512i)value);
}

SIMD vu uint_min(vu a, vu b)
{
	return (vu)_mm512_min_epu32((__m512i)a, (__m512i)b);
}

SIMD vu uint_max(vu a, vu b)
{
	return (vu)_mm512_max_epu32((__m512i)a, (__m512i)b);
}

/* Least and greatest element. */
SIMD uint32_t reduce_min(vu a)
{
	return _mm512_reduce_min_epu32((__m512i)a);
}

SIMD uint32_t reduce_max(vu a)
{
	return _mm512_reduce_max_epu32((__m512i)a);
}

#define ROUND(name, how)                                                       \
	SIMD vf name(vf a)                                                     \
	{                                                                      \
		return (vf)_mm512_roundscale_ps((__m512)a,                     \
						(how) | _MM_FROUND_NO_EXC);    \
	}                                                                      \
	SIMD vd name##_double(vd a)                                            \
	{                                                                      \
		return (vd)_mm512_roundscale_pd((__m512d)a,                    \
						(how) | _MM_FROUND_NO_EXC);    \
	}
SIMD vf square_root(vf a)
{
	return (vf)_mm512_sqrt_ps((__m512)a);
}

SIMD vd square_root_double(vd a)
{
	return (vd)_mm512_sqrt_pd((__m512d)a);
}
ROUND(round_floor, _MM_FROUND_TO_NEG_INF)
ROUND(round_ceil, _MM_FROUND_TO_POS_INF)
ROUND(round_trunc, _MM_FROUND_TO_ZERO)
ROUND(round_even, _MM_FROUND_TO_NEAREST_INT)
#undef ROUND

/* Toward zero; 0x80000000 for what an int32_t cannot hold. */
SIMD vu truncate_to_int(vf a)
{
	return (vu)_mm512_cvttps_epi32((__m512)a);
}

/* To halves, by the host's rounding mode, and from the halves in the low 16
 * bits. A NaN becomes any NaN. */
SIMD vu narrow_to_half(vf a)
{
	return (vu)_mm512_cvtepu16_epi32(
		_mm512_cvtps_ph((__m512)a, _MM_FROUND_CUR_DIRECTION));
}

SIMD vf widen_half(vu a)
{
	return (vf)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)a));
}

/* Doubles from their dwords, in an order of lanes that split_pairs undoes. */
SIMD void join_pairs(vu low, vu high, vd out[2])
{
	out[0] = (vd)_mm512_unpacklo_epi32((__m512i)low, (__m512i)high);
	out[1] = (vd)_mm512_unpackhi_epi32((__m512i)low, (__m512i)high);
}

SIMD void split_pairs(const vd in[2], vu *low, vu *high)
{
	*low = (vu)_mm512_shuffle_ps((__m512)in[0], (__m512)in[1], 0x88);
	*high = (vu)_mm512_shuffle_ps((__m512)in[0], (__m512)in[1], 0xdd);
}

/* a*b+c with one rounding. */
SIMD vd fused_double(vd a, vd b, vd c)
{
	return (vd)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

SIMD vf fused_single(vf a, vf b, vf c)
{
	return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

/* High halves of the 64-bit products. */
SIMD vu multiply_high_unsigned(vu a, vu b)
{
	__m512i even = _mm512_mul_epu32((__m512i)a, (__m512i)b);
	__m512i odd = _mm512_mul_epu32(_mm512_srli_epi64((__m512i)a, 32),
				       _mm512_srli_epi64((__m512i)b, 32));

	return (vu)_mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32),
					   odd);
}

/* The dwords at base + offset of each lane, at any alignment. */
SIMD vu gather(const uint8_t *base, vu offset)
{
	return (vu)_mm512_i32gather_epi32(
		(__m512i)(offset ^ 0x80000000u),
		(const int *)(const void *)(base + 0x80000000u), 1);
}

/* Stores the dwords at base + offset of the lanes whose bit is set. A higher
 * lane's store comes after a lower one's. */
SIMD void scatter(uint8_t *base, vu offset, vu value, unsigned lanes)
{
	_mm512_mask_i32scatter_epi32(
		(int *)(void *)(base + 0x80000000u), (__mmask16)lanes,
		(__m512i)(offset ^ 0x80000000u), (__m512i)value, 1);
}

/* Two dwords of each lane, in the order of memory. */
SIMD void gather_pairs(const uint8_t *base, vu offset, vu out[2])
{
	const void *middle = base + 0x80000000u;
	__m512i from = (__m512i)(offset ^ 0x80000000u);

	out[0] = (vu)_mm512_i32gather_epi64(_mm512_castsi512_si256(from),
					    middle, 1);
	out[1] = (vu)_mm512_i32gather_epi64(
		_mm512_extracti64x4_epi64(from, 1), middle, 1);
}

/* The first dwords of pairs that are in the order of memory, and the second
 * ones. */
SIMD void unzip_pairs(const vu in[2], vu out[2])
{
	__m512i even = (__m512i)(lane_numbers() * 2);
	__m512i odd = (__m512i)(lane_numbers() * 2 + 1);

	out[0] = (vu)_mm512_permutex2var_epi32((__m512i)in[0], even,
					       (__m512i)in[1]);
	out[1] = (vu)_mm512_permutex2var_epi32((__m512i)in[0], odd,
					       (__m512i)in[1]);
}

/* Four dwords of each lane from base + its address: component c of all lanes
 * goes to out[c]. */
SIMD void load_structures(const uint8_t *base, const uint32_t *address,
			  vu out[4])
{
	/* part[k]: the structures of lanes k, k + 4, k + 8, k + 12. */
	__m512i part[4], low[2], high[2];

	for (int k = 0; k < 4; k++) {
		part[k] = _mm512_castsi128_si512(load_quad(base + address[k]));
		part[k] = _mm512_inserti32x4(
			part[k], load_quad(base + address[k + 4]), 1);
		part[k] = _mm512_inserti32x4(
			part[k], load_quad(base + address[k + 8]), 2);
		part[k] = _mm512_inserti32x4(
			part[k], load_quad(base + address[k + 12]), 3);
	}
	for (int k = 0; k < 2; k++) {
		low[k] = _mm512_unpacklo_epi32(part[k], part[k + 2]);
		high[k] = _mm512_unpackhi_epi32(part[k], part[k + 2]);
	}
	out[0] = (vu)_mm512_unpacklo_epi32(low[0], low[1]);
	out[1] = (vu)_mm512_unpackhi_epi32(low[0], low[1]);
	out[2] = (vu)_mm512_unpacklo_epi32(high[0], high[1]);
	out[3] = (vu)_mm512_unpackhi_epi32(high[0], high[1]);
}

#endif
