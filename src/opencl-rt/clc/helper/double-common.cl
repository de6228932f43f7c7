/* Simple functions of doubles: those of one operation, common and geometric
 * functions, relations (OpenCL C 1.2, sections 6.12.2 and 6.12.4 to 6.12.6). */
OVER double fma(double a, double b, double c)
{
	return __builtin_fma(a, b, c);
}
VECTORS_3(fma)

/* mad may round once. */
OVER double mad(double a, double b, double c)
{
	return __builtin_fma(a, b, c);
}
VECTORS_3(mad)

OVER double fabs(double a)
{
	return __builtin_fabs(a);
}
VECTORS_1(fabs)

OVER double fmin(double a, double b)
{
	return __builtin_fmin(a, b);
}
VECTORS_2(fmin)
SCALARS_2(fmin)

OVER double fmax(double a, double b)
{
	return __builtin_fmax(a, b);
}
VECTORS_2(fmax)
SCALARS_2(fmax)

OVER double copysign(double a, double b)
{
	return __m2s_with_sign(a, HIGH(b));
}
VECTORS_2(copysign)

LONG_1(sqrt)
VECTORS_1(rint)
VECTORS_1(trunc)
VECTORS_1(floor)
VECTORS_1(ceil)
VECTORS_1(round)

/* 1/sqrt(x) for numbers near 1; two roundings, less than a unit. */
__attribute__((always_inline)) static double __m2s_near_rsqrt(double x)
{
	double r = __builtin_r600_recipsqrt_ieeef(__m2s_single_64(x));
	double e = __builtin_fma(-(x * r), __m2s_scaled(r, -1), 0.5);

	return __builtin_fma(r, e * __builtin_fma(1.5, e, 1.0), r);
}

/* The result is never denormal. */
__attribute__((always_inline)) static double __m2s_far_rsqrt(double a)
{
	double x = a, r;
	int exponent = __m2s_exponent(&x) - 1023;
	bool is_zero = !((HIGH(a) & ~SIGN_BIT) | WORDS(a).x);
	bool is_infinite = HIGH(a) == HIGH_INF && !WORDS(a).x;
	uint other = is_infinite ? 0
		     : is_zero ? HIGH_INF | (HIGH(a) & SIGN_BIT)
			       : HIGH_NAN;
	bool is_other = HIGH(a) >= HIGH_INF || is_zero;

	r = __m2s_near_rsqrt(__m2s_root_fraction(x));
	r = __m2s_scaled(r, -(exponent >> 1));
	return DOUBLE(is_other ? 0 : WORDS(r).x, is_other ? other : HIGH(r));
}

OVER double rsqrt(double a)
{
	double r = __m2s_near_rsqrt(a);

	if (!IS_NEAR(HIGH(a), -126, 126))
		r = __m2s_far_rsqrt(a);
	return r;
}
LONG_1(rsqrt)

OVER double fdim(double a, double b)
{
	return a != a || b != b ? a + b : a > b ? a - b : 0.0;
}
VECTORS_2(fdim)

OVER double maxmag(double a, double b)
{
	return fabs(a) > fabs(b) ? a : fabs(b) > fabs(a) ? b : fmax(a, b);
}
VECTORS_2(maxmag)

OVER double minmag(double a, double b)
{
	return fabs(a) < fabs(b) ? a : fabs(b) < fabs(a) ? b : fmin(a, b);
}
VECTORS_2(minmag)

OVER double nan(ulong code)
{
	return as_double(0x7ff8000000000000UL | (code & 0x7ffffffffffffUL));
}
#define NAN_HALVES(type, number)                                               \
	OVER type nan(number code)                                             \
	{                                                                      \
		return (type)(nan(code.lo), nan(code.hi));                     \
	}
NAN_HALVES(double2, ulong2)
OVER double3 nan(ulong3 code)
{
	return (double3)(nan(code.xy), nan(code.z));
}
NAN_HALVES(double4, ulong4)
NAN_HALVES(double8, ulong8)
NAN_HALVES(double16, ulong16)

/* --- Common functions --------------------------------------------------- */

OVER double min(double a, double b)
{
	return __builtin_fmin(a, b);
}
VECTORS_2(min)
SCALARS_2(min)

OVER double max(double a, double b)
{
	return __builtin_fmax(a, b);
}
VECTORS_2(max)
SCALARS_2(max)

OVER double clamp(double a, double low, double high)
{
	return fmin(fmax(a, low), high);
}
VECTORS_3(clamp)
#define SCALAR_CLAMP(type)                                                     \
	OVER type clamp(type a, double low, double high)                       \
	{                                                                      \
		return fmin(fmax(a, (type)low), (type)high);                   \
	}
SCALAR_CLAMP(double2)
SCALAR_CLAMP(double3)
SCALAR_CLAMP(double4)
SCALAR_CLAMP(double8)
SCALAR_CLAMP(double16)

OVER double degrees(double a)
{
	return a * 57.295779513082320877;
}
VECTORS_1(degrees)

OVER double radians(double a)
{
	return a * 0.017453292519943295769;
}
VECTORS_1(radians)

OVER double mix(double a, double b, double c)
{
	return __builtin_fma(b - a, c, a);
}
VECTORS_3(mix)
#define SCALAR_MIX(type)                                                       \
	OVER type mix(type a, type b, double c) { return mix(a, b, (type)c); }
SCALAR_MIX(double2)
SCALAR_MIX(double3)
SCALAR_MIX(double4)
SCALAR_MIX(double8)
SCALAR_MIX(double16)

OVER double step(double edge, double a)
{
	return a < edge ? 0.0 : 1.0;
}
VECTORS_2(step)
#define SCALAR_STEP(type)                                                      \
	OVER type step(double edge, type a) { return step((type)edge, a); }
SCALAR_STEP(double2)
SCALAR_STEP(double3)
SCALAR_STEP(double4)
SCALAR_STEP(double8)
SCALAR_STEP(double16)

OVER double smoothstep(double low, double high, double a)
{
	double t = clamp((a - low) / (high - low), 0.0, 1.0);

	return t * t * (3.0 - 2.0 * t);
}
VECTORS_3(smoothstep)
#define SCALAR_SMOOTHSTEP(type)                                                \
	OVER type smoothstep(double low, double high, type a)                  \
	{                                                                      \
		return smoothstep((type)low, (type)high, a);                   \
	}
SCALAR_SMOOTHSTEP(double2)
SCALAR_SMOOTHSTEP(double3)
SCALAR_SMOOTHSTEP(double4)
SCALAR_SMOOTHSTEP(double8)
SCALAR_SMOOTHSTEP(double16)

OVER double sign(double a)
{
	return a > 0 ? 1.0 : a < 0 ? -1.0 : a == 0 ? a : 0.0;
}
VECTORS_1(sign)

/* --- Geometry ----------------------------------------------------------- */

OVER double dot(double a, double b)
{
	return a * b;
}
OVER double dot(double2 a, double2 b)
{
	return __builtin_fma(a.y, b.y, a.x * b.x);
}
OVER double dot(double3 a, double3 b)
{
	return __builtin_fma(a.z, b.z, dot(a.xy, b.xy));
}
OVER double dot(double4 a, double4 b)
{
	return __builtin_fma(a.w, b.w, dot(a.xyz, b.xyz));
}

OVER double3 cross(double3 a, double3 b)
{
	return a.yzx * b.zxy - a.zxy * b.yzx;
}
OVER double4 cross(double4 a, double4 b)
{
	return (double4)(cross(a.xyz, b.xyz), 0.0);
}

/* Squares that are too large or too small are scaled. */
#define LENGTHS(type)                                                          \
	OVER double length(type a)                                             \
	{                                                                      \
		double square = dot(a, a);                                     \
		double up = sqrt(dot(a * 0x1p600, a * 0x1p600)) * 0x1p-600;    \
		double down = sqrt(dot(a * 0x1p-600, a * 0x1p-600)) * 0x1p600; \
		return square < 0x1p-900 ? up : square > 0x1p900 ? down        \
								 : sqrt(square);\
	}                                                                      \
	OVER double distance(type a, type b) { return length(a - b); }         \
	OVER type normalize(type a)                                            \
	{                                                                      \
		double size = length(a);                                       \
		double scale = size > 0x1p900    ? 0x1p-600                    \
			       : size < 0x1p-900 ? 0x1p600                     \
						 : 1.0;                        \
		a *= scale;                                                    \
		return size == 0 ? a : a / length(a);                          \
	}
LENGTHS(double2)
LENGTHS(double3)
LENGTHS(double4)
OVER double length(double a) { return fabs(a); }
OVER double distance(double a, double b) { return fabs(a - b); }
OVER double normalize(double a) { return sign(a); }

/* --- Relations: 1 for numbers, -1 in vectors ---------------------------- */

#define RELATION_2(f, expression)                                              \
	OVER int f(double a, double b) { return expression; }                  \
	OVER long2 f(double2 a, double2 b) { return expression; }              \
	OVER long3 f(double3 a, double3 b) { return expression; }              \
	OVER long4 f(double4 a, double4 b) { return expression; }              \
	OVER long8 f(double8 a, double8 b) { return expression; }              \
	OVER long16 f(double16 a, double16 b) { return expression; }
RELATION_2(isequal, a == b)
RELATION_2(isnotequal, a != b)
RELATION_2(isgreater, a > b)
RELATION_2(isgreaterequal, a >= b)
RELATION_2(isless, a < b)
RELATION_2(islessequal, a <= b)
RELATION_2(islessgreater, (a < b) | (a > b))
RELATION_2(isordered, (a == a) & (b == b))
RELATION_2(isunordered, (a != a) | (b != b))

#define RELATION_1(f, expression)                                              \
	OVER int f(double a) { return expression; }                            \
	OVER long2 f(double2 a) { return expression; }                         \
	OVER long3 f(double3 a) { return expression; }                         \
	OVER long4 f(double4 a) { return expression; }                         \
	OVER long8 f(double8 a) { return expression; }                         \
	OVER long16 f(double16 a) { return expression; }
RELATION_1(isnan, a != a)
RELATION_1(isinf, fabs(a) == as_double(0x7ff0000000000000UL))
RELATION_1(isfinite, fabs(a) < as_double(0x7ff0000000000000UL))
RELATION_1(isnormal, (fabs(a) < as_double(0x7ff0000000000000UL)) &
			     (fabs(a) >= 0x1p-1022))
OVER int signbit(double a) { return HIGH(a) >> 31; }
OVER long2 signbit(double2 a) { return as_long2(a) >> 63; }
OVER long3 signbit(double3 a) { return as_long3(a) >> 63; }
OVER long4 signbit(double4 a) { return as_long4(a) >> 63; }
OVER long8 signbit(double8 a) { return as_long8(a) >> 63; }
OVER long16 signbit(double16 a) { return as_long16(a) >> 63; }

#define SELECTS(type, number)                                                  \
	OVER type bitselect(type a, type b, type c)                            \
	{                                                                      \
		return as_##type((as_##number(a) & ~as_##number(c)) |          \
				 (as_##number(b) & as_##number(c)));           \
	}
SELECTS(double, ulong)
SELECTS(double2, ulong2)
SELECTS(double3, ulong3)
SELECTS(double4, ulong4)
SELECTS(double8, ulong8)
SELECTS(double16, ulong16)
#define SELECT_BY(number)                                                      \
	OVER double select(double a, double b, number c)                       \
	{                                                                      \
		return c ? b : a;                                              \
	}                                                                      \
	OVER double2 select(double2 a, double2 b, number##2 c)                 \
	{                                                                      \
		return (double2)((long)c.x < 0 ? b.x : a.x,                    \
				 (long)c.y < 0 ? b.y : a.y);                   \
	}                                                                      \
	OVER double3 select(double3 a, double3 b, number##3 c)                 \
	{                                                                      \
		return (double3)(select(a.xy, b.xy, c.xy),                     \
				 (long)c.z < 0 ? b.z : a.z);                   \
	}                                                                      \
	SELECT_HALVES(double4, number##4)                                      \
	SELECT_HALVES(double8, number##8)                                      \
	SELECT_HALVES(double16, number##16)
#define SELECT_HALVES(type, number)                                            \
	OVER type select(type a, type b, number c)                             \
	{                                                                      \
		return (type)(select(a.lo, b.lo, c.lo),                        \
			      select(a.hi, b.hi, c.hi));                       \
	}
SELECT_BY(long)
SELECT_BY(ulong)
