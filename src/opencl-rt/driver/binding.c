/* Images and samplers as the hardware has them (evergreen/emu/memory/resource.h). */
#include <string.h>

#include "opencl-rt/driver/internal.h"

static enum evg_image_dimension dimension_of(cl_mem_object_type type)
{
	switch (type) {
	case CL_MEM_OBJECT_IMAGE1D:
		return EVG_IMAGE_1D;
	case CL_MEM_OBJECT_IMAGE1D_ARRAY:
		return EVG_IMAGE_1D_ARRAY;
	case CL_MEM_OBJECT_IMAGE1D_BUFFER:
		return EVG_IMAGE_BUFFER;
	case CL_MEM_OBJECT_IMAGE2D_ARRAY:
		return EVG_IMAGE_2D_ARRAY;
	case CL_MEM_OBJECT_IMAGE3D:
		return EVG_IMAGE_3D;
	default:
		return EVG_IMAGE_2D;
	}
}

void binding_image(const struct buffer *memory, struct evg_image *bound)
{
	binding_shape(memory->image, bound);
	bound->address = memory->address;
	bound->tiling = memory->image->tiling;
}

void binding_shape(const struct image *image, struct evg_image *bound)
{
	const struct image_format *format = &image->format;
	bool layered = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;

	/* Layers of a 1D array are slices there. */
	*bound = (struct evg_image){
		.dimension = dimension_of(image->type),
		.width = (uint32_t)image->extent[0],
		.height = layered ? 1 : (uint32_t)image->extent[1],
		.depth = (uint32_t)image->extent[layered ? 1 : 2],
		.row_pitch = (uint32_t)image->row,
		.slice_pitch = (uint32_t)(layered ? image->row : image->slice),
		.data_format = format->data_format,
		.number_format = format->number_format,
		.format_signed = format->is_signed,
	};
	if (image->type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
		bound->row_pitch = format->size;
	bound->plain_border = format->plain_border;
	memcpy(bound->select, format->select, sizeof bound->select);
}

void binding_sampler(uint32_t bits, struct evg_sampler *bound)
{
	enum evg_wrap wrap = EVG_WRAP_NONE;

	switch (bits & EVG_SAMPLER_ADDRESS) {
	case EVG_SAMPLER_CLAMP_TO_EDGE:
		wrap = EVG_WRAP_CLAMP_EDGE;
		break;
	case EVG_SAMPLER_CLAMP:
		wrap = EVG_WRAP_CLAMP_BORDER;
		break;
	case EVG_SAMPLER_REPEAT:
		wrap = EVG_WRAP_REPEAT;
		break;
	case EVG_SAMPLER_MIRRORED_REPEAT:
		wrap = EVG_WRAP_MIRROR;
		break;
	}
	*bound = (struct evg_sampler){
		.bound = true,
		.filter = (bits & EVG_SAMPLER_FILTER) == EVG_SAMPLER_LINEAR
				  ? EVG_FILTER_LINEAR
				  : EVG_FILTER_NEAREST,
		.wrap = { wrap, wrap, wrap },
		/* The border is zero. */
	};
}

static void put_dword(uint8_t *argument, enum evg_image_dword dword,
		      uint64_t value)
{
	uint32_t narrow = (uint32_t)value;

	memcpy(argument + 4 * dword, &narrow, sizeof narrow);
}

static void put_inverse(uint8_t *argument, enum evg_image_dword dword,
			uint64_t value)
{
	float inverse = 1.0f / (float)value;

	memcpy(argument + 4 * dword, &inverse, sizeof inverse);
}

void binding_describe(const struct buffer *memory, uint8_t *argument)
{
	const struct image *image = memory->image;
	bool layered = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
	uint64_t height = layered ? 1 : image->extent[1];
	uint64_t depth = image->extent[layered ? 1 : 2];

	put_dword(argument, EVG_IMAGE_WIDTH, image->extent[0]);
	put_dword(argument, EVG_IMAGE_HEIGHT, height);
	put_dword(argument, EVG_IMAGE_DEPTH, depth);
	put_dword(argument, EVG_IMAGE_DATA_TYPE,
		  image->format.name.image_channel_data_type);
	put_inverse(argument, EVG_IMAGE_INVERSE_WIDTH, image->extent[0]);
	put_inverse(argument, EVG_IMAGE_INVERSE_HEIGHT, height);
	put_inverse(argument, EVG_IMAGE_INVERSE_DEPTH, depth);
	put_dword(argument, EVG_IMAGE_ORDER,
		  image->format.name.image_channel_order);
}
