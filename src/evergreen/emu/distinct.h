/* How many different values a row has, without sorting. Included by files of
 * one host instruction set.
 *
 * Each lane leaves its number in a place that follows from its value; who finds
 * its own there is the last one of its value. First all lanes write, then all
 * read: nothing depends on what the host guesses of equal addresses. */
#ifndef M2S_EVERGREEN_EMU_DISTINCT_H
#define M2S_EVERGREEN_EMU_DISTINCT_H

#include "evergreen/emu/access.h"

enum {
	/* A table of dwords that fits into the host's first cache. */
	DISTINCT_BITS = 13,
	DISTINCT_PLACES = 1 << DISTINCT_BITS,
	/* Where values are far apart, as many places suffice. */
	DISTINCT_HASH_BITS = 12,
};

/* Short loops, one turn after the other in the code. */
#ifdef __clang__
#define DISTINCT_LOOP(i, from, to)                                             \
	_Pragma("clang loop unroll(full)") for (unsigned i = (from);           \
						i != (to); i++)
#else
#define DISTINCT_LOOP(i, from, to)                                             \
	_Pragma("GCC unroll 16") for (unsigned i = (from); i != (to); i++)
#endif

SIMD vu distinct_numbers(unsigned i)
{
	return lane_numbers() + i * VECTOR_LANES;
}

/* The lanes of some vectors leave their numbers. */
SIMD void distinct_leave(uint32_t *table, const vu place[ROW_VECTORS],
			 unsigned first, unsigned count)
{
#if VECTOR_BYTES == 64
	DISTINCT_LOOP(i, first, first + count)
		_mm512_i32scatter_epi32((int *)(void *)table,
					(__m512i)place[i],
					(__m512i)distinct_numbers(i), 4);
#else
	alignas(64) uint32_t at[EVG_WAVEFRONT_SIZE];

	DISTINCT_LOOP(i, first, first + count)
		store(at + i * VECTOR_LANES, place[i]);
	for (unsigned lane = first * VECTOR_LANES;
	     lane < (first + count) * VECTOR_LANES; lane += 8)
		DISTINCT_LOOP(k, lane, lane + 8)
			table[at[k]] = k;
#endif
}

/* Dwords of an array. */
SIMD vu distinct_find(const uint32_t *table, vu place)
{
#if VECTOR_BYTES == 64
	return (vu)_mm512_i32gather_epi32((__m512i)place,
					  (const int *)(const void *)table, 4);
#elif VECTOR_BYTES == 32
	return (vu)_mm256_i32gather_epi32((const int *)(const void *)table,
					  (__m256i)place, 4);
#else
	return (vu){table[place[0]], table[place[1]], table[place[2]],
		    table[place[3]]};
#endif
}

/* The last lane of each value among `count` vectors from `first` on, as the
 * row's bits; all values lie below DISTINCT_PLACES. */
SIMD uint64_t distinct_last(uint32_t *table, const vu value[ROW_VECTORS],
			    unsigned first, unsigned count)
{
	uint64_t last = 0;

	distinct_leave(table, value, first, count);
	DISTINCT_LOOP(i, first, first + count)
		last |= (uint64_t)mask_bits(
				int_eq(distinct_find(table, value[i]),
				       distinct_numbers(i)))
			<< (i * VECTOR_LANES);
	return last;
}

/* The values of the lanes of these numbers. */
SIMD vu distinct_pick(const vu value[ROW_VECTORS], vu number)
{
#if VECTOR_BYTES == 64
	__m512i low = _mm512_permutex2var_epi32(
		(__m512i)value[0], (__m512i)number, (__m512i)value[1]);
	__m512i high = _mm512_permutex2var_epi32(
		(__m512i)value[2], (__m512i)number, (__m512i)value[3]);

	return choose(int_ne(number & 32, splat(0)), (vu)high, (vu)low);
#else
	return distinct_find((const uint32_t *)value, number);
#endif
}

/* Values of some lanes that are different from each other. */
static inline uint32_t distinct_among(const vu row[ROW_VECTORS],
				      uint64_t lanes)
{
	const uint32_t *value = (const uint32_t *)row;
	uint32_t count = 0;

	FOR_LANES(lane, lanes) {
		uint64_t before = lanes & ((UINT64_C(1) << lane) - 1);
		bool is_new = true;

		FOR_LANES(other, before)
			is_new &= value[other] != value[lane];
		count += is_new;
	}
	return count;
}

/* Any values. Places follow from them by the golden ratio (Knuth, The Art of
 * Computer Programming, volume 3, 6.4); lanes that find one of another value
 * in their place, rare as they are, are compared one by one: none of them has
 * a value that was found. */
SIMD uint32_t distinct_hashed(uint32_t *table, const vu value[ROW_VECTORS])
{
	vu place[ROW_VECTORS];
	uint64_t others = 0;
	uint32_t count = 0;

	FOR_VECTORS(i)
		place[i] = value[i] * 2654435769u >> (32 - DISTINCT_HASH_BITS);
	distinct_leave(table, place, 0, ROW_VECTORS);
	FOR_VECTORS(i) {
		vu found = distinct_find(table, place[i]);
		vu there = distinct_pick(value, found);

		count += (uint32_t)__builtin_popcount(
			mask_bits(int_eq(found, distinct_numbers(i))));
		others |= (uint64_t)mask_bits(int_ne(there, value[i]))
			  << (i * VECTOR_LANES);
	}
	if (others & (others - 1))
		return count + distinct_among(value, others);
	return count + !!others;
}

/* All within 64 of each other: one bit a value. */
SIMD uint32_t distinct_bits(const vu value[ROW_VECTORS])
{
	vq all = splat_quad(0);
	uint64_t bits = 0;

	FOR_VECTORS(i) {
		vq part[2];

		widen_uint(value[i], part);
		all |= splat_quad(1) << part[0] | splat_quad(1) << part[1];
	}
	for (unsigned i = 0; i < VECTOR_BYTES / 8; i++)
		bits |= all[i];
	return (uint32_t)__builtin_popcountll(bits);
}

/* Different values of a row; `table` has DISTINCT_PLACES. */
SIMD uint32_t distinct_count(uint32_t *table, const vu value[ROW_VECTORS])
{
	vu moved[ROW_VECTORS], all = splat(0), base = splat(value[0][0]);

	FOR_VECTORS(i) {
		moved[i] = value[i] - base + DISTINCT_PLACES / 2;
		all |= moved[i] - (DISTINCT_PLACES / 2 - 32);
	}
	if (!mask_bits(int_ne(all >> 6, splat(0)))) {
		FOR_VECTORS(i)
			moved[i] -= DISTINCT_PLACES / 2 - 32;
		return distinct_bits(moved);
	}
	all = splat(0);
	FOR_VECTORS(i)
		all |= moved[i];
	if (mask_bits(int_ne(all >> DISTINCT_BITS, splat(0))))
		return distinct_hashed(table, value);
	return (uint32_t)__builtin_popcountll(
		distinct_last(table, moved, 0, ROW_VECTORS));
}

#endif
