/* Host vectors of 16 bytes: x86-64-v2.
 * simd.h lists the names. */
#ifndef M2S_EVERGREEN_EMU_SIMD_WIDTH_16_H
#define M2S_EVERGREEN_EMU_SIMD_WIDTH_16_H

#include "evergreen/emu/simd/vector-masks.h"

/* 0, 1, 2, ... */
SIMD vu lane_numbers(void)
{
	return (vu){0, 1, 2, 3};
}

SIMD vmask float_unordered(vu a, vu b)
{
	return (vi)_mm_cmpunord_ps((__m128)a, (__m128)b);
}

SIMD vu choose(vmask mask, vu yes, vu no)
{
	return (vu)_mm_blendv_epi8((__m128i)no, (__m128i)yes, (__m128i)mask);
}

SIMD unsigned mask_bits(vmask mask)
{
	return (unsigned)_mm_movemask_ps((__m128)mask);
}

SIMD vu uint_min(vu a, vu b)
{
	return choose(uint_gt(a, b), b, a);
}

SIMD vu uint_max(vu a, vu b)
{
	return choose(uint_gt(a, b), a, b);
}

#define ROUND(name, how)                                                       \
	SIMD vf name(vf a)                                                     \
	{                                                                      \
		return (vf)_mm_round_ps((__m128)a,                             \
					(how) | _MM_FROUND_NO_EXC);            \
	}                                                                      \
	SIMD vd name##_double(vd a)                                            \
	{                                                                      \
		return (vd)_mm_round_pd((__m128d)a,                            \
					(how) | _MM_FROUND_NO_EXC);            \
	}
SIMD vf square_root(vf a)
{
	return (vf)_mm_sqrt_ps((__m128)a);
}

SIMD vd square_root_double(vd a)
{
	return (vd)_mm_sqrt_pd((__m128d)a);
}
ROUND(round_floor, _MM_FROUND_TO_NEG_INF)
ROUND(round_ceil, _MM_FROUND_TO_POS_INF)
ROUND(round_trunc, _MM_FROUND_TO_ZERO)
ROUND(round_even, _MM_FROUND_TO_NEAREST_INT)
#undef ROUND

/* Toward zero; 0x80000000 for what an int32_t cannot hold. */
SIMD vu truncate_to_int(vf a)
{
	return (vu)_mm_cvttps_epi32((__m128)a);
}

/* The number that must be added to the magnitude so that dropping 13 bits
 * rounds it by the host's mode. */
SIMD vu half_increment(vu magnitude, vu sign)
{
	unsigned rounding = _mm_getcsr() & _MM_ROUND_MASK;
	uint32_t up = rounding == _MM_ROUND_UP ? 0x1fff : 0;
	uint32_t down = rounding == _MM_ROUND_DOWN ? 0x1fff : 0;

	if (rounding == _MM_ROUND_NEAREST)
		return 0xfff + (magnitude >> 13 & 1);
	return choose(int_ne(sign, splat(0)), splat(down), splat(up));
}

/* To halves, by the host's rounding mode, and from the halves in the low 16
 * bits. A NaN becomes any NaN. */
SIMD vu narrow_to_half(vf a)
{
	const vu infinity = splat(0x7f800000), one_half = splat(0x3f000000);
	vu sign = (vu)a & 0x80000000;
	vu magnitude = (vu)a ^ sign;
	vu increment = half_increment(magnitude, sign);
	/* 0.5's unit in the last place is a half's least denormal. */
	vu shifted = (vu)(a + (vf)(sign | one_half));
	vu tiny = (shifted & 0x7fffffff) - one_half;
	vu normal = (magnitude - splat(112u << 23) + increment) >> 13;
	vu r = choose(int_gt(splat(0x38800000), magnitude), tiny, normal);
	/* Beyond the largest half, 65504. */
	vu over = choose(int_eq(increment, splat(0)), splat(0x7bff),
			 splat(0x7c00));

	r = choose(int_ge(magnitude, splat(0x47800000) - increment), over, r);
	r = choose(int_eq(magnitude, infinity), splat(0x7c00), r);
	r = choose(int_gt(magnitude, infinity), splat(0x7e00), r);
	return r | sign >> 16;
}

SIMD vf widen_half(vu a)
{
	const vf least = (vf)splat(113u << 23);
	vu sign = (a & 0x8000) << 16;
	vu magnitude = (a & 0x7fff) << 13;
	vu exponent = magnitude & 0x0f800000;
	vu normal = magnitude + splat(112u << 23);
	/* The sign is dropped: 0 may become -0. */
	vu tiny = (vu)((vf)(magnitude + (vu)least) - least) & 0x7fffffff;
	/* Infinity, or a NaN. */
	vu special = magnitude + splat(224u << 23);
	vu r = choose(int_eq(exponent, splat(0)), tiny, normal);

	r = choose(int_eq(exponent, splat(0x0f800000)), special, r);
	return (vf)(r | sign);
}

/* Doubles from their dwords, in an order of lanes that split_pairs undoes. */
SIMD void join_pairs(vu low, vu high, vd out[2])
{
	out[0] = (vd)_mm_unpacklo_epi32((__m128i)low, (__m128i)high);
	out[1] = (vd)_mm_unpackhi_epi32((__m128i)low, (__m128i)high);
}

SIMD void split_pairs(const vd in[2], vu *low, vu *high)
{
	*low = (vu)_mm_shuffle_ps((__m128)in[0], (__m128)in[1], 0x88);
	*high = (vu)_mm_shuffle_ps((__m128)in[0], (__m128)in[1], 0xdd);
}

/* a*b+c with one rounding. */
SIMD vd fused_double(vd a, vd b, vd c)
{
	for (unsigned i = 0; i < VECTOR_LANES / 2; i++)
		a[i] = __builtin_fma(a[i], b[i], c[i]);
	return a;
}

SIMD vf fused_single(vf a, vf b, vf c)
{
	/* The product of two singles is exact in double; rounding the sum to
	 * odd makes the second rounding, to single, harmless. */
	vd x[2], y[2], z[2];

	widen_float((vu)a, x);
	widen_float((vu)b, y);
	widen_float((vu)c, z);
	for (int i = 0; i < 2; i++) {
		vd product = x[i] * y[i];
		vd sum = product + z[i];
		vd back = sum - product;
		vd lost = (product - (sum - back)) + (z[i] - back);
		vqi inexact = (lost < 0.0) | (lost > 0.0);
		vqi toward_zero = (vqi)((vq)lost ^ (vq)sum) < 0;
		vq odd = choose_quad(toward_zero, (vq)sum - 1, (vq)sum);

		odd |= 1;
		inexact &= ((vq)sum & 1) == 0;
		z[i] = (vd)choose_quad(inexact, odd, (vq)sum);
	}
	return (vf)narrow_float(z[0], z[1]);
}

/* High halves of the 64-bit products. */
SIMD vu multiply_high_unsigned(vu a, vu b)
{
	__m128i even = _mm_mul_epu32((__m128i)a, (__m128i)b);
	__m128i odd = _mm_mul_epu32(_mm_srli_epi64((__m128i)a, 32),
				    _mm_srli_epi64((__m128i)b, 32));

	return (vu)_mm_blend_epi16(_mm_srli_epi64(even, 32), odd, 0xcc);
}

/* The dwords at base + offset of each lane, at any alignment. */
SIMD vu gather(const uint8_t *base, vu offset)
{
	vu value;

	for (int i = 0; i < VECTOR_LANES; i++) {
		uint32_t dword;

		memcpy(&dword, base + offset[i], sizeof dword);
		value[i] = dword;
	}
	return value;
}

/* Two dwords of each lane, in the order of memory. */
SIMD void gather_pairs(const uint8_t *base, vu offset, vu out[2])
{
	for (int i = 0; i < VECTOR_LANES; i++)
		memcpy((uint8_t *)out + 8 * i, base + offset[i], 8);
}

/* The first dwords of pairs that are in the order of memory, and the second
 * ones. */
SIMD void unzip_pairs(const vu in[2], vu out[2])
{
	out[0] = (vu)_mm_shuffle_ps((__m128)in[0], (__m128)in[1], 0x88);
	out[1] = (vu)_mm_shuffle_ps((__m128)in[0], (__m128)in[1], 0xdd);
}

/* Four dwords of each lane from base + its address: component c of all lanes
 * goes to out[c]. */
SIMD void load_structures(const uint8_t *base, const uint32_t *address,
			  vu out[4])
{
	/* part[k]: the structures of lanes k, k + 4, k + 8, k + 12. */
	__m128i part[4], low[2], high[2];

	for (int k = 0; k < 4; k++)
		part[k] = load_quad(base + address[k]);
	for (int k = 0; k < 2; k++) {
		low[k] = _mm_unpacklo_epi32(part[k], part[k + 2]);
		high[k] = _mm_unpackhi_epi32(part[k], part[k + 2]);
	}
	out[0] = (vu)_mm_unpacklo_epi32(low[0], low[1]);
	out[1] = (vu)_mm_unpackhi_epi32(low[0], low[1]);
	out[2] = (vu)_mm_unpacklo_epi32(high[0], high[1]);
	out[3] = (vu)_mm_unpackhi_epi32(high[0], high[1]);
}

#endif
