/* sinpi, cospi and tanpi: libclc has some of their zeros with the other sign
 * (OpenCL C 1.2, section 7.5.1). */

/* x = quadrant / 2 + rest / pi, the rest up to pi / 4 and exact but for more.
 * From 2^24 on all numbers are even. */
MATH_INLINE int __m2s_quadrant(float x, float *rest, float *more)
{
	float small = __builtin_fabsf(x) < 0x1p24f ? x : 0.0f;
	float halves = __builtin_rintf(2.0f * small);
	float r = __builtin_fmaf(-0.5f, halves, small);

	*rest = r * 0x1.921fb6p1f;
	*more = __builtin_fmaf(r, 0x1.921fb6p1f, -*rest) + r * -0x1.777a5cp-24f;
	return (int)(halves - 4.0f * __builtin_floorf(0.25f * halves));
}

MATH_INLINE float __m2s_sine(float r, float more)
{
	float z = r * r, p = 1.0f / 362880.0f;

	POLYNOMIAL(p, z, -1.0f / 5040.0f);
	POLYNOMIAL(p, z, 1.0f / 120.0f);
	POLYNOMIAL(p, z, -1.0f / 6.0f);
	return r + __builtin_fmaf(r * z, p, more);
}

MATH_INLINE float __m2s_cosine(float r)
{
	float z = r * r, p = -1.0f / 3628800.0f;

	POLYNOMIAL(p, z, 1.0f / 40320.0f);
	POLYNOMIAL(p, z, -1.0f / 720.0f);
	POLYNOMIAL(p, z, 1.0f / 24.0f);
	POLYNOMIAL(p, z, -0.5f);
	return __builtin_fmaf(p, z, 1.0f);
}

/* The sine of so many quadrants and a rest. */
MATH_INLINE float __m2s_turned(int quadrant, float r, float more)
{
	float value = quadrant & 1 ? __m2s_cosine(r) : __m2s_sine(r, more);

	return quadrant & 2 ? -value : value;
}

MATH float sinpi(float x)
{
	float r, more, value;
	int quadrant = __m2s_quadrant(x, &r, &more);

	value = __m2s_turned(quadrant, r, more);
	value = value == 0.0f ? __builtin_copysignf(0.0f, x) : value;
	return __builtin_fabsf(x) < INFINITY ? value : NAN;
}
MATH_VECTORS(sinpi)

MATH float cospi(float x)
{
	float r, more, value;
	int quadrant = __m2s_quadrant(x, &r, &more);

	value = __m2s_turned(quadrant + 1, r, more);
	value = value == 0.0f ? 0.0f : value;
	return __builtin_fabsf(x) < INFINITY ? value : NAN;
}
MATH_VECTORS(cospi)

/* Of n it is a zero with the sign of n, or the other one for odd n; of n + 1/2
 * an infinity, which is negative for odd n. */
MATH float tanpi(float x)
{
	float r, more, value;
	int quadrant = __m2s_quadrant(x, &r, &more);
	float sine = __m2s_sine(r, more), cosine = __m2s_cosine(r);
	float zero = __builtin_copysignf(0.0f, x);

	value = quadrant & 1 ? -cosine / sine : sine / cosine;
	if (r == 0.0f)
		value = quadrant == 0	? zero
			: quadrant == 1 ? INFINITY
			: quadrant == 2 ? -zero
					: -INFINITY;
	return __builtin_fabsf(x) < INFINITY ? value : NAN;
}
MATH_VECTORS(tanpi)
