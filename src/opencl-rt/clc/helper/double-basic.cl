/* Division, square root and rounding of doubles (OpenCL C 1.2, section 6.12.2
 * and 7.4: correctly rounded). The device has fused multiply-add, single
 * precision estimates, and integers. */
#define WORDS(x) as_uint2(x)
#define DOUBLE(low, high) as_double((uint2)(low, high))
#define HIGH(x) (as_uint2(x).y)

#define SIGN_BIT 0x80000000u
#define HIGH_NAN 0x7ff80000u
#define HIGH_INF 0x7ff00000u
#define HIGH_ONE 0x3ff00000u
#define HIGH_2_52 0x43300000u

double __m2s_ldexp_64(double x, int n) __asm("llvm.amdgcn.ldexp.f64");
/* The instruction alone: for numbers that are no smaller than the normal
 * singles. */
float __m2s_single_64(double x) __asm("llvm.nvvm.d2f.rn.ftz");
/* The instruction alone: for numbers up to 2^126. */
float __m2s_recip(float x) __asm("llvm.amdgcn.rcp.f32");
/* FLT_MAX of zero. */
float __m2s_recipsqrt(float x) __asm("llvm.r600.recipsqrt.clamped.f32");

__attribute__((always_inline)) static double __m2s_with_sign(double x, uint sign)
{
	return DOUBLE(WORDS(x).x, (HIGH(x) & ~SIGN_BIT) | (sign & SIGN_BIT));
}

/* A number's exponent field and the number scaled so that it has one: 2^54
 * times denormal ones. */
__attribute__((always_inline)) static int __m2s_exponent(double *x)
{
	double scaled = *x * 0x1p54;
	bool is_small = (HIGH(*x) & HIGH_INF) == 0;

	*x = is_small ? scaled : *x;
	return (int)(HIGH(*x) >> 20 & 0x7ff) - (is_small ? 54 : 0);
}

/* Its fraction: the same with the exponent field `exponent`. */
__attribute__((always_inline)) static double __m2s_fraction(double x,
							   uint exponent)
{
	return DOUBLE(WORDS(x).x, (HIGH(x) & 0xfffff) | exponent << 20);
}

/* 2^exponent * q for results below the normal numbers, where rounding q again
 * would be once too often: `rest` has the sign of the exact result less q. */
__attribute__((always_inline)) static double __m2s_round_denormal(double q,
								 double rest,
								 int exponent)
{
	/* Two more bits than q, the last of which only says "not exact". */
	ulong bits = (as_ulong(q) & 0xfffffffffffffUL) | 0x10000000000000UL;
	int shift = -((int)(HIGH(q) >> 20 & 0x7ff) - 1023 + exponent + 1020);
	ulong result, lost, middle;

	bits = (bits << 2) + (rest > 0) - (ulong)(rest < 0);
	shift = shift > 60 ? 60 : shift;
	result = bits >> shift;
	lost = bits & ((1UL << shift) - 1);
	middle = 1UL << (shift - 1);
	result += lost > middle || (lost == middle && (result & 1));
	return as_double(result);
}

/* n / d to half a unit and a little. The estimate r of 1/d has 22 bits, with the error
 * e = 1 - d r, and 1 / (1 - e) is 1 + e but for 2^-44. The last step takes the remainder,
 * for which the estimate will do: 2^-66 is left. */
__attribute__((always_inline)) static double
__m2s_corrected_quotient(double n, double d, double r)
{
	double q = n * r, e = __builtin_fma(-d, r, 1.0);

	q = __builtin_fma(q, e, q);
	return __builtin_fma(__builtin_fma(-d, q, n), r, q);
}

/* The same; d is a normal single when it is rounded. */
__attribute__((always_inline)) static double __m2s_near_quotient(double n,
								double d)
{
	return __m2s_corrected_quotient(n, d, __m2s_recip(__m2s_single_64(d)));
}

/* x / y, correctly rounded, for numbers near 1 (below: IS_NEAR), so that nothing
 * here is too large or too small. Scaled, x and y are from 1 to 2. The estimate r of
 * 1 / y is that of y's high dword, and has 19 bits. With e = 1 - y r, which is exact,
 * the first step makes it right to half a unit and 2^-57. Then 1 - y r is exact, too,
 * and r2 is 1 / y to half a unit and 2^-105. The quotient q1 is the nearest number, or
 * one of the two nearest where x / y is close to the middle m between them. Its
 * remainder is exact, so q1 + remainder * r2 is x / y but for |q1 - x / y| |1 - y r2|.
 * That is less than the distance of x / y from m, which is at least half a unit
 * divided by Y, y's 53 bits as a number: |1 - y r2| (Y + 1) is less than 1 for all y but
 * the largest, 2 - 2^-52 (Markstein's theorem; Cornea, Harrison and Tang, Scientific
 * Computing on Itanium-based Systems). There r2 = 1/2 would be wrong for x = 1. The
 * estimate is more than 1/2, as the high dword alone is less than 2, which gives the
 * better r2. */
__attribute__((always_inline)) static double __m2s_exact_quotient(double x,
								 double y)
{
	double r = __m2s_recip(__m2s_single_64(DOUBLE(0, HIGH(y)))), q;
	double e = __builtin_fma(-y, r, 1.0);

	r = __builtin_fma(r, __builtin_fma(e, e, e), r);
	r = __builtin_fma(r, __builtin_fma(-y, r, 1.0), r);
	q = x * r;
	q = __builtin_fma(__builtin_fma(-y, q, x), r, q);
	return __builtin_fma(__builtin_fma(-y, q, x), r, q);
}

/* Whether a high dword is that of a positive number from 2^first up to, but not,
 * 2^after. */
#define IS_NEAR(high, first, after)                                            \
	((high) - (((first) + 1023u) << 20) < (uint)((after) - (first)) << 20)

/* Exponent fields of numbers that are neither 0 nor infinite nor NaN, those of
 * denormal ones by __m2s_exponent(). */
#define FIRST_FIELD (-51)
#define LAST_FIELD 2046
#define IS_FIELD(field) ((uint)((field) - FIRST_FIELD) <= LAST_FIELD - FIRST_FIELD)

/* |a / b| where it may be no normal number: q is the quotient of the fractions. */
__attribute__((always_inline)) static double
__m2s_divide_special(double a, double b, int field_a, int field_b, double q)
{
	int exponent = field_a - field_b;
	bool zero_a = field_a < FIRST_FIELD, zero_b = field_b < FIRST_FIELD;
	bool large_a = field_a > LAST_FIELD, large_b = field_b > LAST_FIELD;
	double rest = __builtin_fma(-__m2s_fraction(b, 1023), q,
				    __m2s_fraction(a, 1023));
	double small = __m2s_round_denormal(q, rest, exponent);
	bool fits = (int)(HIGH(q) >> 20) + exponent <= LAST_FIELD;

	/* Near the largest number it can be normal. */
	q = DOUBLE(fits ? WORDS(q).x : 0,
		   fits ? HIGH(q) + (uint)(exponent << 20) : HIGH_INF);
	q = exponent < 0 ? small : q;
	q = (large_a | zero_b) ? DOUBLE(0, HIGH_INF) : q;
	q = (large_b | zero_a) ? DOUBLE(0, 0) : q;
	return q;
}

/* a / b by way of the fractions. Their quotient is from 1/2 to 2, so that
 * differences of exponents from -1021 to 1023 give a normal number. */
__attribute__((always_inline)) static double __m2s_divide_far(double a, double b)
{
	int field_a = __m2s_exponent(&a), field_b = __m2s_exponent(&b);
	uint sign = (HIGH(a) ^ HIGH(b)) & SIGN_BIT;
	int exponent = field_a - field_b;
	double q = __m2s_exact_quotient(__m2s_fraction(a, 1023),
					__m2s_fraction(b, 1023));
	double result = DOUBLE(WORDS(q).x, HIGH(q) + (uint)(exponent << 20));
	bool is_special = ((uint)(exponent + 1021) > 1021 + 1023) |
			  !IS_FIELD(field_a) | !IS_FIELD(field_b);
	bool is_nan = (a != a) | (b != b) |
		      ((field_a > LAST_FIELD) & (field_b > LAST_FIELD)) |
		      ((field_a < FIRST_FIELD) & (field_b < FIRST_FIELD));

	result = is_special ? __m2s_divide_special(a, b, field_a, field_b, q)
			    : result;
	result = __m2s_with_sign(result, sign);
	return is_nan ? DOUBLE(0, HIGH_NAN) : result;
}

/* a / b. The estimate of 1 / b, a single, limits b; a has room for the remainder's
 * last bit, and the quotient is a normal number. Zeros without a sign come out
 * right, too. */
double __m2s_divide_64(double a, double b)
{
	bool is_near_a = IS_NEAR(HIGH(a) & ~SIGN_BIT, -880, 880) |
			 !(WORDS(a).x | HIGH(a));
	bool is_near_b = IS_NEAR(HIGH(b) & ~SIGN_BIT, -126, 126);
	double result = __m2s_exact_quotient(a, b);

	if (!(is_near_a & is_near_b))
		result = __m2s_divide_far(a, b);
	return result;
}

/* x * 2^n for a number whose exponent field has room. */
__attribute__((always_inline)) static double __m2s_scaled(double x, int n)
{
	return DOUBLE(WORDS(x).x, HIGH(x) + (uint)(n << 20));
}

/* Its fraction, from 1 to 4, so that 2^(2 n) times it is the number: the exponent
 * field is 1023 for odd ones and 1024 for even ones. */
__attribute__((always_inline)) static double __m2s_root_fraction(double x)
{
	uint exponent = 0x40000000 - (HIGH(x) & 0x100000);

	return DOUBLE(WORDS(x).x, (HIGH(x) & 0xfffff) + exponent);
}

/* sqrt(x) for zeros and numbers near 1. The estimate r of 1/sqrt(x) has 22 bits. With
 * e = (1 - x r^2) / 2 the root is x r / sqrt(1 - 2 e), and 1 + e is that but for 2^-43.
 * One more step takes the remainder, for which the estimate will do: 2^-65 is left.
 * The last step compares the exact remainder with half a unit; the unit is that of
 * 2^(e / 2) for x from 2^e up, as no root is below. */
__attribute__((always_inline)) static double __m2s_near_root(double x)
{
	double r = __m2s_recipsqrt(__m2s_single_64(__builtin_fabs(x)));
	double h = __m2s_scaled(r, -1), g = x * r, rest, bound, other;
	uint unit = (HIGH(x) + (919 << 20)) >> 1 & HIGH_INF, unit_down;
	bool is_other;

	unit = HIGH(x) << 1 ? unit : 0;
	unit_down = unit + SIGN_BIT;
	g = __builtin_fma(g, __builtin_fma(-g, h, 0.5), g);
	g = __builtin_fma(__builtin_fma(-g, g, x), h, g);
	rest = __builtin_fma(-g, g, x);
	bound = DOUBLE(WORDS(g).x, HIGH(g) + (unit - HIGH_ONE));
	/* Chosen, not put together, which the t slot can do. */
	other = g + DOUBLE(0, (int)HIGH(rest) < 0 ? unit_down : unit);
	/* Word by word, lest LLVM chooses what is added, a group later. */
	is_other = (rest > bound) | (rest <= -bound);
	return DOUBLE(is_other ? WORDS(other).x : WORDS(g).x,
		      is_other ? HIGH(other) : HIGH(g));
}

__attribute__((always_inline)) static double __m2s_far_root(double x)
{
	bool is_infinite = HIGH(x) == HIGH_INF && !WORDS(x).x;
	bool is_other = HIGH(x) >= HIGH_INF;
	uint other = is_infinite ? HIGH_INF : HIGH_NAN;
	int exponent = __m2s_exponent(&x) - 1023;
	double g = __m2s_near_root(__m2s_root_fraction(x));

	g = __m2s_scaled(g, exponent >> 1);
	return is_other ? DOUBLE(0, other) : g;
}

/* Limited by the estimate, which is a single. */
#define IS_NEAR_ROOT(x)                                                        \
	(IS_NEAR(HIGH(x), -126, 126) | !(HIGH(x) << 1 | WORDS(x).x))

__attribute__((overloadable)) double sqrt(double x)
{
	double g = __m2s_near_root(x);

	if (!IS_NEAR_ROOT(x))
		g = __m2s_far_root(x);
	return g;
}

/* --- Rounding to integers ----------------------------------------------- */

/* |x| to nearest even, for what is below 2^52. */
__attribute__((always_inline)) static double __m2s_nearest(double x)
{
	return (__builtin_fabs(x) + 0x1p52) - 0x1p52;
}

/* r with the sign of x, or x itself where it is so large that it is an integer. High
 * dwords compare as singles do, which is one operation; those of the largest numbers
 * are NaNs, and not less. */
__attribute__((always_inline)) static double __m2s_integral(double x, double r)
{
	bool is_small = __builtin_fabsf(as_float(HIGH(x))) < as_float(HIGH_2_52);
	uint keep = is_small ? SIGN_BIT : 0xffffffff;

	return DOUBLE(is_small ? WORDS(r).x : WORDS(x).x,
		      (HIGH(x) & keep) | (HIGH(r) & ~keep));
}

__attribute__((overloadable)) double rint(double x)
{
	return __m2s_integral(x, __m2s_nearest(x));
}

__attribute__((overloadable)) double trunc(double x)
{
	double r = __m2s_nearest(x), less = r - 1.0;

	return __m2s_integral(x, r > __builtin_fabs(x) ? less : r);
}

/* Of large numbers rint() is the number. No difference here is -0. */
__attribute__((overloadable)) double floor(double x)
{
	double r = rint(x), less = r - 1.0;

	return r > x ? less : r;
}

__attribute__((overloadable)) double ceil(double x)
{
	double r = rint(x), more = r + 1.0;

	return __m2s_with_sign(r < x ? more : r, HIGH(x));
}

/* The number below 1/2 is as good as 1/2 for all that are no integers and a half,
 * and for those the sum rounds up to an integer. */
__attribute__((overloadable)) double round(double x)
{
	return __m2s_with_sign(trunc(__builtin_fabs(x) + 0x1.fffffffffffffp-2),
			       HIGH(x));
}
