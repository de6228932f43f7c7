/* What a memory instruction's addresses cost: looked up, or counted. */
#include "evergreen/emu/banks.h"
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
_Static_assert(EVG_TRAFFIC_WAYS == 1 << 3, "the shift in evg_traffic_way");

static bool fits(const struct evg_traffic *traffic, unsigned place,
		 uint32_t kind, const struct evg_step *step, uint32_t whole)
{
	const struct evg_traffic_shape *shape = &traffic->shapes[place];

	return shape_fits(shape, kind, step->memory_mask, step->memory_mask2,
			  step->memory_address, whole) &&
	       (!step->memory_mask2 ||
		shape_moved(step->memory_address2, traffic->address2[place],
			    step->memory_address[0] - shape->address[0]));
}

static void remember(struct evg_traffic *traffic, unsigned place,
		     uint32_t kind, const struct evg_step *step)
{
	struct evg_traffic_shape *shape = &traffic->shapes[place];

	shape->kind = kind;
	shape->mask = step->memory_mask;
	shape->mask2 = step->memory_mask2;
	memcpy(shape->address, step->memory_address, sizeof shape->address);
	if (step->memory_mask2)
		memcpy(traffic->address2[place], step->memory_address2,
		       sizeof *traffic->address2);
	shape->cost = step->memory_local
			      ? evg_bank_cycles(step, traffic->model.banks,
						traffic->model.window)
					.conflicts
			      : evg_traffic_blocks(traffic, step);
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

	if (fits(traffic, place, kind, step, whole))
		return traffic->shapes[place].cost;
	place = place_of(step, kind, whole);
	if (!fits(traffic, place, kind, step, whole))
		remember(traffic, place, kind, step);
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
	else
		count->transactions += cost_of(traffic, line, step);
}
