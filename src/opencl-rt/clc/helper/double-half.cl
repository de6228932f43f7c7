/* Stores of doubles as halves (OpenCL C 1.2, section 6.12.7): 1 bit for the
 * sign, 5 for the exponent, 10 for the fraction, with numbers below the normal
 * ones. */
enum __m2s_mode { TO_NEAREST, TO_ZERO, UPWARDS, DOWNWARDS };

#define HALF_INF 0x7c00u
#define HALF_NAN 0x7e00u

INLINE uint __m2s_half_bits(double x, enum __m2s_mode mode)
{
	double a = fabs(x), copy = a, n, rest;
	uint sign = HIGH(x) >> 16 & 0x8000u, bits, whole;
	bool away = mode == (sign ? DOWNWARDS : UPWARDS), up;
	int exponent = __m2s_exponent(&copy) - 1023;

	/* In units of the last place, which numbers below the normal ones have
	 * in common. */
	exponent = exponent < -14 ? -14 : exponent;
	n = __m2s_ldexp_64(a, 10 - exponent);
	whole = (uint)n;
	rest = n - (double)whole;
	up = mode == TO_NEAREST
		     ? (rest > 0.5) | ((rest == 0.5) & (whole & 1))
		     : away & (rest > 0);
	bits = ((uint)(exponent + 14) << 10) + whole + up;
	if (exponent > 15 || bits >= HALF_INF)
		bits = mode == TO_NEAREST || away || a == DOUBLE(0, HIGH_INF)
			       ? HALF_INF
			       : HALF_INF - 1;
	return sign | (x != x ? HALF_NAN : bits);
}

#define STORE_HALF(space, suffix, mode)                                        \
	__attribute__((overloadable)) void vstore_half##suffix(                \
		double x, size_t at, space half *p)                            \
	{                                                                      \
		((space ushort *)p)[at] = (ushort)__m2s_half_bits(x, mode);    \
	}                                                                      \
	STORE_HALVES(space, suffix, 2, x, y, 1)                                \
	__attribute__((overloadable)) void vstore_half3##suffix(               \
		double3 x, size_t at, space half *p)                           \
	{                                                                      \
		vstore_half2##suffix(x.xy, 0, p + 3 * at);                     \
		vstore_half##suffix(x.z, 3 * at + 2, p);                       \
	}                                                                      \
	__attribute__((overloadable)) void vstorea_half3##suffix(              \
		double3 x, size_t at, space half *p)                           \
	{                                                                      \
		vstore_half3##suffix(x, 0, p + 4 * at);                        \
	}                                                                      \
	STORE_HALVES(space, suffix, 4, lo, hi, 2)                              \
	STORE_HALVES(space, suffix, 8, lo, hi, 4)                              \
	STORE_HALVES(space, suffix, 16, lo, hi, 8)
#define STORE_HALVES(space, suffix, n, low, high, part)                        \
	__attribute__((overloadable)) void vstore_half##n##suffix(             \
		double##n x, size_t at, space half *p)                         \
	{                                                                      \
		STORE_PART(part, suffix)(x.low, 2 * at, p);                    \
		STORE_PART(part, suffix)(x.high, 2 * at + 1, p);               \
	}                                                                      \
	__attribute__((overloadable)) void vstorea_half##n##suffix(            \
		double##n x, size_t at, space half *p)                         \
	{                                                                      \
		vstore_half##n##suffix(x, at, p);                              \
	}
#define STORE_PART(part, suffix) STORE_PART_##part(suffix)
#define STORE_PART_1(suffix) vstore_half##suffix
#define STORE_PART_2(suffix) vstore_half2##suffix
#define STORE_PART_4(suffix) vstore_half4##suffix
#define STORE_PART_8(suffix) vstore_half8##suffix

#define STORE_HALF_MODES(space)                                                \
	STORE_HALF(space, , TO_NEAREST)                                        \
	STORE_HALF(space, _rte, TO_NEAREST)                                    \
	STORE_HALF(space, _rtz, TO_ZERO)                                       \
	STORE_HALF(space, _rtp, UPWARDS)                                       \
	STORE_HALF(space, _rtn, DOWNWARDS)
STORE_HALF_MODES(__private)
STORE_HALF_MODES(__local)
STORE_HALF_MODES(__global)
