/* AVX2 and FMA: 256-bit floats and integers. Needs CPU model x86-64-v3. */
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>

enum { COUNT = 4096, ROUNDS = 6000 };
static float x[COUNT] __attribute__((aligned(32)));
static float y[COUNT] __attribute__((aligned(32)));
static int32_t n[COUNT] __attribute__((aligned(32)));

int main(void)
{
	__m256 sum = _mm256_setzero_ps(), scale = _mm256_set1_ps(0.5f);
	__m256i total = _mm256_setzero_si256();
	float parts[8], result = 0;
	int32_t counts[8];
	unsigned all = 0;

	for (int i = 0; i < COUNT; i++) {
		x[i] = (float)(i % 17);
		y[i] = (float)(i % 23);
		n[i] = i * 12345;
	}
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < COUNT; i += 8) {
			__m256 a = _mm256_load_ps(x + i);
			__m256 b = _mm256_loadu_ps(y + i);
			__m256i k = _mm256_load_si256((const void *)(n + i));

			a = _mm256_fmadd_ps(a, scale, b);
			sum = _mm256_add_ps(sum, _mm256_mul_ps(a, scale));
			_mm256_store_ps(x + i, a);
			k = _mm256_xor_si256(_mm256_slli_epi32(k, 5),
					     _mm256_srli_epi32(k, 3));
			total = _mm256_add_epi32(
				total, _mm256_cmpgt_epi32(k, total));
			_mm256_store_si256((void *)(n + i),
					   _mm256_shuffle_epi32(k, 0x39));
		}
	_mm256_storeu_ps(parts, sum);
	_mm256_storeu_si256((void *)counts, total);
	for (int i = 0; i < 8; i++) {
		result += parts[i];
		all += (unsigned)counts[i];
	}
	printf("%.6g %u %d\n", (double)result, all, n[COUNT / 3]);
}
