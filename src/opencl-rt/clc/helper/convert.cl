/* Conversions between integers and singles that name a rounding mode, or
 * saturate to 64 bits (OpenCL C 1.2, section 6.2.3): libclc compares rounded
 * numbers, and misses where those are beyond the integer. */
#include "converts.h"

/* --- From integers ------------------------------------------------------ */

/* The single below: the first 24 bits, of which the exponent counts one. */
OVER static float __m2s_single_down(uint a)
{
	uint zeros = clz(a);

	return a ? as_float(((157 - zeros) << 23) + (a << zeros >> 8)) : 0.0f;
}

OVER static float __m2s_single_down(ulong a)
{
	uint zeros = (uint)clz(a);

	return a ? as_float(((189 - zeros) << 23) + (uint)(a << zeros >> 40))
		 : 0.0f;
}

/* Whether it is another number: bits are left behind the first 24. */
OVER static uint __m2s_is_cut(uint a)
{
	return a && (a << clz(a) & 0xff);
}

OVER static uint __m2s_is_cut(ulong a)
{
	return a && (a << clz(a) & 0xffffffffff);
}

#define FROM_UNSIGNED(type)                                                    \
	OVER static float __m2s_single_up(type a)                              \
	{                                                                      \
		return as_float(as_uint(__m2s_single_down(a)) +                \
				__m2s_is_cut(a));                              \
	}                                                                      \
	CONVERT(float, type, _rtz, __m2s_single_down)                          \
	CONVERT(float, type, _rtn, __m2s_single_down)                          \
	CONVERT(float, type, _rtp, __m2s_single_up)
FROM_UNSIGNED(uint)
FROM_UNSIGNED(ulong)

#define FROM_SIGNED(type, size)                                                \
	OVER static float __m2s_single_zero(type a)                            \
	{                                                                      \
		return a < 0 ? -__m2s_single_down(-(size)a)                    \
			     : __m2s_single_down((size)a);                     \
	}                                                                      \
	OVER static float __m2s_single_lower(type a)                           \
	{                                                                      \
		return a < 0 ? -__m2s_single_up(-(size)a)                      \
			     : __m2s_single_down((size)a);                     \
	}                                                                      \
	OVER static float __m2s_single_upper(type a)                           \
	{                                                                      \
		return a < 0 ? -__m2s_single_down(-(size)a)                    \
			     : __m2s_single_up((size)a);                       \
	}                                                                      \
	CONVERT(float, type, _rtz, __m2s_single_zero)                          \
	CONVERT(float, type, _rtn, __m2s_single_lower)                         \
	CONVERT(float, type, _rtp, __m2s_single_upper)
FROM_SIGNED(int, uint)
FROM_SIGNED(long, ulong)

/* --- To 64 bits, saturated ---------------------------------------------- */

OVER static long __m2s_long_sat(float a)
{
	long r = a < 0x1p63f ? (long)a : LONG_MAX;

	return a <= -0x1p63f ? LONG_MIN : a != a ? 0 : r;
}

OVER static ulong __m2s_ulong_sat(float a)
{
	ulong r = a < 0x1p64f ? (ulong)a : ULONG_MAX;

	return a > 0 ? r : 0;
}

#define TO_QUAD(type)                                                          \
	OVER static type __m2s_##type##_rte(float a)                           \
	{                                                                      \
		return __m2s_##type##_sat(rint(a));                            \
	}                                                                      \
	OVER static type __m2s_##type##_rtp(float a)                           \
	{                                                                      \
		return __m2s_##type##_sat(ceil(a));                            \
	}                                                                      \
	OVER static type __m2s_##type##_rtn(float a)                           \
	{                                                                      \
		return __m2s_##type##_sat(floor(a));                           \
	}                                                                      \
	CONVERT(type, float, _sat, __m2s_##type##_sat)                         \
	CONVERT(type, float, _sat_rtz, __m2s_##type##_sat)                     \
	CONVERT(type, float, _sat_rte, __m2s_##type##_rte)                     \
	CONVERT(type, float, _sat_rtp, __m2s_##type##_rtp)                     \
	CONVERT(type, float, _sat_rtn, __m2s_##type##_rtn)
TO_QUAD(long)
TO_QUAD(ulong)
