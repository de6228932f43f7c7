/* Bank conflicts of a window of 32 lanes with at most 32 banks, in vectors.
 * bank-cycles.h counts the same request by request. Included by files of one
 * host instruction set, AVX2 or more. */
#ifndef M2S_EVERGREEN_EMU_COUNT_BANK_ROWS_H
#define M2S_EVERGREEN_EMU_COUNT_BANK_ROWS_H

#include "evergreen/emu/count/distinct.h"

enum {
	BANK_WINDOW = 32,
	BANK_VECTORS = BANK_WINDOW / SORT_LANES,
};

/* A 1 in the four bits that count a bank's requests, for 16 banks from `first`
 * on. The host's shifts give 0 for a place outside of them. */
SIMD __m256i bank_ones(__m256i place, int first)
{
	return _mm256_sllv_epi64(
		_mm256_set1_epi64x(1),
		_mm256_sub_epi64(place, _mm256_set1_epi64x(4 * first)));
}

/* The addresses of a window; the highest bit of those that are none is set. */
SIMD void bank_row(vsort row[BANK_VECTORS], const uint32_t *address,
		   uint32_t lanes)
{
	const vsort bits = {1, 2, 4, 8, 16, 32, 64, 128};

	SORT_LOOP(i, BANK_VECTORS)
		row[i] = sort_load(address, i);
	if (lanes != UINT32_MAX)
		SORT_LOOP(i, BANK_VECTORS)
			row[i] |= (vsort)((bits & lanes >> 8 * i) == 0) &
				  (1u << 31);
}

/* The number of requests of each bank, a byte each, in some order. */
SIMD __m256i bank_loads(const vsort address[BANK_VECTORS], uint32_t banks)
{
	const __m256i low = _mm256_set1_epi8(15);
	__m256i count[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
	__m256i sum[2];

	SORT_LOOP(i, BANK_VECTORS) {
		__m256i place = (__m256i)(address[i] &
					  (4 * banks - 4 + (1u << 31)));
		__m256i odd = _mm256_srli_epi64(place, 32);
		__m256i even = _mm256_blend_epi32(
			place, _mm256_setzero_si256(), 0xaa);

		SORT_LOOP(k, 2) {
			__m256i ones = _mm256_add_epi64(
				bank_ones(even, 16 * (int)k),
				bank_ones(odd, 16 * (int)k));

			count[k] = _mm256_add_epi64(count[k], ones);
		}
	}
	/* Each quad has the counts of eight lanes. Even and odd banks get a
	 * byte each. Then quads of two vectors are added. */
	SORT_LOOP(i, 2) {
		__m256i even = count[i] & low;
		__m256i odd = _mm256_srli_epi64(count[i], 4) & low;

		sum[i] = _mm256_add_epi8(_mm256_unpacklo_epi64(even, odd),
					 _mm256_unpackhi_epi64(even, odd));
	}
	return _mm256_add_epi8(
		_mm256_permute2x128_si256(sum[0], sum[1], 0x20),
		_mm256_permute2x128_si256(sum[0], sum[1], 0x31));
}

/* The number of requests of the busiest bank, of two windows at most. */
SIMD uint32_t bank_greatest(__m256i loads)
{
	enum { MOST = 2 * BANK_WINDOW };
	/* The host has an instruction for the least of eight 16-bit numbers. */
	__m128i most = _mm_max_epu8(_mm256_castsi256_si128(loads),
				    _mm256_extracti128_si256(loads, 1));

	most = _mm_sub_epi8(_mm_set1_epi8(MOST), most);
	most = _mm_min_epu8(most, _mm_srli_epi16(most, 8));
	return MOST - (uint32_t)_mm_extract_epi8(_mm_minpos_epu16(most), 0);
}

/* Cycles beyond those of requests that are spread evenly over the banks, of a
 * window's `lanes`. `banks` is a power of two and at most 32. Requests for one
 * word count once if they merge. */
SIMD uint32_t bank_conflicts(const uint32_t *row, uint32_t lanes,
			     uint32_t banks, bool merge)
{
	uint32_t requests = (uint32_t)__builtin_popcount(lanes), all;
	vsort address[BANK_VECTORS], repeated[BANK_VECTORS];

	bank_row(address, row, lanes);
	all = bank_greatest(bank_loads(address, banks));
	/* With one request a bank there is nothing to merge. */
	if (merge && all > 1) {
		SORT_LOOP(i, BANK_VECTORS)
			address[i] &= ~3u;
		sort_row(address, BANK_VECTORS);
		sort_repeated(address, BANK_VECTORS, repeated);
		requests = BANK_WINDOW;
		SORT_LOOP(i, BANK_VECTORS) {
			address[i] |= repeated[i];
			requests -= sort_highest_bits(address[i]);
		}
		all = bank_greatest(bank_loads(address, banks));
	}
	return all - (requests + banks - 1) / banks;
}

#endif
