/* The transpose of a square matrix. */
#include <stdlib.h>

#include "sample.h"

enum { TILE = 16 };

int main(int argc, char **argv)
{
	struct sample sample;
	size_t n, size, global[2], local[2] = { TILE, TILE };
	float *input, *output, *expected;
	cl_mem buffer[2];
	cl_kernel kernel;
	cl_uint columns;
	int status;

	sample_open(&sample, "matrix-transpose", argc, argv, 256, TILE, 0,
		    "rows and columns, a multiple of 16 (default 256)", "");
	n = sample.n;
	columns = (cl_uint)n;
	size = n * n * sizeof(float);
	input = sample_allocate(size);
	output = sample_allocate(size);
	expected = sample_allocate(size);
	for (size_t i = 0; i < n * n; i++)
		input[i] = sample_random_float(&sample);
	for (size_t y = 0; y < n; y++)
		for (size_t x = 0; x < n; x++)
			expected[x * n + y] = input[y * n + x];
	buffer[0] = sample_buffer(&sample, size, input);
	buffer[1] = sample_buffer(&sample, size, NULL);
	kernel = sample_kernel(&sample, "matrix_transpose");
	sample_arguments(kernel, SAMPLE_ARGUMENT(buffer[0]),
			 SAMPLE_ARGUMENT(buffer[1]), SAMPLE_ARGUMENT(columns),
			 SAMPLE_END);
	global[0] = global[1] = n;
	sample_run(&sample, kernel, 2, global, local);
	sample_read(&sample, buffer[1], size, output);
	status = sample_verdict_float(&sample, expected, output, n * n, 0);
	clReleaseMemObject(buffer[0]);
	clReleaseMemObject(buffer[1]);
	clReleaseKernel(kernel);
	sample_close(&sample);
	free(input);
	free(output);
	free(expected);
	return status;
}
