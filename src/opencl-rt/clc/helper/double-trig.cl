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
	double p = 1.0 / 17.0;

	p = FMA(p, z, -1.0 / 15.0);
	p = FMA(p, z, 1.0 / 13.0);
	p = FMA(p, z, -1.0 / 11.0);
	p = FMA(p, z, 1.0 / 9.0);
	p = FMA(p, z, -1.0 / 7.0);
	p = FMA(p, z, 1.0 / 5.0);
	return z * FMA(p, z, -1.0 / 3.0);
}

/* One of four words. LLVM would make branches of nested choices. */
INLINE uint __m2s_of_quarter(float c, uint one, uint two, uint three, uint four)
{
	uint word = c == 1.0f ? four : 0;

	word = c == 0.75f ? three : word;
	word = c == 0.5f ? two : word;
	return c == 0.25f ? one : word;
}

/* atan(c) for the multiples of 1/4 up to 1, and the high dword of what is behind its
 * last bit. */
INLINE double __m2s_quarter_angle(float c, uint *more)
{
	*more = __m2s_of_quarter(c, 0x3c68ab6e, 0x3c7a2b7f, 0x3c72419a,
				 0x3c81a626);
	return DOUBLE(__m2s_of_quarter(c, 0xf92c80dd, 0x0561bb4f, 0xa3269ee1,
				       0x54442d18),
		      __m2s_of_quarter(c, 0x3fcf5b75, 0x3fddac67, 0x3fe4978f,
				       0x3fe921fb));
}

/* The angle of (y, x) for y from 0 up, as a sum; y_near and x_near are their magnitudes
 * in singles. n / d is the smaller over the larger magnitude, with the sign that its
 * angle has in base + angle, base 0, pi/2 or pi. It is c + what is left, c a multiple of
 * 1/4, and atan(n/d) = atan(c) + atan((n - c d) / (d + c n)). Singles are good enough for
 * c, and for the reciprocal of d + c n, which is d (1 + c n/d). d is at least 2^-123: n
 * that is no normal single, and 0 as one, is below d/8, where c is 0. And n is so large
 * that remainders have their last bits, or zero, or d is 1 or so. */
INLINE double __m2s_near_angle(double y, double x, float y_near, float x_near,
			       double *more)
{
	double n = fmin(fabs(y), fabs(x)), d = fmax(fabs(y), fabs(x));
	uint swap = fabs(y) > fabs(x) ? 0xffffffff : 0;
	uint negative = (uint)((int)HIGH(x) >> 31);
	uint sign = (swap ^ negative) & SIGN_BIT;
	uint low = swap | negative;
	double base = DOUBLE(low & 0x54442d18,
			     swap ? 0x3ff921fb : negative & 0x400921fb);
	double base_more = DOUBLE(low & 0x33145c07,
				  swap ? 0x3c91a626 : negative & 0x3ca1a626);
	float s = __m2s_recip(__builtin_fmaxf(y_near, x_near));
	float ratio = __builtin_fminf(y_near, x_near) * s;
	float c = (ratio + 0x1.8p21f) - 0x1.8p21f;
	double t, q, h, rest, sum;
	uint l;

	q = __m2s_recip(c * ratio + 1.0f) * s;
	h = __m2s_quarter_angle(c, &l);
	h = DOUBLE(WORDS(h).x, HIGH(h) ^ sign);
	n = DOUBLE(WORDS(n).x, HIGH(n) ^ sign);
	c = as_float(as_uint(c) ^ sign);
	t = FMA(-(double)c, d, n);
	d = FMA((double)c, n, d);
	t = __m2s_corrected_quotient(t, d, q);
	rest = FMA(t, __m2s_atan_series(t * t), DOUBLE(0, l ^ sign));
	sum = h + t;
	rest += (h - sum) + t;
	h = base + sum;
	rest = ((base - h) + sum) + (base_more + rest);
	sum = h + rest;
	*more = (h - sum) + rest;
	return sum;
}

/* Infinite numbers, zeros and extremes: the larger number becomes 1 to 2. */
INLINE double __m2s_far_angle(double y, double x, double *more)
{
	double infinite = DOUBLE(0, HIGH_INF), d;
	bool is_infinite_y = fabs(y) == infinite;
	bool is_infinite_x = fabs(x) == infinite;
	int scale;

	if (is_infinite_y || is_infinite_x) {
		y = is_infinite_y ? 1.0 : 0.0;
		x = __m2s_with_sign(is_infinite_x ? 1.0 : 0.0, HIGH(x));
	}
	d = fmax(fabs(y), fabs(x));
	x = d == 0 ? __m2s_with_sign(1.0, HIGH(x)) : x;
	scale = d == 0 ? 0 : 1023 - (int)(HIGH(d) >> 20);
	y = __m2s_ldexp_64(y, scale);
	x = __m2s_ldexp_64(x, scale);
	return __m2s_near_angle(y, x, __m2s_single_64(fabs(y)),
				__m2s_single_64(fabs(x)), more);
}

/* With the sign of y, or no number. */
INLINE double __m2s_angle_end(double y, bool is_nan, double angle, double *more)
{
	*more = __m2s_with_sign(*more, HIGH(*more) ^ (HIGH(y) & SIGN_BIT));
	angle = __m2s_with_sign(angle, HIGH(y));
	return is_nan ? DOUBLE(0, HIGH_NAN) : angle;
}

INLINE double __m2s_angle(double y, double x, double *more)
{
	uint high_y = HIGH(y) & ~SIGN_BIT, high_x = HIGH(x) & ~SIGN_BIT;
	uint most = high_y > high_x ? high_y : high_x;
	uint least = high_y > high_x ? high_x : high_y;
	bool is_zero = (!(high_y | WORDS(y).x)) | !(high_x | WORDS(x).x);
	double angle = __m2s_near_angle(y, x, __m2s_single_64(fabs(y)),
					__m2s_single_64(fabs(x)), more);

	if (!(IS_NEAR(most, -123, 124) & (IS_NEAR(least, -1000, 124) | is_zero)))
		angle = __m2s_far_angle(y, x, more);
	return __m2s_angle_end(y, (x != x) | (y != y), angle, more);
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

/* From 2^60 on the angle is pi/2. */
INLINE double __m2s_atan(double x, double *more)
{
	double a = fmin(fabs(x), 0x1p60);
	double angle = __m2s_near_angle(a, 1.0, __m2s_single_64(a), 1.0f, more);

	return __m2s_angle_end(x, x != x, angle, more);
}

OVER double atan(double x)
{
	double more;

	return __m2s_atan(x, &more);
}
LONG_1(atan)

OVER double atanpi(double x)
{
	double more, h = __m2s_atan(x, &more);

	return __m2s_over_pi(h, more);
}
LONG_1(atanpi)

/* sqrt(1 - x^2), and near it. */
INLINE double __m2s_other_leg(double x, float *near)
{
	double square = (1.0 - x) * (1.0 + x);
	float single = __m2s_single_64(fabs(square));

	*near = __m2s_recipsqrt(single) * single;
	return __m2s_near_root(square);
}

/* The angle of the point (sqrt(1 - x^2), x). */
INLINE double __m2s_asin(double x, double *more)
{
	float near;
	double leg = __m2s_other_leg(x, &near);
	double angle = __m2s_near_angle(x, fabs(leg), __m2s_single_64(fabs(x)),
					near, more);

	return __m2s_angle_end(x, !(fabs(x) <= 1.0), angle, more);
}

INLINE double __m2s_acos(double x, double *more)
{
	float near;
	double leg = __m2s_other_leg(x, &near);
	double angle = __m2s_near_angle(leg, x, near, __m2s_single_64(fabs(x)),
					more);

	return __m2s_angle_end(1.0, !(fabs(x) <= 1.0), angle, more);
}

OVER double asin(double x)
{
	double more;

	return __m2s_asin(x, &more);
}
LONG_1(asin)

OVER double asinpi(double x)
{
	double more, h = __m2s_asin(x, &more);

	return __m2s_over_pi(h, more);
}
LONG_1(asinpi)

OVER double acos(double x)
{
	double more;

	return __m2s_acos(x, &more);
}
LONG_1(acos)

OVER double acospi(double x)
{
	double more, h = __m2s_acos(x, &more);

	return __m2s_over_pi(h, more);
}
LONG_1(acospi)
