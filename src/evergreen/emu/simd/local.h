/* Accesses to local memory: their addresses, and their observers. */
#ifndef M2S_EVERGREEN_EMU_SIMD_LOCAL_H
#define M2S_EVERGREEN_EMU_SIMD_LOCAL_H

#include "evergreen/emu/access.h"
#include "evergreen/emu/memory/stream.h"
#include "evergreen/emu/shape.h"

/* Sets the addresses from a source. False and a fault when one is unaligned or
 * outside local memory; false when no lane is active. */
static inline bool local_open(struct access *access,
			      struct evg_wavefront *wavefront,
			      const struct evg_uop *uop, unsigned source,
			      uint32_t offset, uint32_t bytes)
{
	struct stream stream = stream_open(wavefront, &uop->source[source]);
	uint64_t lanes =
	    wavefront->masks.lanes[uop->mask] & wavefront->masks.valid;

	if (!lanes)
		return false;
	access_open(access, wavefront, stream.place, stream.stride, 0, offset,
		    lanes, wavefront->mask_rows.row[uop->mask]);
	if (bytes <= wavefront->local.size &&
	    access_within(access, 0, wavefront->local.size - bytes) &&
	    access_aligned(access, bytes))
		return true;
	FOR_LANES(lane, lanes)
	{
		uint32_t address = access->address[lane];

		if ((uint64_t)address + bytes > wavefront->local.size) {
			fault_set(wavefront, EVG_FAULT_LOCAL, lane, address,
				  bytes, uop->group);
			return false;
		}
		if (address & (bytes - 1)) {
			fault_set(wavefront, EVG_FAULT_ALIGNMENT, lane, address,
				  bytes, uop->group);
			return false;
		}
	}
	return true;
}

/* Counts an access with one address per lane if that is all that observers
 * want. False: it was not counted. */
SIMD bool local_counted(struct evg_wavefront *wavefront,
			const struct evg_uop *uop, uint64_t lanes,
			const vu address[ROW_VECTORS], bool merges)
{
	const struct evg_lds_plan *lds = uop->extra;
	struct evg_traffic *traffic = wavefront->observers.traffic;
	uint32_t kind = evg_traffic_kind(true, 4, merges), cost;

	if (!shape_counts_only(wavefront))
		return false;
	if (!shape_known(traffic, lds->line, kind, lanes, address, 3, &cost)) {
		alignas(64) uint32_t row[EVG_WAVEFRONT_SIZE];

		FOR_VECTORS(i)
		store(row + i * VECTOR_LANES, address[i]);
		cost = EVG_LEVEL(evg_row_cost)(traffic, lds->line, kind, lanes,
					       row);
	}
	traffic->counts[lds->line].conflicts += cost;
	return true;
}

static inline void local_note(struct evg_wavefront *wavefront,
			      const struct evg_uop *uop,
			      const struct access *access, uint32_t bytes,
			      bool is_write, bool is_atomic, bool is_second)
{
	const struct evg_lds_plan *lds = uop->extra;
	struct evg_step *step = wavefront->observers.step;

	if (!step)
		return;
	if (wavefront->observers.traffic && !is_second)
		evg_traffic_begin(wavefront->observers.traffic, lds->line);
	step->memory_local = true;
	step->memory_bytes = (uint8_t)bytes;
	step->memory_write |= is_write;
	step->memory_atomic |= is_atomic;
	if (is_second) {
		step->memory_mask2 = access->lanes;
		memcpy(step->memory_address2, access->address,
		       sizeof step->memory_address2);
	} else {
		step->memory_mask = access->lanes;
		memcpy(step->memory_address, access->address,
		       sizeof step->memory_address);
	}
}

/* The place of lane 0's dword if the dwords of the active lanes are
 * consecutive, as they mostly are. NULL when they are not, or when an observer
 * wants the access. In a run all banks have the same number of requests but for
 * the last ones, so there are no conflicts to be counted. */
SIMD uint8_t *local_run(const struct evg_wavefront *wavefront,
			const struct evg_uop *uop, uint64_t lanes)
{
	struct stream stream = stream_open(wavefront, &uop->source[0]);
	const struct evg_traffic *traffic = wavefront->observers.traffic;
	const uint32_t *masks = wavefront->mask_rows.row[uop->mask];
	bool full = lanes == ~UINT64_C(0);
	unsigned first, last;
	uint32_t start;
	vu expected, differ = splat(0);

	if (!lanes)
		return NULL;
	first = first_lane(lanes);
	last = 63 - (unsigned)__builtin_clzll(lanes);
	start = source_lane(stream, first) - 4 * first;
	if (source_lane(stream, last) - 4 * last != start || start & 3 ||
	    wavefront->local.size < EVG_ROW_BYTES ||
	    start > wavefront->local.size - EVG_ROW_BYTES ||
	    (wavefront->observers.step &&
	     (!shape_counts_only(wavefront) ||
	      (!full && traffic->model.window > traffic->model.banks))))
		return NULL;
	expected = start + 4 * lane_numbers();
	FOR_VECTORS(i)
	{
		vu here = stream_load(stream, i) ^ expected;

		if (!full)
			here &= load(masks + i * VECTOR_LANES);
		differ |= here;
		expected += VECTOR_BYTES;
	}
	return mask_bits(int_ne(differ, splat(0)))
		   ? NULL
		   : wavefront->local.bytes + start;
}

/* The next common case, with fewer steps: addresses of dwords in vectors.
 * Inactive lanes get the address of an active one. False when an address is not
 * valid; then local_open sets the fault. */
SIMD bool local_open_dwords(const struct evg_wavefront *wavefront,
			    const struct evg_uop *uop, unsigned source,
			    uint32_t offset, uint64_t lanes,
			    vu address[ROW_VECTORS])
{
	struct stream stream = stream_open(wavefront, &uop->source[source]);
	const uint32_t *masks = wavefront->mask_rows.row[uop->mask];
	vu highest = splat(0), bits = splat(0), first, outside;

	if (!lanes || wavefront->local.size < 4)
		return false;
	first = splat(source_lane(stream, first_lane(lanes)));
	FOR_VECTORS(i)
	{
		vu here = stream_load(stream, i);

		if (lanes != ~UINT64_C(0)) {
			vu mask = load(masks + i * VECTOR_LANES);

			here = (here & mask) | (first & ~mask);
		}
		here += offset;
		address[i] = here;
		highest = uint_max(highest, here);
		bits |= here;
	}
	outside =
	    mask_lanes(uint_gt(highest, splat(wavefront->local.size - 4)));
	return !mask_bits(int_ne(outside | (bits & 3), splat(0)));
}

/* local_open_dwords for an access that has no observer or that has been
 * counted. */
SIMD bool local_open_plain(struct evg_wavefront *wavefront,
			   const struct evg_uop *uop, uint64_t lanes,
			   bool merges, vu address[ROW_VECTORS])
{
	return local_open_dwords(wavefront, uop, 0, 0, lanes, address) &&
	       (!wavefront->observers.step ||
		local_counted(wavefront, uop, lanes, address, merges));
}

/* Notes an access of an instruction with one address. */
static inline void local_note_one(struct evg_wavefront *wavefront,
				  const struct evg_uop *uop,
				  const struct access *access, uint32_t bytes,
				  bool is_write, bool is_atomic)
{
	vu address[ROW_VECTORS];

	if (!wavefront->observers.step)
		return;
	shape_load(access->address, address);
	if (local_counted(wavefront, uop, access->lanes, address,
			  !is_write && !is_atomic))
		return;
	local_note(wavefront, uop, access, bytes, is_write, is_atomic, false);
}

#endif
