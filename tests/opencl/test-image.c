/* Images and samplers: making them, asking about them, moving parts of them,
 * handing them to kernels. images.sh has the random comparisons. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl/support.h"

static const cl_image_format rgba8 = { CL_RGBA, CL_UNORM_INT8 };
static const size_t zero[3];

static cl_mem make(const cl_image_format *format, cl_image_desc desc,
		   cl_mem_flags flags, void *host)
{
	cl_int status;
	cl_mem image = clCreateImage(support.context, flags, format, &desc,
				     host, &status);

	CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
	return image;
}

static cl_image_desc plane(size_t width, size_t height)
{
	return (cl_image_desc){ .image_type = CL_MEM_OBJECT_IMAGE2D,
				.image_width = width,
				.image_height = height };
}

static size_t ask(cl_mem image, cl_image_info name)
{
	size_t value = 99;

	ASSERT_OK(clGetImageInfo(image, name, sizeof value, &value, NULL));
	return value;
}

/* --- Making ------------------------------------------------------------- */

static cl_int create_fails(cl_mem_flags flags, const cl_image_format *format,
			   cl_image_desc desc, void *host)
{
	cl_int status;

	CU_ASSERT_PTR_NULL(clCreateImage(support.context, flags, format, &desc,
					 host, &status));
	return status;
}

static void test_create_errors(void)
{
	static uint32_t host[64];
	cl_image_format bad_order = { 1, CL_FLOAT };
	cl_image_format bad_pair = { CL_RGB, CL_FLOAT };
	cl_image_desc desc = plane(4, 4);
	cl_mem buffer = support_buffer(64, NULL);
	cl_int status;

#define FAILS(flags, format, host, error)                                      \
	CU_ASSERT_EQUAL(create_fails(flags, format, desc, host), error)
	CU_ASSERT_PTR_NULL(clCreateImage(NULL, 0, &rgba8, &desc, NULL,
					 &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_CONTEXT);
	CU_ASSERT_PTR_NULL(clCreateImage(support.context, 0, &rgba8, NULL, NULL,
					 &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_IMAGE_DESCRIPTOR);
	FAILS(0, NULL, NULL, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	FAILS(0, &bad_order, NULL, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	FAILS(0, &bad_pair, NULL, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	FAILS(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &rgba8, NULL,
	      CL_INVALID_VALUE);
	FAILS(CL_MEM_USE_HOST_PTR, &rgba8, NULL, CL_INVALID_HOST_PTR);
	FAILS(0, &rgba8, host, CL_INVALID_HOST_PTR);
	FAILS(CL_MEM_COPY_HOST_PTR, &rgba8, (void *)16, CL_INVALID_HOST_PTR);
	desc.image_width = 0;
	FAILS(0, &rgba8, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
	desc.image_width = 8193;
	FAILS(0, &rgba8, NULL, CL_INVALID_IMAGE_SIZE);
	desc.image_width = SIZE_MAX;
	FAILS(0, &rgba8, NULL, CL_INVALID_IMAGE_SIZE);
	desc = plane(8192, 8192); /* 256 MiB: more than the device has */
	FAILS(0, &rgba8, NULL, CL_MEM_OBJECT_ALLOCATION_FAILURE);
	desc = plane(4, 4);
	desc.image_row_pitch = 16;
	FAILS(0, &rgba8, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
	desc.image_row_pitch = 12;
	FAILS(CL_MEM_COPY_HOST_PTR, &rgba8, host, CL_INVALID_IMAGE_DESCRIPTOR);
	desc.image_row_pitch = 18;
	FAILS(CL_MEM_COPY_HOST_PTR, &rgba8, host, CL_INVALID_IMAGE_DESCRIPTOR);
	desc = plane(4, 4);
	desc.num_samples = 1;
	FAILS(0, &rgba8, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
	desc = plane(4, 4);
	desc.buffer = buffer;
	FAILS(0, &rgba8, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
	desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
	desc.image_width = 17; /* 16 fit */
	FAILS(0, &rgba8, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
	desc.image_type = CL_MEM_OBJECT_BUFFER;
	FAILS(0, &rgba8, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
	desc = (cl_image_desc){ .image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
				.image_width = 4, .image_height = 4 };
	FAILS(0, &rgba8, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
	desc.image_array_size = 2049;
	FAILS(0, &rgba8, NULL, CL_INVALID_IMAGE_SIZE);
	CU_ASSERT_PTR_NULL(clCreateImage2D(support.context, 0, &rgba8, 0, 4, 0,
					   NULL, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_IMAGE_SIZE);
	CU_ASSERT_PTR_NULL(clCreateImage3D(support.context, 0, &rgba8, 4, 4, 1,
					   0, 0, NULL, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_IMAGE_SIZE);
#undef FAILS
	ASSERT_OK(clReleaseMemObject(buffer));
}

static void test_info(void)
{
	cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE3D,
			       .image_width = 5, .image_height = 3,
			       .image_depth = 2 };
	cl_image_format format;
	cl_mem image = make(&rgba8, desc, CL_MEM_READ_ONLY, NULL);
	cl_mem_object_type type;
	cl_mem_flags flags;
	cl_uint number = 9;

	CU_ASSERT_EQUAL(ask(image, CL_IMAGE_ELEMENT_SIZE), 4);
	CU_ASSERT_EQUAL(ask(image, CL_IMAGE_ROW_PITCH), 20);
	CU_ASSERT_EQUAL(ask(image, CL_IMAGE_SLICE_PITCH), 60);
	CU_ASSERT_EQUAL(ask(image, CL_IMAGE_WIDTH), 5);
	CU_ASSERT_EQUAL(ask(image, CL_IMAGE_HEIGHT), 3);
	CU_ASSERT_EQUAL(ask(image, CL_IMAGE_DEPTH), 2);
	CU_ASSERT_EQUAL(ask(image, CL_IMAGE_ARRAY_SIZE), 0);
	CU_ASSERT_EQUAL(ask(image, CL_IMAGE_BUFFER), 0);
	ASSERT_OK(clGetImageInfo(image, CL_IMAGE_NUM_SAMPLES, sizeof number,
				 &number, NULL));
	CU_ASSERT_EQUAL(number, 0);
	ASSERT_OK(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof format, &format,
				 NULL));
	CU_ASSERT_EQUAL(memcmp(&format, &rgba8, sizeof format), 0);
	CU_ASSERT_EQUAL(clGetImageInfo(image, CL_IMAGE_FORMAT, 4, &format,
				       NULL), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clGetImageInfo(image, CL_MEM_SIZE, 0, NULL, NULL),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clGetImageInfo(NULL, CL_IMAGE_WIDTH, 0, NULL, NULL),
			CL_INVALID_MEM_OBJECT);
	ASSERT_OK(clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof type, &type,
				     NULL));
	CU_ASSERT_EQUAL(type, CL_MEM_OBJECT_IMAGE3D);
	ASSERT_OK(clGetMemObjectInfo(image, CL_MEM_FLAGS, sizeof flags, &flags,
				     NULL));
	CU_ASSERT_EQUAL(flags, CL_MEM_READ_ONLY);
	ASSERT_OK(clReleaseMemObject(image));
	CU_ASSERT_EQUAL(clReleaseMemObject(image), CL_INVALID_MEM_OBJECT);
}

/* An image over a buffer shares its memory and keeps it alive. */
static void test_over_buffer(void)
{
	uint32_t words[16], word = 77;
	cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER,
			       .image_width = 16 };
	const size_t place[3] = { 3, 0, 0 }, one[3] = { 1, 1, 1 };
	cl_mem image, parent = NULL;

	desc.buffer = support_buffer(sizeof words, NULL);
	image = make(&rgba8, desc, 0, NULL);
	CU_ASSERT_EQUAL(ask(image, CL_IMAGE_BUFFER), (size_t)desc.buffer);
	ASSERT_OK(clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT,
				     sizeof parent, &parent, NULL));
	CU_ASSERT_PTR_EQUAL(parent, desc.buffer);
	ASSERT_OK(clEnqueueWriteImage(support.queue, image, CL_TRUE, place, one,
				      0, 0, &word, 0, NULL, NULL));
	support_read(desc.buffer, words, sizeof words);
	CU_ASSERT_EQUAL(words[2], 0);
	CU_ASSERT_EQUAL(words[3], 77);
	CU_ASSERT_EQUAL(clEnqueueCopyImageToBuffer(support.queue, image,
						   desc.buffer, zero, one, 0, 0,
						   NULL, NULL),
			CL_INVALID_MEM_OBJECT);
	ASSERT_OK(clReleaseMemObject(desc.buffer));
	word = 0;
	ASSERT_OK(clEnqueueReadImage(support.queue, image, CL_TRUE, place, one,
				     0, 0, &word, 0, NULL, NULL));
	CU_ASSERT_EQUAL(word, 77);
	ASSERT_OK(clReleaseMemObject(image));
}

static void test_formats(void)
{
	cl_image_format formats[128];
	cl_uint count = 0, found = 0;

	ASSERT_OK(clGetSupportedImageFormats(support.context, 0,
					     CL_MEM_OBJECT_IMAGE3D, 128,
					     formats, &count));
	CU_ASSERT(count > 60 && count < 128);
	for (cl_uint i = 0; i < count; i++) {
		cl_mem image = make(&formats[i], plane(3, 2), 0, NULL);

		found += formats[i].image_channel_order == CL_BGRA &&
			 formats[i].image_channel_data_type == CL_UNORM_INT8;
		CU_ASSERT_EQUAL(ask(image, CL_IMAGE_ROW_PITCH),
				3 * ask(image, CL_IMAGE_ELEMENT_SIZE));
		ASSERT_OK(clReleaseMemObject(image));
	}
	CU_ASSERT_EQUAL(found, 1);
	CU_ASSERT_EQUAL(clGetSupportedImageFormats(support.context, 0,
						   CL_MEM_OBJECT_BUFFER, 0,
						   NULL, &count),
			CL_INVALID_VALUE);
}

/* --- Moving ------------------------------------------------------------- */

static void test_transfer_errors(void)
{
	const size_t box[3] = { 2, 2, 1 }, deep[3] = { 2, 2, 2 };
	const size_t far[3] = { 3, 0, 0 }, none[3] = { 2, 0, 1 };
	cl_image_format other = { CL_RGBA, CL_FLOAT };
	uint32_t words[16];
	cl_mem image = make(&rgba8, plane(4, 4), 0, NULL);
	cl_mem closed = make(&rgba8, plane(4, 4), CL_MEM_HOST_NO_ACCESS, NULL);
	cl_mem floats = make(&other, plane(4, 4), 0, NULL);
	cl_mem buffer = support_buffer(64, NULL);

#define READ(image, origin, region, row, slice, words)                         \
	clEnqueueReadImage(support.queue, image, CL_TRUE, origin, region, row, \
			   slice, words, 0, NULL, NULL)
	CU_ASSERT_EQUAL(clEnqueueReadImage(NULL, image, CL_TRUE, zero, box, 0,
					   0, words, 0, NULL, NULL),
			CL_INVALID_COMMAND_QUEUE);
	CU_ASSERT_EQUAL(READ(buffer, zero, box, 0, 0, words),
			CL_INVALID_MEM_OBJECT);
	CU_ASSERT_EQUAL(READ(image, zero, box, 0, 0, NULL), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(READ(image, NULL, box, 0, 0, words), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(READ(image, far, box, 0, 0, words), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(READ(image, zero, deep, 0, 0, words), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(READ(image, zero, none, 0, 0, words), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(READ(image, zero, box, 4, 0, words), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(READ(image, zero, box, 0, 16, words), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(READ(closed, zero, box, 0, 0, words),
			CL_INVALID_OPERATION);
	CU_ASSERT_EQUAL(clEnqueueReadBuffer(support.queue, image, CL_TRUE, 0, 4,
					    words, 0, NULL, NULL),
			CL_INVALID_MEM_OBJECT);
	CU_ASSERT_EQUAL(clEnqueueFillImage(support.queue, image, NULL, zero,
					   box, 0, NULL, NULL),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clEnqueueCopyImage(support.queue, image, floats, zero,
					   zero, box, 0, NULL, NULL),
			CL_IMAGE_FORMAT_MISMATCH);
	CU_ASSERT_EQUAL(clEnqueueCopyImage(support.queue, image, image, zero,
					   (size_t[3]){ 1, 1, 0 }, box, 0, NULL,
					   NULL),
			CL_MEM_COPY_OVERLAP);
	ASSERT_OK(clEnqueueCopyImage(support.queue, image, image, zero,
				     (size_t[3]){ 2, 1, 0 }, box, 0, NULL,
				     NULL));
	CU_ASSERT_EQUAL(clEnqueueCopyBufferToImage(support.queue, buffer, image,
						   52, zero, box, 0, NULL,
						   NULL),
			CL_INVALID_VALUE);
	ASSERT_OK(clEnqueueMigrateMemObjects(support.queue, 1, &image, 0, 0,
					     NULL, NULL));
#undef READ
	clReleaseMemObject(image);
	clReleaseMemObject(closed);
	clReleaseMemObject(floats);
	clReleaseMemObject(buffer);
}

/* CL_MEM_USE_HOST_PTR: mappings are where the program has the image. */
static void test_map(void)
{
	const size_t origin[3] = { 1, 1, 0 }, box[3] = { 2, 2, 1 };
	uint32_t host[3 * 6] = { 0 }, got[3 * 4], *map;
	cl_image_desc desc = plane(4, 3);
	size_t row = 0, slice = 7;
	cl_uint count = 9;
	cl_int status;
	cl_mem image;

	for (uint32_t i = 0; i < ARRAY_SIZE(host); i++)
		host[i] = i;
	desc.image_row_pitch = 24;
	image = make(&rgba8, desc, CL_MEM_USE_HOST_PTR, host);
	CU_ASSERT_EQUAL(ask(image, CL_IMAGE_ROW_PITCH), 24);
	map = clEnqueueMapImage(support.queue, image, CL_TRUE,
				CL_MAP_READ | CL_MAP_WRITE, origin, box, &row,
				&slice, 0, NULL, NULL, &status);
	CU_ASSERT_EQUAL(status, CL_SUCCESS);
	CU_ASSERT_PTR_EQUAL(map, &host[7]);
	CU_ASSERT_EQUAL(row, 24);
	CU_ASSERT_EQUAL(slice, 0);
	ASSERT_OK(clGetMemObjectInfo(image, CL_MEM_MAP_COUNT, sizeof count,
				     &count, NULL));
	CU_ASSERT_EQUAL(count, 1);
	map[0] = 100;
	map[6 + 1] = 101;
	ASSERT_OK(clEnqueueUnmapMemObject(support.queue, image, map, 0, NULL,
					  NULL));
	CU_ASSERT_EQUAL(clEnqueueUnmapMemObject(support.queue, image, map, 0,
						NULL, NULL),
			CL_INVALID_VALUE);
	ASSERT_OK(clEnqueueReadImage(support.queue, image, CL_TRUE, zero,
				     (size_t[3]){ 4, 3, 1 }, 0, 0, got, 0, NULL,
				     NULL));
	CU_ASSERT_EQUAL(got[0], 0);
	CU_ASSERT_EQUAL(got[4 + 1], 100);
	CU_ASSERT_EQUAL(got[4 + 2], 8);
	CU_ASSERT_EQUAL(got[8 + 2], 101);
	CU_ASSERT_PTR_NULL(clEnqueueMapImage(support.queue, image, CL_TRUE,
					     CL_MAP_READ, origin, box, NULL,
					     NULL, 0, NULL, NULL, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_VALUE);
	clReleaseMemObject(image);
}

/* --- Samplers ----------------------------------------------------------- */

static void test_samplers(void)
{
	cl_sampler sampler;
	cl_uint value = 99;
	cl_context context;
	cl_int status;

	CU_ASSERT_PTR_NULL(clCreateSampler(NULL, CL_TRUE, CL_ADDRESS_CLAMP,
					   CL_FILTER_NEAREST, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_CONTEXT);
	CU_ASSERT_PTR_NULL(clCreateSampler(support.context, CL_TRUE, 5,
					   CL_FILTER_NEAREST, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_VALUE);
	CU_ASSERT_PTR_NULL(clCreateSampler(support.context, CL_TRUE,
					   CL_ADDRESS_CLAMP, 5, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_VALUE);
	CU_ASSERT_PTR_NULL(clCreateSampler(support.context, CL_FALSE,
					   CL_ADDRESS_REPEAT, CL_FILTER_LINEAR,
					   &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_VALUE);
	sampler = clCreateSampler(support.context, CL_TRUE, CL_ADDRESS_REPEAT,
				  CL_FILTER_LINEAR, &status);
	CU_ASSERT_EQUAL(status, CL_SUCCESS);
#define ASK(name, wanted)                                                      \
	do {                                                                   \
		ASSERT_OK(clGetSamplerInfo(sampler, name, sizeof value,        \
					   &value, NULL));                     \
		CU_ASSERT_EQUAL(value, wanted);                                \
	} while (0)
	ASK(CL_SAMPLER_NORMALIZED_COORDS, CL_TRUE);
	ASK(CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_REPEAT);
	ASK(CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR);
	ASK(CL_SAMPLER_REFERENCE_COUNT, 1);
	ASSERT_OK(clRetainSampler(sampler));
	ASK(CL_SAMPLER_REFERENCE_COUNT, 2);
#undef ASK
	ASSERT_OK(clGetSamplerInfo(sampler, CL_SAMPLER_CONTEXT, sizeof context,
				   &context, NULL));
	CU_ASSERT_PTR_EQUAL(context, support.context);
	ASSERT_OK(clReleaseSampler(sampler));
	ASSERT_OK(clReleaseSampler(sampler));
	CU_ASSERT_EQUAL(clReleaseSampler(sampler), CL_INVALID_SAMPLER);
	CU_ASSERT_EQUAL(clGetSamplerInfo(sampler, CL_SAMPLER_CONTEXT, 0, NULL,
					 NULL),
			CL_INVALID_SAMPLER);
}

/* --- Kernels ------------------------------------------------------------ */

static void test_arguments(void)
{
	cl_kernel kernel = support_kernel(
		"kernel void k(read_only image2d_t i, write_only image2d_t o,"
		"              sampler_t s) {"
		"  int2 p = (int2)(get_global_id(0), 0);"
		"  write_imagef(o, p, read_imagef(i, s, p)); }", "k");
	cl_image_desc line = { .image_type = CL_MEM_OBJECT_IMAGE1D,
			       .image_width = 4 };
	cl_mem in = make(&rgba8, plane(4, 1), CL_MEM_READ_ONLY, NULL);
	cl_mem out = make(&rgba8, plane(4, 1), CL_MEM_WRITE_ONLY, NULL);
	cl_mem flat = make(&rgba8, line, 0, NULL);
	cl_mem buffer = support_buffer(64, NULL), nothing = NULL;
	cl_sampler sampler = clCreateSampler(support.context, CL_FALSE,
					     CL_ADDRESS_CLAMP,
					     CL_FILTER_NEAREST, NULL);
	cl_kernel_arg_access_qualifier access;
	size_t items = 4;
	char type[32];

#define SET(index, value) clSetKernelArg(kernel, index, sizeof value, &value)
	CU_ASSERT_EQUAL(SET(0, out), CL_INVALID_ARG_VALUE);
	CU_ASSERT_EQUAL(SET(1, in), CL_INVALID_ARG_VALUE);
	CU_ASSERT_EQUAL(SET(0, flat), CL_INVALID_ARG_VALUE);
	CU_ASSERT_EQUAL(SET(0, buffer), CL_INVALID_MEM_OBJECT);
	CU_ASSERT_EQUAL(SET(0, nothing), CL_INVALID_MEM_OBJECT);
	CU_ASSERT_EQUAL(clSetKernelArg(kernel, 0, 4, &in),
			CL_INVALID_ARG_SIZE);
	CU_ASSERT_EQUAL(clSetKernelArg(kernel, 0, sizeof in, NULL),
			CL_INVALID_ARG_VALUE);
	CU_ASSERT_EQUAL(SET(2, in), CL_INVALID_SAMPLER);
	CU_ASSERT_EQUAL(clSetKernelArg(kernel, 2, 4, &sampler),
			CL_INVALID_ARG_SIZE);
	CU_ASSERT_EQUAL(clSetKernelArg(kernel, 2, sizeof sampler, NULL),
			CL_INVALID_ARG_VALUE);
	ASSERT_OK(SET(0, in));
	ASSERT_OK(SET(1, out));
	CU_ASSERT_EQUAL(clEnqueueNDRangeKernel(support.queue, kernel, 1, NULL,
					       &items, NULL, 0, NULL, NULL),
			CL_INVALID_KERNEL_ARGS);
	ASSERT_OK(SET(2, sampler));
	/* A kernel has taken the sampler's value. */
	ASSERT_OK(clReleaseSampler(sampler));
	ASSERT_OK(clEnqueueNDRangeKernel(support.queue, kernel, 1, NULL, &items,
					 NULL, 0, NULL, NULL));
	ASSERT_OK(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_ACCESS_QUALIFIER,
				     sizeof access, &access, NULL));
	CU_ASSERT_EQUAL(access, CL_KERNEL_ARG_ACCESS_WRITE_ONLY);
	ASSERT_OK(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_NAME,
				     sizeof type, type, NULL));
	CU_ASSERT_STRING_EQUAL(type, "image2d_t");
	ASSERT_OK(clReleaseMemObject(in));
	CU_ASSERT_EQUAL(clEnqueueNDRangeKernel(support.queue, kernel, 1, NULL,
					       &items, NULL, 0, NULL, NULL),
			CL_INVALID_KERNEL_ARGS);
#undef SET
	clReleaseMemObject(out);
	clReleaseMemObject(flat);
	clReleaseMemObject(buffer);
	clReleaseKernel(kernel);
}

static void launch(cl_kernel kernel, const cl_mem *objects, cl_uint count,
		   size_t items)
{
	for (cl_uint i = 0; i < count; i++)
		ASSERT_OK(clSetKernelArg(kernel, i, sizeof objects[i],
					 &objects[i]));
	ASSERT_OK(clEnqueueNDRangeKernel(support.queue, kernel, 1, NULL, &items,
					 NULL, 0, NULL, NULL));
}

/* What a fill, a store by a kernel and a fetch make of one colour, in every
 * format: fill and store agree, the fetch gives back what the format keeps. */
static void test_every_format(void)
{
	static const cl_float color[4] = { 0.25f, 0.5f, 0.75f, 1 };
	static const cl_int number[4] = { 11, 22, 33, 44 };
	static const cl_image_format float_format = { CL_RGBA, CL_FLOAT };
	static const char source[] =
		"kernel void f(read_only image2d_t i, write_only image2d_t o,"
		"  write_only image2d_t t) { int2 p = (int2)(0, 0);"
		"  write_imagef(t, p, (float4)(0.25f, 0.5f, 0.75f, 1.0f));"
		"  write_imagef(o, p, read_imagef(i, p)); }"
		"kernel void i(read_only image2d_t i, write_only image2d_t o,"
		"  write_only image2d_t t) { int2 p = (int2)(0, 0);"
		"  write_imagei(t, p, (int4)(11, 22, 33, 44));"
		"  write_imagef(o, p, convert_float4(read_imagei(i, p))); }"
		"kernel void u(read_only image2d_t i, write_only image2d_t o,"
		"  write_only image2d_t t) { int2 p = (int2)(0, 0);"
		"  write_imageui(t, p, (uint4)(11, 22, 33, 44));"
		"  write_imagef(o, p, convert_float4(read_imageui(i, p))); }";
	static const struct {
		cl_channel_order order;
		int from[4]; /* which channel comes back; 4: zero, 5: one */
	} orders[] = {
		{ CL_R, { 0, 4, 4, 5 } },    { CL_A, { 4, 4, 4, 3 } },
		{ CL_RG, { 0, 1, 4, 5 } },   { CL_RA, { 0, 4, 4, 3 } },
		{ CL_RGBA, { 0, 1, 2, 3 } }, { CL_BGRA, { 0, 1, 2, 3 } },
		{ CL_ARGB, { 0, 1, 2, 3 } }, { CL_RGB, { 0, 1, 2, 5 } },
		{ CL_INTENSITY, { 0, 0, 0, 0 } },
		{ CL_LUMINANCE, { 0, 0, 0, 5 } },
		{ CL_Rx, { 0, 4, 4, 5 } },   { CL_RGx, { 0, 1, 4, 5 } },
		{ CL_RGBx, { 0, 1, 2, 5 } },
	};
	const size_t one[3] = { 1, 1, 1 };
	cl_program program = support_build(source, "");
	cl_image_format formats[128];
	cl_uint count;

	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	ASSERT_OK(clGetSupportedImageFormats(support.context, 0,
					     CL_MEM_OBJECT_IMAGE2D, 128,
					     formats, &count));
	for (cl_uint n = 0; n < count; n++) {
		cl_channel_type type = formats[n].image_channel_data_type;
		bool is_signed = type >= CL_SIGNED_INT8 &&
				 type <= CL_SIGNED_INT32;
		bool is_integer = is_signed || (type >= CL_UNSIGNED_INT8 &&
						type <= CL_UNSIGNED_INT32);
		uint8_t filled[16] = { 0 }, stored[16] = { 0 };
		float got[4], wanted;
		cl_mem images[3] = {
			make(&formats[n], plane(1, 1), 0, NULL),
			make(&float_format, plane(1, 1), 0, NULL),
			make(&formats[n], plane(1, 1), 0, NULL),
		};
		cl_kernel kernel = clCreateKernel(program,
						  is_signed    ? "i"
						  : is_integer ? "u"
							       : "f", NULL);
		size_t o = 0;

		ASSERT_OK(clEnqueueFillImage(support.queue, images[0],
					     is_integer ? (const void *)number
							: color,
					     zero, one, 0, NULL, NULL));
		launch(kernel, images, 3, 1);
		ASSERT_OK(clEnqueueReadImage(support.queue, images[0], CL_TRUE,
					     zero, one, 0, 0, filled, 0, NULL,
					     NULL));
		ASSERT_OK(clEnqueueReadImage(support.queue, images[2], CL_TRUE,
					     zero, one, 0, 0, stored, 0, NULL,
					     NULL));
		ASSERT_OK(clEnqueueReadImage(support.queue, images[1], CL_TRUE,
					     zero, one, 0, 0, got, 0, NULL,
					     NULL));
		CU_ASSERT_EQUAL(memcmp(filled, stored, 16), 0);
		while (orders[o].order != formats[n].image_channel_order)
			o++;
		for (int c = 0; c < 4; c++) {
			int from = orders[o].from[c];

			wanted = from == 4	? 0
				 : from == 5	? 1
				 : is_integer	? (float)number[from]
						: color[from];
			if (fabsf(got[c] - wanted) < 0.02f)
				continue;
			printf("# order %x type %x: channel %d: %g for %g\n",
			       formats[n].image_channel_order, type, c,
			       (double)got[c], (double)wanted);
			CU_FAIL("wrong channel");
		}
		for (int i = 0; i < 3; i++)
			clReleaseMemObject(images[i]);
		clReleaseKernel(kernel);
	}
	clReleaseProgram(program);
}

/* Bytes of packed and reordered formats, as the specification draws them. */
static void test_layouts(void)
{
	static const struct {
		cl_image_format format;
		uint32_t bytes;
	} rows[] = {
		{ { CL_RGBA, CL_UNORM_INT8 }, 0x00ff00ff },
		{ { CL_BGRA, CL_UNORM_INT8 }, 0x00ff00ff },
		{ { CL_ARGB, CL_UNORM_INT8 }, 0xff00ff00 },
		{ { CL_RGB, CL_UNORM_SHORT_565 }, 0xf81f },
		{ { CL_RGB, CL_UNORM_SHORT_555 }, 0x7c1f },
		{ { CL_RGB, CL_UNORM_INT_101010 }, 0x3ff003ff },
		{ { CL_RG, CL_UNORM_INT16 }, 0x0000ffff },
	};
	static const cl_float color[4] = { 1, 0, 1, 0 };
	const size_t one[3] = { 1, 1, 1 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cl_mem image = make(&rows[i].format, plane(1, 1), 0, NULL);
		uint32_t bytes = 0;

		ASSERT_OK(clEnqueueFillImage(support.queue, image, color, zero,
					     one, 0, NULL, NULL));
		ASSERT_OK(clEnqueueReadImage(support.queue, image, CL_TRUE,
					     zero, one, 0, 0, &bytes, 0, NULL,
					     NULL));
		CU_ASSERT_EQUAL(bytes, rows[i].bytes);
		clReleaseMemObject(image);
	}
}

/* Layers outside of an array are its first and last; those between go to the
 * nearest. The border has an alpha of one if the format has none. */
static void test_layers_and_border(void)
{
	static const char source[] =
		"kernel void k(read_only image2d_array_t a,"
		"  read_only image2d_t r, global float4 *o, global float *layer)"
		"{ const sampler_t n = CLK_NORMALIZED_COORDS_TRUE |"
		"    CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;"
		"  int g = get_global_id(0);"
		"  o[2 * g] = read_imagef(a, n, (float4)(0.5f, 0.5f, layer[g],"
		"    0.0f));"
		"  o[2 * g + 1] = read_imagef(r, n, (float2)(layer[g], 0.5f)); }";
	static const cl_image_format floats = { CL_R, CL_FLOAT };
	static const cl_image_format plain = { CL_Rx, CL_FLOAT };
	static const float layer[6] = { -3, 0.25f, 0.75f, 1.5f, 2.75f, 1e30f };
	static const float wanted[6] = { 10, 10, 11, 12, 12, 12 };
	static float texels[3] = { 10, 11, 12 };
	cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
			       .image_width = 1, .image_height = 1,
			       .image_array_size = 3 };
	cl_kernel kernel = support_kernel(source, "k");
	cl_mem array = make(&floats, desc, CL_MEM_COPY_HOST_PTR, texels);

	for (int x = 0; x < 2; x++) {
		cl_mem objects[4] = {
			array,
			make(x ? &plain : &floats, plane(1, 1),
			     CL_MEM_COPY_HOST_PTR, texels),
			support_buffer(6 * 32, NULL),
			support_buffer(sizeof layer, layer),
		};
		float out[6][2][4];

		launch(kernel, objects, 4, 6);
		support_read(objects[2], out, sizeof out);
		for (int i = 0; i < 6; i++) {
			bool inside = layer[i] >= 0 && layer[i] < 1;

			CU_ASSERT_EQUAL(out[i][0][0], wanted[i]);
			CU_ASSERT_EQUAL(out[i][1][0], inside ? 10 : 0);
			CU_ASSERT_EQUAL(out[i][1][3],
					inside || !x ? 1 : 0);
		}
		for (int i = 1; i < 4; i++)
			clReleaseMemObject(objects[i]);
	}
	clReleaseMemObject(array);
	clReleaseKernel(kernel);
}

/* A product with the width that lies below the middle of a texel by less than
 * half a unit of single precision is its middle: nothing of the texel before,
 * however large that is. */
static void test_middle_of_texel(void)
{
	enum { WIDTH = 167, TEXEL = 14 };
	static const char source[] =
		"#define READ(MODE) ({ const sampler_t s = CLK_FILTER_LINEAR |"
		"  CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_##MODE;"
		"  read_imagef(i, s, (float2)(*x, 0.5f)).x; })\n"
		"kernel void k(read_only image2d_t i, global float *x,"
		"  global float *o) { o[0] = READ(CLAMP);"
		"  o[1] = READ(CLAMP_TO_EDGE); o[2] = READ(REPEAT);"
		"  o[3] = READ(MIRRORED_REPEAT); }";
	static const cl_image_format floats = { CL_R, CL_FLOAT };
	float x = 0x1.63a406p-4f, texels[WIDTH] = { 0 }, out[4];
	cl_kernel kernel = support_kernel(source, "k");
	cl_mem objects[3];

	/* Else the test would show nothing. */
	CU_ASSERT((double)x * WIDTH < TEXEL + 0.5);
	texels[TEXEL] = 1;
	texels[TEXEL - 1] = 1e10f;
	objects[0] = make(&floats, plane(WIDTH, 1), CL_MEM_COPY_HOST_PTR,
			  texels);
	objects[1] = support_buffer(sizeof x, &x);
	objects[2] = support_buffer(sizeof out, NULL);
	launch(kernel, objects, 3, 1);
	support_read(objects[2], out, sizeof out);
	for (int i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(out[i], 1);
	for (int i = 0; i < 3; i++)
		clReleaseMemObject(objects[i]);
	clReleaseKernel(kernel);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "errors of creation", test_create_errors },
		{ "what they are", test_info },
		{ "over a buffer", test_over_buffer },
		{ "supported formats", test_formats },
		{ "errors of commands", test_transfer_errors },
		{ "mapping", test_map },
		{ "samplers", test_samplers },
		{ "arguments of kernels", test_arguments },
		{ "every format", test_every_format },
		{ "layouts of texels", test_layouts },
		{ "layers and border", test_layers_and_border },
		{ "the middle of a texel", test_middle_of_texel },
		CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = {
		{ "opencl images", NULL, NULL, support_start, support_stop,
		  tests },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
