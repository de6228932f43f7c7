/* Prefetches for coming executions. */
#ifndef M2S_EVERGREEN_EMU_SIMD_LOOK_AHEAD_H
#define M2S_EVERGREEN_EMU_SIMD_LOOK_AHEAD_H

#include "evergreen/emu/access.h"

/* Lets the host prefetch the data of the instruction's execution after the next
 * few, when its address moves by equal steps. Host processors look ahead by
 * themselves, but not from one page to the next. Only where lines are
 * consecutive, or equal from one row of a tile to the next, does one address
 * per line cover all; elsewhere the host fetches less, or in vain. */
SIMD void look_ahead(struct evg_wavefront *wavefront,
		     const struct access *access, uint32_t bytes,
		     uint32_t window_index)
{
	enum { EXECUTIONS = 4, LINE = 64 };
	struct evg_window *window = &wavefront->global.windows[window_index];
	uint32_t step = access->address[0] - window->address;
	uint32_t ahead = EXECUTIONS * step, lanes;
	bool goes_on = step == window->step;

	window->address += step;
	window->step = step;
	if (!goes_on || !step ||
	    access->address[0] + ahead - window->start >
		window->last - window->start)
		return;
	lanes = LINE >> (31 - __builtin_clz(bytes));
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane += lanes)
		__builtin_prefetch(wavefront->global.base +
				   (access->address[lane] + ahead));
}

#endif
