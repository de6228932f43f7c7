/* Types of host vectors, and how they are loaded and stored.
 *
 * A row of 64 lanes is ROW_VECTORS vectors of VECTOR_LANES 32-bit elements;
 * how wide a vector is follows from the -march flag under which the including
 * file is compiled (x86-64-v2: 16 bytes, v3: 32, v4: 64). */
#ifndef M2S_EVERGREEN_EMU_SIMD_TYPES_H
#define M2S_EVERGREEN_EMU_SIMD_TYPES_H

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

/* A loop over the vectors of a row, unrolled where they are few, so that a row
 * can stay in registers. */
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
/* Half as many 32-bit lanes: the number of lanes of a vd or vq. */
typedef uint32_t vhu VECTOR(VECTOR_BYTES / 2);
typedef float vhf VECTOR(VECTOR_BYTES / 2);
/* As many bytes and shorts as a vector has lanes. */
typedef uint8_t vbytes VECTOR(VECTOR_BYTES / 4);
typedef uint16_t vshorts VECTOR(VECTOR_BYTES / 2);

SIMD vu splat(uint32_t value)
{
	return value - (vu){0};
}

SIMD vq splat_quad(uint64_t value)
{
	return value - (vq){0};
}

/* Made from bits, because 0.0 - 0.0 is -0.0 when the host rounds down. */
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

/* A byte or a short of memory per lane, consecutive. */
SIMD vu load_bytes(const uint8_t *place)
{
	vbytes value;

	memcpy(&value, place, sizeof value);
	return __builtin_convertvector(value, vu);
}

SIMD vu load_shorts(const uint8_t *place)
{
	vshorts value;

	memcpy(&value, place, sizeof value);
	return __builtin_convertvector(value, vu);
}

SIMD void store_bytes(uint8_t *place, vu value)
{
	vbytes narrow = __builtin_convertvector(value, vbytes);

	memcpy(place, &narrow, sizeof narrow);
}

SIMD void store_shorts(uint8_t *place, vu value)
{
	vshorts narrow = __builtin_convertvector(value, vshorts);

	memcpy(place, &narrow, sizeof narrow);
}

/* --- Elements of 64 bits ------------------------------------------------- */

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

/* Loads four dwords. */
SIMD __m128i load_quad(const uint8_t *place)
{
	return _mm_loadu_si128((const __m128i *)(const void *)place);
}

#endif
