/* Arithmetic for scalar definitions in any float mode, on a host that keeps
 * denormals. Rounding is the host's own: reference_begin sets it. */
#ifndef M2S_TESTS_EVERGREEN_EMU_ALU_REFERENCE_H
#define M2S_TESTS_EVERGREEN_EMU_ALU_REFERENCE_H

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "evergreen/kernel/kernel.h"

/* The mode of the trial in progress. */
static struct evg_float_mode reference_mode;

static inline void reference_begin(const struct evg_float_mode *mode,
				   unsigned rounding)
{
	static const int rounds[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
				     FE_TOWARDZERO};

	reference_mode = *mode;
	fesetround(rounds[rounding]);
}

static inline void reference_end(void)
{
	fesetround(FE_TONEAREST);
}

#define TRUE_BITS 0xffffffffu
/* What a PRED_SET writes. */
#define FALSE_TRUE(p) ((p) ? 0 : 0x3f800000u)

static inline float f(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof value);
	/* Denormal inputs count as zeros of their sign. */
	if (!reference_mode.keep_single_in && fabsf(value) < FLT_MIN)
		return copysignf(0.0f, value);
	return value;
}

static inline uint32_t raw(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

/* A result: denormals flushed, one NaN. */
static inline uint32_t out(float value)
{
	if (isnan(value))
		return 0x7fc00000;
	if (!reference_mode.keep_single_out && fabsf(value) < FLT_MIN)
		value = copysignf(0.0f, value);
	return raw(value);
}

/* The same from more precision: tiny is judged after rounding to a single's
 * digits with any exponent. */
static inline uint32_t out_double(double value)
{
	if (!reference_mode.keep_single_out && fabs(value) < 0x1p-100 &&
	    fabsf((float)(value * 0x1p100)) < 0x1p-26f)
		return raw((float)copysign(0.0, value));
	return out((float)value);
}

/* The largest finite numbers for infinities. */
static inline uint32_t largest_finite(uint32_t bits)
{
	return (bits & 0x7fffffff) == 0x7f800000 ? bits - 1 : bits;
}

static inline float product(float x, float y)
{
	float r;
	uint32_t bits = out_double((double)x * y);

	memcpy(&r, &bits, sizeof r);
	return r;
}

static inline float product_zero(float x, float y)
{
	return x == 0 || y == 0 ? 0.0f : product(x, y);
}

/* A result that is an operand again, as a product of MULADD. */
static inline float operand_of(float value)
{
	return f(raw(value));
}

/* To nearest even, whatever the float mode. */
static inline double nearest_integer(double x)
{
	double low = floor(x);
	double rest = x - low;

	if (rest > 0.5 || (rest == 0.5 && fmod(low, 2) != 0))
		low = low + 1;
	return copysign(low, x);
}

static inline uint32_t saturate_int(double x)
{
	if (isnan(x))
		return 0;
	if (x >= 2147483647.0)
		return 0x7fffffff;
	if (x <= -2147483648.0)
		return 0x80000000;
	return (uint32_t)(int32_t)x;
}

static inline uint32_t saturate_uint(double x)
{
	if (isnan(x) || x <= 0)
		return 0;
	return x >= 4294967295.0 ? 0xffffffff : (uint32_t)x;
}

static inline int bit_count(uint32_t x)
{
	int n = 0;

	for (; x; x >>= 1)
		n += x & 1;
	return n;
}

static inline int highest_bit(uint32_t x)
{
	int n = -1;

	for (; x; x >>= 1)
		n++;
	return n;
}

static inline uint32_t byte_sum(uint32_t x, uint32_t y)
{
	uint32_t sum = 0;

	for (int i = 0; i < 4; i++)
		sum += (uint32_t)abs((int)(x >> 8 * i & 255) -
				     (int)(y >> 8 * i & 255));
	return sum;
}

/* Whether the float mode rounds this value away from zero. */
static inline bool rounds_away(double x)
{
	int round = fegetround();

	return round == (x > 0 ? FE_UPWARD : FE_DOWNWARD);
}

static inline uint32_t half_of(uint32_t bits)
{
	uint32_t sign = bits >> 16 & 0x8000, half;
	double x = (double)f(bits);
	int e;

	if (isnan(x))
		return sign | 0x7e00;
	if (isinf(x))
		return sign | 0x7c00;
	if (fabs(x) < 0x1p-14)
		return sign | (uint32_t)fabs(nearbyint(x * 0x1p24));
	frexp(x, &e);
	if (e > 16)
		half = 0x7c00;
	else /* 1024 to 2048 */
		half = ((uint32_t)(e + 14) << 10) +
		       (uint32_t)fabs(nearbyint(ldexp(x, 11 - e))) - 1024;
	if (half >= 0x7c00)
		half = fegetround() == FE_TONEAREST || rounds_away(x) ? 0x7c00
								      : 0x7bff;
	return sign | half;
}

/* Some float mode; the default in four of ten cases. */
static inline struct evg_float_mode some_mode(uint32_t random)
{
	if (random % 10 < 4)
		return (struct evg_float_mode){0};
	random /= 10;
	return evg_float_mode_decode(random & 0xff, random >> 8 & 1);
}

#endif
