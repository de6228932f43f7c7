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

/* q and the rest r of x / y, exactly x - q * y: one unit up or down when the rest
 * is more than half a unit of q times y. */
__attribute__((always_inline)) static double __m2s_settle(double q, double r,
							 double y)
{
	double most = y * DOUBLE(0, (HIGH(q) & HIGH_INF) - (53 << 20));
	ulong bits = as_ulong(q);

	return as_double(bits + (r > most) - (ulong)(r < -most));
}

/* n / d to half a unit and a little; d is a normal single when it is rounded.
 * The estimate of 1/d has 22 bits, with the error e = 1 - d r; 1 / (1 - e) is
 * 1 + e + e^2 but for what no double has. The last step takes the remainder,
 * which is exact, for which the estimate will do. */
__attribute__((always_inline)) static double __m2s_near_quotient(double n,
								double d)
{
	double r = __m2s_recip(__m2s_single_64(d)), q = n * r;
	double e = __builtin_fma(-d, r, 1.0);

	q = __builtin_fma(q, __builtin_fma(e, e, e), q);
	return __builtin_fma(__builtin_fma(-d, q, n), r, q);
}

/* a / b. The quotient is less than a unit away, and its exact remainder says
 * which number is the nearest. */
double __m2s_divide_64(double a, double b)
{
	uint sign = HIGH(a) ^ HIGH(b);
	uint high_a = HIGH(a) & ~SIGN_BIT, high_b = HIGH(b) & ~SIGN_BIT;
	bool zero_a = !(high_a | WORDS(a).x), zero_b = !(high_b | WORDS(b).x);
	bool is_nan = a != a || b != b;
	int exponent_a = __m2s_exponent(&a), exponent_b = __m2s_exponent(&b);
	double x = __m2s_fraction(a, 1023), y = __m2s_fraction(b, 1023);
	double q = __m2s_near_quotient(x, y), rest;
	int exponent = exponent_a - exponent_b;

	q = __m2s_settle(q, __builtin_fma(-y, q, x), y);
	if (exponent < -1021) {
		rest = __builtin_fma(-y, q, x);
		q = __m2s_round_denormal(q, rest, exponent);
	} else {
		uint high = HIGH(q) + (uint)(exponent << 20);
		bool is_large = (int)(HIGH(q) >> 20) + exponent > 2046;

		q = DOUBLE(is_large ? 0 : WORDS(q).x,
			   is_large ? HIGH_INF : high);
	}
	if (high_a >= HIGH_INF || zero_b)
		q = DOUBLE(0, HIGH_INF);
	if (high_b >= HIGH_INF || zero_a)
		q = DOUBLE(0, 0);
	if (is_nan || (high_a >= HIGH_INF && high_b >= HIGH_INF) ||
	    (zero_a && zero_b))
		return DOUBLE(0, HIGH_NAN);
	return __m2s_with_sign(q, sign);
}

/* The estimate r of 1/sqrt(x) has 22 bits. With e = (1 - x r^2) / 2 the root is
 * x r / sqrt(1 - 2 e), and 1 + e + 1.5 e^2 is that but for what no double has.
 * One more step takes the remainder, for which the estimate will do; the last one
 * compares the exact remainder with half a unit. */
__attribute__((overloadable)) double sqrt(double x)
{
	bool is_zero = !((HIGH(x) & ~SIGN_BIT) | WORDS(x).x);
	bool is_nan = !(x >= 0);
	bool is_infinite = HIGH(x) == HIGH_INF && !WORDS(x).x;
	double original = x, m, g, h, e, unit, rest;
	int exponent = __m2s_exponent(&x) - 1023;
	uint high;

	m = __m2s_fraction(x, 1023 + (exponent & 1));
	g = __builtin_r600_recipsqrt_ieeef(__m2s_single_64(m));
	h = 0.5 * g;
	g = m * g;
	e = __builtin_fma(-g, h, 0.5);
	g = __builtin_fma(g, e * __builtin_fma(1.5, e, 1.0), g);
	g = __builtin_fma(__builtin_fma(-g, g, m), h, g);
	rest = __builtin_fma(-g, g, m);
	unit = g * 0x1p-52;
	/* The two words as one number: the next one, or the one before. */
	if (rest > unit)
		g += 0x1p-52;
	if (rest <= -unit)
		g -= 0x1p-52;
	high = HIGH(g) + (uint)((exponent >> 1) << 20);
	g = DOUBLE(WORDS(g).x, high);
	g = is_zero || is_infinite ? original : g;
	return is_nan ? DOUBLE(0, HIGH_NAN) : g;
}

/* --- Rounding to integers ----------------------------------------------- */

/* |x| to nearest even, for what is below 2^52. */
__attribute__((always_inline)) static double __m2s_nearest(double x)
{
	return (__builtin_fabs(x) + 0x1p52) - 0x1p52;
}

__attribute__((always_inline)) static double __m2s_integral(double x, double r)
{
	bool is_large = (HIGH(x) & ~SIGN_BIT) >= HIGH_2_52;

	return is_large ? x : __m2s_with_sign(r, HIGH(x));
}

__attribute__((overloadable)) double rint(double x)
{
	return __m2s_integral(x, __m2s_nearest(x));
}

__attribute__((overloadable)) double trunc(double x)
{
	double r = __m2s_nearest(x);

	return __m2s_integral(x, r > __builtin_fabs(x) ? r - 1.0 : r);
}

__attribute__((overloadable)) double floor(double x)
{
	double r = __m2s_with_sign(__m2s_nearest(x), HIGH(x));

	return __m2s_integral(x, r > x ? r - 1.0 : r);
}

__attribute__((overloadable)) double ceil(double x)
{
	double r = __m2s_with_sign(__m2s_nearest(x), HIGH(x));

	return __m2s_integral(x, r < x ? r + 1.0 : r);
}

__attribute__((overloadable)) double round(double x)
{
	double r = __m2s_nearest(x);

	r = r > __builtin_fabs(x) ? r - 1.0 : r;
	return __m2s_integral(x, __builtin_fabs(x) - r >= 0.5 ? r + 1.0 : r);
}
