/* The error function of doubles (OpenCL C 1.2, section 6.12.2; errors: section
 * 7.4, at most 16 units). The polynomials interpolate at Chebyshev's points;
 * the coefficients are rounded. */

/* erf(x) / x - 1 for |x| up to 1, z = x^2. */
INLINE double __m2s_erf_part(double z)
{
	double p = 0x1.05ffd737fb32ep-34;

	p = FMA(p, z, -0x1.389d4f2641625p-30);
	p = FMA(p, z, 0x1.f7b4bf3b13964p-27);
	p = FMA(p, z, -0x1.5f1ecb6f0764cp-23);
	p = FMA(p, z, 0x1.b9df224ca4b97p-20);
	p = FMA(p, z, -0x1.f4d1e3183f7aep-17);
	p = FMA(p, z, 0x1.f9a321d5b8e1ep-14);
	p = FMA(p, z, -0x1.c02db3dac435fp-11);
	p = FMA(p, z, 0x1.565bcd0dbaa38p-8);
	p = FMA(p, z, -0x1.b82ce31284e00p-6);
	p = FMA(p, z, 0x1.ce2f21a042b30p-4);
	p = FMA(p, z, -0x1.812746b0379e6p-2);
	return FMA(p, z, 0x1.06eba8214db69p-3);
}

/* x e^(x^2) erfc(x) for x from 0.5 to 28, with u = (x - 2) / (x + 2). */
INLINE double __m2s_erfc_part(double u)
{
	double p = -0x1.010903ec694a6p-24;

	p = FMA(p, u, 0x1.0c7b21799bce4p-23);
	p = FMA(p, u, 0x1.69484f6c5b98dp-23);
	p = FMA(p, u, -0x1.2759def773be5p-22);
	p = FMA(p, u, -0x1.10b0e2f12a928p-21);
	p = FMA(p, u, -0x1.87c2b708d5badp-23);
	p = FMA(p, u, 0x1.0edebcb9d107ap-20);
	p = FMA(p, u, 0x1.7413f83f7606dp-19);
	p = FMA(p, u, 0x1.53bed02fc2de2p-20);
	p = FMA(p, u, -0x1.20d4c919ac1e5p-17);
	p = FMA(p, u, -0x1.3d4afa449b6f9p-16);
	p = FMA(p, u, 0x1.a1a4248952fa7p-18);
	p = FMA(p, u, 0x1.76989ab01e5d3p-14);
	p = FMA(p, u, 0x1.770f91dc90076p-14);
	p = FMA(p, u, -0x1.499efe661abc0p-12);
	p = FMA(p, u, -0x1.895019e7d2f77p-11);
	p = FMA(p, u, 0x1.2758bd2ce5258p-10);
	p = FMA(p, u, 0x1.399546d9b3580p-8);
	p = FMA(p, u, -0x1.ec8d2aae77d86p-8);
	p = FMA(p, u, -0x1.dac006bb1434bp-6);
	p = FMA(p, u, 0x1.f1b9a3c942f39p-4);
	p = FMA(p, u, -0x1.a1791e43ece75p-3);
	p = FMA(p, u, 0x1.5672b9ea13de5p-3);
	return FMA(p, u, 0x1.058671b52c776p-1);
}

/* erf(x) for |x| up to 1. */
INLINE double __m2s_erf_small(double x)
{
	return FMA(x, __m2s_erf_part(x * x), x);
}

/* erfc(x) for x from 0.5 to 28. e^-(square + rest) is scaled because the
 * result may be below the normal numbers. */
INLINE double __m2s_erfc_large(double x)
{
	double square = x * x, rest = FMA(x, x, -square);
	double tail = __m2s_exp(-square, -rest, 200);

	tail *= __m2s_near_quotient(
		__m2s_erfc_part(__m2s_near_quotient(x - 2.0, x + 2.0)), x);
	return __m2s_ldexp_64(tail, -200);
}

OVER double erf(double x)
{
	double a = fabs(x), large = 1.0 - __m2s_erfc_large(
					  fmax(fmin(a, 7.0), 1.0));

	large = __m2s_with_sign(large, HIGH(x));
	return a > 1.0 ? large : __m2s_erf_small(x);
}
LONG_1(erf)

OVER double erfc(double x)
{
	double a = fabs(x), large = __m2s_erfc_large(fmax(fmin(a, 28.0), 0.5));

	large = x < 0 ? 2.0 - large : large;
	return x > 0.5 || x < -1.0 ? large : 1.0 - __m2s_erf_small(x);
}
LONG_1(erfc)
