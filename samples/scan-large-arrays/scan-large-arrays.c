/* The exclusive scan of a long vector, block by block. */
#include <stdlib.h>

#include "sample.h"

enum { GROUP = 128 };

static size_t round_up(size_t n)
{
	return (n + GROUP - 1) / GROUP * GROUP;
}

/* Scans `count` elements (a multiple of GROUP) of `input` into `output`. */
static void scan(struct sample *sample, cl_kernel scan_block,
		 cl_kernel add_sums, cl_mem input, cl_mem output, size_t count)
{
	size_t blocks = count / GROUP, padded = round_up(blocks);
	uint32_t *zeros = calloc(padded, sizeof *zeros);
	cl_mem sums = sample_buffer(sample, padded * sizeof *zeros, zeros);

	sample_arguments(scan_block, SAMPLE_ARGUMENT(input),
			 SAMPLE_ARGUMENT(output), SAMPLE_ARGUMENT(sums),
			 SAMPLE_LOCAL(2 * GROUP * sizeof(uint32_t)),
			 SAMPLE_END);
	sample_run_1d(sample, scan_block, count, GROUP);
	if (blocks > 1) {
		cl_mem scanned = sample_buffer(sample, padded * sizeof *zeros,
					       NULL);

		scan(sample, scan_block, add_sums, sums, scanned, padded);
		sample_arguments(add_sums, SAMPLE_ARGUMENT(output),
				 SAMPLE_ARGUMENT(scanned), SAMPLE_END);
		sample_run_1d(sample, add_sums, count, GROUP);
		clReleaseMemObject(scanned);
	}
	clReleaseMemObject(sums);
	free(zeros);
}

int main(int argc, char **argv)
{
	struct sample sample;
	uint32_t *input, *output, *expected, sum = 0;
	cl_kernel scan_block, add_sums;
	cl_mem buffer[2];
	size_t size;
	int status;

	sample_open(&sample, "scan-large-arrays", argc, argv, 65536, GROUP, 0,
		    "elements, a multiple of 128 (default 65536)", "");
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
	scan_block = sample_kernel(&sample, "scan_block");
	add_sums = sample_kernel(&sample, "add_block_sums");
	scan(&sample, scan_block, add_sums, buffer[0], buffer[1], sample.n);
	sample_read(&sample, buffer[1], size, output);
	status = sample_verdict_u32(&sample, expected, output, sample.n);
	clReleaseMemObject(buffer[0]);
	clReleaseMemObject(buffer[1]);
	clReleaseKernel(scan_block);
	clReleaseKernel(add_sums);
	sample_close(&sample);
	free(input);
	free(output);
	free(expected);
	return status;
}
