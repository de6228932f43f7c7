/* Sorts unsigned integers with the bitonic network. */
#include <stdio.h>
#include <stdlib.h>

#include "sample.h"

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	struct sample sample;
	uint32_t *keys, *expected;
	cl_kernel kernel;
	cl_mem buffer;
	size_t size, local;
	int status;

	sample_open(&sample, "bitonic-sort", argc, argv, 4096, 2, 1u << 30,
		    "keys, a power of two (default 4096)", "");
	if (sample.n & (sample.n - 1)) {
		fprintf(stderr, "bitonic-sort: -n must be a power of two\n");
		return 2;
	}
	size = sample.n * sizeof *keys;
	local = sample.n / 2 < 64 ? sample.n / 2 : 64;
	keys = sample_allocate(size);
	expected = sample_allocate(size);
	for (size_t i = 0; i < sample.n; i++)
		expected[i] = keys[i] = sample_random(&sample);
	qsort(expected, sample.n, sizeof *expected, compare);
	buffer = sample_buffer(&sample, size, keys);
	kernel = sample_kernel(&sample, "bitonic_sort");
	for (cl_uint stage = 0; (size_t)2 << stage <= sample.n; stage++)
		for (cl_uint pass = 0; pass <= stage; pass++) {
			sample_arguments(kernel, SAMPLE_ARGUMENT(buffer),
					 SAMPLE_ARGUMENT(stage),
					 SAMPLE_ARGUMENT(pass), SAMPLE_END);
			sample_run_1d(&sample, kernel, sample.n / 2, local);
		}
	sample_read(&sample, buffer, size, keys);
	status = sample_verdict_u32(&sample, expected, keys, sample.n);
	clReleaseMemObject(buffer);
	clReleaseKernel(kernel);
	sample_close(&sample);
	free(keys);
	free(expected);
	return status;
}
