/* Image formats: those that exist, their names in the hardware, and colours as
 * elements of a format. */
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

/* CL_SUCCESS; CL_INVALID_IMAGE_FORMAT_DESCRIPTOR when OpenCL has no such format;
 * CL_IMAGE_FORMAT_NOT_SUPPORTED when the device does not have it. */
cl_int image_format_find(cl_channel_order order, cl_channel_type type,
			 struct image_format *format);

/* The formats in a fixed order; false past the last. Each format can be read and
 * written in every type of image. */
bool image_format_at(unsigned index, struct image_format *format);

/* Packs the four components of a colour into one element of `size` bytes. The
 * components are floats, ints or uints, as the format's data type wants. */
void image_format_pack(const struct image_format *format,
		       const uint32_t color[4],
		       uint8_t element[IMAGE_ELEMENT_MAX]);

#endif
