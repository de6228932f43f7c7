/* One dword of global memory, changed where other threads see it. */
#ifndef M2S_EVERGREEN_EMU_SIMD_UPDATE_H
#define M2S_EVERGREEN_EMU_SIMD_UPDATE_H

#include "evergreen/emu/memory/atomic.h"
#include "evergreen/emu/simd/level.h"
#include "evergreen/emu/simd/types.h"

/* The new value of a dword from its old one and two operands. */
typedef uint32_t atomic_function(uint32_t memory, uint32_t x, uint32_t w);

/* MEM_RAT's operands, where there is one: x; where there are two: w and x. */
#define ONE(id, memory, x, w) atomic_##id(memory, x, 0)
#define TWO(id, memory, x, w) atomic_##id(memory, w, x)

#define ATOMIC(id, operands, order, value)                                     \
	SIMD uint32_t mem_##id(uint32_t memory, uint32_t x, uint32_t w)        \
	{                                                                      \
		(void)x, (void)w;                                              \
		return operands(id, memory, x, w);                             \
	}
#include "evergreen/emu/memory/atomic.def"

SIMD uint32_t mem_read(uint32_t memory, uint32_t x, uint32_t w)
{
	(void)x, (void)w;
	return memory;
}

/* Returns the old value. */
SIMD uint32_t update_dword(uint32_t *place, uint32_t x, uint32_t w,
			   atomic_function *function)
{
	uint32_t old = __atomic_load_n(place, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(place, &old, function(old, x, w),
					    true, __ATOMIC_SEQ_CST,
					    __ATOMIC_RELAXED))
		;
	return old;
}

#endif
