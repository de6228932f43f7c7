/* Functions that memory instructions share: checks of addresses, and delivery
 * of rows to registers. */
#ifndef M2S_EVERGREEN_EMU_MEMORY_TRANSFER_H
#define M2S_EVERGREEN_EMU_MEMORY_TRANSFER_H

#include "evergreen/emu/access.h"
#include "evergreen/emu/memory/combine.h"
#include "evergreen/emu/element.h"
#include "evergreen/emu/shape.h"

/* --- Checks ------------------------------------------------------------- */

/* Takes lanes out of an access. Reads find zeros behind the end of memory, where
 * nothing is ever written. The other lanes of a write remain; false: there are
 * none. */
static inline bool drop_lanes(struct evg_wavefront *wavefront,
			      struct access *access, uint64_t lanes, bool write)
{
	uint64_t rest = access->lanes & ~lanes;
	uint32_t address = wavefront->global.size;

	wavefront->global.dropped += (uint32_t)__builtin_popcountll(lanes);
	access->is_run = false;
	if (write)
		access->lanes = rest;
	if (write && rest) {
		address = access->address[first_lane(rest)];
		lanes = ~rest;
	} else if (!rest) {
		lanes = ~UINT64_C(0);
	}
	FOR_LANES(lane, lanes)
	access->address[lane] = address;
	return !write || rest;
}

/* Whether an element lies in a block in part. Reads take it as it is in memory,
 * what is beside the block included. */
static inline bool straddles(struct evg_wavefront *wavefront, uint32_t address,
			     uint32_t bytes, bool write)
{
	struct evg_window window;
	struct evg_memory *memory = wavefront->global.memory;

	return !write && (uint64_t)address + bytes <= wavefront->global.size &&
	       (wavefront->global.find(memory, address, 1, write, &window) ||
		wavefront->global.find(memory, address + bytes - 1, 1, write,
				       &window));
}

static inline bool find_each(struct evg_wavefront *wavefront,
			     struct access *access, uint32_t bytes, bool write)
{
	struct evg_window window = {.start = 1, .last = 0};
	uint64_t strays = 0;

	FOR_LANES(lane, access->lanes) {
		uint32_t address = access->address[lane];

		if (window.start <= window.last && address >= window.start &&
		    (uint64_t)address + bytes <= (uint64_t)window.last + 1)
			continue;
		if (wavefront->global.find(wavefront->global.memory, address,
					   bytes, write, &window))
			continue;
		if (wavefront->global.drops) {
			if (straddles(wavefront, address, bytes, write))
				wavefront->global.dropped++;
			else
				strays |= UINT64_C(1) << lane;
			continue;
		}
		fault_set(wavefront, write ? EVG_FAULT_WRITE : EVG_FAULT_READ,
			  (unsigned)lane, address, bytes, 0);
		wavefront->fault.strays = true;
		return false;
	}
	return !strays || drop_lanes(wavefront, access, strays, write);
}

/* To be called before an access to memory from `low` to `high` that is no
 * combinable atomic. */
static inline void memory_settle(struct evg_wavefront *wavefront, uint32_t low,
				 uint32_t high)
{
	if (evg_combiner_keeps(wavefront->global.combiner, low, high))
		evg_combiner_settle(wavefront->global.combiner,
				    wavefront->plan->simd,
				    wavefront->global.base);
}

static inline void memory_settle_lanes(struct evg_wavefront *wavefront,
				       const struct access *access,
				       uint32_t bytes)
{
	uint32_t low, high;

	if (!evg_combiner_keeps(wavefront->global.combiner, 0, UINT32_MAX))
		return;
	access_range(access, &low, &high);
	memory_settle(wavefront, low < 3 ? 0 : low - 3, high + bytes - 1);
}

static inline bool window_covers(const struct evg_window *window,
				 const struct access *access, uint32_t bytes)
{
	if (access->is_run)
		return access->address[0] >= window->start &&
		       access->address[0] + 64 * bytes - 1 <= window->last;
	return window->start + (uint64_t)bytes <= (uint64_t)window->last + 1 &&
	       access_within(access, window->start,
			     window->last + 1 - bytes - window->start);
}

/* Whether the bytes of every lane lie in one block. Commonly all lanes are in
 * the block of the instruction's previous access. */
static inline bool memory_is_there(struct evg_wavefront *wavefront,
			 struct access *access, uint32_t bytes,
			 bool write, uint32_t window_index)
{
	struct evg_window *window = &wavefront->global.windows[window_index];
	uint32_t low, high;

	if (window_covers(window, access, bytes))
		return true;
	access_range(access, &low, &high);
	if ((uint64_t)high - low + bytes <= UINT32_MAX &&
	    wavefront->global.find(wavefront->global.memory, low,
				   high - low + bytes, write, window))
		return true;
	return find_each(wavefront, access, bytes, write);
}

static inline bool memory_check(struct evg_wavefront *wavefront,
				struct access *access, uint32_t bytes,
				bool write, uint32_t window_index)
{
	const struct evg_window *window =
	    &wavefront->global.windows[window_index];

	if (window_covers(window, access, bytes)) {
		if (!evg_combiner_keeps(wavefront->global.combiner,
					window->start, window->last))
			return true;
	} else if (!memory_is_there(wavefront, access, bytes, write,
				    window_index)) {
		return false;
	}
	memory_settle_lanes(wavefront, access, bytes);
	return true;
}

static inline bool constant_check(struct evg_wavefront *wavefront,
			   const struct access *access, uint32_t bytes,
			   uint8_t bank)
{
	uint32_t size = wavefront->buffers.constants[bank].size;

	if (bytes <= size && access_within(access, 0, size - bytes))
		return true;
	FOR_LANES(lane, access->lanes) {
		uint32_t address = access->address[lane];

		if ((uint64_t)address + bytes <= size)
			continue;
		fault_constant(wavefront, bank, lane, address, bytes, 0);
		return false;
	}
	return true;
}

static inline void memory_note(struct evg_wavefront *wavefront,
			const struct access *access, uint32_t bytes)
{
	struct evg_step *step = wavefront->observers.step;

	if (!step)
		return;
	step->memory_mask = access->lanes;
	step->memory_bytes = (uint8_t)bytes;
	memcpy(step->memory_address, access->address,
	       sizeof step->memory_address);
}

/* Counts the access if that is all that observers want. False: an observer
 * wants the whole step. */
SIMD bool memory_counted(struct evg_wavefront *wavefront,
			 const struct access *access, uint32_t bytes, bool write)
{
	struct evg_traffic *traffic = wavefront->observers.traffic;
	uint32_t first = access->address[0], shift;
	vu address[ROW_VECTORS];
	uint32_t kind = evg_traffic_kind(false, bytes, !write), cost;

	if (!wavefront->observers.step)
		return true;
	if (!shape_counts_only(wavefront))
		return false;
	if (access->is_run) {
		shift = (uint32_t)__builtin_ctz(traffic->model.block_size);
		cost = ((first + 64 * bytes - 1) >> shift) - (first >> shift);
		traffic->counts[traffic->line].transactions += cost + 1;
		return true;
	}
	shape_load(access->address, address);
	if (!shape_known(traffic, traffic->line, kind, access->lanes, address,
			 traffic->model.block_size - 1, &cost))
		cost = EVG_LEVEL(evg_row_cost)(traffic, traffic->line, kind,
					       access->lanes, access->address);
	traffic->counts[traffic->line].transactions += cost;
	return true;
}

/* --- To registers ------------------------------------------------------- */

SIMD void put_row(struct evg_wavefront *wavefront, uint32_t row, unsigned i,
		  vu value)
{
	uint8_t *dest = wavefront->registers.base[EVG_BASE_STATE] + row;

	if (wavefront->masks.full[EVG_MASK_ACTIVE])
		store(dest + i * VECTOR_BYTES, value);
	else
		store_masked(dest, i, value,
			     wavefront->masks.lanes[EVG_MASK_ACTIVE],
			     wavefront->mask_rows.row[EVG_MASK_ACTIVE]);
}

/* Writes vector i of each component to the destination's channels. */
SIMD void deliver(struct evg_wavefront *wavefront,
		  const struct evg_fetch_plan *fetch, const vu component[4],
		  unsigned i)
{
	for (unsigned channel = 0; channel < 4; channel++) {
		unsigned from = fetch->select[channel];

		if (fetch->dest[channel] == EVG_NO_ROW)
			continue;
		put_row(wavefront, fetch->dest[channel], i,
			from < 4    ? component[from]
			: from == 5 ? splat(fetch->one)
				    : splat(0));
	}
}

static inline void deliver_rows(struct evg_wavefront *wavefront,
			 const struct evg_fetch_plan *fetch,
			 uint32_t component[4][EVG_WAVEFRONT_SIZE])
{
	FOR_VECTORS(i) {
		vu part[4];

		for (unsigned c = 0; c < 4; c++)
			part[c] = load(component[c] + i * VECTOR_LANES);
		deliver(wavefront, fetch, part, i);
	}
}

#endif
