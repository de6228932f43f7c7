/* A histogram of random bytes. */
#include <stdlib.h>
#include <string.h>

#include "sample.h"

enum { BINS = 256, GROUP = 128, WORDS = 8, BYTES = GROUP * WORDS * 4 };

int main(int argc, char **argv)
{
	struct sample sample;
	uint32_t found[BINS], expected[BINS] = { 0 };
	cl_uint groups, words = WORDS;
	cl_kernel part, merge;
	cl_mem data_buffer, parts, histogram;
	uint8_t *data;
	int status;

	sample_open(&sample, "histogram", argc, argv, 16 * BYTES, BYTES, 0,
		    "bytes, a multiple of 4096 (default 65536)", "");
	groups = (cl_uint)(sample.n / BYTES);
	data = sample_allocate(sample.n);
	for (size_t i = 0; i < sample.n; i++) {
		/* The product of two numbers: not all bins alike. */
		uint32_t random = sample_random(&sample);

		data[i] = (uint8_t)((random & 0xff) * (random >> 24) >> 8);
		expected[data[i]]++;
	}
	data_buffer = sample_buffer(&sample, sample.n, data);
	parts = sample_buffer(&sample, groups * sizeof found, NULL);
	histogram = sample_buffer(&sample, sizeof found, NULL);
	part = sample_kernel(&sample, "histogram_part");
	sample_arguments(part, SAMPLE_ARGUMENT(data_buffer),
			 SAMPLE_ARGUMENT(parts), SAMPLE_ARGUMENT(words),
			 SAMPLE_END);
	sample_run_1d(&sample, part, groups * GROUP, GROUP);
	merge = sample_kernel(&sample, "histogram_merge");
	sample_arguments(merge, SAMPLE_ARGUMENT(parts),
			 SAMPLE_ARGUMENT(histogram), SAMPLE_ARGUMENT(groups),
			 SAMPLE_END);
	sample_run_1d(&sample, merge, BINS, 64);
	sample_read(&sample, histogram, sizeof found, found);
	status = sample_verdict_u32(&sample, expected, found, BINS);
	clReleaseMemObject(data_buffer);
	clReleaseMemObject(parts);
	clReleaseMemObject(histogram);
	clReleaseKernel(part);
	clReleaseKernel(merge);
	sample_close(&sample);
	free(data);
	return status;
}
