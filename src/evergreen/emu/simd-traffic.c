/* What a memory instruction's addresses cost: looked up, or counted. */
#include "evergreen/emu/bank-cycles.h"
#include "evergreen/emu/shape.h"
#include "evergreen/emu/simd-level.h"

/* Where a step's shape is put; the same for all that fit it. */
static unsigned place_of(const struct evg_step *step, uint32_t kind,
			 uint32_t whole)
{
	const uint32_t *address = step->memory_address;
	uint64_t mask = step->memory_mask ^ step->memory_mask2 << 1;
	uint32_t sum = (address[0] & whole) + kind;

	sum = sum * 2654435769u + (address[1] - address[0]);
	sum = sum * 2654435769u + (address[21] - address[0]);
	sum = sum * 2654435769u + (address[63] - address[0]);
	sum = sum * 2654435769u + (uint32_t)(mask ^ mask >> 32);
	return sum * 2654435769u >> 24;
}

_Static_assert(EVG_TRAFFIC_SHAPES == 1 << 8, "the shift above, and uint8_t");
_Static_assert(EVG_TRAFFIC_WAYS == 1 << 6, "the shift in evg_traffic_way");

static bool fits(const struct evg_traffic *traffic, unsigned place,
		 uint32_t kind, const struct evg_step *step, uint32_t whole)
{
	const struct evg_traffic_shape *shape = &traffic->shapes[place];
	vu address[ROW_VECTORS], second[ROW_VECTORS];

	shape_load(step->memory_address, address);
	if (!shape_fits(traffic, place, kind, step->memory_mask,
			step->memory_mask2, address, whole))
		return false;
	if (!step->memory_mask2)
		return true;
	shape_load(step->memory_address2, second);
	return shape_moved(second, traffic->address2[place],
			   address[0][0] - shape->address[0]);
}

/* --- Blocks -------------------------------------------------------------- */

/* Of the lanes that a mask has, or else of one of them. */
SIMD vu chosen_lanes(const uint32_t *address, uint64_t lanes, unsigned i)
{
	vu here = load_unaligned(address + i * VECTOR_LANES);
	vu bit = splat(1) << lane_numbers();
	vu rest = splat(address[__builtin_ctzll(lanes)]);

	if (lanes == ~UINT64_C(0))
		return here;
	return choose(int_ne(splat(vector_lanes(lanes, i)) & bit, splat(0)),
		      here, rest);
}

/* One bit a block, all within 64 of the lowest one. */
static uint32_t count_in_bits(const vu block[ROW_VECTORS], uint32_t low)
{
	vq all = splat_quad(0);
	uint64_t bits = 0;

	FOR_VECTORS(i) {
		vq part[2];

		widen_uint(block[i] - low, part);
		all |= splat_quad(1) << part[0] | splat_quad(1) << part[1];
	}
	for (unsigned i = 0; i < VECTOR_BYTES / 8; i++)
		bits |= all[i];
	return (uint32_t)__builtin_popcountll(bits);
}

/* Each lane leaves its number in its block's place; who finds its own there is
 * the last one of its block. First all write, then all read: nothing depends
 * on what the host guesses of equal addresses. */
static uint32_t count_by_places(struct evg_traffic *traffic,
				const vu block[ROW_VECTORS], uint32_t low)
{
	alignas(64) uint32_t place[EVG_WAVEFRONT_SIZE];
	uint8_t *near = evg_traffic_near(traffic);
	uint32_t found = 0;

	FOR_VECTORS(i)
		store(place + i * VECTOR_LANES, block[i] - low);
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		near[place[lane]] = (uint8_t)lane;
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		found += near[place[lane]] == lane;
	return found;
}

/* Most often a lane's element lies within a block, and all blocks near each
 * other. */
static uint32_t count_blocks(struct evg_traffic *traffic,
			     const struct evg_step *step)
{
	uint32_t shift = (uint32_t)__builtin_ctz(traffic->model.block_size);
	uint32_t last = step->memory_bytes - 1u, lowest, span;
	vu block[ROW_VECTORS], crosses = splat(0), low, high;

	if (step->memory_mask2)
		return evg_traffic_blocks(traffic, step);
	FOR_VECTORS(i) {
		vu from = chosen_lanes(step->memory_address, step->memory_mask,
				       i);

		crosses |= from ^ (from + last);
		block[i] = from >> shift;
		low = i ? uint_min(low, block[i]) : block[i];
		high = i ? uint_max(high, block[i]) : block[i];
	}
	lowest = reduce_min(low);
	span = reduce_max(high) - lowest;
	if (span >= EVG_TRAFFIC_NEAR ||
	    mask_bits(int_ne(crosses >> shift, splat(0))))
		return evg_traffic_blocks(traffic, step);
	return span < 64 ? count_in_bits(block, lowest)
			 : count_by_places(traffic, block, lowest);
}

/* --- Costs --------------------------------------------------------------- */

static uint32_t count_cost(struct evg_traffic *traffic,
			   const struct evg_step *step)
{
	if (!step->memory_local)
		return count_blocks(traffic, step);
	return bank_cycles(step, traffic->model.banks, traffic->model.window)
		.conflicts;
}

static void remember(struct evg_traffic *traffic, unsigned place,
		     uint32_t kind, const struct evg_step *step)
{
	struct evg_traffic_shape *shape = &traffic->shapes[place];

	traffic->kind[place] = kind;
	shape->mask = step->memory_mask;
	shape->mask2 = step->memory_mask2;
	memcpy(shape->address, step->memory_address, sizeof shape->address);
	if (step->memory_mask2)
		memcpy(evg_traffic_second(traffic)[place],
		       step->memory_address2, sizeof *traffic->address2);
	shape->cost = count_cost(traffic, step);
}

static uint32_t cost_of(struct evg_traffic *traffic, uint32_t line,
			const struct evg_step *step)
{
	struct evg_traffic_recent *recent = &traffic->recent[line];
	uint32_t kind = evg_traffic_kind(step->memory_local,
					 step->memory_bytes,
					 !step->memory_write &&
						 !step->memory_atomic);
	uint32_t whole = step->memory_local ? 3
					    : traffic->model.block_size - 1;
	unsigned way = evg_traffic_way(step->memory_mask,
				       step->memory_address[0] & whole);
	unsigned place = recent->shape[way];

	if (recent->misses == EVG_TRAFFIC_MISSES &&
	    ++recent->skipped % EVG_TRAFFIC_RETRY) {
		/* Fields of structures, and arrays with one index, differ by
		 * a distance from what was counted just before. */
		place = EVG_TRAFFIC_LAST;
		if (!fits(traffic, place, kind, step, whole))
			remember(traffic, place, kind, step);
		return traffic->shapes[place].cost;
	}
	if (fits(traffic, place, kind, step, whole)) {
		recent->misses = 0;
		return traffic->shapes[place].cost;
	}
	place = place_of(step, kind, whole);
	if (fits(traffic, place, kind, step, whole)) {
		recent->misses = 0;
	} else {
		remember(traffic, place, kind, step);
		recent->misses += recent->misses < EVG_TRAFFIC_MISSES;
	}
	recent->shape[way] = (uint8_t)place;
	return traffic->shapes[place].cost;
}

void EVG_LEVEL(evg_add_traffic)(struct evg_traffic *traffic, uint32_t line,
				const struct evg_step *step)
{
	struct evg_traffic_count *count = &traffic->counts[line];

	if (step->memory_local)
		count->conflicts += cost_of(traffic, line, step);
	else if (step->memory_atomic) /* each lane's is an access of its own */
		count->transactions +=
			(uint64_t)__builtin_popcountll(step->memory_mask);
	else if (step->corners)
		count->transactions += evg_traffic_blocks(traffic, step);
	else
		count->transactions += cost_of(traffic, line, step);
}
