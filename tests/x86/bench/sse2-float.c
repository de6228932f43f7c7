/* SSE2: packed float and double arithmetic. */
#include <emmintrin.h>
#include <stdio.h>

enum { COUNT = 4096, ROUNDS = 18000 };
static float x[COUNT] __attribute__((aligned(16)));
static float y[COUNT] __attribute__((aligned(16)));
static double z[COUNT] __attribute__((aligned(16)));

int main(void)
{
	__m128 scale = _mm_set1_ps(0.999f), shift = _mm_set1_ps(0.25f);
	__m128d sum = _mm_setzero_pd();
	double parts[2];

	for (int i = 0; i < COUNT; i++) {
		x[i] = (float)(i % 17);
		y[i] = (float)(i % 23);
		z[i] = i;
	}
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < COUNT; i += 4) {
			__m128 a = _mm_load_ps(x + i), b = _mm_loadu_ps(y + i);

			a = _mm_add_ps(_mm_mul_ps(a, scale), shift);
			a = _mm_min_ps(_mm_max_ps(a, b), _mm_sub_ps(a, b));
			_mm_store_ps(x + i, a);
			sum = _mm_add_pd(sum,
					 _mm_mul_pd(_mm_load_pd(z + i),
						    _mm_cvtps_pd(a)));
		}
	_mm_storeu_pd(parts, sum);
	printf("%.9g %.9g\n", parts[0] + parts[1], (double)x[COUNT / 3]);
}
