/* Whether a memory instruction's addresses were counted before: see struct
 * evg_traffic_shape. Included by files of one host instruction set. */
#ifndef M2S_EVERGREEN_EMU_SHAPE_H
#define M2S_EVERGREEN_EMU_SHAPE_H

#include "evergreen/emu/simd.h"
#include "evergreen/emu/traffic.h"

/* All of `now` are those of `then`, moved by `distance`. */
SIMD bool shape_moved(const uint32_t *now, const uint32_t *then,
		      uint32_t distance)
{
	vu different = splat(0);

	for (unsigned i = 0; i < ROW_VECTORS; i++)
		different |= (load_unaligned(now + i * VECTOR_LANES) -
			      load_unaligned(then + i * VECTOR_LANES)) ^
			     splat(distance);
	return !mask_bits(int_ne(different, splat(0)));
}

/* Whether the first addresses, and the masks, are those of a shape; a distance
 * of which `whole` are no bits keeps its cost. */
SIMD bool shape_fits(const struct evg_traffic_shape *shape, uint32_t kind,
		     uint64_t mask, uint64_t mask2, const uint32_t *address,
		     uint32_t whole)
{
	enum { LAST = EVG_WAVEFRONT_SIZE - 1 };
	uint32_t distance = address[0] - shape->address[0];

	return shape->kind == kind && shape->mask == mask &&
	       shape->mask2 == mask2 && !(distance & whole) &&
	       address[LAST] - shape->address[LAST] == distance &&
	       shape_moved(address, shape->address, distance);
}

#endif
