/* Accesses to global memory and constants by few lanes, one after the other:
 * small work-groups, and what remains of a loop or a branch. A row of addresses
 * costs more than such an access. */
#ifndef M2S_EVERGREEN_EMU_SIMD_FEW_H
#define M2S_EVERGREEN_EMU_SIMD_FEW_H

#include "evergreen/emu/access.h"
#include "evergreen/emu/memory/combine.h"

enum { FEW_LANES = 4 };

/* Whether the lanes are few. Observers want a row of addresses. */
SIMD bool few_lanes(const struct evg_wavefront *wavefront, uint64_t lanes)
{
	return __builtin_popcountll(lanes) <= FEW_LANES &&
	       !wavefront->observers.step;
}

/* Whether the bytes at an address may be accessed, and nothing else is to be
 * done before. */
SIMD bool few_there(struct evg_wavefront *wavefront, uint32_t address,
		    uint32_t bytes, bool write, uint32_t window_index)
{
	struct evg_window *window = &wavefront->global.windows[window_index];

	if (evg_combiner_keeps(wavefront->global.combiner, 0, UINT32_MAX))
		return false;
	return (address >= window->start &&
		(uint64_t)address + bytes <= (uint64_t)window->last + 1) ||
	       wavefront->global.find(wavefront->global.memory, address, bytes,
				      write, window);
}

#endif
