#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* One kernel for each function; test-double.c has what is right. */
#define OPERANDS                                                               \
	global const double *restrict p, global const double *restrict q,      \
	global const double *restrict s, global ulong *restrict results
#define ONE(f)                                                                 \
	kernel void test_##f(OPERANDS)                                         \
	{                                                                      \
		size_t i = get_global_id(0);                                   \
		results[i] = as_ulong(f(p[i]));                                \
	}
#define TWO(f)                                                                 \
	kernel void test_##f(OPERANDS)                                         \
	{                                                                      \
		size_t i = get_global_id(0);                                   \
		results[i] = as_ulong(f(p[i], q[i]));                          \
	}

ONE(exp)
ONE(exp2)
ONE(exp10)
ONE(expm1)
ONE(log)
ONE(log2)
ONE(log10)
ONE(log1p)
ONE(cbrt)
ONE(rsqrt)
ONE(sinh)
ONE(cosh)
ONE(tanh)
ONE(asinh)
ONE(acosh)
ONE(atanh)
ONE(sin)
ONE(cos)
ONE(tan)
ONE(asin)
ONE(acos)
ONE(atan)
ONE(sinpi)
ONE(cospi)
ONE(tanpi)
ONE(asinpi)
ONE(atanpi)
ONE(erf)
ONE(erfc)
ONE(tgamma)
TWO(pow)
TWO(hypot)
TWO(atan2)
TWO(fmod)
TWO(remainder)
TWO(nextafter)
TWO(fdim)

/* The sign of gamma(x) as the last bit of the result. */
kernel void test_lgamma(OPERANDS)
{
	size_t i = get_global_id(0);
	int3 signs;
	int sign;
	double one = lgamma_r(p[i], &sign);
	double3 three = lgamma_r((double3)(1, p[i], 2), &signs);

	results[i] = (as_ulong(one) & ~1UL) | (sign < 0);
	if (sign != signs.y || as_ulong(three.y) != as_ulong(lgamma(p[i])))
		results[i] = 0;
}

kernel void test_normalize(OPERANDS)
{
	size_t i = get_global_id(0);

	results[i] = as_ulong(normalize((double2)(p[i], q[i])).x);
}
