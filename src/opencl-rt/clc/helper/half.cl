/* Stores of singles as halves. libclc 16 goes through branches where the device
 * has an operation, and stores a zero where the direction asks for the least
 * half. */
#include "half-store.h"

__attribute__((always_inline)) static ushort
__m2s_single_half(float x, enum __m2s_half_mode mode)
{
	return __m2s_half_bits(as_uint(x) >> 16 & 0x8000,
			       as_uint(x) & 0x7fffffff, 23, 127, mode);
}

#define SINGLE_DIRECTED(space, suffix, mode)                                   \
	HALF_STORE(float, space, suffix,                                       \
		   ((space ushort *)p)[at] = __m2s_single_half(x, mode))
#define SINGLE_HALVES(space)                                                   \
	HALF_STORE(float, space, _rte, vstore_half(x, at, p))                  \
	SINGLE_DIRECTED(space, _rtz, TO_ZERO)                                  \
	SINGLE_DIRECTED(space, _rtp, UPWARDS)                                  \
	SINGLE_DIRECTED(space, _rtn, DOWNWARDS)
SINGLE_HALVES(__private)
SINGLE_HALVES(__local)
SINGLE_HALVES(__global)
