/* A blurred image: the mean of the texels around each. */
#include <stdlib.h>

#include "sample.h"

enum { CHANNELS = 4, TILE = 16, RADIUS = 2, SIDE = 2 * RADIUS + 1 };

static size_t clamp(ptrdiff_t place, size_t n)
{
	return place < 0 ? 0 : (size_t)place < n ? (size_t)place : n - 1;
}

static uint8_t mean(const uint8_t *image, size_t n, size_t x, size_t y,
		    size_t channel)
{
	unsigned sum = 0;

	for (ptrdiff_t j = -RADIUS; j <= RADIUS; j++)
		for (ptrdiff_t i = -RADIUS; i <= RADIUS; i++)
			sum += image[(clamp((ptrdiff_t)y + j, n) * n +
				      clamp((ptrdiff_t)x + i, n)) *
					     CHANNELS +
				     channel];
	return (uint8_t)(sum / (SIDE * SIDE));
}

static cl_mem make_image(struct sample *sample, cl_mem_flags flags, void *data)
{
	const cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT8 };
	const cl_image_desc description = {
		.image_type = CL_MEM_OBJECT_IMAGE2D,
		.image_width = sample->n,
		.image_height = sample->n,
	};
	cl_int status;
	cl_mem image = clCreateImage(sample->context, flags, &format,
				     &description, data, &status);

	sample_check(status, "clCreateImage");
	return image;
}

int main(int argc, char **argv)
{
	const size_t origin[3] = { 0, 0, 0 }, local[2] = { TILE, TILE };
	size_t n, size, global[2], region[3];
	uint8_t *input, *output, *expected;
	struct sample sample;
	cl_int radius = RADIUS;
	cl_kernel kernel;
	cl_mem image[2];
	int status;

	sample_open(&sample, "box-filter", argc, argv, 128, TILE, 0,
		    "width and height, a multiple of 16 (default 128)", "");
	n = sample.n;
	size = n * n * CHANNELS;
	input = sample_allocate(size);
	output = sample_allocate(size);
	expected = sample_allocate(size);
	for (size_t i = 0; i < size; i++)
		input[i] = (uint8_t)(sample_random(&sample) >> 24);
	for (size_t i = 0; i < size; i++)
		expected[i] = mean(input, n, i / CHANNELS % n,
				   i / CHANNELS / n, i % CHANNELS);
	image[0] = make_image(&sample, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
			      input);
	image[1] = make_image(&sample, CL_MEM_WRITE_ONLY, NULL);
	kernel = sample_kernel(&sample, "box_filter");
	sample_arguments(kernel, SAMPLE_ARGUMENT(image[0]),
			 SAMPLE_ARGUMENT(image[1]), SAMPLE_ARGUMENT(radius),
			 SAMPLE_END);
	global[0] = global[1] = region[0] = region[1] = n;
	region[2] = 1;
	sample_run(&sample, kernel, 2, global, local);
	sample_check(clEnqueueReadImage(sample.queue, image[1], CL_TRUE,
					origin, region, 0, 0, output, 0, NULL,
					NULL), "clEnqueueReadImage");
	status = sample_verdict_u32(&sample, (const uint32_t *)expected,
				    (const uint32_t *)output, n * n);
	clReleaseMemObject(image[0]);
	clReleaseMemObject(image[1]);
	clReleaseKernel(kernel);
	sample_close(&sample);
	free(input);
	free(output);
	free(expected);
	return status;
}
