/* SSE2: packed integers: sums of absolute differences, saturation, compares,
 * shuffles. */
#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>

enum { COUNT = 16384, ROUNDS = 12000 };
static uint8_t a[COUNT] __attribute__((aligned(16)));
static uint8_t b[COUNT] __attribute__((aligned(16)));

int main(void)
{
	__m128i sum = _mm_setzero_si128(), words = sum, zero = sum;
	uint64_t parts[2], more[2];

	for (int i = 0; i < COUNT; i++) {
		a[i] = (uint8_t)(i * 7 + 3);
		b[i] = (uint8_t)(i * 13 + 5);
	}
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < COUNT; i += 16) {
			__m128i p = _mm_load_si128((const void *)(a + i));
			__m128i q = _mm_loadu_si128((const void *)(b + i));
			__m128i low, high, equal;

			sum = _mm_add_epi64(sum, _mm_sad_epu8(p, q));
			low = _mm_unpacklo_epi8(p, zero);
			high = _mm_unpackhi_epi8(q, zero);
			words = _mm_add_epi32(words,
					      _mm_madd_epi16(low, high));
			equal = _mm_cmpgt_epi8(p, q);
			p = _mm_subs_epu8(_mm_adds_epu8(p, equal),
					  _mm_srli_epi16(q, 3));
			p = _mm_shuffle_epi32(p, 0xb1);
			_mm_store_si128((void *)(a + i), p);
		}
	_mm_storeu_si128((void *)parts, sum);
	_mm_storeu_si128((void *)more, words);
	printf("%llu %llx %u\n", (unsigned long long)(parts[0] + parts[1]),
	       (unsigned long long)(more[0] ^ more[1]), a[COUNT / 3]);
}
