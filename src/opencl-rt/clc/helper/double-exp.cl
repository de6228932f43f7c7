/* Exponential and logarithmic functions of doubles (OpenCL C 1.2, section
 * 6.12.2; errors: section 7.4, at most 3 units, 16 for pow). Polynomials are
 * Taylor's; a reduced argument is the sum of two doubles where its rounding
 * would show. */
#define LN2_FIRST 0x1.62e42fefp-1          /* 33 bits, so that k * it is exact */
#define LN2_REST 0x1.473de6af278edp-34
#define LN2 0x1.62e42fefa39efp-1
#define LN2_MORE 0x1.abc9e3b39803fp-56
#define LN10 0x1.26bb1bbb55516p+1
#define LN10_MORE -0x1.f48ad494ea3e9p-53
#define ONE_LN2 0x1.71547652b82fep+0
#define ONE_LN2_MORE 0x1.777d0ffda0d24p-56
#define ONE_LN10 0x1.bcb7b1526e50ep-2
#define ONE_LN10_MORE 0x1.95355baaafad3p-57
#define LOG10_2_FIRST 0x1.34413509p-2
#define LOG10_2_REST 0x1.ef3fde623e256p-35
#define TO_INTEGER_52 0x1.8p52 /* added: the low word is the nearest integer */

#define FMA __builtin_fma
#define INLINE __attribute__((always_inline)) static

/* (e^r - 1 - r) / r^2 for |r| below 0.36. */
INLINE double __m2s_exp_rest(double r)
{
	double p = 0x1.6124613a86d09p-33;

	p = FMA(p, r, 0x1.1eed8eff8d898p-29);
	p = FMA(p, r, 0x1.ae64567f544e4p-26);
	p = FMA(p, r, 0x1.27e4fb7789f5cp-22);
	p = FMA(p, r, 0x1.71de3a556c734p-19);
	p = FMA(p, r, 0x1.a01a01a01a01ap-16);
	p = FMA(p, r, 0x1.a01a01a01a01ap-13);
	p = FMA(p, r, 0x1.6c16c16c16c17p-10);
	p = FMA(p, r, 0x1.1111111111111p-7);
	p = FMA(p, r, 0x1.5555555555555p-5);
	p = FMA(p, r, 0x1.5555555555555p-3);
	return FMA(p, r, 0.5);
}

/* x = k ln 2 + r + more. */
INLINE int __m2s_exp_reduce(double x, double *r, double *more)
{
	double sum = FMA(x, ONE_LN2, TO_INTEGER_52);
	double k = sum - TO_INTEGER_52;
	double first = FMA(-k, LN2_FIRST, x);

	*r = FMA(-k, LN2_REST, first);
	*more = FMA(-k, LN2_REST, first - *r);
	return (int)WORDS(sum).x;
}

/* 2^scale * e^(x + more), x not NaN. */
INLINE double __m2s_exp(double x, double more, int scale)
{
	double r, rest;
	int k = __m2s_exp_reduce(__builtin_fmax(__builtin_fmin(x, 800.0),
						-800.0),
				 &r, &rest);

	/* e^(r + rest) = e^r + e^r rest */
	rest += more;
	rest = FMA(rest, FMA(r * r, 0.5, r), rest);
	r = 1.0 + (r + FMA(r * r, __m2s_exp_rest(r), rest));
	return __m2s_ldexp_64(r, k + scale);
}

OVER double exp(double x)
{
	double r = __m2s_exp(x, 0.0, 0);

	return x != x ? x : r;
}
LONG_1(exp)

OVER double exp2(double x)
{
	double sum = __builtin_fmax(__builtin_fmin(x, 1100.0), -1100.0) +
		     TO_INTEGER_52;
	double r = __builtin_fmax(__builtin_fmin(x, 1100.0), -1100.0) -
		   (sum - TO_INTEGER_52);
	double h = r * LN2, more = FMA(r, LN2_MORE, FMA(r, LN2, -h));

	h = 1.0 + (h + FMA(h * h, __m2s_exp_rest(h), more));
	h = __m2s_ldexp_64(h, (int)WORDS(sum).x);
	return x != x ? x : h;
}
LONG_1(exp2)

OVER double exp10(double x)
{
	double bound = __builtin_fmax(__builtin_fmin(x, 350.0), -350.0);
	double sum = FMA(bound, 0x1.a934f0979a371p+1, TO_INTEGER_52);
	double k = sum - TO_INTEGER_52;
	double r = FMA(-k, LOG10_2_REST, FMA(-k, LOG10_2_FIRST, bound));
	double h = r * LN10, more = FMA(r, LN10_MORE, FMA(r, LN10, -h));

	h = 1.0 + (h + FMA(h * h, __m2s_exp_rest(h), more));
	h = __m2s_ldexp_64(h, (int)WORDS(sum).x);
	return x != x ? x : h;
}
LONG_1(exp10)

OVER double expm1(double x)
{
	double r, more, p, scale, large;
	int k = __m2s_exp_reduce(__builtin_fmax(__builtin_fmin(x, 800.0),
						-800.0),
				 &r, &more);

	p = r + FMA(r * r, __m2s_exp_rest(r), more);
	large = __m2s_ldexp_64(1.0 + p, k);
	scale = __m2s_ldexp_64(1.0, k);
	p = x > 50.0 ? large : FMA(scale, p, scale - 1.0);
	p = x == 0 ? x : p;
	return x != x ? x : p;
}
LONG_1(expm1)

/* --- Logarithms --------------------------------------------------------- */

/* n / d for d from 2^-1000 to 2^1000 within a unit or so. */
INLINE double __m2s_quotient(double n, double d)
{
	int exponent = (int)(HIGH(d) >> 20 & 0x7ff) - 1023;
	double q = __m2s_near_quotient(n, __m2s_fraction(d, 1023));

	q = HIGH(d) & SIGN_BIT ? -q : q;
	return __m2s_ldexp_64(q, -exponent);
}

/* x = 2^k (1 + f), 1 + f from sqrt(1/2) to sqrt(2). x > 0. */
INLINE double __m2s_log_reduce(double x, double *k)
{
	int exponent = __m2s_exponent(&x) - 1023;
	double m = __m2s_fraction(x, 1023);
	bool is_large = m > 0x1.6a09e667f3bcdp0;

	exponent += is_large;
	m = is_large ? 0.5 * m : m;
	*k = (double)exponent;
	return m - 1.0;
}

/* The series of log(1+f) - 2 s, s = f / (2 + f), divided by s: z = s^2. */
INLINE double __m2s_log_series(double z)
{
	double p = 2.0 / 23.0;

	p = FMA(p, z, 2.0 / 21.0);
	p = FMA(p, z, 2.0 / 19.0);
	p = FMA(p, z, 2.0 / 17.0);
	p = FMA(p, z, 2.0 / 15.0);
	p = FMA(p, z, 2.0 / 13.0);
	p = FMA(p, z, 2.0 / 11.0);
	p = FMA(p, z, 2.0 / 9.0);
	p = FMA(p, z, 2.0 / 7.0);
	p = FMA(p, z, 2.0 / 5.0);
	return FMA(p, z, 2.0 / 3.0);
}

/* f - log(1 + f): 2 s = f - s f, and f^2/2 is the largest part of the rest. */
INLINE double __m2s_log_rest(double f, double half_square)
{
	double s = __m2s_near_quotient(f, 2.0 + f), z = s * s;

	return half_square - s * (half_square + z * __m2s_log_series(z));
}

/* What the logarithms have for zero, negative numbers, NaN, infinity. */
INLINE double __m2s_log_end(double x, double r)
{
	r = HIGH(x) == HIGH_INF && !WORDS(x).x ? x : r;
	r = x == 0 ? DOUBLE(0, HIGH_INF | SIGN_BIT) : r;
	return x >= 0 ? r : DOUBLE(0, HIGH_NAN);
}

OVER double log(double x)
{
	double k, f = __m2s_log_reduce(x, &k), h = 0.5 * f * f;
	double rest = __m2s_log_rest(f, h);

	return __m2s_log_end(x, k * LN2_FIRST +
					((f - rest) + k * LN2_REST));
}
LONG_1(log)

/* log(1 + f) as a sum, for the other bases. */
INLINE double __m2s_log_sum(double f, double *more)
{
	double rest = __m2s_log_rest(f, 0.5 * f * f), high = f - rest;

	*more = (f - high) - rest;
	return high;
}

OVER double log2(double x)
{
	double k, more, f = __m2s_log_reduce(x, &k);
	double h = __m2s_log_sum(f, &more), r = h * ONE_LN2;

	more = FMA(h, ONE_LN2_MORE, FMA(more, ONE_LN2, FMA(h, ONE_LN2, -r)));
	return __m2s_log_end(x, k + (r + more));
}
LONG_1(log2)

OVER double log10(double x)
{
	double k, more, f = __m2s_log_reduce(x, &k);
	double h = __m2s_log_sum(f, &more), r = h * ONE_LN10;

	more = FMA(h, ONE_LN10_MORE, FMA(more, ONE_LN10, FMA(h, ONE_LN10, -r)));
	return __m2s_log_end(x, k * LOG10_2_FIRST +
					(r + FMA(k, LOG10_2_REST, more)));
}
LONG_1(log10)

OVER double log1p(double x)
{
	double sum = 1.0 + x, lost, k, f, r;

	/* What the sum lost, relative to it. */
	lost = x > 1.0 ? 1.0 - (sum - x) : x - (sum - 1.0);
	lost = sum >= 0x1p-1000 && sum < 0x1p1000 ? __m2s_quotient(lost, sum)
						  : 0.0;
	f = __m2s_log_reduce(sum, &k);
	r = __m2s_log_rest(f, 0.5 * f * f);
	r = k * LN2_FIRST + ((f - r) + (k * LN2_REST + lost));
	r = fabs(x) < 0x1p-54 ? x : r;
	return __m2s_log_end(sum, r);
}
LONG_1(log1p)

OVER double logb(double x)
{
	double copy = x, r = (double)(__m2s_exponent(&copy) - 1023);

	r = x == 0 ? DOUBLE(0, HIGH_INF | SIGN_BIT) : r;
	return (HIGH(x) & HIGH_INF) == HIGH_INF ? x * x : r;
}
VECTORS_1(logb)

OVER int ilogb(double x)
{
	double copy = x;
	int r = __m2s_exponent(&copy) - 1023;

	r = x == 0 ? FP_ILOGB0 : r;
	r = (HIGH(x) & HIGH_INF) == HIGH_INF ? INT_MAX : r;
	return x != x ? FP_ILOGBNAN : r;
}
VECTORS_TO(ilogb, int)

/* --- Powers ------------------------------------------------------------- */

/* log(x) as a sum with 65 bits or so: the first terms of the series are kept
 * as sums of two. */
INLINE double __m2s_log_double(double x, double *more)
{
	double k, f = __m2s_log_reduce(x, &k), d = 2.0 + f, dl = f - (d - 2.0);
	double s = __m2s_near_quotient(f, d), sl, z, zl, t, tl, h, l, sum;

	sl = __m2s_near_quotient(FMA(-s, dl, FMA(-s, d, f)), d);
	z = s * s;
	zl = FMA(s, s, -z) + 2.0 * s * sl;
	/* 2/3 + z (2/5 + ...), less 2/3's own rounding. */
	t = 2.0 / 23.0;
	t = FMA(t, z, 2.0 / 21.0);
	t = FMA(t, z, 2.0 / 19.0);
	t = FMA(t, z, 2.0 / 17.0);
	t = FMA(t, z, 2.0 / 15.0);
	t = FMA(t, z, 2.0 / 13.0);
	t = FMA(t, z, 2.0 / 11.0);
	t = FMA(t, z, 2.0 / 9.0);
	t = FMA(t, z, 2.0 / 7.0);
	sum = z * FMA(t, z, 2.0 / 5.0);
	t = 0x1.5555555555555p-1 + sum;
	tl = (0x1.5555555555555p-1 - t) + sum + 0x1.5555555555555p-55;
	/* z (t + tl) */
	h = z * t;
	l = FMA(z, t, -h) + FMA(z, tl, zl * t);
	/* 2 + that, times s */
	t = 2.0 + h;
	tl = (2.0 - t) + h + l;
	h = s * t;
	l = FMA(s, t, -h) + FMA(s, tl, sl * t);
	/* + k ln 2: the first product is exact. */
	t = k * LN2_FIRST;
	sum = t + h;
	z = fabs(t) >= fabs(h) ? (t - sum) + h : (h - sum) + t;
	d = k * LN2_REST;
	l = l + z + d + FMA(k, LN2_REST, -d) + k * -0x1.9ff0342542fc3p-90;
	h = sum + l;
	*more = (sum - h) + l;
	return h;
}

/* |x|^y but for what is zero, infinite or no number. */
INLINE double __m2s_pow(double x, double y)
{
	double more, log_x = __m2s_log_double(x, &more);
	double r = y * log_x, rest = FMA(y, log_x, -r) + y * more;

	rest = fabs(r) < 800.0 ? rest : 0.0;
	return __m2s_exp(r, rest, 0);
}

INLINE bool __m2s_is_integer(double y)
{
	return fabs(y) >= 0x1p52 || trunc(y) == y;
}

INLINE bool __m2s_is_odd(double y)
{
	double h = 0.5 * y;

	return fabs(y) < 0x1p53 && trunc(y) == y && trunc(h) != h;
}

/* The special cases, given what else the power would be. */
INLINE double __m2s_pow_end(double x, double y, double r)
{
	double a = fabs(x), infinite = DOUBLE(0, HIGH_INF);
	bool is_odd = __m2s_is_odd(y);
	bool grows = (a > 1.0) == (y > 0);

	r = fabs(y) == infinite ? (a == 1.0 ? 1.0 : grows ? infinite : 0.0) : r;
	r = a == infinite || a == 0 ? (grows ? infinite : 0.0) : r;
	r = is_odd && HIGH(x) & SIGN_BIT ? -r : r;
	if (x < 0 && a != infinite && !__m2s_is_integer(y))
		r = DOUBLE(0, HIGH_NAN);
	r = x != x || y != y ? DOUBLE(0, HIGH_NAN) : r;
	return y == 0 || x == 1.0 ? 1.0 : r;
}

OVER double pow(double x, double y)
{
	return __m2s_pow_end(x, y, __m2s_pow(fabs(x), y));
}
LONG_2(pow)

OVER double powr(double x, double y)
{
	double r = pow(x, y), infinite = DOUBLE(0, HIGH_INF);

	if (x < 0 || (x == 0 && y == 0) || (x == infinite && y == 0) ||
	    (x == 1.0 && fabs(y) == infinite) || x != x || y != y)
		return DOUBLE(0, HIGH_NAN);
	return x == 0 ? fabs(r) : r;
}
LONG_2(powr)

OVER double pown(double x, int n)
{
	return pow(x, (double)n);
}
VECTORS_INT(pown)

OVER double rootn(double x, int n)
{
	double a = fabs(x), more, r, rest, log_x, y;

	log_x = __m2s_log_double(a, &more);
	y = (double)n;
	r = log_x / y;
	rest = (FMA(-r, y, log_x) + more) / y;
	r = __m2s_exp(r, rest, 0);
	if (a == 0 || a == DOUBLE(0, HIGH_INF))
		r = (a == 0) == (n > 0) ? 0.0 : DOUBLE(0, HIGH_INF);
	if (HIGH(x) & SIGN_BIT)
		r = n & 1 ? -r : a == 0 ? r : DOUBLE(0, HIGH_NAN);
	return n == 0 || x != x ? DOUBLE(0, HIGH_NAN) : r;
}
VECTORS_INT(rootn)

/* The cube root of m, from 2^-120 to 2^120. The estimate in single precision has 18
 * bits, which the logarithm's size costs, and two of Newton's steps follow. The slope
 * 1 / (3 t^2), as t / (3 m), does for both: the first leaves 2^-36, of which it leaves
 * 2^-18 in the second. */
INLINE double __m2s_near_cbrt(double m)
{
	float single = __m2s_single_64(m);
	float estimate = __builtin_exp2f(__builtin_log2f(single) * 0x1.555556p-2f);
	double slope = estimate * (__m2s_recip(single) * 0x1.555556p-2f);
	double t = estimate;

	t = FMA(-FMA(t * t, t, -m), slope, t);
	return FMA(-FMA(t * t, t, -m), slope, t);
}

INLINE double __m2s_far_cbrt(double x)
{
	double m = fabs(x);
	int exponent = __m2s_exponent(&m) - 1023, third;

	third = (exponent + 3072) / 3 - 1024;
	m = __m2s_near_cbrt(__m2s_ldexp_64(__m2s_fraction(m, 1023),
					   exponent - 3 * third));
	m = __m2s_ldexp_64(m, third);
	return x == 0 || (HIGH(x) & HIGH_INF) == HIGH_INF ? fabs(x) : m;
}

OVER double cbrt(double x)
{
	double r = __m2s_near_cbrt(fabs(x));

	if (!IS_NEAR(HIGH(x) & ~SIGN_BIT, -120, 120))
		r = __m2s_far_cbrt(x);
	return __m2s_with_sign(r, HIGH(x));
}
LONG_1(cbrt)

INLINE double __m2s_far_hypot(double a, double b)
{
	double x = fmax(fabs(a), fabs(b)), y = fmin(fabs(a), fabs(b)), r;
	int scale;
	double infinite = DOUBLE(0, HIGH_INF), s, l;

	scale = HIGH(x) > 0x5f300000 ? -600 : HIGH(x) < 0x20000000 ? 600 : 0;
	r = __m2s_ldexp_64(x, scale);
	s = __m2s_ldexp_64(y, scale);
	l = r * r;
	r = __m2s_ldexp_64(sqrt(FMA(s, s, l)), -scale);
	r = a != a || b != b ? DOUBLE(0, HIGH_NAN) : r;
	return fabs(a) == infinite || fabs(b) == infinite ? infinite : r;
}

/* The larger number's square is near 1 or zero. */
OVER double hypot(double a, double b)
{
	uint high_a = HIGH(a) & ~SIGN_BIT, high_b = HIGH(b) & ~SIGN_BIT;
	uint high = high_a > high_b ? high_a : high_b;
	double r = __m2s_near_root(FMA(a, a, b * b));

	if (!(IS_NEAR(high, -62, 62) | !(high | WORDS(a).x | WORDS(b).x)))
		r = __m2s_far_hypot(a, b);
	return r;
}
LONG_2(hypot)

/* --- Hyperbolic functions ----------------------------------------------- */

OVER double sinh(double x)
{
	double a = fabs(x), e = expm1(fmin(a, 30.0)), r;

	r = 0.5 * (e + e / (e + 1.0));
	r = a > 22.0 ? __m2s_exp(a, 0.0, -1) : r;
	r = x == 0 ? x : __m2s_with_sign(r, HIGH(x));
	return x != x ? x : r;
}
LONG_1(sinh)

OVER double cosh(double x)
{
	double a = fabs(x), e = __m2s_exp(fmin(a, 30.0), 0.0, 0), r;

	r = 0.5 * (e + 1.0 / e);
	r = a > 22.0 ? __m2s_exp(a, 0.0, -1) : r;
	return x != x ? x : r;
}
LONG_1(cosh)

OVER double tanh(double x)
{
	double a = fmin(fabs(x), 25.0), e = expm1(2.0 * a), r;

	r = e / (e + 2.0);
	r = x == 0 ? x : __m2s_with_sign(r, HIGH(x));
	return x != x ? x : r;
}
LONG_1(tanh)

OVER double asinh(double x)
{
	double a = fabs(x), s = a * a, r;

	r = log1p(a + s / (1.0 + sqrt(1.0 + s)));
	r = a > 0x1p30 ? log(a) + LN2 : r;
	return x == 0 || x != x ? x : __m2s_with_sign(r, HIGH(x));
}
LONG_1(asinh)

OVER double acosh(double x)
{
	double t = x - 1.0, r = log1p(t + sqrt(t * (t + 2.0)));

	r = x > 0x1p30 ? log(x) + LN2 : r;
	return x < 1.0 ? DOUBLE(0, HIGH_NAN) : r;
}
LONG_1(acosh)

OVER double atanh(double x)
{
	double a = fabs(x), r = 0.5 * log1p((a + a) / (1.0 - a));

	return x == 0 ? x : __m2s_with_sign(r, HIGH(x));
}
LONG_1(atanh)
