/* Lookup of a memory instruction's addresses among those with a known cost
 * (struct evg_traffic_shape). Included by files of one host instruction set. */
#ifndef M2S_EVERGREEN_EMU_SHAPE_H
#define M2S_EVERGREEN_EMU_SHAPE_H

#include "evergreen/emu/simd/level.h"
#include "evergreen/emu/simd/simd.h"
#include "evergreen/emu/count/traffic.h"

/* The cost (blocks or conflicts) of one address per lane of the instruction at
 * `line`, when shape_known does not know it. Inactive lanes repeat the address
 * of an active one. */
uint32_t EVG_LEVEL(evg_row_cost)(struct evg_traffic *traffic, uint32_t line,
				 uint32_t kind, uint64_t lanes,
				 const uint32_t *address);

/* Whether accesses are only counted, and no observer wants the steps. */
static inline bool shape_counts_only(const struct evg_wavefront *wavefront)
{
	const struct evg_traffic *traffic = wavefront->observers.traffic;

	return traffic && wavefront->observers.step == &traffic->step;
}

/* Whether all addresses of `now` are those of `then`, moved by `distance`. */
SIMD bool shape_moved(const vu now[ROW_VECTORS], const uint32_t *then,
		      uint32_t distance)
{
	vu different = splat(0);

	FOR_VECTORS(i)
		different |= (now[i] - load_unaligned(then + i * VECTOR_LANES)) ^
			     splat(distance);
	return !mask_bits(int_ne(different, splat(0)));
}

SIMD void shape_load(const uint32_t *address, vu row[ROW_VECTORS])
{
	FOR_VECTORS(i)
		row[i] = load_unaligned(address + i * VECTOR_LANES);
}

/* Whether the first addresses and the masks are those of a shape. A distance
 * without any of the bits `whole` keeps the cost. */
SIMD bool shape_fits(const struct evg_traffic *traffic, unsigned place,
		     uint32_t kind, uint64_t mask, uint64_t mask2,
		     const vu address[ROW_VECTORS], uint32_t whole)
{
	const struct evg_traffic_shape *shape = &traffic->shapes[place];
	uint32_t distance;

	if (traffic->kind[place] != kind)
		return false;
	distance = address[0][0] - shape->address[0];
	return shape->mask == mask &&
	       shape->mask2 == mask2 && !(distance & whole) &&
	       shape_moved(address, shape->address, distance);
}

/* Whether the instruction at `line` has recently had such addresses, one per
 * lane; *cost is then their cost. */
SIMD bool shape_known(struct evg_traffic *traffic, uint32_t line,
		      uint32_t kind, uint64_t lanes,
		      const vu address[ROW_VECTORS], uint32_t whole,
		      uint32_t *cost)
{
	struct evg_traffic_recent *recent = &traffic->recent[line];
	unsigned place = recent->last;

	if (recent->misses == EVG_TRAFFIC_MISSES)
		return false;
	if (!shape_fits(traffic, place, kind, lanes, 0, address, whole)) {
		place = recent->shape[evg_traffic_way(lanes,
						      address[0][0] & whole)];
		if (!shape_fits(traffic, place, kind, lanes, 0, address, whole))
			return false;
		recent->last = (uint8_t)place;
	}
	*cost = traffic->shapes[place].cost;
	return true;
}

#endif
