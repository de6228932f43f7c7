/* The gamma function of doubles and its logarithm (OpenCL C 1.2, section 6.12.2;
 * errors: section 7.4, at most 16 units, and no limit for the logarithm). */

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

/* --- The gamma function itself ------------------------------------------ */

/* Of 1.5 + t for |t| up to 0.5. The polynomial interpolates at Chebyshev's
 * points. */
INLINE double __m2s_gamma_part(double t)
{
	double p = -0x1.09546451e99c8p-12;

	p = FMA(p, t, 0x1.8dfdff69832dap-12);
	p = FMA(p, t, -0x1.d04ef72b50b52p-13);
	p = FMA(p, t, 0x1.5c3859742eb2bp-12);
	p = FMA(p, t, -0x1.71759e5b83295p-11);
	p = FMA(p, t, 0x1.15139c02edd48p-10);
	p = FMA(p, t, -0x1.8d6653728eceap-10);
	p = FMA(p, t, 0x1.29fe79163794cp-9);
	p = FMA(p, t, -0x1.c0bdf0153ac91p-9);
	p = FMA(p, t, 0x1.50637fe2d2087p-8);
	p = FMA(p, t, -0x1.f7fb20be2bce9p-8);
	p = FMA(p, t, 0x1.7990f5370f825p-7);
	p = FMA(p, t, -0x1.1a2c2dab649e5p-6);
	p = FMA(p, t, 0x1.a752ccf6d9af4p-6);
	p = FMA(p, t, -0x1.374fd5bbb581fp-5);
	p = FMA(p, t, 0x1.e022b72a04033p-5);
	p = FMA(p, t, -0x1.3d88cfe528c43p-4);
	p = FMA(p, t, 0x1.283bd37505389p-3);
	p = FMA(p, t, -0x1.b77ac1ca2e82ap-4);
	p = FMA(p, t, 0x1.a8c4dba620c08p-2);
	p = FMA(p, t, 0x1.08ea88ee561b0p-5);
	return FMA(p, t, 0x1.c5bf891b4ef6bp-1);
}

/* Of x from 1 to 12: down to between 1 and 2 by steps of one, which are
 * exact. */
INLINE double __m2s_gamma_small(double x)
{
	double product = 1.0;

	_Pragma("nounroll") while (x > 2.0)
	{
		x -= 1.0;
		product *= x;
	}
	return product * __m2s_gamma_part(x - 1.5);
}

/* The logarithm of gamma(x) as a sum, for x from 12 to 190: Stirling's
 * series. */
INLINE double __m2s_gamma_log(double x, double *more)
{
	double l, h = __m2s_log_double(x, &l), y = x - 0.5, s, t, p;
	double r = __m2s_quotient(1.0, x), u = r * r;

	s = y * h;
	l = FMA(y, l, FMA(y, h, -s));
	h = s - x;
	l += (s - h) - x;
	p = 1.0 / 156.0;
	p = FMA(p, u, -691.0 / 360360.0);
	p = FMA(p, u, 1.0 / 1188.0);
	p = FMA(p, u, -1.0 / 1680.0);
	p = FMA(p, u, 1.0 / 1260.0);
	p = FMA(p, u, -1.0 / 360.0);
	p = FMA(p, u, 1.0 / 12.0);
	/* ln(2 pi) / 2 */
	t = FMA(p, r, 0x1.d67f1c864beb5p-1);
	s = h + t;
	*more = (h - s) + t + l;
	return s;
}

OVER double tgamma(double x)
{
	double y = fabs(x), bound = fmax(fmin(y, 190.0), 12.0), more;
	double log_gamma = __m2s_gamma_log(bound, &more);
	double sine = sinpi(y), factor, r;

	if (y < 1.0) {
		/* gamma(x) = gamma(x + 1) / x, for x below 0 twice */
		r = __m2s_gamma_part(x < 0 ? x + 0.5 : x - 0.5) /
		    (x < 0 ? x * (x + 1.0) : x);
	} else if (x < 0) {
		/* gamma(x) gamma(-x) = -pi / (x sin(pi x)); the result may be
		 * below the normal numbers while gamma(-x) is too large */
		factor = -PI / (y * sine);
		r = y < 12.0 ? factor / __m2s_gamma_small(y)
			     : __m2s_ldexp_64(
				       factor * __m2s_exp(-log_gamma, -more, 200),
				       -200);
	} else {
		r = y < 12.0 ? __m2s_gamma_small(y)
			     : __m2s_exp(log_gamma, more, 0);
	}
	return x != x || (x < 0 && sine == 0) ? DOUBLE(0, HIGH_NAN) : r;
}
LONG_1(tgamma)
