/* The functions of the transcendental unit.
 *
 * Each is computed in double precision from IEEE operations alone and rounded
 * once. So results are the same on every host, and exact to half a unit in the
 * last place, within 1e-4 of one. The hardware's own error bounds are not
 * published (about one unit). */

/* 1.5 * 2^52: the sum with a small integer has this integer in its low bits. */
#define INTEGER_MAGIC 0x1.8p52

/* Defines a function on row vectors by one on doubles. */
#define BY_DOUBLE(name, function)                                              \
	SIMD vu name(vu a)                                                     \
	{                                                                      \
		vd x[2];                                                       \
                                                                               \
		widen_float(a, x);                                             \
		return number(narrow_float(function(x[0]), function(x[1])));   \
	}

/* a0 + x * (a1 + x * (...)) */
SIMD vd polynomial(vd x, const double *coefficients, int count)
{
	vd r = splat_double(coefficients[count - 1]);

	for (int k = count - 2; k >= 0; k--)
		r = r * x + coefficients[k];
	return r;
}

/* 2^x: 2^n * e^(r ln 2), |r| <= 1/2, by the series of e^y. */
SIMD vd exp2_double(vd x)
{
	static const double inverse_factorial[] = {
		1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720,
		1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800,
		1.0 / 39916800};
	vd bounded = choose_double(x > 300.0, splat_double(300.0), x);
	vd n, y;
	vq power;

	bounded = choose_double(bounded < -300.0, splat_double(-300.0),
				bounded);
	n = round_even_double(bounded);
	y = (bounded - n) * 0x1.62e42fefa39efp-1;
	power = ((vq)(n + INTEGER_MAGIC) + 1023) << 52;
	return (vd)power * polynomial(y, inverse_factorial, 12);
}

/* log2 of a positive normal x = 2^e * m with m near one: the series of 2
 * atanh(s) with s = (m - 1) / (m + 1). */
SIMD vd log2_double(vd x)
{
	static const double odd_inverse[] = {
		1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13,
		1.0 / 15, 1.0 / 17, 1.0 / 19};
	vq bits = (vq)x;
	vq exponent = bits >> 52;
	vd m = (vd)((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);
	vqi upper = m > 0x1.6a09e667f3bcdp0;
	vd s, e;

	m = choose_double(upper, m * 0.5, m);
	exponent -= (vq)upper;
	/* The exponent as a double: in the low bits of 2^52. */
	e = (vd)(exponent | 0x4330000000000000u) - (0x1p52 + 1023.0);
	s = (m - 1.0) / (m + 1.0);
	return e + s * polynomial(s * s, odd_inverse, 10) *
			   0x1.71547652b82fep1;
}

BY_DOUBLE(exp2_single, exp2_double)
BY_DOUBLE(log2_single, log2_double)

#define FLOAT_MINUS_INFINITY 0xff800000u

SIMD vu log2_ieee(vu a)
{
	vu r = log2_single(a);

	r = choose(float_eq(a, splat(FLOAT_INFINITY)), a, r);
	r = choose(float_lt(a, splat(0)), splat(FLOAT_NAN), r);
	r = choose(float_unordered(a, a), splat(FLOAT_NAN), r);
	return choose(float_eq(a, splat(0)), splat(FLOAT_MINUS_INFINITY), r);
}

/* Sine (quarter = 0) or cosine (1) of x revolutions. The reduction is exact: to
 * one revolution, then to within an eighth of a multiple of a quarter. */
SIMD vd sine_revolutions(vd x, uint64_t quarter)
{
	static const double sine[] = {
		1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880,
		-1.0 / 39916800, 1.0 / 6227020800.0, -1.0 / 1307674368000.0};
	static const double cosine[] = {
		1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320,
		-1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200.0,
		1.0 / 20922789888000.0};
	vd turn = x - round_even_double(x);
	vd quarters = round_even_double(turn * 4.0);
	vd y = (turn - quarters * 0.25) * 0x1.921fb54442d18p2;
	vd square = y * y;
	vq q = (vq)(quarters + INTEGER_MAGIC) + quarter;
	vd r = choose_double((vqi)(q << 63) < 0, polynomial(square, cosine, 9),
			     y * polynomial(square, sine, 8));

	return (vd)((vq)r ^ ((q & 2) << 62));
}

SIMD vd sine_double(vd x)
{
	return sine_revolutions(x, 0);
}

SIMD vd cosine_double(vd x)
{
	return sine_revolutions(x, 1);
}

SIMD vd reciprocal_root_double(vd x)
{
	return 1.0 / square_root_double(x);
}

BY_DOUBLE(sine_single, sine_double)
BY_DOUBLE(cosine_single, cosine_double)
BY_DOUBLE(reciprocal_root_single, reciprocal_root_double)

/* Infinite results become the largest finite ones. */
SIMD vu largest_finite(vu a)
{
	vmask infinite = int_eq(a & 0x7fffffff, splat(FLOAT_INFINITY));

	return choose(infinite, (a & 0x80000000) | splat(FLOAT_MAX), a);
}

SIMD vu exp2_ieee(vu a)
{
	vu r = choose(float_eq(a, splat(FLOAT_INFINITY)), a, exp2_single(a));

	/* Exactly 0 in every rounding mode. */
	return where_not(float_eq(a, splat(FLOAT_MINUS_INFINITY)), r);
}

/* floor(2^32 / a), at most 2^32 - 1. The quotient of two exact doubles that is
 * not an integer is at least 2^-32 of itself away from one, so that rounding
 * cannot make it that integer. */
SIMD vu reciprocal_uint(vu a)
{
	vq x[2];

	widen_uint(a, x);
	for (int k = 0; k < 2; k++) {
		/* Unsigned 32-bit integers to doubles and back, in the low bits
		 * of 2^52. */
		vd d = (vd)(x[k] | 0x4330000000000000u) - 0x1p52;

		/* Never -0, which is the value of 2^52 - 2^52 when the host
		 * rounds down. */
		d = (vd)((vq)d & 0x7fffffffffffffffu);
		d = round_floor_double(0x1p32 / d);
		d = choose_double(d < 0x1p32, d, splat_double(0x1p32 - 1));
		x[k] = (vq)(d + 0x1p52);
	}
	return narrow_uint(x[0], x[1]);
}

/* 2^32 / a, truncated and saturated to an int32_t; 0 gives 0x7fffffff. */
SIMD vu reciprocal_int(vu a)
{
	vu sign = (vu)((vi)a >> 31);
	vu r = uint_min(reciprocal_uint((a ^ sign) - sign), splat(0x7fffffff));

	return (r ^ sign) - sign;
}
