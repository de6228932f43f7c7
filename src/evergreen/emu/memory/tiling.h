/* Where the texels of an image lie in the hardware's memory. */
#ifndef M2S_EVERGREEN_EMU_MEMORY_TILING_H
#define M2S_EVERGREEN_EMU_MEMORY_TILING_H

#include "evergreen/emu/memory/resource.h"

enum evg_array_mode {
	EVG_ARRAY_LINEAR,
	EVG_ARRAY_1D_TILED,
	EVG_ARRAY_2D_TILED,
};

/* The parameters of the device that determine the layout. */
struct evg_tiling_device {
	enum evg_array_mode mode; /* the mode of large images */
	uint32_t pipes;           /* a power of two; at most 8 are used */
	uint32_t banks;           /* 2, 4, 8 or 16 */
};

/* A texel is at
 *   first byte + ((x ^ y ^ slice * rotation) & swizzled)
 *              + (x & ~swizzled) + (y & ~swizzled) + slice * slice_bytes
 * with x and y from the tables. */
struct evg_tiling {
	enum evg_array_mode mode; /* not linear */
	uint64_t size;            /* of all slices with their padding, bytes */
	uint32_t alignment;       /* of the first byte */
	uint32_t slice_bytes;
	uint32_t swizzled;        /* the bits that are pipe and bank */
	uint32_t rotation;        /* of banks from slice to slice */
	uint32_t *x, *y;          /* by coordinate */
};

/* The hardware's layout of an image of this size and format. NULL for an image
 * that is linear in the hardware, too: one dimension, or texels whose size is
 * no power of two. The caller frees it with evg_tiling_free. */
struct evg_tiling *evg_tiling_create(const struct evg_tiling_device *device,
				     const struct evg_image *image);
void evg_tiling_free(struct evg_tiling *tiling); /* NULL is fine */

/* The offset of a texel from the image's first byte. */
static inline uint32_t evg_tiling_place(const struct evg_tiling *tiling,
					uint32_t x, uint32_t y, uint32_t z)
{
	uint32_t u = tiling->x[x], v = tiling->y[y];

	return ((u ^ v ^ z * tiling->rotation) & tiling->swizzled) +
	       (u & ~tiling->swizzled) + (v & ~tiling->swizzled) +
	       z * tiling->slice_bytes;
}

#endif
