/* Uniform random noise on an image. */
#include <stdlib.h>

#include "sample.h"

enum { CHANNELS = 4, GROUP = 64, TABLE = 16, FACTOR = 25 };

static int next_random(int state)
{
	return (int)((int64_t)state * 16807 % 2147483647);
}

static void reference(const uint8_t *in, uint8_t *out, size_t index)
{
	int table[TABLE], noise;
	int state = (in[0] * 65536 + in[1] * 256 + in[2] + (int)index) % 65535
		    + 1;

	for (int k = 0; k < TABLE; k++)
		table[k] = state = next_random(state);
	state = next_random(state);
	noise = table[state % TABLE] % (2 * FACTOR + 1) - FACTOR;
	for (int k = 0; k < CHANNELS; k++) {
		int value = in[k] + noise;

		out[k] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
	}
}

int main(int argc, char **argv)
{
	struct sample sample;
	uint8_t *input, *output, *expected;
	cl_int factor = FACTOR;
	cl_mem buffer[2];
	cl_kernel kernel;
	size_t size;
	int status;

	sample_open(&sample, "urng", argc, argv, 16384, GROUP, 1u << 28,
		    "pixels, a multiple of 64 (default 16384)", "");
	size = sample.n * CHANNELS;
	input = sample_allocate(size);
	output = sample_allocate(size);
	expected = sample_allocate(size);
	for (size_t i = 0; i < size; i++)
		input[i] = (uint8_t)(sample_random(&sample) >> 24);
	for (size_t i = 0; i < sample.n; i++)
		reference(input + i * CHANNELS, expected + i * CHANNELS, i);
	buffer[0] = sample_buffer(&sample, size, input);
	buffer[1] = sample_buffer(&sample, size, NULL);
	kernel = sample_kernel(&sample, "urng");
	sample_arguments(kernel, SAMPLE_ARGUMENT(buffer[0]),
			 SAMPLE_ARGUMENT(buffer[1]), SAMPLE_ARGUMENT(factor),
			 SAMPLE_LOCAL(GROUP * TABLE * sizeof(cl_int)),
			 SAMPLE_END);
	sample_run_1d(&sample, kernel, sample.n, GROUP);
	sample_read(&sample, buffer[1], size, output);
	status = sample_verdict_u32(&sample, (const uint32_t *)expected,
				    (const uint32_t *)output, sample.n);
	clReleaseMemObject(buffer[0]);
	clReleaseMemObject(buffer[1]);
	clReleaseKernel(kernel);
	sample_close(&sample);
	free(input);
	free(output);
	free(expected);
	return status;
}
