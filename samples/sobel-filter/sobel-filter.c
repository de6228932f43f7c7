/* Edges of an RGBA image. */
#include <stdlib.h>
#include <string.h>

#include "sample.h"

enum { CHANNELS = 4, TILE = 16 };

static uint8_t gradient(const uint8_t *p, size_t row)
{
	const uint8_t *up = p - row, *down = p + row;
	int across = up[CHANNELS] + 2 * p[CHANNELS] + down[CHANNELS] -
		     up[-CHANNELS] - 2 * p[-CHANNELS] - down[-CHANNELS];
	int along = down[-CHANNELS] + 2 * down[0] + down[CHANNELS] -
		    up[-CHANNELS] - 2 * up[0] - up[CHANNELS];
	int magnitude = (abs(across) + abs(along)) / 4;

	return (uint8_t)(magnitude > 255 ? 255 : magnitude);
}

int main(int argc, char **argv)
{
	struct sample sample;
	size_t n, row, size, global[2], local[2] = { TILE, TILE };
	uint8_t *input, *output, *expected;
	cl_mem buffer[2];
	cl_kernel kernel;
	int status;

	sample_open(&sample, "sobel-filter", argc, argv, 128, TILE, 0,
		    "width and height, a multiple of 16 (default 128)", "");
	n = sample.n;
	row = n * CHANNELS;
	size = n * row;
	input = sample_allocate(size);
	output = sample_allocate(size);
	expected = sample_allocate(size);
	memset(expected, 0, size);
	for (size_t i = 0; i < size; i++)
		input[i] = (uint8_t)(sample_random(&sample) >> 24);
	for (size_t y = 1; y < n - 1; y++)
		for (size_t i = CHANNELS; i < row - CHANNELS; i++)
			expected[y * row + i] = gradient(input + y * row + i,
							 row);
	buffer[0] = sample_buffer(&sample, size, input);
	buffer[1] = sample_buffer(&sample, size, NULL);
	kernel = sample_kernel(&sample, "sobel_filter");
	sample_arguments(kernel, SAMPLE_ARGUMENT(buffer[0]),
			 SAMPLE_ARGUMENT(buffer[1]), SAMPLE_END);
	global[0] = global[1] = n;
	sample_run(&sample, kernel, 2, global, local);
	sample_read(&sample, buffer[1], size, output);
	status = sample_verdict_u32(&sample, (const uint32_t *)expected,
				    (const uint32_t *)output, n * n);
	clReleaseMemObject(buffer[0]);
	clReleaseMemObject(buffer[1]);
	clReleaseKernel(kernel);
	sample_close(&sample);
	free(input);
	free(output);
	free(expected);
	return status;
}
