/* Functions of single precision which libclc or the code generator has wrong:
 * outside the limits of OpenCL C 1.2, section 7.4, but for round (tests/clc/test-accuracy.c). The polynomials
 * interpolate at Chebyshev's points; the coefficients are rounded. */
#define MATH __attribute__((overloadable, const))
#define MATH_INLINE __attribute__((always_inline)) static
#define POLYNOMIAL(p, x, c) ((p) = __builtin_fmaf(p, x, c))

/* Vectors of a function with one operand. */
#define MATH_HALVES(f, type)                                                   \
	MATH type f(type a) { return (type)(f(a.lo), f(a.hi)); }
#define MATH_VECTORS(f)                                                        \
	MATH_HALVES(f, float2)                                                 \
	MATH float3 f(float3 a) { return (float3)(f(a.xy), f(a.z)); }          \
	MATH_HALVES(f, float4)                                                 \
	MATH_HALVES(f, float8)                                                 \
	MATH_HALVES(f, float16)

/* --- Rounding ----------------------------------------------------------- */

/* The code generator makes +0 of numbers from -0.5 to -0. */
MATH float round(float a)
{
	return __builtin_copysignf(__builtin_roundf(a), a);
}
MATH_VECTORS(round)

/* --- Roots -------------------------------------------------------------- */

/* Its results below 2^-125 are 0, which only a first root can have. */
MATH float __clc_rootn(float a, int n);

MATH float rootn(float a, int n)
{
	float root = __clc_rootn(a, n);

	return n == 1 ? a : n == -1 ? 1.0f / a : root;
}
#define ROOT_HALVES(type, number)                                              \
	MATH type rootn(type a, number n)                                      \
	{                                                                      \
		return (type)(rootn(a.lo, n.lo), rootn(a.hi, n.hi));           \
	}
ROOT_HALVES(float2, int2)
MATH float3 rootn(float3 a, int3 n)
{
	return (float3)(rootn(a.xy, n.xy), rootn(a.z, n.z));
}
ROOT_HALVES(float4, int4)
ROOT_HALVES(float8, int8)
ROOT_HALVES(float16, int16)

/* --- Error function ----------------------------------------------------- */

/* x e^(x^2) erfc(x) for x from 0.5 to 10.2, with u = (x - 1.5) / (x + 1.5). */
MATH_INLINE float __m2s_erfc_part(float u)
{
	float p = -0x1.e42dfcp-14f;

	POLYNOMIAL(p, u, 0x1.5f2102p-10f);
	POLYNOMIAL(p, u, 0x1.8e885ep-11f);
	POLYNOMIAL(p, u, -0x1.52f01p-8f);
	POLYNOMIAL(p, u, -0x1.21ddaap-7f);
	POLYNOMIAL(p, u, 0x1.44eadep-6f);
	POLYNOMIAL(p, u, 0x1.f9711ep-5f);
	POLYNOMIAL(p, u, -0x1.ba9a3ap-3f);
	POLYNOMIAL(p, u, 0x1.d3df2ep-3f);
	POLYNOMIAL(p, u, 0x1.edf488p-2f);
	return p;
}

MATH float erfc(float x)
{
	float y = x > 11.0f ? 11.0f : x; /* there it is 0, and NaN stays */
	float square = y * y, rest = __builtin_fmaf(y, y, -square);
	float tail = exp(-square);

	/* e^-(square + rest) = e^-square (1 - rest) */
	tail = __builtin_fmaf(-rest, tail, tail);
	tail *= __m2s_erfc_part((y - 1.5f) / (y + 1.5f)) / y;
	return x < 0.5f ? 1.0f - erf(x) : tail;
}
MATH_VECTORS(erfc)

/* --- Gamma function ----------------------------------------------------- */

/* The gamma function of 1.5 + t for |t| up to 0.5. */
MATH_INLINE float __m2s_gamma_part(float t)
{
	float p = -0x1.799e72p-6f;

	POLYNOMIAL(p, t, 0x1.1b2cep-5f);
	POLYNOMIAL(p, t, -0x1.2c3f1ap-5f);
	POLYNOMIAL(p, t, 0x1.cf8db6p-5f);
	POLYNOMIAL(p, t, -0x1.3e0a9ap-4f);
	POLYNOMIAL(p, t, 0x1.289d14p-3f);
	POLYNOMIAL(p, t, -0x1.b776a8p-4f);
	POLYNOMIAL(p, t, 0x1.a8c352p-2f);
	POLYNOMIAL(p, t, 0x1.08ea7ep-5f);
	POLYNOMIAL(p, t, 0x1.c5bf8ap-1f);
	return p;
}

/* The gamma function of x, 1 <= x <= 8: down to between 1 and 2 by steps of
 * one, which are exact. */
MATH_INLINE float __m2s_gamma_small(float x)
{
	float product = 1.0f;

	for (int i = 0; i < 6; i++) {
		float less = x - 1.0f;

		product *= x > 2.0f ? less : 1.0f;
		x = x > 2.0f ? less : x;
	}
	return product * __m2s_gamma_part(x - 1.5f);
}

/* The gamma function of x >= 8 as a product of two, because it may be too
 * large for one: Stirling's series (Abramowitz and Stegun, 6.1.37). */
MATH_INLINE float2 __m2s_gamma_large(float x)
{
	float root = powr(x, 0.5f * (x - 0.5f)), z = 1.0f / x;
	float p = -571.0f / 2488320.0f;

	POLYNOMIAL(p, z, -139.0f / 51840.0f);
	POLYNOMIAL(p, z, 1.0f / 288.0f);
	POLYNOMIAL(p, z, 1.0f / 12.0f);
	POLYNOMIAL(p, z, 1.0f);
	/* sqrt(2 pi) x^(x - 1/2) e^-x p */
	return (float2)(root, root * exp(-x) * (2.50662827463f * p));
}

MATH float tgamma(float x)
{
	float y = fabs(x), above = x < 0.0f ? x + 1.0f : x;
	float sine = sinpi(y), mirrored, result;
	float2 parts = __m2s_gamma_large(fmin(fmax(y, 8.0f), 43.0f));

	if (y < 8.0f)
		parts = (float2)(__m2s_gamma_small(fmax(y, 1.0f)), 1.0f);
	mirrored = -(3.14159265359f / (y * sine)) / parts.x / parts.y;
	result = x < 0.0f ? mirrored : parts.x * parts.y;
	/* gamma(x) = gamma(x + 1) / x, for x below 0 twice */
	if (y < 1.0f)
		result = __m2s_gamma_part(above - 0.5f) /
			 (x < 0.0f ? x * above : x);
	return x != x || (x < 0.0f && sine == 0.0f) ? NAN : result;
}
MATH_VECTORS(tgamma)
