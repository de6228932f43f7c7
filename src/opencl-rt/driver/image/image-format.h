/* Image formats: which there are, what the hardware calls them, and colours
 * in them. */
#ifndef M2S_OPENCL_RT_DRIVER_IMAGE_IMAGE_FORMAT_H
#define M2S_OPENCL_RT_DRIVER_IMAGE_IMAGE_FORMAT_H

#include "evergreen/emu/memory/resource.h"
#include "opencl-rt/driver/object.h"

struct image_format {
	cl_image_format name;
	uint32_t size;         /* bytes of an element */
	uint8_t data_format;   /* DATA_FORMAT */
	enum evg_number_format number_format;
	bool is_signed;
	uint8_t components;    /* 1 for packed ones */
	uint8_t select[4];
	bool plain_border;
};

enum { IMAGE_ELEMENT_MAX = 16 }; /* bytes */

/* CL_SUCCESS, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR for what is no format, or
 * CL_IMAGE_FORMAT_NOT_SUPPORTED. */
cl_int image_format_find(cl_channel_order order, cl_channel_type type,
			 struct image_format *format);

/* The formats in a fixed order: false past the last. All are there for every
 * type of image and for reading and writing. */
bool image_format_at(unsigned index, struct image_format *format);

/* The four components of a colour (floats, ints or uints, as the format's
 * data type has them) as one element: `size` bytes. */
void image_format_pack(const struct image_format *format,
		       const uint32_t color[4],
		       uint8_t element[IMAGE_ELEMENT_MAX]);

#endif
