/* What a memory instruction's addresses cost: looked up, or counted. */
#include "evergreen/emu/access.h"
#include "evergreen/emu/count/bank-cycles.h"
#include "evergreen/emu/shape.h"
#if VECTOR_BYTES >= 32
#include "evergreen/emu/count/bank-rows.h"
#endif

_Static_assert(EVG_TRAFFIC_SHAPES == 1 << 8, "the shift below, and uint8_t");
_Static_assert(EVG_TRAFFIC_WAYS == 1 << 6, "the shift in evg_traffic_way");

/* Where a shape is put; the same for all that fit it. */
static unsigned place_of(const uint32_t *address, uint64_t mask, uint32_t kind,
			 uint32_t whole)
{
	uint32_t sum = (address[0] & whole) + kind;

	sum = sum * 2654435769u + (address[1] - address[0]);
	sum = sum * 2654435769u + (address[21] - address[0]);
	sum = sum * 2654435769u + (address[63] - address[0]);
	sum = sum * 2654435769u + (uint32_t)(mask ^ mask >> 32);
	return sum * 2654435769u >> 24;
}

/* Of which bits a distance is made that changes no costs: not these. */
static uint32_t whole_of(const struct evg_traffic *traffic, bool local)
{
	return local ? 3 : traffic->model.block_size - 1;
}

/* --- Costs of one address a lane ------------------------------------------ */

/* What a row is for functions that take steps. */
static void row_step(struct evg_step *step, uint64_t lanes,
		     const uint32_t *address)
{
	step->memory_mask = lanes;
	step->memory_mask2 = 0;
	step->corners = 0;
	memcpy(step->memory_address, address, sizeof step->memory_address);
}

static uint32_t blocks_of(struct evg_traffic *traffic, uint64_t lanes,
			  const uint32_t *address, uint32_t bytes)
{
	struct evg_step step;

#if VECTOR_BYTES >= 32
	uint32_t shift = (uint32_t)__builtin_ctz(traffic->model.block_size);
	vsort block[SORT_ROW], crosses = {0};

	SORT_LOOP(i, SORT_ROW) {
		vsort from = sort_load(address, i);

		crosses |= from ^ (from + (bytes - 1));
		block[i] = from >> shift;
	}
	/* Most often a lane's element lies within a block. */
	if (sort_is_zero(crosses >> shift))
		return distinct_count(block);
#endif
	row_step(&step, lanes, address);
	step.memory_bytes = (uint8_t)bytes;
	return evg_traffic_blocks(traffic, &step);
}

static uint32_t conflicts_of(const struct evg_traffic *traffic, uint64_t lanes,
			     const uint32_t *address, bool merge)
{
	const struct evg_traffic_model *model = &traffic->model;
	struct evg_step step;

#if VECTOR_BYTES >= 32
	if (model->window == BANK_WINDOW && model->banks <= BANK_WINDOW &&
	    !(model->banks & (model->banks - 1)))
		return bank_conflicts(address, (uint32_t)lanes, model->banks,
				      merge) +
		       bank_conflicts(address + BANK_WINDOW,
				      (uint32_t)(lanes >> 32), model->banks,
				      merge);
#endif
	row_step(&step, lanes, address);
	step.memory_write = !merge;
	step.memory_atomic = false;
	return bank_cycles(&step, model->banks, model->window).conflicts;
}

static uint32_t row_cost(struct evg_traffic *traffic, uint32_t kind,
			 uint64_t lanes, const uint32_t *address)
{
	if (evg_traffic_is_local(kind))
		return conflicts_of(traffic, lanes, address,
				    evg_traffic_merges(kind));
	return blocks_of(traffic, lanes, address, evg_traffic_bytes(kind));
}

static uint32_t remember_row(struct evg_traffic *traffic, unsigned place,
			     uint32_t kind, uint64_t lanes,
			     const uint32_t *address,
			     const vu row[ROW_VECTORS])
{
	struct evg_traffic_shape *shape = &traffic->shapes[place];

	traffic->kind[place] = kind;
	shape->mask = lanes;
	shape->mask2 = 0;
	FOR_VECTORS(i)
		store(shape->address + i * VECTOR_LANES, row[i]);
	return shape->cost = row_cost(traffic, kind, lanes, address);
}

uint32_t EVG_LEVEL(evg_row_cost)(struct evg_traffic *traffic, uint32_t line,
				 uint32_t kind, uint64_t lanes,
				 const uint32_t *address)
{
	struct evg_traffic_recent *recent = &traffic->recent[line];
	uint32_t whole = whole_of(traffic, evg_traffic_is_local(kind));
	vu row[ROW_VECTORS];
	unsigned place;

	shape_load(address, row);
	if (recent->misses == EVG_TRAFFIC_MISSES &&
	    ++recent->skipped % EVG_TRAFFIC_RETRY) {
		/* Fields of structures, and arrays with one index, differ by
		 * a distance from what was counted just before. */
		place = EVG_TRAFFIC_LAST;
		if (shape_fits(traffic, place, kind, lanes, 0, row, whole))
			return traffic->shapes[place].cost;
		return remember_row(traffic, place, kind, lanes, address, row);
	}
	place = place_of(address, lanes, kind, whole);
	recent->shape[evg_traffic_way(lanes, address[0] & whole)] =
		recent->last = (uint8_t)place;
	if (shape_fits(traffic, place, kind, lanes, 0, row, whole)) {
		recent->misses = 0;
		return traffic->shapes[place].cost;
	}
	recent->misses += recent->misses < EVG_TRAFFIC_MISSES;
	return remember_row(traffic, place, kind, lanes, address, row);
}

/* --- Steps ---------------------------------------------------------------- */

/* The addresses of one address a lane, those of lanes that are not active
 * replaced by an active one's. */
static void step_row(const struct evg_step *step,
		     uint32_t row[EVG_WAVEFRONT_SIZE])
{
	uint64_t lanes = step->memory_mask;
	vu rest = splat(step->memory_address[first_lane(lanes)]);
	vu bit = splat(1) << lane_numbers();

	FOR_VECTORS(i) {
		vu here = load_unaligned(step->memory_address +
					 i * VECTOR_LANES);
		vu active = splat(vector_lanes(lanes, i)) & bit;

		store(row + i * VECTOR_LANES,
		      choose(int_ne(active, splat(0)), here, rest));
	}
}

static bool step_fits(const struct evg_traffic *traffic, unsigned place,
		      uint32_t kind, const struct evg_step *step,
		      uint32_t whole)
{
	const struct evg_traffic_shape *shape = &traffic->shapes[place];
	vu address[ROW_VECTORS], second[ROW_VECTORS];

	shape_load(step->memory_address, address);
	if (!shape_fits(traffic, place, kind, step->memory_mask,
			step->memory_mask2, address, whole))
		return false;
	shape_load(step->memory_address2, second);
	return shape_moved(second, traffic->address2[place],
			   address[0][0] - shape->address[0]);
}

/* With two addresses a lane. */
static uint32_t step_cost(struct evg_traffic *traffic,
			  const struct evg_step *step, uint32_t kind)
{
	uint32_t whole = whole_of(traffic, step->memory_local);
	unsigned place = place_of(step->memory_address,
				  step->memory_mask ^ step->memory_mask2 << 1,
				  kind, whole);
	struct evg_traffic_shape *shape = &traffic->shapes[place];

	if (step_fits(traffic, place, kind, step, whole))
		return shape->cost;
	traffic->kind[place] = kind;
	shape->mask = step->memory_mask;
	shape->mask2 = step->memory_mask2;
	memcpy(shape->address, step->memory_address, sizeof shape->address);
	memcpy(evg_traffic_second(traffic)[place], step->memory_address2,
	       sizeof *traffic->address2);
	if (step->memory_local)
		shape->cost = bank_cycles(step, traffic->model.banks,
					  traffic->model.window)
				      .conflicts;
	else
		shape->cost = evg_traffic_blocks(traffic, step);
	return shape->cost;
}

void EVG_LEVEL(evg_add_traffic)(struct evg_traffic *traffic, uint32_t line,
				const struct evg_step *step)
{
	struct evg_traffic_count *count = &traffic->counts[line];
	bool merges = !step->memory_write && !step->memory_atomic;
	uint32_t kind = evg_traffic_kind(step->memory_local,
					 step->memory_bytes, merges);
	uint32_t cost;

	if (step->memory_atomic && !step->memory_local) {
		/* Each lane's is an access of its own. */
		count->transactions +=
			(uint64_t)__builtin_popcountll(step->memory_mask);
		return;
	}
	if (step->corners && !step->memory_local) {
		count->transactions += evg_traffic_blocks(traffic, step);
		return;
	}
	if (step->memory_mask2) {
		cost = step_cost(traffic, step, kind);
	} else {
		alignas(64) uint32_t row[EVG_WAVEFRONT_SIZE];

		step_row(step, row);
		cost = EVG_LEVEL(evg_row_cost)(traffic, line, kind,
					       step->memory_mask, row);
	}
	if (step->memory_local)
		count->conflicts += cost;
	else
		count->transactions += cost;
}
