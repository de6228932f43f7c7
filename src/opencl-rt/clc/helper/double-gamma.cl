/* The logarithm of the gamma function (OpenCL C 1.2, section 6.12.2, which sets
 * no limit for its errors). */

/* Of x from 2^-60 to 10 by way of gamma(x + 1) = x gamma(x), and from there
 * on by Stirling's series. */
INLINE double __m2s_lgamma_positive(double x)
{
	double product = 1.0, r, u, p;

	_Pragma("nounroll") while (x < 10.0)
	{
		product *= x;
		x += 1.0;
	}
	r = 1.0 / x;
	u = r * r;
	p = 1.0 / 156.0;
	p = FMA(p, u, -691.0 / 360360.0);
	p = FMA(p, u, 1.0 / 1188.0);
	p = FMA(p, u, -1.0 / 1680.0);
	p = FMA(p, u, 1.0 / 1260.0);
	p = FMA(p, u, -1.0 / 360.0);
	p = FMA(p, u, 1.0 / 12.0);
	/* ln(2 pi) / 2 - 1 / 2 */
	p = FMA(p, r, 0x1.acfe390c97d69p-2);
	p = FMA(x - 0.5, log(x) - 1.0, p);
	return p - log(product);
}

/* gamma(x) gamma(-x) = -pi / (x sin(pi x)) */
INLINE double __m2s_lgamma(double x, bool *negative)
{
	double a = fabs(x), sine = sinpi(fmod(a, 2.0)), r;

	*negative = false;
	if (a < 0x1p-60 || x != x) {
		*negative = HIGH(x) >> 31;
		return x != x ? x : -log(a);
	}
	if (a == as_double(0x7ff0000000000000UL) || (x < 0 && sine == 0))
		return as_double(0x7ff0000000000000UL);
	r = __m2s_lgamma_positive(a);
	*negative = x < 0 && sine > 0;
	return x < 0 ? log(0x1.921fb54442d18p+1 / fabs(a * sine)) - r : r;
}

OVER double lgamma(double x)
{
	bool negative;

	return __m2s_lgamma(x, &negative);
}
LONG_1(lgamma)

#define LGAMMA_R(space)                                                        \
	__attribute__((overloadable)) double lgamma_r(double x,                \
						      space int *sign)         \
	{                                                                      \
		bool negative;                                                 \
		double r = __m2s_lgamma(x, &negative);                         \
                                                                               \
		*sign = negative ? -1 : 1;                                     \
		return r;                                                      \
	}                                                                      \
	LGAMMA_R_VECTOR(space, 2)                                              \
	LGAMMA_R_VECTOR(space, 3)                                              \
	LGAMMA_R_VECTOR(space, 4)                                              \
	LGAMMA_R_VECTOR(space, 8)                                              \
	LGAMMA_R_VECTOR(space, 16)
#define LGAMMA_R_VECTOR(space, n)                                              \
	__attribute__((overloadable)) double##n lgamma_r(double##n x,          \
							 space int##n *sign)   \
	{                                                                      \
		double##n r = x;                                               \
		int##n signs;                                                  \
                                                                               \
		_Pragma("nounroll") for (int i = 0; i < n; i++)                \
		{                                                              \
			bool negative;                                         \
                                                                               \
			r[i] = __m2s_lgamma(x[i], &negative);                  \
			signs[i] = negative ? -1 : 1;                          \
		}                                                              \
		*sign = signs;                                                 \
		return r;                                                      \
	}
LGAMMA_R(__private)
LGAMMA_R(__local)
LGAMMA_R(__global)
