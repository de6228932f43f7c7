/* The sum of a vector of integers, modulo 2^32. */
#include <stdlib.h>

#include "sample.h"

enum { GROUP = 256 };

int main(int argc, char **argv)
{
	struct sample sample;
	uint32_t *input, *sums, found = 0, expected = 0;
	cl_mem buffer[2];
	cl_kernel kernel;
	size_t groups;
	int status;

	sample_open(&sample, "reduction", argc, argv, 65536, 2 * GROUP, 0,
		    "elements, a multiple of 512 (default 65536)", "");
	groups = sample.n / (2 * GROUP);
	input = sample_allocate(sample.n * sizeof *input);
	sums = sample_allocate(groups * sizeof *sums);
	for (size_t i = 0; i < sample.n; i++)
		expected += input[i] = sample_random(&sample);
	buffer[0] = sample_buffer(&sample, sample.n * sizeof *input, input);
	buffer[1] = sample_buffer(&sample, groups * sizeof *sums, NULL);
	kernel = sample_kernel(&sample, "reduction");
	sample_arguments(kernel, SAMPLE_ARGUMENT(buffer[0]),
			 SAMPLE_ARGUMENT(buffer[1]),
			 SAMPLE_LOCAL(GROUP * sizeof(uint32_t)), SAMPLE_END);
	sample_run_1d(&sample, kernel, sample.n / 2, GROUP);
	sample_read(&sample, buffer[1], groups * sizeof *sums, sums);
	for (size_t i = 0; i < groups; i++)
		found += sums[i];
	status = sample_verdict_u32(&sample, &expected, &found, 1);
	clReleaseMemObject(buffer[0]);
	clReleaseMemObject(buffer[1]);
	clReleaseKernel(kernel);
	sample_close(&sample);
	free(input);
	free(sums);
	return status;
}
