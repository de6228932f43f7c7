/* The sum of two vectors. */
#include <stdlib.h>

#include "sample.h"

int main(int argc, char **argv)
{
	struct sample sample;
	size_t size;
	float *a, *b, *c, *expected;
	cl_kernel kernel;
	cl_mem buffer[3];
	int status;

	sample_open(&sample, "vector-add", argc, argv, 65536, 64, 0,
		    "elements, a multiple of 64 (default 65536)", "");
	size = sample.n * sizeof(float);
	a = sample_allocate(size);
	b = sample_allocate(size);
	c = sample_allocate(size);
	expected = sample_allocate(size);
	for (size_t i = 0; i < sample.n; i++) {
		a[i] = sample_random_float(&sample);
		b[i] = sample_random_float(&sample);
		expected[i] = a[i] + b[i];
	}
	buffer[0] = sample_buffer(&sample, size, a);
	buffer[1] = sample_buffer(&sample, size, b);
	buffer[2] = sample_buffer(&sample, size, NULL);
	kernel = sample_kernel(&sample, "vector_add");
	sample_arguments(kernel, SAMPLE_ARGUMENT(buffer[0]),
			 SAMPLE_ARGUMENT(buffer[1]), SAMPLE_ARGUMENT(buffer[2]),
			 SAMPLE_END);
	sample_run_1d(&sample, kernel, sample.n, 64);
	sample_read(&sample, buffer[2], size, c);
	status = sample_verdict_float(&sample, expected, c, sample.n, 0);
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
