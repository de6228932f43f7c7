/* The exclusive prefix sum of a short vector, in one work-group. */
#include <stdio.h>
#include <stdlib.h>

#include "sample.h"

int main(int argc, char **argv)
{
	struct sample sample;
	uint32_t *input, *output, *expected, sum = 0;
	cl_mem buffer[2];
	cl_kernel kernel;
	size_t size;
	int status;

	sample_open(&sample, "prefix-sum", argc, argv, 512, 2, 512,
		    "elements, a power of two from 2 to 512 (default 512)", "");
	if (sample.n & (sample.n - 1)) {
		fprintf(stderr, "prefix-sum: -n must be a power of two\n");
		return 2;
	}
	size = sample.n * sizeof *input;
	input = sample_allocate(size);
	output = sample_allocate(size);
	expected = sample_allocate(size);
	for (size_t i = 0; i < sample.n; i++) {
		input[i] = sample_random(&sample) % 1000;
		expected[i] = sum;
		sum += input[i];
	}
	buffer[0] = sample_buffer(&sample, size, input);
	buffer[1] = sample_buffer(&sample, size, NULL);
	kernel = sample_kernel(&sample, "prefix_sum");
	sample_arguments(kernel, SAMPLE_ARGUMENT(buffer[0]),
			 SAMPLE_ARGUMENT(buffer[1]), SAMPLE_LOCAL(size),
			 SAMPLE_END);
	sample_run_1d(&sample, kernel, sample.n / 2, sample.n / 2);
	sample_read(&sample, buffer[1], size, output);
	status = sample_verdict_u32(&sample, expected, output, sample.n);
	clReleaseMemObject(buffer[0]);
	clReleaseMemObject(buffer[1]);
	clReleaseKernel(kernel);
	sample_close(&sample);
	free(input);
	free(output);
	free(expected);
	return status;
}
