/* Host vectors: the one place with compiler intrinsics.
 *
 * A row of 64 lanes is ROW_VECTORS vectors of VECTOR_LANES 32-bit elements;
 * how wide a vector is follows from the -march flag under which the including
 * file is compiled (x86-64-v2: 16 bytes, v3: 32, v4: 64). Comparisons give a
 * `vmask`, which is a mask register on v4 and a vector of 0 and ~0 elsewhere.
 *
 * Everything here gives the same bits at every width: where an instruction
 * set lacks an operation (fused multiply-add on v2) it is built from exact
 * steps. Single-precision code runs with denormals flushed by the host
 * (FTZ and DAZ in MXCSR) and to nearest, unless the program's float mode says
 * otherwise. */
#ifndef M2S_EVERGREEN_EMU_SIMD_SIMD_H
#define M2S_EVERGREEN_EMU_SIMD_SIMD_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

enum {
	VECTOR_LANES = VECTOR_BYTES / 4,
	ROW_VECTORS = 256 / VECTOR_BYTES,
};

/* Each vector of a row, one after the other in the code as well where there are
 * few: then a row can stay in registers. */
#if VECTOR_BYTES < 32
#define FOR_VECTORS(i) for (unsigned i = 0; i < ROW_VECTORS; i++)
#elif defined(__clang__)
#define FOR_VECTORS(i)                                                         \
	_Pragma("clang loop unroll(full)") for (unsigned i = 0;                \
						i < ROW_VECTORS; i++)
#else
#define FOR_VECTORS(i)                                                         \
	_Pragma("GCC unroll 8") for (unsigned i = 0; i < ROW_VECTORS; i++)
#endif

#define SIMD static inline __attribute__((always_inline))
#define VECTOR(bytes) __attribute__((vector_size(bytes), may_alias))

typedef uint32_t vu VECTOR(VECTOR_BYTES);
typedef int32_t vi VECTOR(VECTOR_BYTES);
typedef float vf VECTOR(VECTOR_BYTES);
typedef uint64_t vq VECTOR(VECTOR_BYTES);
typedef int64_t vqi VECTOR(VECTOR_BYTES);
typedef double vd VECTOR(VECTOR_BYTES);
/* Half as many 32-bit lanes: as many as a vd or vq has. */
typedef uint32_t vhu VECTOR(VECTOR_BYTES / 2);
typedef float vhf VECTOR(VECTOR_BYTES / 2);

SIMD vu splat(uint32_t value)
{
	return value - (vu){0};
}

SIMD vq splat_quad(uint64_t value)
{
	return value - (vq){0};
}

/* As bits: 0.0 - 0.0 is -0.0 when the host rounds down. */
SIMD vf splat_float(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return (vf)splat(bits);
}

SIMD vd splat_double(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return (vd)splat_quad(bits);
}

SIMD vu load(const void *row)
{
	return *(const vu *)row;
}

SIMD void store(void *row, vu value)
{
	*(vu *)row = value;
}

SIMD vu load_unaligned(const void *row)
{
	vu value;

	memcpy(&value, row, sizeof value);
	return value;
}

SIMD void store_unaligned(void *row, vu value)
{
	memcpy(row, &value, sizeof value);
}

/* 0, 1, 2, ... */
SIMD vu lane_numbers(void)
{
#if VECTOR_BYTES == 64
	return (vu){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#elif VECTOR_BYTES == 32
	return (vu){0, 1, 2, 3, 4, 5, 6, 7};
#else
	return (vu){0, 1, 2, 3};
#endif
}

/* --- Comparison and selection ------------------------------------------- */

#if VECTOR_BYTES == 64
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
SIMD vmask mask_and(vmask a, vmask b)
{
	return a & b;
}
SIMD vmask mask_or(vmask a, vmask b)
{
	return a | b;
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
#else
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
SIMD vmask float_unordered(vu a, vu b)
{
#if VECTOR_BYTES == 32
	return (vi)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_UNORD_Q);
#else
	return (vi)_mm_cmpunord_ps((__m128)a, (__m128)b);
#endif
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
SIMD vmask mask_and(vmask a, vmask b)
{
	return a & b;
}
SIMD vmask mask_or(vmask a, vmask b)
{
	return a | b;
}
SIMD vu choose(vmask mask, vu yes, vu no)
{
#if VECTOR_BYTES == 32
	return (vu)_mm256_blendv_epi8((__m256i)no, (__m256i)yes,
				      (__m256i)mask);
#elif defined(__SSE4_1__)
	return (vu)_mm_blendv_epi8((__m128i)no, (__m128i)yes, (__m128i)mask);
#else
	return ((vu)mask & yes) | (~(vu)mask & no);
#endif
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
SIMD unsigned mask_bits(vmask mask)
{
#if VECTOR_BYTES == 32
	return (unsigned)_mm256_movemask_ps((__m256)mask);
#else
	return (unsigned)_mm_movemask_ps((__m128)mask);
#endif
}
#endif

/* Writes the lanes of vector `index` of a row whose bit is set in `lanes`
 * (64 bits for the row); `lane_masks` is the same mask as a row of 0 and ~0. */
SIMD void store_masked(void *row, unsigned index, vu value, uint64_t lanes,
		       const uint32_t *lane_masks)
{
	uint8_t *place = (uint8_t *)row + index * VECTOR_BYTES;

#if VECTOR_BYTES == 64
	(void)lane_masks;
	_mm512_mask_store_epi32(place, (__mmask16)(lanes >> (index * 16)),
				(__m512i)value);
#else
	vmask mask = *(const vmask *)((const uint8_t *)lane_masks +
				      index * VECTOR_BYTES);

	(void)lanes;
	store(place, choose(mask, value, load(place)));
#endif
}

/* Lanes of vector `index` as bits 0.. */
SIMD unsigned vector_lanes(uint64_t lanes, unsigned index)
{
	return (unsigned)(lanes >> (index * VECTOR_LANES)) &
	       ((1u << VECTOR_LANES) - 1);
}

/* A row of 0 and ~0 from 64 bits. */
SIMD void expand_lanes(uint32_t *row, uint64_t lanes)
{
	vu bit = splat(1) << lane_numbers();

	for (unsigned i = 0; i < ROW_VECTORS; i++) {
		vu here = splat(vector_lanes(lanes, i)) & bit;

		store(row + i * VECTOR_LANES,
		      mask_lanes(int_ne(here, splat(0))));
	}
}

SIMD vu uint_min(vu a, vu b)
{
#if VECTOR_BYTES == 64
	return (vu)_mm512_min_epu32((__m512i)a, (__m512i)b);
#elif VECTOR_BYTES == 32
	return (vu)_mm256_min_epu32((__m256i)a, (__m256i)b);
#else
	return choose(uint_gt(a, b), b, a);
#endif
}

SIMD vu uint_max(vu a, vu b)
{
#if VECTOR_BYTES == 64
	return (vu)_mm512_max_epu32((__m512i)a, (__m512i)b);
#elif VECTOR_BYTES == 32
	return (vu)_mm256_max_epu32((__m256i)a, (__m256i)b);
#else
	return choose(uint_gt(a, b), a, b);
#endif
}

/* Least and greatest element. */
#if VECTOR_BYTES == 64
SIMD uint32_t reduce_min(vu a)
{
	return _mm512_reduce_min_epu32((__m512i)a);
}
SIMD uint32_t reduce_max(vu a)
{
	return _mm512_reduce_max_epu32((__m512i)a);
}
#else
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
#endif

/* --- Single precision --------------------------------------------------- */

#if VECTOR_BYTES == 64
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
#elif VECTOR_BYTES == 32
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
#else
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
#endif
ROUND(round_floor, _MM_FROUND_TO_NEG_INF)
ROUND(round_ceil, _MM_FROUND_TO_POS_INF)
ROUND(round_trunc, _MM_FROUND_TO_ZERO)
ROUND(round_even, _MM_FROUND_TO_NEAREST_INT)
#undef ROUND

/* Toward zero; 0x80000000 for what an int32_t cannot hold. */
SIMD vu truncate_to_int(vf a)
{
#if VECTOR_BYTES == 64
	return (vu)_mm512_cvttps_epi32((__m512)a);
#elif VECTOR_BYTES == 32
	return (vu)_mm256_cvttps_epi32((__m256)a);
#else
	return (vu)_mm_cvttps_epi32((__m128)a);
#endif
}

/* --- Double precision and 64-bit elements ------------------------------- */

/* Elements of a row vector as two vectors of twice the width. */
SIMD void widen_float(vu a, vd out[2])
{
	vhf half[2];

	memcpy(half, &a, sizeof a);
	out[0] = __builtin_convertvector(half[0], vd);
	out[1] = __builtin_convertvector(half[1], vd);
}

SIMD vu narrow_float(vd low, vd high)
{
	vhf half[2] = {__builtin_convertvector(low, vhf),
		       __builtin_convertvector(high, vhf)};
	vu a;

	memcpy(&a, half, sizeof a);
	return a;
}

SIMD void widen_uint(vu a, vq out[2])
{
	vhu half[2];

	memcpy(half, &a, sizeof a);
	out[0] = __builtin_convertvector(half[0], vq);
	out[1] = __builtin_convertvector(half[1], vq);
}

/* The low 32 bits of each element. */
SIMD vu narrow_uint(vq low, vq high)
{
	vhu half[2] = {__builtin_convertvector(low, vhu),
		       __builtin_convertvector(high, vhu)};
	vu a;

	memcpy(&a, half, sizeof a);
	return a;
}

SIMD vq choose_quad(vqi mask, vq yes, vq no)
{
	return ((vq)mask & yes) | (~(vq)mask & no);
}

SIMD vd choose_double(vqi mask, vd yes, vd no)
{
	return (vd)choose_quad(mask, (vq)yes, (vq)no);
}

/* Doubles from their dwords, in an order of lanes that split_pairs undoes. */
SIMD void join_pairs(vu low, vu high, vd out[2])
{
#if VECTOR_BYTES == 64
	out[0] = (vd)_mm512_unpacklo_epi32((__m512i)low, (__m512i)high);
	out[1] = (vd)_mm512_unpackhi_epi32((__m512i)low, (__m512i)high);
#elif VECTOR_BYTES == 32
	out[0] = (vd)_mm256_unpacklo_epi32((__m256i)low, (__m256i)high);
	out[1] = (vd)_mm256_unpackhi_epi32((__m256i)low, (__m256i)high);
#else
	out[0] = (vd)_mm_unpacklo_epi32((__m128i)low, (__m128i)high);
	out[1] = (vd)_mm_unpackhi_epi32((__m128i)low, (__m128i)high);
#endif
}

SIMD void split_pairs(const vd in[2], vu *low, vu *high)
{
#if VECTOR_BYTES == 64
	*low = (vu)_mm512_shuffle_ps((__m512)in[0], (__m512)in[1], 0x88);
	*high = (vu)_mm512_shuffle_ps((__m512)in[0], (__m512)in[1], 0xdd);
#elif VECTOR_BYTES == 32
	*low = (vu)_mm256_shuffle_ps((__m256)in[0], (__m256)in[1], 0x88);
	*high = (vu)_mm256_shuffle_ps((__m256)in[0], (__m256)in[1], 0xdd);
#else
	*low = (vu)_mm_shuffle_ps((__m128)in[0], (__m128)in[1], 0x88);
	*high = (vu)_mm_shuffle_ps((__m128)in[0], (__m128)in[1], 0xdd);
#endif
}

/* a*b+c with one rounding. */
SIMD vd fused_double(vd a, vd b, vd c)
{
#if VECTOR_BYTES == 64
	return (vd)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
	return (vd)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
	for (unsigned i = 0; i < VECTOR_LANES / 2; i++)
		a[i] = __builtin_fma(a[i], b[i], c[i]);
	return a;
#endif
}

SIMD vf fused_single(vf a, vf b, vf c)
{
#if VECTOR_BYTES == 64
	return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
	return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
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
#endif
}

/* --- 32-bit integers ---------------------------------------------------- */

/* High halves of the 64-bit products. */
SIMD vu multiply_high_unsigned(vu a, vu b)
{
#if VECTOR_BYTES == 64
	__m512i even = _mm512_mul_epu32((__m512i)a, (__m512i)b);
	__m512i odd = _mm512_mul_epu32(_mm512_srli_epi64((__m512i)a, 32),
				       _mm512_srli_epi64((__m512i)b, 32));

	return (vu)_mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32),
					   odd);
#elif VECTOR_BYTES == 32
	__m256i even = _mm256_mul_epu32((__m256i)a, (__m256i)b);
	__m256i odd = _mm256_mul_epu32(_mm256_srli_epi64((__m256i)a, 32),
				       _mm256_srli_epi64((__m256i)b, 32));

	return (vu)_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
#else
	__m128i even = _mm_mul_epu32((__m128i)a, (__m128i)b);
	__m128i odd = _mm_mul_epu32(_mm_srli_epi64((__m128i)a, 32),
				    _mm_srli_epi64((__m128i)b, 32));

	return (vu)_mm_blend_epi16(_mm_srli_epi64(even, 32), odd, 0xcc);
#endif
}

SIMD vu multiply_high_signed(vu a, vu b)
{
	vu high = multiply_high_unsigned(a, b);

	return high - ((vu)((vi)a >> 31) & b) - ((vu)((vi)b >> 31) & a);
}

/* --- Memory ------------------------------------------------------------- */

/* The dwords at base + offset of each lane, at any alignment. */
SIMD vu gather(const uint8_t *base, vu offset)
{
#if VECTOR_BYTES == 64
	return (vu)_mm512_i32gather_epi32(
		(__m512i)(offset ^ 0x80000000u),
		(const int *)(const void *)(base + 0x80000000u), 1);
#elif VECTOR_BYTES == 32
	return (vu)_mm256_i32gather_epi32(
		(const int *)(const void *)(base + 0x80000000u),
		(__m256i)(offset ^ 0x80000000u), 1);
#else
	vu value;

	for (int i = 0; i < VECTOR_LANES; i++) {
		uint32_t dword;

		memcpy(&dword, base + offset[i], sizeof dword);
		value[i] = dword;
	}
	return value;
#endif
}

/* The same where lanes most often go in step: one address for all or
 * consecutive dwords take no gather. */
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
#if VECTOR_BYTES == 64
	_mm512_mask_i32scatter_epi32(
		(int *)(void *)(base + 0x80000000u), (__mmask16)lanes,
		(__m512i)(offset ^ 0x80000000u), (__m512i)value, 1);
#else
	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctz(lanes);
		uint32_t dword = value[lane];

		memcpy(base + offset[lane], &dword, sizeof dword);
	}
#endif
}

/* Four dwords of each lane from base + its address: component c of all lanes
 * goes to out[c]. */
SIMD __m128i load_quad(const uint8_t *place)
{
	return _mm_loadu_si128((const __m128i *)(const void *)place);
}

SIMD void load_structures(const uint8_t *base, const uint32_t *address,
			  vu out[4])
{
	/* part[k]: the structures of lanes k, k + 4, k + 8, k + 12. */
#if VECTOR_BYTES == 64
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
#elif VECTOR_BYTES == 32
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
#else
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
#endif
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
