/* Explicit conversions from and to doubles (OpenCL C 1.2, section 6.2.3). */
#include "converts.h"

#define CONVERT_EVERY(to, from, nearest, zero, up, down)                       \
	CONVERT(to, from, _rte, nearest)                                       \
	CONVERT(to, from, _rtz, zero)                                          \
	CONVERT(to, from, _rtp, up)                                            \
	CONVERT(to, from, _rtn, down)

/* --- To doubles --------------------------------------------------------- */

#define EXACT(from)                                                            \
	CONVERT(double, from, , (double))                                      \
	CONVERT_EVERY(double, from, (double), (double), (double), (double))
EXACT(char)
EXACT(uchar)
EXACT(short)
EXACT(ushort)
EXACT(int)
EXACT(uint)
EXACT(float)
EXACT(double)

/* Without the bits that do not fit into 53: exact. */
__attribute__((always_inline)) static ulong __m2s_top_bits(ulong a)
{
	int drop = 11 - (int)clz(a);

	return drop > 0 ? a >> drop << drop : a;
}

OVER static double __m2s_ulong_down(ulong a)
{
	return (double)__m2s_top_bits(a);
}

OVER static double __m2s_ulong_up(ulong a)
{
	ulong bits = as_ulong(__m2s_ulong_down(a));

	return as_double(bits + (__m2s_top_bits(a) != a));
}

OVER static double __m2s_long_zero(long a)
{
	double r = __m2s_ulong_down(a < 0 ? -(ulong)a : (ulong)a);

	return a < 0 ? -r : r;
}

OVER static double __m2s_long_up(long a)
{
	return a < 0 ? -__m2s_ulong_down(-(ulong)a) : __m2s_ulong_up((ulong)a);
}

OVER static double __m2s_long_down(long a)
{
	return a < 0 ? -__m2s_ulong_up(-(ulong)a) : __m2s_ulong_down((ulong)a);
}

CONVERT(double, long, , (double))
CONVERT(double, ulong, , (double))
CONVERT_EVERY(double, long, (double), __m2s_long_zero, __m2s_long_up,
	      __m2s_long_down)
CONVERT_EVERY(double, ulong, (double), __m2s_ulong_down, __m2s_ulong_up,
	      __m2s_ulong_down)

/* --- To singles --------------------------------------------------------- */

/* The nearest single, or the one beside it, towards zero or away from it. Singles
 * below the normal ones are 0 on this device, whichever way they round. */
#define SINGLE_MAX_SMALL 0x1.fffffcp-127
OVER static float __m2s_float_zero(double a)
{
	float r = (float)a;
	uint bits = as_uint(r) - (fabs((double)r) > fabs(a));

	return as_float((bits & ~SIGN_BIT) < as_uint(FLT_MIN) ? bits & SIGN_BIT
							      : bits);
}

OVER static float __m2s_float_away(double a)
{
	float r = (float)a;

	if (r == 0 && fabs(a) > SINGLE_MAX_SMALL)
		return a < 0 ? -FLT_MIN : FLT_MIN;
	return r != 0 && fabs((double)r) < fabs(a) ? as_float(as_uint(r) + 1)
						   : r;
}

OVER static float __m2s_float_up(double a)
{
	return a < 0 ? __m2s_float_zero(a) : __m2s_float_away(a);
}

OVER static float __m2s_float_down(double a)
{
	return a < 0 ? __m2s_float_away(a) : __m2s_float_zero(a);
}

CONVERT(float, double, , (float))
CONVERT_EVERY(float, double, (float), __m2s_float_zero, __m2s_float_up,
	      __m2s_float_down)

/* --- To integers -------------------------------------------------------- */

#define ROUNDED(to, from)                                                      \
	OVER static to __m2s_##to##_rte(double a) { return from(rint(a)); }    \
	OVER static to __m2s_##to##_rtp(double a) { return from(ceil(a)); }    \
	OVER static to __m2s_##to##_rtn(double a) { return from(floor(a)); }   \
	CONVERT(to, double, , from)                                            \
	CONVERT_EVERY(to, double, __m2s_##to##_rte, from, __m2s_##to##_rtp,    \
		      __m2s_##to##_rtn)
#define SATURATED(to, low, high)                                               \
	OVER static to __m2s_##to##_sat(double a)                              \
	{                                                                      \
		to r = a <= (double)low ? low : (to)a;                         \
		return a >= (double)high ? high : a != a ? 0 : r;              \
	}                                                                      \
	OVER static to __m2s_##to##_sat_rte(double a)                          \
	{                                                                      \
		return __m2s_##to##_sat(rint(a));                              \
	}                                                                      \
	OVER static to __m2s_##to##_sat_rtp(double a)                          \
	{                                                                      \
		return __m2s_##to##_sat(ceil(a));                              \
	}                                                                      \
	OVER static to __m2s_##to##_sat_rtn(double a)                          \
	{                                                                      \
		return __m2s_##to##_sat(floor(a));                             \
	}                                                                      \
	CONVERT(to, double, _sat, __m2s_##to##_sat)                            \
	CONVERT(to, double, _sat_rte, __m2s_##to##_sat_rte)                    \
	CONVERT(to, double, _sat_rtz, __m2s_##to##_sat)                        \
	CONVERT(to, double, _sat_rtp, __m2s_##to##_sat_rtp)                    \
	CONVERT(to, double, _sat_rtn, __m2s_##to##_sat_rtn)
#define TO_INTEGER(to, low, high)                                              \
	ROUNDED(to, (to))                                                      \
	SATURATED(to, low, high)
TO_INTEGER(char, CHAR_MIN, CHAR_MAX)
TO_INTEGER(uchar, 0, UCHAR_MAX)
TO_INTEGER(short, SHRT_MIN, SHRT_MAX)
TO_INTEGER(ushort, 0, USHRT_MAX)
TO_INTEGER(int, INT_MIN, INT_MAX)
TO_INTEGER(uint, 0, UINT_MAX)
TO_INTEGER(long, LONG_MIN, LONG_MAX)
TO_INTEGER(ulong, 0, ULONG_MAX)
