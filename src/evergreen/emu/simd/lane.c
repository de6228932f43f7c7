/* What else than local memory an ALU clause does lane by lane: relative
 * registers, output queues of lanes that have gone apart, the active mask. */
#include "evergreen/emu/access.h"
#include "evergreen/emu/memory/stream.h"
#include "evergreen/emu/simd/level.h"

/* --- Relative registers ------------------------------------------------- */

/* Element of the lane: index + AR, inside the register file or the constant
 * window. */
SIMD bool relative_index(struct evg_wavefront *wavefront,
			 const struct evg_uop *uop, unsigned lane,
			 uint32_t *index)
{
	const struct evg_relative *relative = uop->extra;
	uint32_t ar = state_row(wavefront, relative->address_row)[lane];

	*index = relative->index + ar;
	if (*index < relative->limit)
		return true;
	fault_set(wavefront, EVG_FAULT_REGISTER, lane, *index,
		  relative->limit, uop->group);
	return false;
}

void EVG_LEVEL(evg_gather)(struct evg_wavefront *wavefront,
			   const struct evg_uop *uop)
{
	const struct evg_relative *relative = uop->extra;
	uint64_t lanes =
	    wavefront->masks.lanes[uop->mask] & wavefront->masks.valid;
	uint32_t *dest = state_row(wavefront, uop->dest);
	uint32_t index;

	FOR_LANES(lane, lanes) {
		if (!relative_index(wavefront, uop, lane, &index))
			return;
		index = 4 * index + relative->channel;
		if (!relative->constant)
			dest[lane] = state_row(wavefront,
					       index * EVG_ROW_BYTES)[lane];
		else if (4 * index + 4 >
			 wavefront->buffers.constants[relative->bank].size)
			fault_constant(wavefront, relative->bank, lane,
				       4 * index, 4, uop->group);
		else
			memcpy(
			    &dest[lane],
			    wavefront->buffers.constants[relative->bank].bytes +
				4 * index,
			    4);
	}
}

/* The value is source 0. */
void EVG_LEVEL(evg_scatter)(struct evg_wavefront *wavefront,
			    const struct evg_uop *uop)
{
	const struct evg_relative *relative = uop->extra;
	uint64_t lanes =
	    wavefront->masks.lanes[uop->mask] & wavefront->masks.valid;
	struct stream value = stream_open(wavefront, &uop->source[0]);
	uint32_t index;

	FOR_LANES(lane, lanes) {
		if (!relative_index(wavefront, uop, lane, &index))
			return;
		index = 4 * index + relative->channel;
		state_row(wavefront, index * EVG_ROW_BYTES)[lane] =
			source_lane(value, lane);
	}
}

/* --- Queues of lanes that have gone apart -------------------------------- */

void EVG_LEVEL(evg_queue_reset)(struct evg_wavefront *wavefront,
				const struct evg_uop *uop)
{
	const struct evg_queue *queue = uop->extra;

	memset(state_row(wavefront, queue->head_row), 0, EVG_ROW_BYTES);
	memset(state_row(wavefront, queue->tail_row), 0, EVG_ROW_BYTES);
}

/* Appends source 0. A clause never pushes more than `depth` values. */
void EVG_LEVEL(evg_queue_push)(struct evg_wavefront *wavefront,
			       const struct evg_uop *uop)
{
	const struct evg_queue *queue = uop->extra;
	struct stream value = stream_open(wavefront, &uop->source[0]);
	uint32_t *tail = state_row(wavefront, queue->tail_row);

	FOR_LANES(lane,
		  wavefront->masks.lanes[uop->mask] & wavefront->masks.valid)
	{
		uint32_t row = queue->first_row + tail[lane] * EVG_ROW_BYTES;

		state_row(wavefront, row)[lane] = source_lane(value, lane);
		tail[lane]++;
	}
}

/* Takes the head into the uop's destination. */
void EVG_LEVEL(evg_queue_pop)(struct evg_wavefront *wavefront,
			      const struct evg_uop *uop)
{
	const struct evg_queue *queue = uop->extra;
	uint32_t *head = state_row(wavefront, queue->head_row);
	const uint32_t *tail = state_row(wavefront, queue->tail_row);
	uint32_t *dest = state_row(wavefront, uop->dest);

	FOR_LANES(lane,
		  wavefront->masks.lanes[uop->mask] & wavefront->masks.valid)
	{
		uint32_t row = queue->first_row + head[lane] * EVG_ROW_BYTES;

		if (head[lane] >= tail[lane]) {
			fault_set(wavefront, EVG_FAULT_QUEUE, lane, 0, 0,
				  uop->group);
			return;
		}
		dest[lane] = state_row(wavefront, row)[lane];
		head[lane]++;
	}
}

/* --- The active mask as an operand --------------------------------------- */

SIMD void splat_row(uint32_t *row, uint32_t value)
{
	for (unsigned i = 0; i < ROW_VECTORS; i++)
		store(row + i * VECTOR_LANES, splat(value));
}

void EVG_LEVEL(evg_mask_low)(struct evg_wavefront *wavefront,
			     const struct evg_uop *uop)
{
	splat_row(state_row(wavefront, uop->dest),
		  (uint32_t)wavefront->masks.lanes[EVG_MASK_ACTIVE]);
}

void EVG_LEVEL(evg_mask_high)(struct evg_wavefront *wavefront,
			      const struct evg_uop *uop)
{
	splat_row(state_row(wavefront, uop->dest),
		  (uint32_t)(wavefront->masks.lanes[EVG_MASK_ACTIVE] >> 32));
}
