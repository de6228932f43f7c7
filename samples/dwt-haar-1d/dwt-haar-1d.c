/* The complete one-dimensional Haar wavelet transform of a signal. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"

enum { MOST_ITEMS = 128 };

static void reference(const float *input, float *output, size_t count)
{
	float *run = sample_allocate(count * sizeof *run);
	const float scale = 0.70710678118654752440f;

	memcpy(run, input, count * sizeof *run);
	for (size_t half = count / 2; half > 0; half /= 2)
		for (size_t i = 0; i < half; i++) {
			float left = run[2 * i], right = run[2 * i + 1];

			output[half + i] = (left - right) * scale;
			run[i] = (left + right) * scale;
		}
	output[0] = run[0];
	free(run);
}

int main(int argc, char **argv)
{
	struct sample sample;
	float *input, *output, *expected;
	cl_mem from, to, result;
	cl_kernel kernel;
	size_t size, left;
	int status;

	sample_open(&sample, "dwt-haar-1d", argc, argv, 16384, 2, 1u << 28,
		    "elements, a power of two (default 16384)", "");
	if (sample.n & (sample.n - 1)) {
		fprintf(stderr, "dwt-haar-1d: -n must be a power of two\n");
		return 2;
	}
	size = sample.n * sizeof *input;
	input = sample_allocate(size);
	output = sample_allocate(size);
	expected = sample_allocate(size);
	for (size_t i = 0; i < sample.n; i++)
		input[i] = 10 * sample_random_float(&sample);
	reference(input, expected, sample.n);
	from = sample_buffer(&sample, size, input);
	to = sample_buffer(&sample, size, NULL);
	result = sample_buffer(&sample, size, NULL);
	kernel = sample_kernel(&sample, "dwt_haar_1d");
	for (left = sample.n; left > 1;) {
		size_t items = left / 2 < MOST_ITEMS ? left / 2 : MOST_ITEMS;
		cl_uint count = (cl_uint)left;
		cl_mem swap = from;

		sample_arguments(kernel, SAMPLE_ARGUMENT(from),
				 SAMPLE_ARGUMENT(result), SAMPLE_ARGUMENT(to),
				 SAMPLE_ARGUMENT(count),
				 SAMPLE_LOCAL(2 * items * sizeof(float)),
				 SAMPLE_END);
		sample_run_1d(&sample, kernel, left / 2, items);
		left /= 2 * items;
		from = to;
		to = swap;
	}
	sample_read(&sample, result, size, output);
	sample_read(&sample, from, sizeof *output, output);
	status = sample_verdict_float(&sample, expected, output, sample.n,
				      1e-5f);
	clReleaseMemObject(from);
	clReleaseMemObject(to);
	clReleaseMemObject(result);
	clReleaseKernel(kernel);
	sample_close(&sample);
	free(input);
	free(output);
	free(expected);
	return status;
}
