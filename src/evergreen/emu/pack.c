#include "evergreen/emu/pack.h"

#include <stddef.h>

#include "base/memory.h"
#include "evergreen/emu/chain.h"
#include "evergreen/emu/control.h"
#include "evergreen/emu/machine.h"

static unsigned vector_lanes(const struct evg_wavefront *wavefront)
{
	return wavefront->plan->simd->vector_bytes / 4;
}

static bool uses_rows(const struct evg_wavefront *wavefront)
{
	return wavefront->plan->simd->vector_bytes < 64; /* as masks */
}

void evg_pack_find_vector(struct evg_wavefront *wavefront)
{
	uint64_t lanes = wavefront->masks.lanes[EVG_MASK_ACTIVE];
	unsigned width = vector_lanes(wavefront), first;

	wavefront->native.vector = EVG_VECTOR_NONE;
	if (!lanes)
		return;
	first = (unsigned)__builtin_ctzll(lanes) & ~(width - 1);
	if (lanes >> first >> width) {
		if ((unsigned)__builtin_popcountll(lanes) <= width)
			wavefront->native.vector = EVG_VECTOR_SPREAD;
		return;
	}
	wavefront->native.vector = EVG_VECTOR_ONE;
	wavefront->native.first = first;
	wavefront->native.state =
	    wavefront->registers.base[EVG_BASE_STATE] + 4 * first;
	wavefront->native.lanes =
	    (uint8_t *)wavefront +
	    (uses_rows(wavefront) ? 4 * first : first / 8);
}

/* The active ones of the packed lanes. */
static void set_packed(struct evg_wavefront *wavefront, uint64_t active)
{
	unsigned i = 0;

	wavefront->native.packed_mask = 0;
	for (uint64_t lanes = wavefront->native.packed; lanes;
	     lanes &= lanes - 1) {
		bool is_active = active & lanes & -lanes;

		wavefront->native.packed_mask |= (uint64_t)is_active << i;
		wavefront->native_rows.packed[i++] = is_active ? UINT32_MAX : 0;
	}
	while (i < vector_lanes(wavefront))
		wavefront->native_rows.packed[i++] = 0;
}

bool evg_chain_set_in_vector(struct evg_wavefront *wavefront, uint64_t lanes)
{
	bool is_packed = wavefront->native.vector == EVG_VECTOR_PACKED;
	unsigned width = vector_lanes(wavefront);
	uint64_t inside = wavefront->native.packed;

	if (!is_packed)
		inside = ((UINT64_C(1) << width) - 1)
			 << wavefront->native.first;
	wavefront->native.wanted = lanes;
	if (lanes & ~inside)
		return false;
	control_set_active(wavefront, lanes);
	if (is_packed)
		set_packed(wavefront, lanes);
	return true;
}

/* The work-group's rows for packed lanes, made when they are first asked for:
 * most work-groups never need them. */
static uint8_t *packed_rows(struct evg_work_group *group)
{
	if (!group->packed_rows)
		group->packed_rows =
			xcalloc_aligned((size_t)group->ndrange->plan->row_count *
					EVG_ROW_BYTES);
	return group->packed_rows;
}

void evg_chain_pack(struct evg_wavefront *wavefront,
		    const struct evg_packed_rows *rows)
{
	const uint8_t *state = wavefront->registers.base[EVG_BASE_STATE];
	uint64_t active = wavefront->masks.lanes[EVG_MASK_ACTIVE];
	size_t moved = offsetof(struct evg_wavefront, native.packed_mask) -
		       offsetof(struct evg_wavefront, masks.lanes);

	if (uses_rows(wavefront))
		moved = offsetof(struct evg_wavefront, native_rows.packed) -
			offsetof(struct evg_wavefront, mask_rows.row);
	if (!wavefront->native.packed_rows)
		wavefront->native.packed_rows =
			packed_rows(wavefront->group);
	wavefront->native.vector = EVG_VECTOR_PACKED;
	wavefront->native.first = 0;
	wavefront->native.state = wavefront->native.packed_rows;
	wavefront->native.lanes = (uint8_t *)wavefront + moved;
	wavefront->native.packed = active;
	set_packed(wavefront, active);
	for (uint32_t i = 0; i < rows->count; i++) {
		uint32_t row = rows->rows[i].row;
		const uint32_t *from = (const uint32_t *)(state + row);
		uint32_t *to =
		    (uint32_t *)(wavefront->native.packed_rows + row);

		for (uint64_t lanes = active; lanes; lanes &= lanes - 1)
			*to++ = from[__builtin_ctzll(lanes)];
	}
}

void evg_chain_unpack(struct evg_wavefront *wavefront,
		      const struct evg_packed_rows *rows)
{
	uint8_t *state = wavefront->registers.base[EVG_BASE_STATE];

	for (uint32_t i = 0; i < rows->count; i++) {
		uint32_t row = rows->rows[i].row;
		const uint32_t *from =
		    (const uint32_t *)(wavefront->native.packed_rows + row);
		uint32_t *to = (uint32_t *)(state + row);

		if (!rows->rows[i].written)
			continue;
		for (uint64_t lanes = wavefront->native.packed; lanes;
		     lanes &= lanes - 1)
			to[__builtin_ctzll(lanes)] = *from++;
	}
	evg_pack_find_vector(wavefront);
}
