/* The two-dimensional discrete cosine transform of an image, in blocks. */
#include <math.h>
#include <stdlib.h>

#include "sample.h"

enum { BLOCK = 8 };

static void make_matrix(float matrix[BLOCK * BLOCK])
{
	const double pi = 3.14159265358979323846;

	for (int k = 0; k < BLOCK; k++)
		for (int i = 0; i < BLOCK; i++)
			matrix[k * BLOCK + i] =
				(float)(sqrt((k ? 2.0 : 1.0) / BLOCK) *
					cos((2 * i + 1) * k * pi /
					    (2 * BLOCK)));
}

/* One block: output = matrix input matrix^T. */
static void reference(const float *input, const float *matrix, float *output,
		      size_t width)
{
	float rows[BLOCK * BLOCK];

	for (int y = 0; y < BLOCK; y++)
		for (int x = 0; x < BLOCK; x++) {
			float sum = 0;

			for (size_t k = 0; k < BLOCK; k++)
				sum += matrix[(size_t)y * BLOCK + k] *
				       input[k * width + (size_t)x];
			rows[y * BLOCK + x] = sum;
		}
	for (size_t y = 0; y < BLOCK; y++)
		for (size_t x = 0; x < BLOCK; x++) {
			float sum = 0;

			for (size_t k = 0; k < BLOCK; k++)
				sum += rows[y * BLOCK + k] *
				       matrix[x * BLOCK + k];
			output[y * width + x] = sum;
		}
}

int main(int argc, char **argv)
{
	struct sample sample;
	size_t n, size, global[2], local[2] = { BLOCK, BLOCK };
	float *input, *output, *expected, matrix[BLOCK * BLOCK];
	cl_mem buffer[3];
	cl_kernel kernel;
	cl_uint width;
	int status;

	sample_open(&sample, "dct", argc, argv, 128, BLOCK, 0,
		    "width and height, a multiple of 8 (default 128)", "");
	n = sample.n;
	width = (cl_uint)n;
	size = n * n * sizeof *input;
	input = sample_allocate(size);
	output = sample_allocate(size);
	expected = sample_allocate(size);
	make_matrix(matrix);
	for (size_t i = 0; i < n * n; i++)
		input[i] = 255 * sample_random_float(&sample);
	for (size_t y = 0; y < n; y += BLOCK)
		for (size_t x = 0; x < n; x += BLOCK)
			reference(input + y * n + x, matrix,
				  expected + y * n + x, n);
	buffer[0] = sample_buffer(&sample, size, input);
	buffer[1] = sample_buffer(&sample, sizeof matrix, matrix);
	buffer[2] = sample_buffer(&sample, size, NULL);
	kernel = sample_kernel(&sample, "dct");
	sample_arguments(kernel, SAMPLE_ARGUMENT(buffer[0]),
			 SAMPLE_ARGUMENT(buffer[1]), SAMPLE_ARGUMENT(buffer[2]),
			 SAMPLE_ARGUMENT(width), SAMPLE_END);
	global[0] = global[1] = n;
	sample_run(&sample, kernel, 2, global, local);
	sample_read(&sample, buffer[2], size, output);
	status = sample_verdict_float(&sample, expected, output, n * n, 1e-5f);
	for (int i = 0; i < 3; i++)
		clReleaseMemObject(buffer[i]);
	clReleaseKernel(kernel);
	sample_close(&sample);
	free(input);
	free(output);
	free(expected);
	return status;
}
