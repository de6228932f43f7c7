/* Host vectors of 32 bytes: x86-64-v3 (AVX2).
 * simd.h lists the names. */
#ifndef M2S_EVERGREEN_EMU_SIMD_WIDTH_32_H
#define M2S_EVERGREEN_EMU_SIMD_WIDTH_32_H

#include "evergreen/emu/simd/vector-masks.h"

/* 0, 1, 2, ... */
SIMD vu lane_numbers(void)
{
	return (vu){0, 1, 2, 3, 4, 5, 6, 7};
}

SIMD vmask float_unordered(vu a, vu b)
{
	return (vi)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_UNORD_Q);
}

SIMD vu choose(vmask mask, vu yes, vu no)
{
	return (vu)_mm256_blendv_epi8((__m256i)no, (__m256i)yes,
				      (__m256i)mask);
}

SIMD unsigned mask_bits(vmask mask)
{
	return (unsigned)_mm256_movemask_ps((__m256)mask);
}

SIMD vu uint_min(vu a, vu b)
{
	return (vu)_mm256_min_epu32((__m256i)a, (__m256i)b);
}

SIMD vu uint_max(vu a, vu b)
{
	return (vu)_mm256_max_epu32((__m256i)a, (__m256i)b);
}

#define ROUND(name, how)                                                       \
	SIMD vf name(vf a)                                                     \
	{                                                                      \
		return (vf)_mm256_round_ps((__m256)a,                          \
					   (how) | _MM_FROUND_NO_EXC);         \
	}                                                                      \
	SIMD vd name##_double(vd a)                                            \
	{                                                                      \
		return (vd)_mm256_round_pd((__m256d)a,                         \
					   (how) | _MM_FROUND_NO_EXC);         \
	}
SIMD vf square_root(vf a)
{
	return (vf)_mm256_sqrt_ps((__m256)a);
}

SIMD vd square_root_double(vd a)
{
	return (vd)_mm256_sqrt_pd((__m256d)a);
}
ROUND(round_floor, _MM_FROUND_TO_NEG_INF)
ROUND(round_ceil, _MM_FROUND_TO_POS_INF)
ROUND(round_trunc, _MM_FROUND_TO_ZERO)
ROUND(round_even, _MM_FROUND_TO_NEAREST_INT)
#undef ROUND

/* Toward zero; 0x80000000 for what an int32_t cannot hold. */
SIMD vu truncate_to_int(vf a)
{
	return (vu)_mm256_cvttps_epi32((__m256)a);
}

/* To halves, by the host's rounding mode, and from the halves in the low 16
 * bits. A NaN becomes any NaN. */
SIMD vu narrow_to_half(vf a)
{
	return (vu)_mm256_cvtepu16_epi32(
		_mm256_cvtps_ph((__m256)a, _MM_FROUND_CUR_DIRECTION));
}

SIMD vf widen_half(vu a)
{
	__m256i pairs = _mm256_packus_epi32((__m256i)(a & 0xffff),
					    (__m256i)(a & 0xffff));

	return (vf)_mm256_cvtph_ps(_mm_unpacklo_epi64(
		_mm256_castsi256_si128(pairs),
		_mm256_extracti128_si256(pairs, 1)));
}

/* Doubles from their dwords, in an order of lanes that split_pairs undoes. */
SIMD void join_pairs(vu low, vu high, vd out[2])
{
	out[0] = (vd)_mm256_unpacklo_epi32((__m256i)low, (__m256i)high);
	out[1] = (vd)_mm256_unpackhi_epi32((__m256i)low, (__m256i)high);
}

SIMD void split_pairs(const vd in[2], vu *low, vu *high)
{
	*low = (vu)_mm256_shuffle_ps((__m256)in[0], (__m256)in[1], 0x88);
	*high = (vu)_mm256_shuffle_ps((__m256)in[0], (__m256)in[1], 0xdd);
}

/* a*b+c with one rounding. */
SIMD vd fused_double(vd a, vd b, vd c)
{
	return (vd)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

SIMD vf fused_single(vf a, vf b, vf c)
{
	return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

/* High halves of the 64-bit products. */
SIMD vu multiply_high_unsigned(vu a, vu b)
{
	__m256i even = _mm256_mul_epu32((__m256i)a, (__m256i)b);
	__m256i odd = _mm256_mul_epu32(_mm256_srli_epi64((__m256i)a, 32),
				       _mm256_srli_epi64((__m256i)b, 32));

	return (vu)_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
}

/* The dwords at base + offset of each lane, at any alignment. */
SIMD vu gather(const uint8_t *base, vu offset)
{
	return (vu)_mm256_i32gather_epi32(
		(const int *)(const void *)(base + 0x80000000u),
		(__m256i)(offset ^ 0x80000000u), 1);
}

/* Two dwords of each lane, in the order of memory. */
SIMD void gather_pairs(const uint8_t *base, vu offset, vu out[2])
{
	const void *middle = base + 0x80000000u;
	__m256i from = (__m256i)(offset ^ 0x80000000u);

	out[0] = (vu)_mm256_i32gather_epi64(
		middle, _mm256_castsi256_si128(from), 1);
	out[1] = (vu)_mm256_i32gather_epi64(
		middle, _mm256_extracti128_si256(from, 1), 1);
}

/* The first dwords of pairs that are in the order of memory, and the second
 * ones. */
SIMD void unzip_pairs(const vu in[2], vu out[2])
{
	__m256d even = (__m256d)_mm256_shuffle_ps((__m256)in[0], (__m256)in[1],
						  0x88);
	__m256d odd = (__m256d)_mm256_shuffle_ps((__m256)in[0], (__m256)in[1],
						 0xdd);

	out[0] = (vu)_mm256_permute4x64_pd(even, 0xd8);
	out[1] = (vu)_mm256_permute4x64_pd(odd, 0xd8);
}

/* Four dwords of each lane from base + its address: component c of all lanes
 * goes to out[c]. */
SIMD void load_structures(const uint8_t *base, const uint32_t *address,
			  vu out[4])
{
	/* part[k]: the structures of lanes k, k + 4, k + 8, k + 12. */
	__m256i part[4], low[2], high[2];

	for (int k = 0; k < 4; k++)
		part[k] = _mm256_inserti128_si256(
			_mm256_castsi128_si256(load_quad(base + address[k])),
			load_quad(base + address[k + 4]), 1);
	for (int k = 0; k < 2; k++) {
		low[k] = _mm256_unpacklo_epi32(part[k], part[k + 2]);
		high[k] = _mm256_unpackhi_epi32(part[k], part[k + 2]);
	}
	out[0] = (vu)_mm256_unpacklo_epi32(low[0], low[1]);
	out[1] = (vu)_mm256_unpackhi_epi32(low[0], low[1]);
	out[2] = (vu)_mm256_unpacklo_epi32(high[0], high[1]);
	out[3] = (vu)_mm256_unpackhi_epi32(high[0], high[1]);
}

#endif
