/* Images: making them, and what they are. */
#include <stdlib.h>
#include <string.h>

#include "opencl-rt/driver/internal.h"

/* --- Descriptions ------------------------------------------------------- */

/* What the program wants, in the order of the checks. */
struct wanted {
	uint64_t context, flags, format, order, data_type;
	uint64_t type, width, height, depth, layers;
	uint64_t row, slice; /* of host_ptr; 0: without gaps */
	uint64_t buffer, host_ptr, handle;
	/* Errors for wrong sizes and pitches: OpenCL 1.0 and 1.2 differ. */
	cl_int bad_size, bad_pitch;
};

static bool in_range(uint64_t value, uint64_t limit)
{
	return value >= 1 && value <= limit;
}

/* Sizes and extents by type; what a type does not have is ignored. */
static cl_int read_sizes(const struct wanted *wanted, struct image *image)
{
	bool good = false;

	image->type = (cl_mem_object_type)wanted->type;
	image->width = wanted->width;
	image->extent[0] = wanted->width;
	image->extent[1] = image->extent[2] = 1;
	switch (wanted->type) {
	case CL_MEM_OBJECT_IMAGE1D:
		good = in_range(wanted->width, MAX_IMAGE_2D);
		break;
	case CL_MEM_OBJECT_IMAGE1D_BUFFER:
		good = in_range(wanted->width, MAX_IMAGE_BUFFER);
		break;
	case CL_MEM_OBJECT_IMAGE1D_ARRAY:
		good = in_range(wanted->width, MAX_IMAGE_2D) &&
		       in_range(wanted->layers, MAX_IMAGE_ARRAY);
		image->layers = image->extent[1] = wanted->layers;
		break;
	case CL_MEM_OBJECT_IMAGE2D_ARRAY:
		if (!in_range(wanted->layers, MAX_IMAGE_ARRAY))
			break;
		image->layers = image->extent[2] = wanted->layers;
		/* fall through */
	case CL_MEM_OBJECT_IMAGE2D:
		good = in_range(wanted->width, MAX_IMAGE_2D) &&
		       in_range(wanted->height, MAX_IMAGE_2D);
		image->height = image->extent[1] = wanted->height;
		break;
	case CL_MEM_OBJECT_IMAGE3D:
		good = in_range(wanted->width, MAX_IMAGE_3D) &&
		       in_range(wanted->height, MAX_IMAGE_3D) &&
		       in_range(wanted->depth, MAX_IMAGE_3D);
		image->height = image->extent[1] = wanted->height;
		image->depth = image->extent[2] = wanted->depth;
		break;
	}
	return good ? CL_SUCCESS : wanted->bad_size;
}

/* Pitches in device memory and in the program's. */
static cl_int read_pitches(const struct wanted *wanted, struct image *image)
{
	uint64_t size = image->format.size;
	bool layered = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;

	image->row = image->width * size;
	image->slice = image->row * image->extent[1];
	image->host_row = wanted->row ? wanted->row : image->row;
	image->row_pitch = wanted->flags & CL_MEM_USE_HOST_PTR
				   ? image->host_row
				   : image->row;
	if (!wanted->host_ptr)
		return wanted->row || wanted->slice ? wanted->bad_pitch
						    : CL_SUCCESS;
	if (image->host_row < image->row || image->host_row % size ||
	    image->host_row > UINT32_MAX)
		return wanted->bad_pitch;
	/* The "slices" of a 1D array are its layers. */
	image->host_slice = image->host_row * (layered ? 1 : image->extent[1]);
	if (wanted->slice && (layered || image->extent[2] > 1 ||
			      image->type == CL_MEM_OBJECT_IMAGE3D)) {
		if (wanted->slice < image->host_slice ||
		    wanted->slice % image->host_row ||
		    wanted->slice > UINT32_MAX)
			return wanted->bad_pitch;
		image->host_slice = wanted->slice;
	}
	if (layered)
		image->host_row = image->host_slice;
	return CL_SUCCESS;
}

/* --- Making ------------------------------------------------------------- */

/* Host pointers are for images with memory of their own. */
static cl_int check_host_ptr(const struct wanted *wanted)
{
	const uint64_t needs_pointer = CL_MEM_USE_HOST_PTR |
				       CL_MEM_COPY_HOST_PTR;

	return !wanted->host_ptr == !(wanted->flags & needs_pointer)
		       ? CL_SUCCESS
		       : CL_INVALID_HOST_PTR;
}

static struct buffer *create_memory(struct opencl_driver *driver,
				    const struct wanted *wanted,
				    const struct image *image, uint64_t flags)
{
	const uint64_t access_flags = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY |
				      CL_MEM_WRITE_ONLY;
	struct buffer *memory = object_create(driver, OBJECT_BUFFER,
					      sizeof *memory, wanted->handle);

	memory->context = object_find(driver, wanted->context, OBJECT_CONTEXT);
	object_use(&memory->context->object);
	memory->image = xmalloc(sizeof *image);
	*memory->image = *image;
	memory->flags = flags & access_flags ? flags
					     : flags | CL_MEM_READ_WRITE;
	memory->size = image->slice * image->extent[2];
	if (flags & CL_MEM_USE_HOST_PTR)
		memory->host_ptr = wanted->host_ptr;
	return memory;
}

/* Device memory for an image, as it is and as the hardware would tile it; 0:
 * there is none. */
static uint32_t allocate(struct opencl_driver *driver, struct image *image)
{
	uint64_t size = image->slice * image->extent[2];
	uint32_t alignment = EVG_MEMORY_ALIGNMENT, address = 0;
	struct evg_image shape;

	binding_shape(image, &shape);
	image->tiling = evg_tiling_create(&driver->options.tiling, &shape);
	if (image->tiling) {
		alignment = image->tiling->alignment;
		if (size < image->tiling->size)
			size = image->tiling->size;
	}
	if (size <= UINT32_MAX)
		address = evg_memory_allocate_aligned(driver->memory,
						      (uint32_t)size, alignment,
						      false, "image");
	if (!address)
		evg_tiling_free(image->tiling);
	return address;
}

static cl_int create_own(struct opencl_driver *driver,
			 const struct wanted *wanted, struct image *image)
{
	uint64_t size = image->slice * image->extent[2];
	const struct box all = { { 0, 0, 0 },
				 { image->extent[0], image->extent[1],
				   image->extent[2] } };
	struct buffer *memory;
	uint32_t address;

	if (size > device_max_allocation(driver))
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	address = allocate(driver, image);
	if (!address)
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	memory = create_memory(driver, wanted, image, wanted->flags);
	memory->address = address;
	if (!wanted->host_ptr)
		return CL_SUCCESS;
	if (!image_from_program(driver, memory, &all, wanted->host_ptr,
				image->host_row, image->host_slice)) {
		/* The library frees the handle. */
		object_use(&memory->object);
		object_hide(driver, &memory->object);
		object_drop(driver, &memory->object);
		return CL_INVALID_HOST_PTR;
	}
	pass_transfer(driver, &(struct opencl_transfer){
				      .direction = OPENCL_TO_DEVICE,
				      .pointer = wanted->host_ptr,
				      .bytes = size,
				      .address = memory->address });
	return CL_SUCCESS;
}

/* An image over a buffer, which it keeps alive. */
static cl_int create_over(struct opencl_driver *driver,
			  const struct wanted *wanted,
			  const struct image *image)
{
	struct buffer *parent = buffer_find(driver, wanted->buffer), *memory;
	uint64_t flags = wanted->flags;

	if (!parent ||
	    parent->context != object_find(driver, wanted->context,
					   OBJECT_CONTEXT) ||
	    image->row > parent->size)
		return CL_INVALID_IMAGE_DESCRIPTOR;
	if (buffer_flags_inherit(parent->flags, &flags))
		return CL_INVALID_VALUE;
	memory = create_memory(driver, wanted, image, flags);
	memory->parent = parent;
	object_use(&parent->object);
	memory->address = parent->address;
	memory->host_ptr = parent->host_ptr;
	memory->image->host_row = memory->image->host_slice = image->row;
	return CL_SUCCESS;
}

static cl_int create_image(struct opencl_driver *driver,
			   const struct wanted *wanted)
{
	struct image image = { 0 };
	cl_int status;

	if (!object_find(driver, wanted->context, OBJECT_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (buffer_flags_check(wanted->flags))
		return CL_INVALID_VALUE;
	if (!wanted->format)
		return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
	status = image_format_find((cl_channel_order)wanted->order,
				   (cl_channel_type)wanted->data_type,
				   &image.format);
	if (status == CL_SUCCESS)
		status = read_sizes(wanted, &image);
	if (status == CL_SUCCESS)
		status = read_pitches(wanted, &image);
	if (status != CL_SUCCESS)
		return status;
	if (wanted->type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
		return wanted->host_ptr ? CL_INVALID_HOST_PTR
					: create_over(driver, wanted, &image);
	status = check_host_ptr(wanted);
	return status == CL_SUCCESS ? create_own(driver, wanted, &image)
				    : status;
}

/* Sizes that are 0 or none of a type are wrong descriptors; what is too large
 * is a wrong size. */
static cl_int size_error(const struct request_clCreateImage *request)
{
	bool has_height = request->type == CL_MEM_OBJECT_IMAGE2D ||
			  request->type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
			  request->type == CL_MEM_OBJECT_IMAGE3D;
	bool has_layers = request->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
			  request->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;

	if (!request->width || (has_height && !request->height) ||
	    (has_layers && !request->array_size) ||
	    (request->type == CL_MEM_OBJECT_IMAGE3D && !request->depth))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	return CL_INVALID_IMAGE_SIZE;
}

cl_int serve_clCreateImage(struct opencl_driver *driver,
			   struct request_clCreateImage *request)
{
	const struct wanted wanted = {
		.context = request->context,
		.flags = request->flags,
		.format = request->format,
		.order = request->order,
		.data_type = request->data_type,
		.type = request->type,
		.width = request->width,
		.height = request->height,
		.depth = request->depth,
		.layers = request->array_size,
		.row = request->row_pitch,
		.slice = request->slice_pitch,
		.buffer = request->buffer,
		.host_ptr = request->host_ptr,
		.handle = request->handle,
		.bad_size = size_error(request),
		.bad_pitch = CL_INVALID_IMAGE_DESCRIPTOR,
	};
	bool over = request->type == CL_MEM_OBJECT_IMAGE1D_BUFFER;

	if (!object_find(driver, request->context, OBJECT_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (buffer_flags_check(request->flags))
		return CL_INVALID_VALUE;
	if (!request->format)
		return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
	if (!request->descriptor || request->type < CL_MEM_OBJECT_IMAGE2D ||
	    request->type > CL_MEM_OBJECT_IMAGE1D_BUFFER ||
	    request->mip_levels || request->samples ||
	    !request->buffer != !over)
		return CL_INVALID_IMAGE_DESCRIPTOR;
	return create_image(driver, &wanted);
}

cl_int serve_clCreateImage2D(struct opencl_driver *driver,
			     struct request_clCreateImage2D *request)
{
	const struct wanted wanted = {
		.context = request->context,
		.flags = request->flags,
		.format = request->format,
		.order = request->order,
		.data_type = request->data_type,
		.type = CL_MEM_OBJECT_IMAGE2D,
		.width = request->width,
		.height = request->height,
		.row = request->row_pitch,
		.host_ptr = request->host_ptr,
		.handle = request->handle,
		.bad_size = CL_INVALID_IMAGE_SIZE,
		.bad_pitch = CL_INVALID_IMAGE_SIZE,
	};

	return create_image(driver, &wanted);
}

cl_int serve_clCreateImage3D(struct opencl_driver *driver,
			     struct request_clCreateImage3D *request)
{
	const struct wanted wanted = {
		.context = request->context,
		.flags = request->flags,
		.format = request->format,
		.order = request->order,
		.data_type = request->data_type,
		.type = CL_MEM_OBJECT_IMAGE3D,
		.width = request->width,
		.height = request->height,
		/* Of this call, a depth of 1 is an error. */
		.depth = request->depth > 1 ? request->depth : 0,
		.row = request->row_pitch,
		.slice = request->slice_pitch,
		.host_ptr = request->host_ptr,
		.handle = request->handle,
		.bad_size = CL_INVALID_IMAGE_SIZE,
		.bad_pitch = CL_INVALID_IMAGE_SIZE,
	};

	return create_image(driver, &wanted);
}

/* --- Queries ------------------------------------------------------------ */

cl_int serve_clGetSupportedImageFormats(
	struct opencl_driver *driver,
	struct request_clGetSupportedImageFormats *request)
{
	struct image_format format;
	unsigned count = 0;

	if (!object_find(driver, request->context, OBJECT_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (buffer_flags_check(request->flags) ||
	    request->type < CL_MEM_OBJECT_IMAGE2D ||
	    request->type > CL_MEM_OBJECT_IMAGE1D_BUFFER ||
	    (request->formats && !request->num_entries))
		return CL_INVALID_VALUE;
	for (; image_format_at(count, &format); count++)
		if (request->formats && count < request->num_entries &&
		    program_write(driver,
				  request->formats +
					  count * sizeof format.name,
				  &format.name, sizeof format.name))
			return CL_INVALID_VALUE;
	return program_write_u32(driver, request->num_formats, count);
}

cl_int serve_clGetImageInfo(struct opencl_driver *driver,
			    struct request_clGetImageInfo *request)
{
	const struct info *info = INFO_OF(driver, request);
	struct buffer *memory = image_find(driver, request->image);
	const struct image *image;
	bool flat;

	if (!memory)
		return CL_INVALID_MEM_OBJECT;
	image = memory->image;
	flat = image->type == CL_MEM_OBJECT_IMAGE1D ||
	       image->type == CL_MEM_OBJECT_IMAGE1D_BUFFER ||
	       image->type == CL_MEM_OBJECT_IMAGE2D;
	switch (request->param_name) {
	case CL_IMAGE_FORMAT:
		return info_bytes(info, &image->format.name,
				  sizeof image->format.name);
	case CL_IMAGE_ELEMENT_SIZE:
		return info_word(info, image->format.size);
	case CL_IMAGE_ROW_PITCH:
		return info_word(info, image->row_pitch);
	case CL_IMAGE_SLICE_PITCH:
		if (image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
			return info_word(info, memory->host_ptr
						       ? image->host_slice
						       : image->row);
		return info_word(info, flat		? 0
				       : memory->host_ptr ? image->host_slice
							  : image->slice);
	case CL_IMAGE_WIDTH:
		return info_word(info, image->width);
	case CL_IMAGE_HEIGHT:
		return info_word(info, image->height);
	case CL_IMAGE_DEPTH:
		return info_word(info, image->depth);
	case CL_IMAGE_ARRAY_SIZE:
		return info_word(info, image->layers);
	case CL_IMAGE_BUFFER:
		return info_word(info, memory->parent
					       ? memory->parent->object.handle
					       : 0);
	case CL_IMAGE_NUM_MIP_LEVELS:
	case CL_IMAGE_NUM_SAMPLES:
		return info_u32(info, 0);
	}
	return CL_INVALID_VALUE;
}
