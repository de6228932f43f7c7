/* Stores of doubles as halves: the high dword has more than enough bits of the
 * fraction, when its last one says whether there are more. */
#include "half-store.h"

__attribute__((always_inline)) static uint __m2s_short_double(double x)
{
	return (HIGH(x) & ~SIGN_BIT) | (WORDS(x).x != 0);
}

__attribute__((always_inline)) static ushort
__m2s_double_half(double x, enum __m2s_half_mode mode)
{
	return __m2s_half_bits(HIGH(x) >> 16 & 0x8000, __m2s_short_double(x),
			       20, 1023, mode);
}

/* A single that is rounded to the same half. What a single cannot hold becomes
 * infinite, or its least number. */
__attribute__((always_inline)) static float __m2s_half_single(double x)
{
	uint a = __m2s_short_double(x), least = 897u << 20;
	uint most = (1151u << 20) + (a > HIGH_INF);

	a = a < least ? least : a > most ? most : a;
	return as_float((a - (896u << 20)) << 3 | (HIGH(x) & SIGN_BIT));
}

#define DOUBLE_DIRECTED(space, suffix, mode)                                   \
	HALF_STORE(double, space, suffix,                                      \
		   ((space ushort *)p)[at] = __m2s_double_half(x, mode))
#define DOUBLE_HALVES(space)                                                   \
	HALF_STORE(double, space, ,                                            \
		   __builtin_store_halff(__m2s_half_single(x), p + at))        \
	HALF_STORE(double, space, _rte,                                        \
		   __builtin_store_halff(__m2s_half_single(x), p + at))        \
	DOUBLE_DIRECTED(space, _rtz, TO_ZERO)                                  \
	DOUBLE_DIRECTED(space, _rtp, UPWARDS)                                  \
	DOUBLE_DIRECTED(space, _rtn, DOWNWARDS)
DOUBLE_HALVES(__private)
DOUBLE_HALVES(__local)
DOUBLE_HALVES(__global)
