/* The algorithm of evg_bank_cycles. Included by banks.c and, once for each host
 * instruction set, by simd/traffic.c. */
#ifndef M2S_EVERGREEN_EMU_COUNT_BANK_CYCLES_H
#define M2S_EVERGREEN_EMU_COUNT_BANK_CYCLES_H

#include <immintrin.h>
#include <string.h>

#include "evergreen/emu/count/banks.h"

enum { MAX_REQUESTS = 2 * EVG_WAVEFRONT_SIZE, MAX_BANKS = 64 };

/* The requests of a window. A bank nearly always has one address, which is in
 * `first`; others are in a list. */
struct window {
	uint64_t used;             /* one bit a bank */
	uint32_t first[MAX_BANKS]; /* word, valid when used */
	uint8_t load[MAX_BANKS];
	uint32_t others[MAX_REQUESTS];
	unsigned other_count, count;
	uint32_t most;             /* highest load */
};

/* A further address in a bank. */
static void add_other(struct window *window, uint32_t bank, uint32_t word,
		      bool merge)
{
	if (merge) {
		for (unsigned i = 0; i < window->other_count; i++)
			if (window->others[i] == word)
				return;
		window->others[window->other_count++] = word;
	}
	window->count++;
	if (++window->load[bank] > window->most)
		window->most = window->load[bank];
}

static inline void add_lanes(struct window *window, uint32_t banks,
			     const uint32_t *address, uint64_t lanes,
			     bool merge)
{
	uint64_t used = window->used;

	for (; lanes; lanes &= lanes - 1) {
		uint32_t word = address[__builtin_ctzll(lanes)] / 4;
		uint32_t bank = banks & (banks - 1) ? word % banks
						    : word & (banks - 1);

		if (!(used >> bank & 1)) {
			used |= 1ull << bank;
			window->first[bank] = word;
			window->load[bank] = 1;
		} else if (!merge || window->first[bank] != word) {
			add_other(window, bank, word, merge);
		}
	}
	window->count += (unsigned)__builtin_popcountll(used & ~window->used);
	window->used = used;
	if (used && !window->most)
		window->most = 1;
}

/* --- The common cases --------------------------------------------------- */

/* A number for each of 32 banks. */
struct bank_counts {
	__m128i part[2];
};
enum { COUNTED_BANKS = 32 };

/* Counts one more request of a lane. */
static inline void count_lane(struct bank_counts *counts, uint32_t bank)
{
	/* From index 31 - n on: a 1 in the byte of bank n. */
	static const uint8_t ones[2 * COUNTED_BANKS - 1] = {
		[COUNTED_BANKS - 1] = 1
	};
	struct bank_counts one;

	memcpy(&one, ones + COUNTED_BANKS - 1 - bank, sizeof one);
	for (int i = 0; i < 2; i++)
		counts->part[i] = _mm_add_epi8(counts->part[i], one.part[i]);
}

/* Counts a request of each of `lanes`; `all` is the mask of a full window. */
static inline void count_lanes(struct bank_counts *counts,
			       const uint32_t *address, uint32_t banks,
			       uint64_t lanes, uint64_t all)
{
	struct bank_counts sum = *counts;

	if (lanes == all) {
		unsigned lane = (unsigned)__builtin_ctzll(lanes);
		unsigned end = 64 - (unsigned)__builtin_clzll(lanes);

		for (; lane < end; lane++)
			count_lane(&sum, address[lane] / 4 & (banks - 1));
	} else {
		for (; lanes; lanes &= lanes - 1)
			count_lane(&sum, address[__builtin_ctzll(lanes)] / 4 &
						 (banks - 1));
	}
	*counts = sum;
}

static inline uint32_t greatest(const struct bank_counts *counts)
{
	__m128i most = _mm_max_epu8(counts->part[0], counts->part[1]);

	most = _mm_max_epu8(most, _mm_srli_si128(most, 8));
	most = _mm_max_epu8(most, _mm_srli_si128(most, 4));
	most = _mm_max_epu8(most, _mm_srli_si128(most, 2));
	most = _mm_max_epu8(most, _mm_srli_si128(most, 1));
	return (uint32_t)_mm_cvtsi128_si32(most) & 0xff;
}

static inline unsigned count_used(const struct bank_counts *counts)
{
	__m128i none = _mm_setzero_si128();
	unsigned low = (unsigned)_mm_movemask_epi8(
		_mm_cmpeq_epi8(counts->part[0], none));
	unsigned high = (unsigned)_mm_movemask_epi8(
		_mm_cmpeq_epi8(counts->part[1], none));

	return (unsigned)__builtin_popcount(~(low | high << 16));
}

/* Whether each bank has requests for one address only. */
static bool one_address_each(struct window *window, uint32_t banks,
			     const struct evg_step *step, uint64_t first,
			     uint64_t second)
{
	uint32_t different = 0;

	for (uint64_t rest = first; rest; rest &= rest - 1) {
		uint32_t word = step->memory_address[__builtin_ctzll(rest)] / 4;

		window->first[word & (banks - 1)] = word;
	}
	for (uint64_t rest = second; rest; rest &= rest - 1) {
		uint32_t word =
			step->memory_address2[__builtin_ctzll(rest)] / 4;

		window->first[word & (banks - 1)] = word;
	}
	for (uint64_t rest = first; rest; rest &= rest - 1) {
		uint32_t word = step->memory_address[__builtin_ctzll(rest)] / 4;

		different |= window->first[word & (banks - 1)] ^ word;
	}
	for (uint64_t rest = second; rest; rest &= rest - 1) {
		uint32_t word =
			step->memory_address2[__builtin_ctzll(rest)] / 4;

		different |= window->first[word & (banks - 1)] ^ word;
	}
	return !different;
}

/* Counts without a branch on the addresses: requests that are never merged,
 * requests that are spread over the banks, and requests with one address per
 * bank. False for others. */
static bool add_plainly(struct window *window, uint32_t banks,
			const struct evg_step *step, uint64_t lanes, bool merge)
{
	uint64_t first = step->memory_mask & lanes;
	uint64_t second = step->memory_mask2 & lanes;
	struct bank_counts counts = {{_mm_setzero_si128(), _mm_setzero_si128()}};

	if (banks & (banks - 1) || banks > COUNTED_BANKS)
		return false;
	count_lanes(&counts, step->memory_address, banks, first, lanes);
	count_lanes(&counts, step->memory_address2, banks, second, lanes);
	window->most = greatest(&counts);
	if (window->most <= 1 || !merge) {
		window->count = (unsigned)(__builtin_popcountll(first) +
					   __builtin_popcountll(second));
		return true;
	}
	if (!one_address_each(window, banks, step, first, second))
		return false;
	window->most = 1;
	window->count = count_used(&counts);
	return true;
}

static inline struct evg_bank_cycles bank_cycles(const struct evg_step *step,
						 uint32_t banks,
						 uint32_t window_size)
{
	struct evg_bank_cycles cycles = { 0 };
	/* Atomics and writes of equal addresses must all be performed. */
	bool merge = !step->memory_write && !step->memory_atomic;
	uint32_t least = 0;

	for (unsigned start = 0; start < EVG_WAVEFRONT_SIZE;
	     start += window_size) {
		struct window window;
		uint64_t lanes_here = ~0ull;

		if (window_size < EVG_WAVEFRONT_SIZE)
			lanes_here = ((1ull << window_size) - 1) << start;
		if (!add_plainly(&window, banks, step, lanes_here, merge)) {
			window.used = 0;
			window.other_count = window.count = window.most = 0;
			add_lanes(&window, banks, step->memory_address,
				  step->memory_mask & lanes_here, merge);
			add_lanes(&window, banks, step->memory_address2,
				  step->memory_mask2 & lanes_here, merge);
		}
		least += (window.count + banks - 1) / banks;
		cycles.all += window.most;
		cycles.requests += window.count;
	}
	cycles.conflicts = cycles.all - least;
	return cycles;
}

#endif
