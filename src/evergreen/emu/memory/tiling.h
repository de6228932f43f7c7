/* Where the texels of an image lie in the hardware's memory.
 *
 * The emulator keeps images row by row. Caches, channels and banks see them in
 * the hardware's order, which is another order of the same bytes (and of what
 * pads them): so only those who want to know what an access costs ask here.
 *
 * 1D tiled: micro tiles of 8 x 8 texels one after the other, row by row. 2D
 * tiled: micro tiles are dealt out to pipes (memory channels) and banks by
 * exclusive ors of bits of x and y, so that neighbours in every direction are
 * on different ones; what comes to one pipe and bank fills it in pieces of 256
 * bytes, macro tile by macro tile.
 *
 * Sources: AMD's address library for these chips, with a licence of the MIT
 * kind (GPUOpen-Drivers/pal, src/core/imported/addrlib: R800Lib's
 * HwlSetupTileInfo and ComputePipeFromCoord, EgBasedLib's ComputeBankFromCoord
 * and ComputeSurfaceAddrFromCoordMacroTiled, Lib's
 * ComputePixelIndexWithinMicroTile); the Linux driver's evergreen.c
 * (GB_ADDR_CONFIG: pipes, 256 bytes to a pipe, shader engine tiles of 32). */
#ifndef M2S_EVERGREEN_EMU_MEMORY_TILING_H
#define M2S_EVERGREEN_EMU_MEMORY_TILING_H

#include "evergreen/emu/memory/resource.h"

enum evg_array_mode {
	EVG_ARRAY_LINEAR,
	EVG_ARRAY_1D_TILED,
	EVG_ARRAY_2D_TILED,
};

/* What of the device decides. */
struct evg_tiling_device {
	enum evg_array_mode mode; /* that of large images */
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

/* The hardware's layout of an image of these sizes and format; NULL for one
 * that is linear there, too: one dimension, or texels whose bytes are no power
 * of two. To be freed by evg_tiling_free. */
struct evg_tiling *evg_tiling_create(const struct evg_tiling_device *device,
				     const struct evg_image *image);
void evg_tiling_free(struct evg_tiling *tiling); /* NULL is fine */

/* Bytes from the image's first one to the texel. */
static inline uint32_t evg_tiling_place(const struct evg_tiling *tiling,
					uint32_t x, uint32_t y, uint32_t z)
{
	uint32_t u = tiling->x[x], v = tiling->y[y];

	return ((u ^ v ^ z * tiling->rotation) & tiling->swizzled) +
	       (u & ~tiling->swizzled) + (v & ~tiling->swizzled) +
	       z * tiling->slice_bytes;
}

#endif
