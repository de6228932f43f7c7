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

static inline __m128i four_lanes(const uint32_t *address, unsigned i)
{
	return _mm_loadu_si128((const void *)(address + i));
}

/* The banks of lanes, one bit each. */
struct bank_set {
	uint32_t used;
	bool alone; /* each lane has a bank for itself */
};

static inline struct bank_set banks_of(const uint32_t *address, uint32_t banks,
				       uint64_t lanes)
{
	/* Masks of four lanes. */
	static const int32_t active[16][4] = {
		{ 0 }, { -1 }, { 0, -1 }, { -1, -1 },
		{ 0, 0, -1 }, { -1, 0, -1 }, { 0, -1, -1 }, { -1, -1, -1 },
		{ 0, 0, 0, -1 }, { -1, 0, 0, -1 }, { 0, -1, 0, -1 },
		{ -1, -1, 0, -1 }, { 0, 0, -1, -1 }, { -1, 0, -1, -1 },
		{ 0, -1, -1, -1 }, { -1, -1, -1, -1 },
	};
	__m128i used = _mm_setzero_si128(), twice = used, other;
	unsigned end = lanes ? 64 - (unsigned)__builtin_clzll(lanes) : 0;

	for (unsigned i = lanes ? __builtin_ctzll(lanes) & ~3u : 0; i < end;
	     i += 4) {
		__m128i bank = _mm_and_si128(
			_mm_srli_epi32(four_lanes(address, i), 2),
			_mm_set1_epi32((int)banks - 1));
		/* 2 to the power of the bank as a float, and as an integer.
		 * That of 31 is out of range, for which the host gives just
		 * this bit. */
		__m128i bit = _mm_cvttps_epi32(_mm_castsi128_ps(_mm_slli_epi32(
			_mm_add_epi32(bank, _mm_set1_epi32(127)), 23)));

		bit = _mm_and_si128(bit, _mm_loadu_si128(
			(const void *)active[lanes >> i & 15]));
		twice = _mm_or_si128(twice, _mm_and_si128(used, bit));
		used = _mm_or_si128(used, bit);
	}
	other = _mm_shuffle_epi32(used, _MM_SHUFFLE(1, 0, 3, 2));
	twice = _mm_or_si128(twice, _mm_and_si128(used, other));
	used = _mm_or_si128(used, other);
	other = _mm_shuffle_epi32(used, _MM_SHUFFLE(2, 3, 0, 1));
	twice = _mm_or_si128(twice, _mm_and_si128(used, other));
	used = _mm_or_si128(used, other);
	twice = _mm_cmpeq_epi8(twice, _mm_setzero_si128());
	return (struct bank_set){
		.used = (uint32_t)_mm_cvtsi128_si32(used),
		.alone = _mm_movemask_epi8(twice) == 0xffff,
	};
}

/* Reads of equal words are one request in a window. Mostly they are those of
 * neighbours, or of other rows of a work-group of 8 or 16 columns: the lanes
 * whose address is that of the lane so far below them. */
enum { ROW = 8, LONG_ROW = 16 };
struct repeated_words {
	bool known;
	uint64_t next, row, long_row;
};

/* The lanes from `i` on, whose addresses are `here`, that have the addresses of
 * `below`. */
static inline uint64_t equal_lanes(__m128i here, __m128i below, unsigned i)
{
	__m128i equal = _mm_cmpeq_epi32(here, below);

	return (uint64_t)(unsigned)_mm_movemask_ps(_mm_castsi128_ps(equal))
	       << i;
}

static struct repeated_words find_repeated(const uint32_t *address)
{
	__m128i here = four_lanes(address, 0);
	struct repeated_words repeated = {
		.known = true,
		.next = equal_lanes(here,
				    _mm_shuffle_epi32(
					    here, _MM_SHUFFLE(2, 1, 0, 0)),
				    0),
	};

	for (unsigned i = 4; i < EVG_WAVEFRONT_SIZE; i += 4) {
		here = four_lanes(address, i);
		repeated.next |=
			equal_lanes(here, four_lanes(address, i - 1), i);
		if (i >= ROW)
			repeated.row |= equal_lanes(
				here, four_lanes(address, i - ROW), i);
		if (i >= LONG_ROW)
			repeated.long_row |= equal_lanes(
				here, four_lanes(address, i - LONG_ROW), i);
	}
	return repeated;
}

static uint64_t without_repeated(struct repeated_words *repeated,
				 const uint32_t *address, uint64_t lanes)
{
	if (!repeated->known)
		*repeated = find_repeated(address);
	return lanes & ~(repeated->next & lanes << 1) &
	       ~(repeated->row & lanes << ROW) &
	       ~(repeated->long_row & lanes << LONG_ROW);
}

/* Whether it is worth a look: a guess from the first lane. */
static inline bool seems_repeated(const uint32_t *address, uint64_t lanes)
{
	unsigned first = lanes ? (unsigned)__builtin_ctzll(lanes) : 0;
	uint32_t here = address[first];

	return first + LONG_ROW < EVG_WAVEFRONT_SIZE &&
	       (here == address[first + 1] || here == address[first + ROW] ||
		here == address[first + LONG_ROW]);
}

/* Requests of one kind of addresses in a window. */
struct requests {
	uint64_t lanes;
	struct bank_set banks;
};

static inline struct requests requests_of(const uint32_t *address,
					  uint32_t banks, uint64_t lanes,
					  struct repeated_words *repeated,
					  bool merge)
{
	bool look = merge && seems_repeated(address, lanes);
	struct requests requests = { lanes, { 0, false } };

	if (!look) {
		requests.banks = banks_of(address, banks, lanes);
		look = merge && !requests.banks.alone;
	}
	if (look) {
		requests.lanes = without_repeated(repeated, address, lanes);
		requests.banks = banks_of(address, banks, requests.lanes);
	}
	return requests;
}

/* First and second addresses, each alone in its bank among its own kind, meet in
 * the `shared` banks, for one word or for two. */
static void merge_shared(struct window *window, uint32_t banks,
			 const struct evg_step *step, uint64_t first,
			 uint64_t second, uint32_t shared)
{
	for (; second; second &= second - 1) {
		uint32_t word =
			step->memory_address2[__builtin_ctzll(second)] / 4;

		window->first[word & (banks - 1)] = word;
	}
	for (; first; first &= first - 1) {
		uint32_t word = step->memory_address[__builtin_ctzll(first)] / 4;
		uint32_t bank = word & (banks - 1);

		if (!(shared >> bank & 1))
			continue;
		if (window->first[bank] == word)
			window->count--;
		else
			window->most = 2;
	}
}

/* Counts requests that are spread over the banks, and requests that are never
 * merged, without a branch on the addresses. Others it leaves to add_lanes(),
 * without those that are repeated. */
static void add_requests(struct window *window, uint32_t banks,
			 const struct evg_step *step, uint64_t lanes,
			 bool merge, struct repeated_words repeated[2])
{
	const uint32_t *address = step->memory_address;
	const uint32_t *address2 = step->memory_address2;
	uint64_t lanes2 = step->memory_mask2 & lanes;
	struct requests first = { step->memory_mask & lanes, { 0, false } };
	struct requests second = { lanes2, { 0, true } };
	bool simple = !(banks & (banks - 1)) && banks <= COUNTED_BANKS;

	if (simple)
		first = requests_of(address, banks, first.lanes, &repeated[0],
				    merge);
	if (simple && lanes2)
		second = requests_of(address2, banks, lanes2, &repeated[1],
				     merge);
	window->used = 0;
	window->other_count = window->count = window->most = 0;
	if (first.banks.alone && second.banks.alone) {
		uint32_t shared = first.banks.used & second.banks.used;

		window->count =
			(unsigned)__builtin_popcount(first.banks.used) +
			(unsigned)__builtin_popcount(second.banks.used);
		window->most = 1 + (shared && !merge);
		if (shared && merge)
			merge_shared(window, banks, step, first.lanes,
				     second.lanes, shared);
	} else if (simple && !merge) {
		struct bank_counts counts = {{_mm_setzero_si128(),
					      _mm_setzero_si128()}};

		count_lanes(&counts, address, banks, first.lanes, lanes);
		count_lanes(&counts, address2, banks, lanes2, lanes);
		window->most = greatest(&counts);
		window->count =
			(unsigned)__builtin_popcountll(first.lanes) +
			(unsigned)__builtin_popcountll(lanes2);
	} else {
		add_lanes(window, banks, address, first.lanes, merge);
		add_lanes(window, banks, address2, second.lanes, merge);
	}
}

static inline struct evg_bank_cycles bank_cycles(const struct evg_step *step,
						 uint32_t banks,
						 uint32_t window_size)
{
	struct evg_bank_cycles cycles = { 0 };
	/* Atomics and writes of equal addresses must all be performed. */
	bool merge = !step->memory_write && !step->memory_atomic;
	struct repeated_words repeated[2] = {{ .known = false }};
	uint32_t least = 0;

	for (unsigned start = 0; start < EVG_WAVEFRONT_SIZE;
	     start += window_size) {
		struct window window;
		uint64_t lanes_here = ~0ull;

		if (window_size < EVG_WAVEFRONT_SIZE)
			lanes_here = ((1ull << window_size) - 1) << start;
		if (!((step->memory_mask | step->memory_mask2) & lanes_here))
			continue;
		add_requests(&window, banks, step, lanes_here, merge, repeated);
		least += (window.count + banks - 1) / banks;
		cycles.all += window.most;
		cycles.requests += window.count;
	}
	cycles.conflicts = cycles.all - least;
	return cycles;
}

#endif
