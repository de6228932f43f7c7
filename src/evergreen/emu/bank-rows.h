/* Bank conflicts of a row of addresses: what bank-cycles.h counts request by
 * request, for windows of 32 lanes and at most 32 banks. Included by files of
 * one host instruction set.
 *
 * A lane's bank is a bit of its dword. Adding up the lanes' dwords bit by bit
 * gives how often each bank is asked, for all banks at once: `slice[k]` has
 * bit k of every bank's count. */
#ifndef M2S_EVERGREEN_EMU_BANK_ROWS_H
#define M2S_EVERGREEN_EMU_BANK_ROWS_H

#include "evergreen/emu/distinct.h"

enum {
	BANK_WINDOW = 32,
	BANK_SLICES = 6,   /* counts up to BANK_WINDOW */
	WINDOW_VECTORS = BANK_WINDOW / VECTOR_LANES,
};

struct bank_sum {
	vu slice[BANK_SLICES];
};

/* a += b, both with `bits` slices: one more then. */
SIMD void bank_add(struct bank_sum *a, const struct bank_sum *b, unsigned bits)
{
	vu carry = a->slice[0] & b->slice[0];

	a->slice[0] ^= b->slice[0];
	DISTINCT_LOOP(k, 1, bits) {
		vu one = a->slice[k], other = b->slice[k];

		a->slice[k] = one ^ other ^ carry;
		carry = (one & other) | (carry & (one | other));
	}
	a->slice[bits] = carry;
}

#if VECTOR_BYTES == 64
#define BANK_SWAP(a, d)                                                        \
	__builtin_shufflevector(                                               \
		a, a, 0 ^ (d), 1 ^ (d), 2 ^ (d), 3 ^ (d), 4 ^ (d), 5 ^ (d),    \
		6 ^ (d), 7 ^ (d), 8 ^ (d), 9 ^ (d), 10 ^ (d), 11 ^ (d),        \
		12 ^ (d), 13 ^ (d), 14 ^ (d), 15 ^ (d))
#elif VECTOR_BYTES == 32
#define BANK_SWAP(a, d)                                                        \
	__builtin_shufflevector(a, a, 0 ^ (d), 1 ^ (d), 2 ^ (d), 3 ^ (d),      \
				4 ^ (d), 5 ^ (d), 6 ^ (d), 7 ^ (d))
#else
#define BANK_SWAP(a, d)                                                        \
	__builtin_shufflevector(a, a, 0 ^ (d), 1 ^ (d), 2 ^ (d), 3 ^ (d))
#endif

/* Lanes that are `d` apart, added to each other. */
#define BANK_FOLD(sum, bits, d)                                                \
	do {                                                                   \
		struct bank_sum swapped;                                       \
		DISTINCT_LOOP(k, 0, bits)                                          \
			swapped.slice[k] = BANK_SWAP((sum)->slice[k], d);      \
		bank_add(sum, &swapped, bits);                                 \
	} while (0)

/* A window's vectors, each with one bit a lane, added up. */
SIMD void bank_window(const vu *bit, struct bank_sum *sum)
{
	struct bank_sum part[WINDOW_VECTORS];

	DISTINCT_LOOP(i, 0, WINDOW_VECTORS)
		part[i].slice[0] = bit[i];
	DISTINCT_LOOP(i, 0, WINDOW_VECTORS / 2)
		bank_add(&part[i], &part[i + WINDOW_VECTORS / 2], 1);
	DISTINCT_LOOP(i, 0, WINDOW_VECTORS / 4)
		bank_add(&part[i], &part[i + WINDOW_VECTORS / 4], 2);
	DISTINCT_LOOP(i, 0, WINDOW_VECTORS / 8)
		bank_add(&part[i], &part[i + WINDOW_VECTORS / 8], 3);
	*sum = part[0];
}

/* How often the banks most asked are asked, of both windows together. */
SIMD uint32_t bank_most(const vu bit[ROW_VECTORS])
{
	enum { BITS = VECTOR_LANES == 16 ? 2 : VECTOR_LANES == 8 ? 3 : 4 };
	const vmask low = int_gt(splat(VECTOR_LANES / 2), lane_numbers());
	vu most = splat(0), left = ~splat(0);
	struct bank_sum sum, other;

	/* The first window to the lower half of a vector, the other one to the
	 * upper half. */
	bank_window(bit, &sum);
	bank_window(bit + WINDOW_VECTORS, &other);
	DISTINCT_LOOP(k, 0, BITS) {
		vu first = sum.slice[k], second = other.slice[k];
		vu crossed = choose(low, second, first);

		sum.slice[k] = choose(low, first, second);
		other.slice[k] = BANK_SWAP(crossed, VECTOR_LANES / 2);
	}
	bank_add(&sum, &other, BITS);
	if (VECTOR_LANES == 16)
		BANK_FOLD(&sum, 3, 4);
	if (VECTOR_LANES >= 8)
		BANK_FOLD(&sum, 4, 2);
	BANK_FOLD(&sum, 5, 1);
	/* The banks with the greatest count: those that have its highest bit,
	 * of them those that have the next one, and so on. */
	DISTINCT_LOOP(n, 0, BANK_SLICES) {
		unsigned k = BANK_SLICES - 1 - n;
		vu with = left & sum.slice[k];
		vmask some = int_ne(with, splat(0));

		left = choose(some, with, left);
		most |= choose(some, splat(1u << k), splat(0));
	}
	return most[0] + most[VECTOR_LANES / 2];
}

/* Cycles that the windows take. */
SIMD uint32_t bank_cycles_of(const vu word[ROW_VECTORS], uint64_t lanes,
			     uint32_t banks)
{
	const vu lane_bit = splat(1) << lane_numbers();
	vu bit[ROW_VECTORS];

	FOR_VECTORS(i) {
		vu here = splat(vector_lanes(lanes, i)) & lane_bit;

		bit[i] = choose(int_ne(here, splat(0)),
				splat(1) << (word[i] & (banks - 1)), splat(0));
	}
	return bank_most(bit);
}

/* The same if the requests were spread evenly over the banks. */
SIMD uint32_t bank_least(uint64_t lanes, uint32_t banks)
{
	uint32_t first = (uint32_t)__builtin_popcount((uint32_t)lanes);
	uint32_t second = (uint32_t)__builtin_popcount((uint32_t)(lanes >> 32));

	return (first + banks - 1) / banks + (second + banks - 1) / banks;
}

/* Of lanes with the same word in a window, all but the last one taken out. */
SIMD uint64_t bank_merged(uint32_t *table, const vu word[ROW_VECTORS],
			  uint64_t lanes)
{
	const vu lane_bit = splat(1) << lane_numbers();
	vu value[ROW_VECTORS];

	/* Lanes that are not active have a place of their own. */
	FOR_VECTORS(i) {
		vu here = splat(vector_lanes(lanes, i)) & lane_bit;

		value[i] = choose(int_ne(here, splat(0)), word[i],
				  splat(DISTINCT_PLACES));
	}
	return lanes &
	       (distinct_last(table, value, 0, WINDOW_VECTORS) |
		distinct_last(table, value, WINDOW_VECTORS, WINDOW_VECTORS));
}

/* Cycles more than if the requests were spread evenly over the banks, a power
 * of two of them and at most 32, of words below DISTINCT_PLACES. Equal ones in
 * a window are one request if they merge. `table`: one place more than
 * DISTINCT_PLACES. */
SIMD uint32_t bank_conflicts(uint32_t *table, const vu word[ROW_VECTORS],
			     uint64_t lanes, uint32_t banks, bool merge)
{
	uint32_t all = bank_cycles_of(word, lanes, banks);
	uint32_t windows = !!(uint32_t)lanes + !!(lanes >> 32);

	/* With one request a bank there is nothing to merge. */
	if (merge && all > windows) {
		lanes = bank_merged(table, word, lanes);
		all = bank_cycles_of(word, lanes, banks);
	}
	return all - bank_least(lanes, banks);
}

#endif
