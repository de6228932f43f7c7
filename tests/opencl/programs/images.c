/* Random images, samplers, coordinates and commands; prints everything that
 * comes out. Run natively on another OpenCL implementation and inside m2s by
 * images.sh, which compares: lines that begin with '~' hold filtered floats,
 * all others are exact.
 *
 *	images [seed [cases]]
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 128, BYTES_MAX = 1 << 16 };

/* Every way of reading, for each type of image: SHAPE(suffix, image type,
 * integer coordinates, float coordinates). */
#define SHAPES                                                                 \
	"SHAPE(1d, image1d_t, c.x, f.x)\n"                                     \
	"SHAPE(1da, image1d_array_t, c.xy, f.xy)\n"                            \
	"SHAPE(2d, image2d_t, c.xy, f.xy)\n"                                   \
	"SHAPE(2da, image2d_array_t, c, f)\n"                                  \
	"SHAPE(3d, image3d_t, c, f)\n"

static const char source[] =
	"#define READ(name, image, kind, as, call)\\\n"
	"kernel void name##kind(read_only image i, sampler_t s,\\\n"
	"	global const int4 *ints, global const float4 *floats,\\\n"
	"	global float4 *out)\\\n"
	"{\\\n"
	"	int g = get_global_id(0);\\\n"
	"	int4 c = ints[g];\\\n"
	"	float4 f = floats[g];\\\n"
	"	out[g] = as(call);\\\n"
	"}\n"
	"#define FUNCTIONS(name, image, arguments)\\\n"
	"READ(name, image, f, as_float4, read_imagef arguments)\\\n"
	"READ(name, image, i, as_float4, read_imagei arguments)\\\n"
	"READ(name, image, u, as_float4, read_imageui arguments)\n"
	"#define SHAPE(suffix, image, int_place, float_place)\\\n"
	"FUNCTIONS(floats_##suffix, image, (i, s, float_place))\\\n"
	"FUNCTIONS(ints_##suffix, image, (i, s, int_place))\\\n"
	"FUNCTIONS(plain_##suffix, image, (i, int_place))\n"
	SHAPES
	"#undef SHAPE\n"
	"#define SHAPE(suffix, image, int_place, float_place)\\\n"
	"WRITE(suffix, image, int_place, f, float4, write_imagef)\\\n"
	"WRITE(suffix, image, int_place, i, int4, write_imagei)\\\n"
	"WRITE(suffix, image, int_place, u, uint4, write_imageui)\n"
	"#define WRITE(suffix, image, place, kind, type, call)\\\n"
	"kernel void write_##suffix##kind(write_only image i, int w, int h,\\\n"
	"	global const float4 *in)\\\n"
	"{\\\n"
	"	int g = get_global_id(0);\\\n"
	"	int4 c = (int4)(g % w, g / w % h, g / w / h, 0);\\\n"
	"	call(i, place, as_##type(in[g]));\\\n"
	"}\n"
	"SHAPE(1d, image1d_t, c.x, f.x)\n"
	"SHAPE(1da, image1d_array_t, c.xy, f.xy)\n"
	"SHAPE(2d, image2d_t, c.xy, f.xy)\n"
	"SHAPE(2da, image2d_array_t, c, f)\n"
	/* What is asked about images, and samplers of the program's own,
	 * handed to a function. */
	"constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE |\n"
	"	CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
	"float4 fetch(read_only image2d_t i, sampler_t s, int2 c)\n"
	"{ return read_imagef(i, s, c); }\n"
	"kernel void literal(read_only image2d_t i, write_only image2d_t o,\n"
	"	global const float4 *floats, global float4 *out)\n"
	"{\n"
	"	const sampler_t border = CLK_NORMALIZED_COORDS_FALSE |\n"
	"		CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
	"	const sampler_t tile = CLK_NORMALIZED_COORDS_TRUE |\n"
	"		CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;\n"
	"	int g = get_global_id(0);\n"
	"	int2 c = convert_int2(floats[g].xy * 8.0f);\n"
	"	float4 v = g & 1 ? fetch(i, edge, c) : fetch(i, border, c);\n"
	"	for (int k = 0; k < 3; k++)\n"
	"		v += read_imagef(i, tile, floats[g].xy + k / 4.0f);\n"
	"	v += fetch(i, edge, (int2)(0, 3)) + fetch(i, border, (int2)(5, 0));\n"
	"	if (g < get_image_width(o))\n"
	"		write_imagef(o, (int2)(g, 0), v);\n"
	"	else if (g < 2 * get_image_width(o))\n"
	"		write_imagef(o, (int2)(g - get_image_width(o), 1), v);\n"
	"	out[g] = v;\n"
	"}\n"
	"kernel void ask(read_only image1d_t a, read_only image1d_array_t b,\n"
	"	read_only image2d_t c, write_only image2d_array_t d,\n"
	"	read_only image3d_t e, write_only image2d_t f,\n"
	"	global int *o)\n"
	"{\n"
	"	o[0] = get_image_width(a); o[1] = get_image_width(b);\n"
	"	o[2] = get_image_array_size(b); o[3] = get_image_width(c);\n"
	"	o[4] = get_image_height(c); o[5] = get_image_dim(c).y;\n"
	"	o[6] = get_image_width(d); o[7] = get_image_height(d);\n"
	"	o[8] = get_image_array_size(d); o[9] = get_image_dim(e).x;\n"
	"	o[10] = get_image_height(e); o[11] = get_image_depth(e);\n"
	"	o[12] = get_image_channel_data_type(a);\n"
	"	o[13] = get_image_channel_order(a);\n"
	"	o[14] = get_image_channel_data_type(f);\n"
	"	o[15] = get_image_channel_order(f);\n"
	"}\n"
	"kernel void buffers(read_only image1d_buffer_t i,\n"
	"	write_only image1d_buffer_t o)\n"
	"{\n"
	"	int g = get_global_id(0);\n"
	"	write_imageui(o, g, read_imageui(i, g).wzyx + (uint4)(g));\n"
	"}\n";

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static uint64_t random_state;

static uint32_t random_number(uint32_t limit)
{
	random_state = random_state * 6364136223846793005u +
		       1442695040888963407u;
	return (uint32_t)(random_state >> 33) % limit;
}

static void check(cl_int status, const char *what)
{
	if (status == CL_SUCCESS)
		return;
	printf("%s: error %d\n", what, (int)status);
	exit(1);
}

/* --- Cases -------------------------------------------------------------- */

/* A random image and what it was made from. */
struct image {
	cl_image_format format;
	cl_image_desc desc;
	const char *shape;
	size_t element, extent[3], row, size;
	unsigned char *bytes;
	cl_mem memory;
};

static const cl_channel_order orders[] = { CL_R, CL_A, CL_RGBA, CL_RGBA,
					   CL_RGBA, CL_BGRA };
static const cl_channel_type types[] = {
	CL_UNORM_INT8, CL_UNORM_INT16, CL_SNORM_INT8, CL_SNORM_INT16,
	CL_SIGNED_INT8, CL_SIGNED_INT16, CL_SIGNED_INT32,
	CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32,
	CL_FLOAT, CL_FLOAT, /* PoCL's halves are not right */
};

static size_t type_size(cl_channel_type type)
{
	switch (type) {
	case CL_UNORM_INT8:
	case CL_SNORM_INT8:
	case CL_SIGNED_INT8:
	case CL_UNSIGNED_INT8:
		return 1;
	case CL_SIGNED_INT32:
	case CL_UNSIGNED_INT32:
	case CL_FLOAT:
		return 4;
	default:
		return 2;
	}
}

/* 'f', 'i' or 'u': which function goes with the type. */
static char kind_of(const struct image *image)
{
	switch (image->format.image_channel_data_type) {
	case CL_SIGNED_INT8:
	case CL_SIGNED_INT16:
	case CL_SIGNED_INT32:
		return 'i';
	case CL_UNSIGNED_INT8:
	case CL_UNSIGNED_INT16:
	case CL_UNSIGNED_INT32:
		return 'u';
	default:
		return 'f';
	}
}

/* Random bytes, but no strange floats. */
static void fill_bytes(const struct image *image, unsigned char *bytes)
{
	for (size_t i = 0; i < image->size; i++)
		bytes[i] = (unsigned char)random_number(256);
	for (size_t i = 0; i + 4 <= image->size; i += 4) {
		float value = (float)random_number(2000) / 100 - 10;
		uint16_t half = (uint16_t)(0x3000 + random_number(0x1000));

		switch (image->format.image_channel_data_type) {
		case CL_FLOAT:
			memcpy(bytes + i, &value, 4);
			break;
		case CL_HALF_FLOAT:
			memcpy(bytes + i, &half, 2);
			half = (uint16_t)(0xb000 + random_number(0x1000));
			memcpy(bytes + i + 2, &half, 2);
			break;
		}
	}
	if (image->format.image_channel_data_type == CL_HALF_FLOAT)
		for (size_t i = 1; i < image->size; i += 2)
			bytes[i] = (bytes[i] & 0x80) | 0x38;
}

static void choose_shape(struct image *image, int shape)
{
	static const struct {
		cl_mem_object_type type;
		const char *name;
	} shapes[] = {
		{ CL_MEM_OBJECT_IMAGE1D, "1d" },
		{ CL_MEM_OBJECT_IMAGE1D_ARRAY, "1da" },
		{ CL_MEM_OBJECT_IMAGE2D, "2d" },
		{ CL_MEM_OBJECT_IMAGE2D_ARRAY, "2da" },
		{ CL_MEM_OBJECT_IMAGE3D, "3d" },
	};
	cl_image_desc *desc = &image->desc;
	size_t *extent = image->extent;

	memset(desc, 0, sizeof *desc);
	desc->image_type = shapes[shape].type;
	image->shape = shapes[shape].name;
	extent[0] = desc->image_width = 1 + random_number(20);
	extent[1] = extent[2] = 1;
	switch (desc->image_type) {
	case CL_MEM_OBJECT_IMAGE1D_ARRAY:
		extent[1] = desc->image_array_size = 1 + random_number(7);
		break;
	case CL_MEM_OBJECT_IMAGE2D:
		extent[1] = desc->image_height = 1 + random_number(20);
		break;
	case CL_MEM_OBJECT_IMAGE2D_ARRAY:
		extent[1] = desc->image_height = 1 + random_number(9);
		extent[2] = desc->image_array_size = 1 + random_number(5);
		break;
	case CL_MEM_OBJECT_IMAGE3D:
		extent[1] = desc->image_height = 1 + random_number(9);
		extent[2] = desc->image_depth = 2 + random_number(5);
		break;
	}
}

static void choose_format(struct image *image)
{
	do {
		image->format.image_channel_order =
			orders[random_number(sizeof orders / sizeof *orders)];
		image->format.image_channel_data_type =
			types[random_number(sizeof types / sizeof *types)];
	} while (image->format.image_channel_order == CL_BGRA &&
		 image->format.image_channel_data_type != CL_UNORM_INT8);
	image->element =
		type_size(image->format.image_channel_data_type) *
		(image->format.image_channel_order == CL_R ||
				 image->format.image_channel_order == CL_A
			 ? 1
			 : 4);
	image->row = image->extent[0] * image->element;
	image->size = image->row * image->extent[1] * image->extent[2];
}

/* Sometimes the program's rows have gaps, which the image's do not show. */
static void make_memory(struct image *image)
{
	size_t gap = random_number(2) ? image->element * random_number(5) : 0;
	size_t rows = image->extent[1] * image->extent[2];
	unsigned char *padded = calloc(rows, image->row + gap);
	cl_int status;

	image->bytes = malloc(BYTES_MAX);
	fill_bytes(image, image->bytes);
	for (size_t i = 0; i < rows; i++)
		memcpy(padded + i * (image->row + gap),
		       image->bytes + i * image->row, image->row);
	image->desc.image_row_pitch =
		image->desc.image_type == CL_MEM_OBJECT_IMAGE1D ||
				image->desc.image_type ==
					CL_MEM_OBJECT_IMAGE1D_ARRAY
			? 0
			: image->row + gap;
	if (!image->desc.image_row_pitch && gap)
		memcpy(padded, image->bytes, image->size);
	image->memory = clCreateImage(context, CL_MEM_COPY_HOST_PTR,
				      &image->format, &image->desc, padded,
				      &status);
	check(status, "clCreateImage");
	free(padded);
}

static void make_image(struct image *image, int shape)
{
	choose_shape(image, shape);
	choose_format(image);
	make_memory(image);
}

static void free_image(struct image *image)
{
	check(clReleaseMemObject(image->memory), "clReleaseMemObject");
	free(image->bytes);
}

static cl_kernel get_kernel(const char *way, const struct image *image)
{
	cl_kernel kernel;
	cl_int status;
	char name[32];

	snprintf(name, sizeof name, "%s_%s%c", way, image->shape,
		 kind_of(image));
	kernel = clCreateKernel(program, name, &status);
	check(status, name);
	printf("%s %zux%zux%zu order %x type %x", name, image->extent[0],
	       image->extent[1], image->extent[2],
	       (unsigned)image->format.image_channel_order,
	       (unsigned)image->format.image_channel_data_type);
	return kernel;
}

static void run(cl_kernel kernel, size_t items)
{
	check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0,
				     NULL, NULL), "clEnqueueNDRangeKernel");
	check(clFinish(queue), "clFinish");
	check(clReleaseKernel(kernel), "clReleaseKernel");
}

static void set_argument(cl_kernel kernel, cl_uint index, size_t size,
			 const void *value)
{
	check(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
}

/* --- Reading ------------------------------------------------------------ */

struct way {
	const char *name;   /* of the kernels */
	int floats, sampler;
};

static cl_sampler make_sampler(const struct image *image,
			       const struct way *way, int *linear)
{
	static const cl_addressing_mode modes[] = {
		CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT,
		CL_ADDRESS_MIRRORED_REPEAT,
	};
	/* PoCL normalizes layers, too. */
	cl_bool normalized = way->floats && random_number(2) &&
			     !image->desc.image_array_size;
	cl_addressing_mode mode = modes[random_number(normalized ? 4 : 2)];
	cl_sampler sampler;
	cl_int status;

	*linear = way->floats && kind_of(image) == 'f' && random_number(2);
	printf(" normalized %d mode %x linear %d", (int)normalized,
	       (unsigned)mode, *linear);
	sampler = clCreateSampler(context, normalized, mode,
				  *linear ? CL_FILTER_LINEAR
					  : CL_FILTER_NEAREST,
				  &status);
	check(status, "clCreateSampler");
	return sampler;
}

/* Places in and around the image; nearest ones stay clear of the borders
 * between texels, where implementations may differ by rounding. */
static void choose_places(const struct image *image, int normalized,
			  int inside, cl_int ints[][4], cl_float floats[][4])
{
	for (int p = 0; p < POINTS; p++)
		for (int c = 0; c < 4; c++) {
			int size = c < 3 ? (int)image->extent[c] : 1;
			int wide = inside ? 0 : 4;
			int whole = (int)random_number(
					    (unsigned)(size + 2 * wide)) -
				    wide;
			float part = (float)(1 + random_number(15)) / 16;

			ints[p][c] = whole;
			floats[p][c] = (float)whole + part;
			if (normalized)
				floats[p][c] = (floats[p][c] - part + 0.5f +
						(part - 0.5f) * 0.9f) /
					       (float)size;
		}
}

/* (PoCL does not keep layers outside to the first and last as OpenCL
 * wants.) */
static void choose_layers(const struct image *image, cl_int ints[][4],
			  cl_float floats[][4])
{
	int c = image->desc.image_height ? 2 : 1;

	for (int p = 0; p < POINTS && image->desc.image_array_size; p++) {
		ints[p][c] = (int)random_number(
			(unsigned)image->desc.image_array_size);
		floats[p][c] = (float)ints[p][c] +
			       ((float)random_number(7) - 3) / 8;
	}
}

static void print_points(const struct image *image, int linear,
			 const cl_uint out[][4])
{
	int rounded = linear || (kind_of(image) == 'f' &&
				 image->format.image_channel_data_type !=
					 CL_FLOAT);
	float value;

	for (int p = 0; p < POINTS; p++) {
		printf("%s", rounded ? "~" : " ");
		for (int c = 0; c < 4; c++) {
			/* PoCL has no alpha of one there. */
			if (c == 3 &&
			    image->format.image_channel_order == CL_R)
				continue;
			memcpy(&value, &out[p][c], 4);
			if (rounded)
				printf(" %.7g", (double)value);
			else
				printf(" %08x", (unsigned)out[p][c]);
		}
		printf("\n");
	}
}

static void read_case(const struct way *way, int shape)
{
	static cl_int ints[POINTS][4];
	static cl_float floats[POINTS][4];
	static cl_uint out[POINTS][4];
	cl_mem buffers[3];
	cl_bool normalized = CL_FALSE;
	struct image image;
	cl_sampler sampler;
	cl_kernel kernel;
	int linear = 0;

	make_image(&image, shape);
	kernel = get_kernel(way->name, &image);
	sampler = make_sampler(&image, way, &linear);
	printf("\n");
	clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS,
			 sizeof normalized, &normalized, NULL);
	choose_places(&image, (int)normalized, !way->sampler, ints, floats);
	choose_layers(&image, ints, floats);
	buffers[0] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof ints,
				    ints, NULL);
	buffers[1] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR,
				    sizeof floats, floats, NULL);
	buffers[2] = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out,
				    NULL, NULL);
	set_argument(kernel, 0, sizeof image.memory, &image.memory);
	set_argument(kernel, 1, sizeof sampler, &sampler);
	for (cl_uint i = 0; i < 3; i++)
		set_argument(kernel, 2 + i, sizeof buffers[i], &buffers[i]);
	run(kernel, POINTS);
	check(clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, sizeof out,
				  out, 0, NULL, NULL), "clEnqueueReadBuffer");
	print_points(&image, linear, (const cl_uint (*)[4])out);
	for (int i = 0; i < 3; i++)
		clReleaseMemObject(buffers[i]);
	check(clReleaseSampler(sampler), "clReleaseSampler");
	free_image(&image);
}

/* --- Writing ------------------------------------------------------------ */

static void print_bytes(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		printf("%02x%s", bytes[i],
		       i % 32 == 31 || i + 1 == size ? "\n" : "");
}

static void print_image(const struct image *image)
{
	const size_t origin[3] = { 0, 0, 0 };
	unsigned char *bytes = malloc(BYTES_MAX);

	check(clEnqueueReadImage(queue, image->memory, CL_TRUE, origin,
				 image->extent, 0, 0, bytes, 0, NULL, NULL),
	      "clEnqueueReadImage");
	print_bytes(bytes, image->size);
	free(bytes);
}

/* Values that the format has exactly, and some beyond its range. */
static void choose_values(const struct image *image, uint32_t *values,
			  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		float value = (float)random_number(41) / 20 - 1;
		int number = (int)random_number(200) - 100;

		switch (image->format.image_channel_data_type) {
		case CL_UNORM_INT8:
			value = (float)random_number(300) / 255;
			break;
		case CL_UNORM_INT16:
			value = (float)random_number(70000) / 65535;
			break;
		case CL_SNORM_INT8:
			value = ((float)random_number(300) - 150) / 127;
			break;
		case CL_SNORM_INT16:
			value = ((float)random_number(70000) - 35000) / 32767;
			break;
		case CL_HALF_FLOAT:
			value = ((float)random_number(4000) - 2000) / 16;
			break;
		}
		if (kind_of(image) == 'f')
			memcpy(&values[i], &value, 4);
		else if (kind_of(image) == 'u')
			values[i] = random_number(128);
		else
			memcpy(&values[i], &number, 4);
	}
}

static void write_case(int shape)
{
	static uint32_t values[4 * 4096];
	struct image image;
	cl_kernel kernel;
	cl_mem buffer;
	cl_int size[2];

	make_image(&image, shape);
	kernel = get_kernel("write", &image);
	printf("\n");
	choose_values(&image, values, sizeof values / sizeof *values);
	buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof values,
				values, NULL);
	size[0] = (cl_int)image.extent[0];
	size[1] = (cl_int)image.extent[1];
	set_argument(kernel, 0, sizeof image.memory, &image.memory);
	set_argument(kernel, 1, sizeof size[0], &size[0]);
	set_argument(kernel, 2, sizeof size[1], &size[1]);
	set_argument(kernel, 3, sizeof buffer, &buffer);
	run(kernel, image.extent[0] * image.extent[1] * image.extent[2]);
	print_image(&image);
	clReleaseMemObject(buffer);
	free_image(&image);
}

/* --- Commands ----------------------------------------------------------- */

static void choose_box(const struct image *image, size_t origin[3],
		       size_t region[3])
{
	for (int i = 0; i < 3; i++) {
		origin[i] = random_number((unsigned)image->extent[i]);
		region[i] = 1 + random_number((unsigned)(image->extent[i] -
							 origin[i]));
	}
}

static void write_box(const struct image *image)
{
	unsigned char *bytes = malloc(BYTES_MAX);
	size_t origin[3], region[3], gap = random_number(3) * image->element;

	choose_box(image, origin, region);
	for (size_t i = 0; i < BYTES_MAX; i++)
		bytes[i] = (unsigned char)random_number(256);
	if (image->desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
		gap = 0;
	check(clEnqueueWriteImage(queue, image->memory, CL_TRUE, origin, region,
				  region[0] * image->element + gap, 0, bytes, 0,
				  NULL, NULL), "clEnqueueWriteImage");
	free(bytes);
}

static void map_box(const struct image *image)
{
	size_t origin[3], region[3], row = 0, slice = 0;
	cl_map_flags flags = random_number(2) ? CL_MAP_READ | CL_MAP_WRITE
					      : CL_MAP_READ;
	unsigned char *map;
	unsigned sum = 0;
	cl_int status;
	int layered = image->desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;

	choose_box(image, origin, region);
	map = clEnqueueMapImage(queue, image->memory, CL_TRUE, flags, origin,
				region, &row, &slice, 0, NULL, NULL, &status);
	check(status, "clEnqueueMapImage");
	if (layered)
		row = slice;
	for (size_t z = 0; z < region[2]; z++)
		for (size_t y = 0; y < region[1]; y++)
			for (size_t x = 0; x < region[0] * image->element;
			     x++) {
				unsigned char *byte =
					map + z * slice + y * row + x;

				sum = sum * 31 + *byte;
				if (flags & CL_MAP_WRITE)
					*byte ^= 0x5a;
			}
	printf("mapped %08x\n", sum);
	check(clEnqueueUnmapMemObject(queue, image->memory, map, 0, NULL, NULL),
	      "clEnqueueUnmapMemObject");
}

/* Colours that every format has exactly. */
static void fill_box(const struct image *image)
{
	size_t origin[3], region[3];
	cl_float floats[4];
	cl_int ints[4];

	choose_box(image, origin, region);
	for (int c = 0; c < 4; c++) {
		floats[c] = (float)random_number(2);
		ints[c] = (cl_int)random_number(100);
	}
	check(clEnqueueFillImage(queue, image->memory,
				 kind_of(image) == 'f' ? (void *)floats : ints,
				 origin, region, 0, NULL, NULL),
	      "clEnqueueFillImage");
}

static void copy_box(const struct image *image, const struct image *other)
{
	size_t origin[3], region[3];

	choose_box(image, origin, region);
	check(clEnqueueCopyImage(queue, image->memory, other->memory, origin,
				 origin, region, 0, NULL, NULL),
	      "clEnqueueCopyImage");
}

static void copy_through_buffer(const struct image *image,
				const struct image *other)
{
	size_t origin[3], region[3];
	cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES_MAX,
				       NULL, NULL);

	choose_box(image, origin, region);
	check(clEnqueueCopyImageToBuffer(queue, image->memory, buffer, origin,
					 region, 64, 0, NULL, NULL),
	      "clEnqueueCopyImageToBuffer");
	check(clEnqueueCopyBufferToImage(queue, buffer, other->memory, 64,
					 origin, region, 0, NULL, NULL),
	      "clEnqueueCopyBufferToImage");
	check(clFinish(queue), "clFinish");
	clReleaseMemObject(buffer);
}

static void command_case(int shape)
{
	struct image image, other;

	make_image(&image, shape);
	other = image;
	make_memory(&other);
	printf("commands %s %zux%zux%zu order %x type %x\n", image.shape,
	       image.extent[0], image.extent[1], image.extent[2],
	       (unsigned)image.format.image_channel_order,
	       (unsigned)image.format.image_channel_data_type);
	for (int i = 0; i < 4; i++) {
		switch (random_number(5)) {
		case 0: write_box(&image); break;
		case 1: map_box(&image); break;
		case 2: fill_box(&image); break;
		case 3: copy_box(&image, &other); break;
		case 4: copy_through_buffer(&image, &other); break;
		}
	}
	print_image(&image);
	print_image(&other);
	free_image(&image);
	free_image(&other);
}

/* --- The other kernels -------------------------------------------------- */

static void literal_case(void)
{
	static cl_float floats[POINTS][4];
	static cl_uint out[POINTS][4];
	cl_int ints[POINTS][4];
	struct image image = { .shape = NULL }, result;
	cl_mem buffers[2];
	cl_kernel kernel;

	choose_shape(&image, 2);
	image.extent[0] = image.desc.image_width = 8;
	image.extent[1] = image.desc.image_height = 8;
	image.format.image_channel_order = CL_RGBA;
	image.format.image_channel_data_type = CL_FLOAT;
	image.element = 16;
	image.row = 128;
	image.size = 1024;
	make_memory(&image);
	result = image;
	make_memory(&result);
	choose_places(&image, 1, 0, ints, floats);
	buffers[0] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR,
				    sizeof floats, floats, NULL);
	buffers[1] = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out,
				    NULL, NULL);
	kernel = clCreateKernel(program, "literal", NULL);
	set_argument(kernel, 0, sizeof image.memory, &image.memory);
	set_argument(kernel, 1, sizeof result.memory, &result.memory);
	set_argument(kernel, 2, sizeof buffers[0], &buffers[0]);
	set_argument(kernel, 3, sizeof buffers[1], &buffers[1]);
	run(kernel, POINTS);
	check(clEnqueueReadBuffer(queue, buffers[1], CL_TRUE, 0, sizeof out,
				  out, 0, NULL, NULL), "clEnqueueReadBuffer");
	puts("literal samplers");
	print_points(&image, 0, (const cl_uint (*)[4])out);
	print_image(&result);
	for (int i = 0; i < 2; i++)
		clReleaseMemObject(buffers[i]);
	free_image(&image);
	free_image(&result);
}

static void ask_case(void)
{
	static const int shapes[] = { 0, 1, 2, 3, 4, 2 };
	struct image images[6];
	cl_int out[16];
	cl_kernel kernel = clCreateKernel(program, "ask", NULL);
	cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out,
				       NULL, NULL);

	for (cl_uint i = 0; i < 6; i++) {
		make_image(&images[i], shapes[i]);
		set_argument(kernel, i, sizeof images[i].memory,
			     &images[i].memory);
	}
	set_argument(kernel, 6, sizeof buffer, &buffer);
	run(kernel, 1);
	check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0,
				  NULL, NULL), "clEnqueueReadBuffer");
	printf("asked");
	for (int i = 0; i < 16; i++)
		printf(" %d", (int)out[i]);
	printf("\n");
	for (int i = 0; i < 6; i++)
		free_image(&images[i]);
	clReleaseMemObject(buffer);
}

static void buffer_case(void)
{
	const cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT32 };
	cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER };
	uint32_t words[4 * 100];
	cl_mem buffers[2], images[2];
	cl_kernel kernel = clCreateKernel(program, "buffers", NULL);
	cl_int status;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		words[i] = random_number(1u << 30);
	desc.image_width = 100;
	for (cl_uint i = 0; i < 2; i++) {
		buffers[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR,
					    sizeof words, words, NULL);
		desc.buffer = buffers[i];
		images[i] = clCreateImage(context, 0, &format, &desc, NULL,
					  &status);
		check(status, "clCreateImage of a buffer");
		set_argument(kernel, i, sizeof images[i], &images[i]);
	}
	run(kernel, 100);
	check(clEnqueueReadBuffer(queue, buffers[1], CL_TRUE, 0, sizeof words,
				  words, 0, NULL, NULL), "clEnqueueReadBuffer");
	puts("image over a buffer");
	print_bytes((unsigned char *)words, sizeof words);
	for (int i = 0; i < 2; i++) {
		clReleaseMemObject(images[i]);
		clReleaseMemObject(buffers[i]);
	}
}

/* --- The program -------------------------------------------------------- */

static void set_up(void)
{
	const char *text = source;
	static char log[1 << 16];
	cl_platform_id platform;
	cl_int status;

	check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
	      "clGetDeviceIDs");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	check(status, "clCreateContext");
	queue = clCreateCommandQueue(context, device, 0, &status);
	check(status, "clCreateCommandQueue");
	program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
	check(status, "clCreateProgramWithSource");
	status = clBuildProgram(program, 1, &device, "", NULL, NULL);
	if (status) {
		clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG,
				      sizeof log, log, NULL);
		puts(log);
	}
	check(status, "clBuildProgram");
}

int main(int argc, char **argv)
{
	static const struct way ways[] = {
		{ "floats", 1, 1 },
		{ "ints", 0, 1 },
		{ "plain", 0, 0 },
	};
	int cases = argc > 2 ? atoi(argv[2]) : 5;

	random_state = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	set_up();
	for (int i = 0; i < cases; i++)
		for (int shape = 0; shape < 5; shape++) {
			for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
				read_case(&ways[w], shape);
			if (shape < 4)
				write_case(shape);
			command_case(shape);
		}
	for (int i = 0; i < cases; i++) {
		literal_case();
		ask_case();
		buffer_case();
	}
	check(clReleaseProgram(program), "clReleaseProgram");
	check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
	check(clReleaseContext(context), "clReleaseContext");
	puts("done");
	return 0;
}
