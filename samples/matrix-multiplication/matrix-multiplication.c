/* The product of two square matrices, tiled in local memory. */
#include <stdlib.h>

#include "sample.h"

enum { TILE = 8 }; /* as in the kernel; a work-item has four columns */

static void multiply(const float *a, const float *b, float *c, size_t n)
{
	for (size_t y = 0; y < n; y++)
		for (size_t x = 0; x < n; x++)
			c[y * n + x] = 0;
	for (size_t y = 0; y < n; y++)
		for (size_t k = 0; k < n; k++)
			for (size_t x = 0; x < n; x++)
				c[y * n + x] += a[y * n + k] * b[k * n + x];
}

int main(int argc, char **argv)
{
	struct sample sample;
	size_t n, size, global[2], local[2] = { TILE, TILE };
	float *a, *b, *c, *expected;
	cl_kernel kernel;
	cl_mem buffer[3];
	cl_uint n4;
	int status;

	sample_open(&sample, "matrix-multiplication", argc, argv, 128, 32, 0,
		    "rows and columns, a multiple of 32 (default 128)", "");
	n = sample.n;
	n4 = (cl_uint)(n / 4);
	size = n * n * sizeof(float);
	a = sample_allocate(size);
	b = sample_allocate(size);
	c = sample_allocate(size);
	expected = sample_allocate(size);
	for (size_t i = 0; i < n * n; i++) {
		a[i] = sample_random_float(&sample);
		b[i] = sample_random_float(&sample);
	}
	buffer[0] = sample_buffer(&sample, size, a);
	buffer[1] = sample_buffer(&sample, size, b);
	buffer[2] = sample_buffer(&sample, size, NULL);
	kernel = sample_kernel(&sample, "matrix_multiplication");
	sample_arguments(kernel, SAMPLE_ARGUMENT(buffer[0]),
			 SAMPLE_ARGUMENT(buffer[1]), SAMPLE_ARGUMENT(buffer[2]),
			 SAMPLE_ARGUMENT(n4),
			 SAMPLE_LOCAL(TILE * TILE * 4 * sizeof(float)),
			 SAMPLE_LOCAL(4 * TILE * TILE * 4 * sizeof(float)),
			 SAMPLE_END);
	global[0] = n / 4;
	global[1] = n;
	sample_run(&sample, kernel, 2, global, local);
	sample_read(&sample, buffer[2], size, c);
	multiply(a, b, expected, n);
	status = sample_verdict_float(&sample, expected, c, n * n, 1e-5f);
	for (int i = 0; i < 3; i++)
		clReleaseMemObject(buffer[i]);
	clReleaseKernel(kernel);
	sample_close(&sample);
	free(a);
	free(b);
	free(c);
	free(expected);
	return status;
}
