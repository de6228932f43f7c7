/* The number of different values in a row: in a sorted row equal values are
 * neighbours. Included by files of one host instruction set, AVX2 or more.
 *
 * The sort is a bitonic network (Batcher, Sorting networks and their
 * applications, 1968) in registers. It takes the same time for all values, and
 * none of the host's first-level cache, which tables would take from others.
 * Vectors have 32 bytes, also on hosts with longer ones, where exchanging lanes
 * takes longer. The order of the values is: one lane of all vectors, then the
 * next lane. */
#ifndef M2S_EVERGREEN_EMU_COUNT_DISTINCT_H
#define M2S_EVERGREEN_EMU_COUNT_DISTINCT_H

#include "evergreen/emu/simd/simd.h"

typedef uint32_t vsort VECTOR(32);

enum {
	SORT_LANES = 8,
	SORT_ROW = 64 / SORT_LANES, /* vectors */
};

/* A short loop, unrolled in the code. */
#ifdef __clang__
#define SORT_LOOP(i, count)                                                    \
	_Pragma("clang loop unroll(full)") for (unsigned i = 0; i != (count);  \
						i++)
#else
#define SORT_LOOP(i, count)                                                    \
	_Pragma("GCC unroll 8") for (unsigned i = 0; i != (count); i++)
#endif

SIMD vsort sort_load(const uint32_t *row, unsigned i)
{
	vsort value;

	memcpy(&value, row + i * SORT_LANES, sizeof value);
	return value;
}

SIMD bool sort_is_zero(vsort a)
{
	return _mm256_testz_si256((__m256i)a, (__m256i)a);
}

/* A mask of the lanes whose highest bit is set. */
SIMD uint32_t sort_highest_bits(vsort a)
{
	return (uint32_t)__builtin_popcount(
		(unsigned)_mm256_movemask_ps((__m256)a));
}

SIMD vsort sort_least(vsort a, vsort b)
{
	return (vsort)_mm256_min_epu32((__m256i)a, (__m256i)b);
}

SIMD vsort sort_greatest(vsort a, vsort b)
{
	return (vsort)_mm256_max_epu32((__m256i)a, (__m256i)b);
}

/* Compares and exchanges vectors whose numbers differ by `flip`. */
SIMD void sort_vectors(vsort *row, unsigned count, unsigned flip)
{
	SORT_LOOP(i, count) {
		vsort a = row[i], b = row[i ^ flip];

		if (i > (i ^ flip))
			continue;
		row[i] = sort_least(a, b);
		row[i ^ flip] = sort_greatest(a, b);
	}
}

/* Sorts each lane of a bitonic sequence of vectors. */
SIMD void sort_within_lanes(vsort *row, unsigned count)
{
	if (count > 4)
		sort_vectors(row, count, 4);
	sort_vectors(row, count, 2);
	sort_vectors(row, count, 1);
}

/* Compares and exchanges lanes whose numbers differ by `flip`, the highest bit
 * of which is `high`: within a vector or, for a flip that reverses the lanes,
 * between a vector and the vector at the other end. */
#define SORT_EXCHANGED(a, flip)                                                \
	__builtin_shufflevector(a, a, 0 ^ (flip), 1 ^ (flip), 2 ^ (flip),      \
				3 ^ (flip), 4 ^ (flip), 5 ^ (flip),            \
				6 ^ (flip), 7 ^ (flip))
#define SORT_FROM(lane, high) ((lane) & (high) ? 8 + (lane) : (lane))
#define SORT_JOINED(a, b, high)                                                \
	__builtin_shufflevector(a, b, SORT_FROM(0, high), SORT_FROM(1, high),  \
				SORT_FROM(2, high), SORT_FROM(3, high),        \
				SORT_FROM(4, high), SORT_FROM(5, high),        \
				SORT_FROM(6, high), SORT_FROM(7, high))
#define SORT_BETWEEN_LANES(row, count, ends, flip, high)                       \
	do {                                                                   \
		vsort other[SORT_ROW];                                         \
                                                                               \
		SORT_LOOP(i, count)                                            \
			other[i] = SORT_EXCHANGED(                             \
				(row)[(ends) ? (count) - 1 - i : i], flip);    \
		SORT_LOOP(i, count)                                            \
			(row)[i] = SORT_JOINED(                                \
				sort_least((row)[i], other[i]),                \
				sort_greatest((row)[i], other[i]), high);      \
	} while (0)

/* Sorts 4 or 8 vectors: first runs of each lane, then of 2, 4 and 8 lanes. Each
 * step merges two runs, one of them reversed. */
SIMD void sort_row(vsort *row, unsigned count)
{
	sort_vectors(row, count, 1);
	sort_vectors(row, count, 3);
	sort_vectors(row, count, 1);
	if (count > 4) {
		sort_vectors(row, count, 7);
		sort_vectors(row, count, 2);
		sort_vectors(row, count, 1);
	}
	SORT_BETWEEN_LANES(row, count, true, 1, 1);
	sort_within_lanes(row, count);
	SORT_BETWEEN_LANES(row, count, true, 3, 2);
	SORT_BETWEEN_LANES(row, count, false, 1, 1);
	sort_within_lanes(row, count);
	SORT_BETWEEN_LANES(row, count, true, 7, 4);
	SORT_BETWEEN_LANES(row, count, false, 2, 2);
	SORT_BETWEEN_LANES(row, count, false, 1, 1);
	sort_within_lanes(row, count);
}

/* Sets ~0 where a value of a sorted row equals its predecessor, else 0. */
SIMD void sort_repeated(const vsort *row, unsigned count, vsort *repeated)
{
	/* Nothing comes before the first. */
	repeated[0] = (vsort)(row[0] ==
			      __builtin_shufflevector(row[count - 1], ~row[0],
						      8, 0, 1, 2, 3, 4, 5, 6));
	SORT_LOOP(i, count - 1)
		repeated[i + 1] = (vsort)(row[i + 1] == row[i]);
}

/* The number of different values of a row. */
SIMD uint32_t distinct_count(vsort row[SORT_ROW])
{
	vsort repeated[SORT_ROW];
	uint32_t count = 64;

	sort_row(row, SORT_ROW);
	sort_repeated(row, SORT_ROW, repeated);
	SORT_LOOP(i, SORT_ROW)
		count -= sort_highest_bits(repeated[i]);
	return count;
}

#endif
