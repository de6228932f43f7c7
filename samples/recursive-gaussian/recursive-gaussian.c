/* A recursive Gaussian blur of a square RGBA image. */
#include <math.h>
#include <stdlib.h>

#include "sample.h"

enum { CHANNELS = 4, TILE = 8 };

/* a0..a3, b1, b2 and the gains at the borders, for one standard deviation. */
static void make_coefficients(float c[8], double sigma)
{
	double alpha = 1.695 / sigma, e = exp(-alpha), e2 = exp(-2 * alpha);
	double k = (1 - e) * (1 - e) / (1 + 2 * alpha * e - e2);
	double a0 = k, a1 = k * (alpha - 1) * e, a2 = k * (alpha + 1) * e;
	double a3 = -k * e2, b1 = -2 * e, b2 = e2;

	c[0] = (float)a0;
	c[1] = (float)a1;
	c[2] = (float)a2;
	c[3] = (float)a3;
	c[4] = (float)b1;
	c[5] = (float)b2;
	c[6] = (float)((a0 + a1) / (1 + b1 + b2));
	c[7] = (float)((a2 + a3) / (1 + b1 + b2));
}

/* One channel of one column; `stride` floats lie between two rows. */
static void filter_column(const float *in, float *out, size_t height,
			  size_t stride, const float c[8])
{
	float x1 = in[0], x2, y1 = x1 * c[6], y2 = y1;

	for (size_t y = 0; y < height; y++) {
		float x0 = in[y * stride];
		float y0 = c[0] * x0 + c[1] * x1 - c[4] * y1 - c[5] * y2;

		out[y * stride] = y0;
		x1 = x0;
		y2 = y1;
		y1 = y0;
	}
	x1 = x2 = in[(height - 1) * stride];
	y1 = y2 = x1 * c[7];
	for (size_t y = height; y-- > 0;) {
		float x0 = in[y * stride];
		float y0 = c[2] * x1 + c[3] * x2 - c[4] * y1 - c[5] * y2;

		out[y * stride] += y0;
		x2 = x1;
		x1 = x0;
		y2 = y1;
		y1 = y0;
	}
}

/* Filters the columns of `in` and leaves the transposed image in `out`. */
static void reference_pass(const float *in, float *out, size_t n,
			   const float c[8])
{
	float *columns = sample_allocate(n * n * CHANNELS * sizeof *columns);

	for (size_t i = 0; i < n * CHANNELS; i++)
		filter_column(in + i, columns + i, n, n * CHANNELS, c);
	for (size_t y = 0; y < n; y++)
		for (size_t x = 0; x < n; x++)
			for (size_t k = 0; k < CHANNELS; k++)
				out[(x * n + y) * CHANNELS + k] =
					columns[(y * n + x) * CHANNELS + k];
	free(columns);
}

static void pass(struct sample *sample, cl_kernel filter, cl_kernel transpose,
		 cl_mem image, cl_mem scratch, const cl_float8 *coefficients)
{
	size_t global[2] = { sample->n, sample->n }, local[2] = { TILE, TILE };
	cl_uint n = (cl_uint)sample->n;

	sample_arguments(filter, SAMPLE_ARGUMENT(image),
			 SAMPLE_ARGUMENT(scratch), SAMPLE_ARGUMENT(n),
			 SAMPLE_ARGUMENT(n), SAMPLE_ARGUMENT(*coefficients),
			 SAMPLE_END);
	sample_run_1d(sample, filter, sample->n, TILE);
	sample_arguments(transpose, SAMPLE_ARGUMENT(scratch),
			 SAMPLE_ARGUMENT(image), SAMPLE_ARGUMENT(n),
			 SAMPLE_ARGUMENT(n), SAMPLE_END);
	sample_run(sample, transpose, 2, global, local);
}

int main(int argc, char **argv)
{
	struct sample sample;
	float *image, *expected, *turned;
	cl_kernel filter, transpose;
	cl_float8 coefficients;
	cl_mem buffer, scratch;
	size_t count, size;
	int status;

	sample_open(&sample, "recursive-gaussian", argc, argv, 64, TILE, 0,
		    "width and height, a multiple of 8 (default 64)", "");
	count = sample.n * sample.n * CHANNELS;
	size = count * sizeof *image;
	image = sample_allocate(size);
	expected = sample_allocate(size);
	turned = sample_allocate(size);
	for (size_t i = 0; i < count; i++)
		image[i] = sample_random_float(&sample);
	make_coefficients(coefficients.s, 5.0);
	reference_pass(image, turned, sample.n, coefficients.s);
	reference_pass(turned, expected, sample.n, coefficients.s);
	buffer = sample_buffer(&sample, size, image);
	scratch = sample_buffer(&sample, size, NULL);
	filter = sample_kernel(&sample, "recursive_gaussian");
	transpose = sample_kernel(&sample, "transpose");
	pass(&sample, filter, transpose, buffer, scratch, &coefficients);
	pass(&sample, filter, transpose, buffer, scratch, &coefficients);
	sample_read(&sample, buffer, size, image);
	status = sample_verdict_float(&sample, expected, image, count, 1e-4f);
	clReleaseMemObject(buffer);
	clReleaseMemObject(scratch);
	clReleaseKernel(filter);
	clReleaseKernel(transpose);
	sample_close(&sample);
	free(image);
	free(expected);
	free(turned);
	return status;
}
