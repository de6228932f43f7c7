/* An atomic operation of a RAT on one dword. */
#include "evergreen/emu/simd/update.h"

uint32_t EVG_LEVEL(evg_rat_update)(enum evg_rat_op op, uint32_t *place,
				   uint32_t x, uint32_t w)
{
	switch (evg_rat_atomic[op]) {
#define ATOMIC(id, ...)                                                        \
	case EVG_ATOMIC_##id:                                                  \
		return update_dword(place, x, w, mem_##id);
#include "evergreen/emu/memory/atomic.def"
	default: /* no atomic: a read */
		return update_dword(place, x, w, mem_read);
	}
}
