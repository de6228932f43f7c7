/* Bindings of a launch besides plain memory: images, samplers and typed RATs.
 * The caller that launches a kernel fills them in. The numbers are those in the
 * code. */
#ifndef M2S_EVERGREEN_EMU_MEMORY_RESOURCE_H
#define M2S_EVERGREEN_EMU_MEMORY_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "evergreen/isa/inst.h"

enum evg_image_dimension {
	EVG_IMAGE_NONE, /* nothing is bound */
	EVG_IMAGE_BUFFER,
	EVG_IMAGE_1D,
	EVG_IMAGE_2D,
	EVG_IMAGE_3D,
	EVG_IMAGE_1D_ARRAY,
	EVG_IMAGE_2D_ARRAY,
};

enum evg_number_format { EVG_NUMBER_NORM, EVG_NUMBER_INT, EVG_NUMBER_SCALED };

struct evg_tiling;

/* A texture resource, or the surface of a typed RAT. Texels lie in rows of
 * `row_pitch` bytes and slices (or array layers) of `slice_pitch` bytes. The
 * whole image lies in one block of global memory. */
struct evg_image {
	enum evg_image_dimension dimension;
	uint32_t address;        /* of texel 0 in global memory, bytes */
	/* Texels; 1 for a dimension that the image lacks. */
	uint32_t width, height;
	uint32_t depth;          /* slices, or layers of an array */
	/* Distances of rows and slices, bytes. Of a buffer, row_pitch is the
	 * distance of elements; 0: packed. */
	uint32_t row_pitch, slice_pitch;
	uint8_t data_format;     /* DATA_FORMAT as in VTX_WORD1: 26 is 8_8_8_8 */
	enum evg_number_format number_format;
	bool format_signed;
	/* The sources of x, y, z, w of a texel: component 0..3 of the format, 4
	 * zero, 5 one (DST_SEL of the resource). Stores use the inverse. */
	uint8_t select[4];
	/* A sampler's border colour goes through `select`, too, so that an
	 * image of R with an alpha of one has this alpha also at the border.
	 * Not when this is set (OpenCL's Rx, RGx and RGBx have an alpha of 0
	 * there). */
	bool plain_border;
	/* The places of the texels in the hardware's memory (tiling.h), from
	 * `address` on, which determine the cost of accesses. NULL: they are as
	 * above. */
	const struct evg_tiling *tiling;
};

enum evg_filter { EVG_FILTER_NEAREST, EVG_FILTER_LINEAR };

enum evg_wrap {
	EVG_WRAP_REPEAT,
	EVG_WRAP_MIRROR,
	EVG_WRAP_CLAMP_EDGE,   /* to the last texel */
	EVG_WRAP_CLAMP_BORDER, /* to the border colour */
	EVG_WRAP_NONE = EVG_WRAP_CLAMP_EDGE, /* undefined outside: any will do */
};

struct evg_sampler {
	bool bound;
	enum evg_filter filter;
	enum evg_wrap wrap[3];  /* x, y, z */
	/* Bits of floats or ints, as the format's numbers are. */
	uint32_t border[4];
};

struct evg_bindings {
	struct evg_image images[EVG_FETCH_RESOURCES]; /* by fetch resource */
	struct evg_sampler samplers[EVG_SAMPLERS];
	struct evg_image rats[EVG_RATS];              /* typed ones */
};

#endif
