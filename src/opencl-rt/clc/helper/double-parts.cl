/* Parts, remainders and neighbours of doubles (OpenCL C 1.2, section
 * 6.12.2): all exact. */
OVER double ldexp(double x, int n)
{
	return __m2s_ldexp_64(x, n);
}
VECTORS_INT(ldexp)
#define SCALAR_LDEXP(type)                                                     \
	OVER type ldexp(type x, int n)                                         \
	{                                                                      \
		return (type)(ldexp(x.lo, n), ldexp(x.hi, n));                 \
	}
OVER double3 ldexp(double3 x, int n)
{
	return (double3)(ldexp(x.x, n), ldexp(x.y, n), ldexp(x.z, n));
}
SCALAR_LDEXP(double2)
SCALAR_LDEXP(double4)
SCALAR_LDEXP(double8)
SCALAR_LDEXP(double16)
OVER double2 pown(double2 x, int n) { return pown(x, (int2)n); }

__attribute__((overloadable)) double frexp(double x, int *exponent)
{
	double copy = x;
	int e = __m2s_exponent(&copy) - 1022;
	bool same = x == 0 || (HIGH(x) & HIGH_INF) == HIGH_INF;

	*exponent = same ? 0 : e;
	return same ? x
		    : DOUBLE(WORDS(copy).x,
			     (HIGH(copy) & 0x800fffff) | 0x3fe00000);
}
WITH_POINTER(frexp, int)

__attribute__((overloadable)) double modf(double x, double *whole)
{
	double w = trunc(x);

	*whole = w;
	return __m2s_with_sign(fabs(x) == DOUBLE(0, HIGH_INF) ? 0.0 : x - w,
			       HIGH(x));
}
WITH_POINTER(modf, double)

__attribute__((overloadable)) double fract(double x, double *whole)
{
	double w = floor(x);

	*whole = w;
	w = fmin(x - w, 0x1.fffffffffffffp-1);
	return x != x ? x
	       : fabs(x) == DOUBLE(0, HIGH_INF) || x == 0
		       ? __m2s_with_sign(0.0, HIGH(x))
		       : w;
}
WITH_POINTER(fract, double)

OVER double nextafter(double x, double y)
{
	ulong bits = as_ulong(x);
	bool grows = (x < y) == !(HIGH(x) & SIGN_BIT);

	bits = x == 0 ? ((as_ulong(y) & 0x8000000000000000UL) | 1)
		      : grows ? bits + 1 : bits - 1;
	if (x != x || y != y)
		return DOUBLE(0, HIGH_NAN);
	return x == y ? y : as_double(bits);
}
VECTORS_2(nextafter)

/* a mod b, both positive and finite, b not 0; *quotient: its last bits. At
 * most 50 bits of the quotient in each step, which is then exact. */
INLINE double __m2s_modulo(double a, double b, uint *quotient)
{
	double copy = b;
	int exponent_b = __m2s_exponent(&copy);

	*quotient = 0;
	while (a >= b) {
		double scaled, q, r;
		int exponent;

		copy = a;
		exponent = __m2s_exponent(&copy) - exponent_b - 50;
		exponent = exponent > 0 ? exponent : 0;
		scaled = __m2s_ldexp_64(b, exponent);
		q = trunc(a / scaled);
		r = FMA(-q, scaled, a);
		q = r < 0 ? q - 1.0 : q;
		a = r < 0 ? r + scaled : r;
		*quotient += exponent < 32 ? (uint)(ulong)q << exponent : 0;
	}
	return a;
}

INLINE bool __m2s_no_modulo(double a, double b)
{
	return !(fabs(a) < DOUBLE(0, HIGH_INF)) || b != b || b == 0;
}

OVER double fmod(double a, double b)
{
	uint quotient;

	if (__m2s_no_modulo(a, b))
		return DOUBLE(0, HIGH_NAN);
	return __m2s_with_sign(__m2s_modulo(fabs(a), fabs(b), &quotient),
			       HIGH(a));
}
LONG_2(fmod)

__attribute__((overloadable)) double remquo(double a, double b, int *quotient)
{
	double size = fabs(b), r, rest;
	bool is_tie;
	uint q;

	*quotient = 0;
	if (__m2s_no_modulo(a, b))
		return DOUBLE(0, HIGH_NAN);
	r = __m2s_modulo(fabs(a), size, &q);
	/* To the nearest multiple, the even one of two. */
	rest = size - r;
	is_tie = r == rest;
	if (size != DOUBLE(0, HIGH_INF) && (r > rest || (is_tie && q & 1))) {
		r = -rest;
		q++;
	}
	q &= 0x7f;
	*quotient = (HIGH(a) ^ HIGH(b)) & SIGN_BIT ? -(int)q : (int)q;
	return r == 0 ? __m2s_with_sign(r, HIGH(a))
		      : HIGH(a) & SIGN_BIT ? -r : r;
}

#define REMQUO_VECTOR(space, n)                                                \
	__attribute__((overloadable)) double##n remquo(                        \
		double##n a, double##n b, space int##n *quotient)              \
	{                                                                      \
		double##n r = a;                                               \
		int##n quotients;                                              \
                                                                               \
		_Pragma("nounroll") for (int i = 0; i < n; i++)                \
		{                                                              \
			int one;                                               \
                                                                               \
			r[i] = remquo(a[i], b[i], &one);                       \
			quotients[i] = one;                                    \
		}                                                              \
		*quotient = quotients;                                         \
		return r;                                                      \
	}
#define REMQUO_SCALAR(space)                                                   \
	__attribute__((overloadable)) double remquo(double a, double b,        \
						    space int *quotient)       \
	{                                                                      \
		int one;                                                       \
		double r = remquo(a, b, &one);                                 \
                                                                               \
		*quotient = one;                                               \
		return r;                                                      \
	}
#define REMQUO_VECTORS(space)                                                  \
	REMQUO_VECTOR(space, 2)                                                \
	REMQUO_VECTOR(space, 3)                                                \
	REMQUO_VECTOR(space, 4)                                                \
	REMQUO_VECTOR(space, 8)                                                \
	REMQUO_VECTOR(space, 16)
REMQUO_SCALAR(__local)
REMQUO_SCALAR(__global)
REMQUO_VECTORS(__private)
REMQUO_VECTORS(__local)
REMQUO_VECTORS(__global)

OVER double remainder(double a, double b)
{
	int quotient;

	return remquo(a, b, &quotient);
}
LONG_2(remainder)
