/* Parts of images: boxes, and moving their texels to programs and back. */
#include "opencl-rt/driver/internal.h"

cl_int image_box_read(struct opencl_driver *driver, const struct buffer *image,
		      uint64_t origin, uint64_t region, struct box *box)
{
	if (!origin || !region ||
	    program_read_words(driver, origin, box->origin, 3) ||
	    program_read_words(driver, region, box->region, 3))
		return CL_INVALID_VALUE;
	for (int i = 0; i < 3; i++) {
		uint64_t extent = image->image->extent[i];

		if (!box->region[i] || box->origin[i] > extent ||
		    box->region[i] > extent - box->origin[i])
			return CL_INVALID_VALUE;
	}
	return CL_SUCCESS;
}

cl_int image_pitches(const struct buffer *image, const struct box *box,
		     uint64_t given_row, uint64_t given_slice, uint64_t *row,
		     uint64_t *slice)
{
	cl_mem_object_type type = image->image->type;
	uint64_t least = box->region[0] * image->image->format.size;

	if (given_row > UINT64_MAX >> 32 || given_slice > UINT64_MAX >> 16)
		return CL_INVALID_VALUE;
	*row = given_row ? given_row : least;
	if (*row < least)
		return CL_INVALID_VALUE;
	if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY) {
		*slice = given_slice ? given_slice : *row;
		if (*slice < *row)
			return CL_INVALID_VALUE;
		*row = *slice;
		return CL_SUCCESS;
	}
	least = *row * box->region[1];
	*slice = given_slice ? given_slice : least;
	if (type != CL_MEM_OBJECT_IMAGE3D &&
	    type != CL_MEM_OBJECT_IMAGE2D_ARRAY)
		return given_slice ? CL_INVALID_VALUE : CL_SUCCESS;
	return *slice < least ? CL_INVALID_VALUE : CL_SUCCESS;
}

uint8_t *image_row(struct opencl_driver *driver, struct buffer *image,
		   const struct box *box, uint64_t y, uint64_t z)
{
	const struct image *i = image->image;
	uint64_t size = i->format.size;

	return buffer_bytes(driver, image,
			    box->origin[0] * size +
				(box->origin[1] + y) * i->row +
				(box->origin[2] + z) * i->slice,
			    box->region[0] * size);
}

uint64_t image_box_size(const struct buffer *image, const struct box *box)
{
	return box->region[0] * box->region[1] * box->region[2] *
	       image->image->format.size;
}

bool image_to_program(struct opencl_driver *driver, struct buffer *image,
		      const struct box *box, uint64_t pointer, uint64_t row,
		      uint64_t slice)
{
	bool direct = transfer_is_direct(driver, image_box_size(image, box),
					 false);
	uint64_t width = box->region[0] * image->image->format.size;

	for (uint64_t z = 0; z < box->region[2]; z++)
		for (uint64_t y = 0; y < box->region[1]; y++)
			if (program_deliver(driver,
					    pointer + y * row + z * slice,
					    image_row(driver, image, box, y, z),
					    width, direct))
				return false;
	return true;
}

bool image_from_program(struct opencl_driver *driver, struct buffer *image,
			const struct box *box, uint64_t pointer, uint64_t row,
			uint64_t slice)
{
	uint64_t width = box->region[0] * image->image->format.size;

	for (uint64_t z = 0; z < box->region[2]; z++)
		for (uint64_t y = 0; y < box->region[1]; y++)
			if (program_read(driver, pointer + y * row + z * slice,
					 image_row(driver, image, box, y, z),
					 width))
				return false;
	return true;
}
