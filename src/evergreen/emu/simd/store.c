/* Stores of dwords to global memory. */
#include "evergreen/emu/simd/store.h"
#include "evergreen/emu/memory/stores.h"
#include "evergreen/emu/memory/transfer.h"
#include "evergreen/emu/simd/few.h"
#include "evergreen/emu/simd/level.h"
#include "evergreen/emu/simd/look-ahead.h"

static void store_note(struct evg_wavefront *wavefront,
		       const struct access *access, uint32_t bytes)
{
	if (memory_counted(wavefront, access, bytes, true))
		return;
	memory_note(wavefront, access, bytes);
	wavefront->observers.step->memory_write = true;
}

/* Four dwords of each lane to `base` and its address. */
static void store_structures(const struct evg_wavefront *wavefront,
			     const struct access *access,
			     const struct evg_store_plan *store, uint8_t *base)
{
	const uint8_t *state = wavefront->registers.base[EVG_BASE_STATE];

	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane += 4) {
		unsigned four = access->lanes >> lane & 15;
		const uint32_t *address = access->address + lane;

		if (four == 15) {
			uint8_t *const place[4] = {
			    base + address[0], base + address[1],
			    base + address[2], base + address[3]};
			const uint8_t *const row[4] = {
			    state + store->value[0] + 4 * lane,
			    state + store->value[1] + 4 * lane,
			    state + store->value[2] + 4 * lane,
			    state + store->value[3] + 4 * lane};

			transpose_store(place, row);
			continue;
		}
		FOR_LANES(k, four)
		for (unsigned c = 0; c < 4; c++)
			memcpy(base + address[k] + 4 * c,
			       state + store->value[c] + 4 * (lane + k), 4);
	}
}

/* Keeps components `low` to `high`, for later: see stores.h. */
static void store_keep(struct evg_wavefront *wavefront,
		       const struct access *access,
		       const struct evg_store_plan *store, unsigned low,
		       unsigned high)
{
	uint32_t bytes = 4 * (high - low + 1), place = 0;
	uint32_t count = (uint32_t)__builtin_popcountll(access->lanes);
	bool run = access->is_run;
	struct evg_stored *stored =
	    evg_stores_add(wavefront, (bytes + (run ? 0 : 4)) * (size_t)count);
	uint32_t *address = (void *)(stored + 1);
	uint8_t *data = (uint8_t *)(address + (run ? 0 : count));
	struct access here;

	stored->kind = run ? EVG_STORED_RUN : EVG_STORED_LANES;
	stored->bytes = (uint8_t)bytes;
	stored->count = (uint16_t)count;
	stored->address = access->address[0];
	if (bytes == 4 && run) {
		memcpy(data, state_row(wavefront, store->value[low]),
		       EVG_ROW_BYTES);
		return;
	}
	here.lanes = access->lanes;
	FOR_LANES(lane, access->lanes)
	{
		if (!run)
			*address++ = access->address[lane];
		here.address[lane] = place;
		place += bytes;
	}
	if (bytes == 16) {
		store_structures(wavefront, &here, store, data);
		return;
	}
	FOR_LANES(lane, access->lanes)
	for (unsigned c = low; c <= high; c++)
		memcpy(data + here.address[lane] + 4 * (c - low),
		       state_row(wavefront, store->value[c]) + lane, 4);
}

/* Stores the components of few lanes; false: they are to be stored as rows. */
SIMD bool store_few(struct evg_wavefront *wavefront,
		    const struct evg_store_plan *store, unsigned low,
		    unsigned high)
{
	const uint32_t *index = state_row(wavefront, store->index[0]);
	unsigned shift = (unsigned)__builtin_ctz(store->element_bytes);
	uint64_t lanes = active_lanes(wavefront);

	if (!few_lanes(wavefront, lanes) || wavefront->deferred.checks_only)
		return false;
	FOR_LANES(lane, lanes)
	if (!few_there(wavefront, (index[lane] << shift) + 4 * low,
		       4 * (high - low + 1), true, store->window))
		return false;
	FOR_LANES(lane, lanes)
	for (unsigned c = low; c <= high; c++)
		if (store->component_mask >> c & 1)
			memcpy(wavefront->global.base +
				       (index[lane] << shift) + 4 * c,
			       state_row(wavefront, store->value[c]) + lane, 4);
	return true;
}

/* Dwords, unconverted: component c to the c-th dword of the element. */
void EVG_LEVEL(evg_store_raw)(struct evg_wavefront *wavefront,
			      const struct evg_store_plan *store)
{
	unsigned mask = store->component_mask;
	unsigned low = (unsigned)__builtin_ctz(mask);
	unsigned high = 31 - (unsigned)__builtin_clz(mask);
	uint8_t *base = wavefront->global.base;
	struct access access;

	if (store_is_bound(wavefront, store)) {
		EVG_LEVEL(evg_store_general)(wavefront, store);
		return;
	}
	if (store_few(wavefront, store, low, high) ||
	    !store_open(&access, wavefront, store, 4 * low,
			4 * (high - low + 1)))
		return;
	store_note(wavefront, &access, 4 * (high - low + 1));
	if (wavefront->deferred.checks_only) {
		if (mask >> low == (2u << (high - low)) - 1) {
			store_keep(wavefront, &access, store, low, high);
			wavefront->deferred.checks_only = false;
		}
		return;
	}
	look_ahead(wavefront, &access, 4 * (high - low + 1), store->window);
	if (mask == 15) {
		store_structures(wavefront, &access, store, base);
		return;
	}
	if (low == high) {
		const uint32_t *row = state_row(wavefront, store->value[low]);

		if (access.is_run) {
			memcpy(base + access.address[0], row, EVG_ROW_BYTES);
			return;
		}
		FOR_VECTORS(i)
		store_lanes(base, load(access.address + i * VECTOR_LANES),
			    load(row + i * VECTOR_LANES),
			    vector_lanes(access.lanes, i));
		return;
	}
	FOR_LANES(lane, access.lanes)
	for (unsigned c = low; c <= high; c++)
		if (mask >> c & 1)
			memcpy(base + access.address[lane] + 4 * (c - low),
			       state_row(wavefront, store->value[c]) + lane, 4);
}
