/* Trigonometric functions of doubles (OpenCL C 1.2, section 6.12.2; errors:
 * section 7.4, at most 4 to 6 units). */
#define PI_2_FIRST 0x1.921fb544p0 /* 33 bits: exact times a number below 2^20 */
#define PI_2_SECOND 0x1.0b4611a626331p-34
#define PI_2_THIRD 0x1.1701b839a252p-88
#define PI_2 0x1.921fb54442d18p0
#define PI_2_MORE 0x1.1a62633145c07p-54
#define PI 0x1.921fb54442d18p+1
#define PI_MORE 0x1.1a62633145c07p-53
#define TWO_PI 0x1.45f306dc9c883p-1 /* 2 / pi */
#define ONE_PI 0x1.45f306dc9c883p-2

/* The bits of 2/pi behind the point, after two words of zeros. */
__constant uint __m2s_two_pi[] = {
	0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
	0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0,
	0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
	0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
	0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7,
	0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea,
	0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab,
};

/* A large x times 2/pi: the quotient's last two bits, and the rest as a sum.
 * x is M * 2^e with an integer M. Of 2/pi only the 224 bits count of which
 * M * 2^e makes no multiple of 4 and which the result shows (Payne and
 * Hanek). */
INLINE int __m2s_large_quadrant(double x, double *rest, double *more)
{
	int exponent = (int)(HIGH(x) >> 20 & 0x7ff) - 1075;
	int first = (exponent - 2) >> 5, shift = exponent - 32 * first;
	uint m0 = WORDS(x).x, m1 = (HIGH(x) & 0xfffff) | 0x100000;
	uint p[9], w[5];
	ulong carry = 0;
	double h, l, sum;
	int quadrant;

	/* The product of M and seven words, least significant first. */
#pragma unroll
	for (int i = 0; i < 7; i++) {
		carry += (ulong)m0 * __m2s_two_pi[first + 8 - i];
		p[i] = (uint)carry;
		carry >>= 32;
	}
	p[7] = (uint)carry;
	carry = 0;
#pragma unroll
	for (int i = 0; i < 7; i++) {
		carry += (ulong)m1 * __m2s_two_pi[first + 8 - i] + p[i + 1];
		p[i + 1] = (uint)carry;
		carry >>= 32;
	}
	/* The point is before bit 224 - shift: bring it before bit 222. */
#pragma unroll
	for (int i = 0; i < 5; i++)
		w[i] = (uint)(((ulong)p[i + 2] << 32 | p[i + 1]) <<
				      (shift - 2) >> 32);
	quadrant = (int)(w[4] >> 30);
	/* The fraction from -1/2 to 1/2. */
	w[4] = w[4] << 2 | w[3] >> 30;
	w[3] = w[3] << 2 | w[2] >> 30;
	w[2] = w[2] << 2 | w[1] >> 30;
	w[1] = w[1] << 2 | w[0] >> 30;
	quadrant += (int)(w[4] >> 31);
	h = (double)(int)w[4] * 0x1p-32;
	l = (double)w[3] * 0x1p-64;
	sum = h + l;
	l = (h - sum) + l;
	l += (double)w[2] * 0x1p-96 + (double)w[1] * 0x1p-128;
	h = sum + l;
	l = (sum - h) + l;
	*rest = h * PI_2;
	*more = FMA(h, PI_2, -*rest) + FMA(h, PI_2_MORE, l * PI_2);
	return HIGH(x) & SIGN_BIT ? (*rest = -*rest, *more = -*more, -quadrant)
				  : quadrant;
}

/* x = quadrant * pi/2 + rest + more, |rest| up to pi/4. */
INLINE int __m2s_quadrant(double x, double *rest, double *more)
{
	double sum = FMA(x, TWO_PI, TO_INTEGER_52), k = sum - TO_INTEGER_52;
	double first = FMA(-k, PI_2_FIRST, x);
	int quadrant = (int)WORDS(sum).x;

	*rest = FMA(-k, PI_2_SECOND, first);
	*more = FMA(-k, PI_2_THIRD, FMA(-k, PI_2_SECOND, first - *rest));
	if ((HIGH(x) & ~SIGN_BIT) >= 0x41300000) /* 2^20 */
		quadrant = __m2s_large_quadrant(x, rest, more);
	return quadrant;
}

/* sin(r + more) and cos(r + more) for |r| up to pi/4. */
INLINE double __m2s_sin_part(double r, double more)
{
	double z = r * r, p = -0x1.ae7f3e733b81fp-41 * -0x1.e1e1e1e1e1e1ep-9;

	p = FMA(p, z, -0x1.ae7f3e733b81fp-41);
	p = FMA(p, z, 0x1.6124613a86d09p-33);
	p = FMA(p, z, -0x1.ae64567f544e4p-26);
	p = FMA(p, z, 0x1.71de3a556c734p-19);
	p = FMA(p, z, -0x1.a01a01a01a01ap-13);
	p = FMA(p, z, 0x1.1111111111111p-7);
	p = FMA(p, z, -0x1.5555555555555p-3);
	return r + FMA(r * z, p, FMA(-0.5 * z, more, more));
}

INLINE double __m2s_cos_part(double r, double more)
{
	double z = r * r, h = 0.5 * z, w = 1.0 - h, p = 0x1.ae7f3e733b81fp-45;

	p = FMA(p, z, -0x1.93974a8c07c9dp-37);
	p = FMA(p, z, 0x1.1eed8eff8d898p-29);
	p = FMA(p, z, -0x1.27e4fb7789f5cp-22);
	p = FMA(p, z, 0x1.a01a01a01a01ap-16);
	p = FMA(p, z, -0x1.6c16c16c16c17p-10);
	p = FMA(p, z, 0x1.5555555555555p-5);
	return w + (((1.0 - w) - h) + FMA(z * z, p, -r * more));
}

INLINE double __m2s_finite_or_nan(double x, double r)
{
	return (HIGH(x) & HIGH_INF) == HIGH_INF ? DOUBLE(0, HIGH_NAN) : r;
}

INLINE double __m2s_turned_sin(int quadrant, double r, double more)
{
	double s = __m2s_sin_part(r, more), c = __m2s_cos_part(r, more);

	s = quadrant & 1 ? c : s;
	return quadrant & 2 ? -s : s;
}

OVER double sin(double x)
{
	double r, more;
	int quadrant = __m2s_quadrant(x, &r, &more);

	r = __m2s_turned_sin(quadrant, r, more);
	return x == 0 ? x : __m2s_finite_or_nan(x, r);
}
LONG_1(sin)

OVER double cos(double x)
{
	double r, more;
	int quadrant = __m2s_quadrant(x, &r, &more);

	return __m2s_finite_or_nan(x, __m2s_turned_sin(quadrant + 1, r, more));
}
LONG_1(cos)

__attribute__((overloadable)) double sincos(double x, double *cosine)
{
	double r, more, s, c;
	int quadrant = __m2s_quadrant(x, &r, &more);

	s = __m2s_turned_sin(quadrant, r, more);
	c = __m2s_turned_sin(quadrant + 1, r, more);
	*cosine = __m2s_finite_or_nan(x, c);
	return x == 0 ? x : __m2s_finite_or_nan(x, s);
}
WITH_POINTER(sincos, double)

INLINE double __m2s_tan_part(int quadrant, double r, double more)
{
	double s = __m2s_sin_part(r, more), c = __m2s_cos_part(r, more);

	return quadrant & 1 ? -c / s : s / c;
}

OVER double tan(double x)
{
	double r, more;
	int quadrant = __m2s_quadrant(x, &r, &more);

	r = __m2s_tan_part(quadrant, r, more);
	return x == 0 ? x : __m2s_finite_or_nan(x, r);
}
LONG_1(tan)

/* Of multiples of pi (zeros and infinities: section 7.5.1): x = quadrant / 2 + r exactly. */
INLINE int __m2s_half_turns(double x, double *rest, double *more)
{
	/* From 2^53 on all numbers are even. */
	double small = fabs(x) < 0x1p53 ? x : 0.0;
	double twice = rint(2.0 * small), r = FMA(-0.5, twice, small);
	double four = twice - 4.0 * floor(0.25 * twice);

	*rest = r * PI;
	*more = FMA(r, PI_MORE, FMA(r, PI, -*rest));
	return (int)four;
}

OVER double sinpi(double x)
{
	double r, more;
	int quadrant = __m2s_half_turns(x, &r, &more);

	r = __m2s_turned_sin(quadrant, r, more);
	r = r == 0 ? __m2s_with_sign(r, HIGH(x)) : r;
	return __m2s_finite_or_nan(x, r);
}
LONG_1(sinpi)

OVER double cospi(double x)
{
	double r, more;
	int quadrant = __m2s_half_turns(x, &r, &more);

	return __m2s_finite_or_nan(x, fabs(__m2s_turned_sin(quadrant + 1, r,
							    more)) == 0
					      ? 0.0
					      : __m2s_turned_sin(quadrant + 1,
								 r, more));
}
LONG_1(cospi)

OVER double tanpi(double x)
{
	double r, more;
	int quadrant = __m2s_half_turns(x, &r, &more);

	if (r == 0)
		r = quadrant & 1 ? DOUBLE(0, HIGH_INF | quadrant >> 1 << 31)
				 : DOUBLE(0, (HIGH(x) & SIGN_BIT) ^
						     (uint)quadrant >> 1 << 31);
	else
		r = __m2s_tan_part(quadrant, r, more);
	return x == 0 ? x : __m2s_finite_or_nan(x, r);
}
LONG_1(tanpi)

/* --- Inverse functions -------------------------------------------------- */

/* (atan(t) - t) / t for |t| up to 1/8, z = t^2. */
INLINE double __m2s_atan_series(double z)
{
	double p = -1.0 / 19.0;

	p = FMA(p, z, 1.0 / 17.0);
	p = FMA(p, z, -1.0 / 15.0);
	p = FMA(p, z, 1.0 / 13.0);
	p = FMA(p, z, -1.0 / 11.0);
	p = FMA(p, z, 1.0 / 9.0);
	p = FMA(p, z, -1.0 / 7.0);
	p = FMA(p, z, 1.0 / 5.0);
	return z * FMA(p, z, -1.0 / 3.0);
}

/* The angle of (y, x), in units of 1 / factor, with the start and the end of
 * pi/2 and pi. n / d is the smaller over the larger; it is c + what is left, c
 * a multiple of 1/4, and atan(n/d) = atan(c) + atan((n - c d) / (d + c n)). */
INLINE double __m2s_angle(double y, double x, double *more)
{
	double a = fabs(y), b = fabs(x), infinite = DOUBLE(0, HIGH_INF);
	double n = fmin(a, b), d = fmax(a, b), c, t, h, l, base, rest;
	int steps, scale;

	n = d == infinite ? (n == infinite ? 1.0 : 0.0) : n;
	d = d == infinite || d == 0 ? 1.0 : d;
	/* d near 2^500: no sum overflows, no small quotient loses bits. */
	scale = 1523 - (int)(HIGH(d) >> 20);
	n = __m2s_ldexp_64(n, scale);
	d = __m2s_ldexp_64(d, scale);
	t = __m2s_ldexp_64(n, 1023 - (int)(HIGH(d) >> 20));
	c = t * (double)__m2s_recip(__m2s_single_64(__m2s_fraction(d, 1023)));
	c = FMA(c, 4.0, TO_INTEGER_52);
	steps = (int)WORDS(c).x;
	c = 0.25 * (c - TO_INTEGER_52);
	t = __m2s_quotient(FMA(-c, d, n), FMA(c, n, d));
	h = steps == 4	 ? 0x1.921fb54442d18p-1
	    : steps == 3 ? 0x1.4978fa3269ee1p-1
	    : steps == 2 ? 0x1.dac670561bb4fp-2
	    : steps == 1 ? 0x1.f5b75f92c80ddp-3
			 : 0.0;
	l = steps == 4	 ? 0x1.1a62633145c07p-55
	    : steps == 3 ? 0x1.2419a87f2a458p-56
	    : steps == 2 ? 0x1.a2b7f222f65e2p-56
	    : steps == 1 ? 0x1.8ab6e3cf7afbdp-57
			 : 0.0;
	rest = FMA(t, __m2s_atan_series(t * t), l);
	c = h + t;
	rest += (h - c) + t;
	if (a > b) { /* pi/2 less that */
		base = PI_2 - c;
		rest = (PI_2 - base) - c + (PI_2_MORE - rest);
		c = base;
	}
	if (HIGH(x) & SIGN_BIT) {
		base = PI - c;
		rest = (PI - base) - c + (PI_MORE - rest);
		c = base;
	}
	h = c + rest;
	*more = __m2s_with_sign((c - h) + rest,
				HIGH((c - h) + rest) ^ (HIGH(y) & SIGN_BIT));
	h = __m2s_with_sign(h, HIGH(y));
	return a != a || b != b ? DOUBLE(0, HIGH_NAN) : h;
}

/* Angles over pi. */
INLINE double __m2s_over_pi(double h, double more)
{
	double r = h * ONE_PI;

	return h == 0 ? h : r + FMA(h, -0x1.6b01ec5417056p-56,
		       FMA(more, ONE_PI, FMA(h, ONE_PI, -r)));
}

OVER double atan2(double y, double x)
{
	double more;

	return __m2s_angle(y, x, &more);
}
LONG_2(atan2)

OVER double atan2pi(double y, double x)
{
	double more, h = __m2s_angle(y, x, &more);

	return __m2s_over_pi(h, more);
}
LONG_2(atan2pi)

OVER double atan(double x)
{
	return atan2(x, 1.0);
}
LONG_1(atan)

OVER double atanpi(double x)
{
	return atan2pi(x, 1.0);
}
LONG_1(atanpi)

OVER double asin(double x)
{
	return atan2(x, sqrt((1.0 - x) * (1.0 + x)));
}
LONG_1(asin)

OVER double asinpi(double x)
{
	return atan2pi(x, sqrt((1.0 - x) * (1.0 + x)));
}
LONG_1(asinpi)

OVER double acos(double x)
{
	return atan2(sqrt((1.0 - x) * (1.0 + x)), x);
}
LONG_1(acos)

OVER double acospi(double x)
{
	return atan2pi(sqrt((1.0 - x) * (1.0 + x)), x);
}
LONG_1(acospi)
