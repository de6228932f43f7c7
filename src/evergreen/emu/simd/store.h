/* The addresses of a store or of an atomic operation. */
#ifndef M2S_EVERGREEN_EMU_SIMD_STORE_H
#define M2S_EVERGREEN_EMU_SIMD_STORE_H

#include "evergreen/emu/memory/transfer.h"

/* Whether the launch binds a surface to the RAT. The functions here do not
 * handle surfaces. */
SIMD bool store_is_bound(const struct evg_wavefront *wavefront,
			 const struct evg_store_plan *store)
{
	const struct evg_bindings *bindings = wavefront->buffers.bindings;
	unsigned id = store->cf->rat_id;

	return bindings && id < EVG_RATS && bindings->rats[id].dimension;
}

SIMD uint64_t active_lanes(const struct evg_wavefront *wavefront)
{
	return wavefront->masks.lanes[EVG_MASK_ACTIVE] & wavefront->masks.valid;
}

/* Sets the byte addresses of byte `first` of the elements; false: no lane is
 * active. */
static inline bool lanes_open(struct access *access,
			      struct evg_wavefront *wavefront,
			      const struct evg_store_plan *store,
			      uint32_t first)
{
	uint64_t lanes = active_lanes(wavefront);

	if (!lanes)
		return false;
	access_open(access, wavefront,
		    wavefront->registers.base[EVG_BASE_STATE] + store->index[0],
		    VECTOR_BYTES, (unsigned)__builtin_ctz(store->element_bytes),
		    first, lanes, wavefront->mask_rows.row[EVG_MASK_ACTIVE]);
	return true;
}

/* Sets the addresses, checked, of dwords on which the wavefront's thread keeps
 * a combined operation. */
static inline bool atomic_open(struct access *access,
			       struct evg_wavefront *wavefront,
			       const struct evg_store_plan *store)
{
	return lanes_open(access, wavefront, store, 0) &&
	       memory_is_there(wavefront, access, 4, true, store->window);
}

/* Sets the addresses, checked, of `bytes` bytes from byte `first` of the
 * element on, for any operation. */
static inline bool store_open(struct access *access,
			      struct evg_wavefront *wavefront,
			      const struct evg_store_plan *store,
			      uint32_t first, uint32_t bytes)
{
	if (!lanes_open(access, wavefront, store, first))
		return false;
	access_find_run(access, bytes);
	return memory_check(wavefront, access, bytes, true, store->window);
}

#endif
