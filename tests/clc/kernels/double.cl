#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

/* Each work-item takes one of each operand and writes the bits of some
 * results; test-double.c computes the same. */
#define OPERANDS                                                               \
	global const double *restrict p, global const double *restrict q,      \
	global const double *restrict s, global ulong *restrict results
#define TAKE(count)                                                            \
	size_t i = get_global_id(0);                                           \
	double a = p[i], b = q[i], c = s[i];                                   \
	global ulong *r = results + count * i;

kernel void arithmetic(OPERANDS)
{
	TAKE(8)
	r[0] = as_ulong(a + b);
	r[1] = as_ulong(a - b);
	r[2] = as_ulong(a * b);
	r[3] = as_ulong(fma(a, b, c));
	r[4] = as_ulong(fmin(a, b));
	r[5] = as_ulong(fmax(a, b));
	r[6] = as_ulong(-fma(-a, b, -c));
	r[7] = as_ulong(fabs(a) - fabs(b));
}

kernel void division(OPERANDS)
{
	TAKE(2)
	(void)c;
	r[0] = as_ulong(a / b);
	r[1] = as_ulong(sqrt(a));
}

kernel void rounding(OPERANDS)
{
	TAKE(5)
	(void)b;
	(void)c;
	r[0] = as_ulong(floor(a));
	r[1] = as_ulong(ceil(a));
	r[2] = as_ulong(trunc(a));
	r[3] = as_ulong(rint(a));
	r[4] = as_ulong(round(a));
}

kernel void comparison(OPERANDS)
{
	TAKE(1)
	r[0] = (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 |
	       (a == b) << 4 | (a != b) << 5 | (!(a < b)) << 6 |
	       (!(a <= b)) << 7 | (!(a > b)) << 8 | (!(a >= b)) << 9 |
	       (a != a) << 10 | (a == a && b == b) << 11 |
	       (a < b || a > b) << 12 | (a > 0.5) << 13 | (c < -a) << 14;
}

/* The operands are in range. */
kernel void to_integers(OPERANDS)
{
	TAKE(6)
	(void)b;
	(void)c;
	r[0] = (ulong)(int)(a * 0x1p-32);
	r[1] = (uint)(fabs(a) * 0x1p-31);
	r[2] = (ulong)(long)a;
	r[3] = (ulong)fabs(a * 1.5);
	r[4] = (ulong)(short)(a * 0x1p-48);
	r[5] = (uchar)(fabs(a) * 0x1p-55);
}

kernel void from_integers(OPERANDS)
{
	TAKE(6)
	ulong n = as_ulong(a), m = as_ulong(b);
	(void)c;

	r[0] = as_ulong((double)(int)n);
	r[1] = as_ulong((double)(uint)n);
	r[2] = as_ulong((double)(long)n);
	r[3] = as_ulong((double)n);
	r[4] = as_ulong((double)(char)m);
	r[5] = as_ulong((double)(ushort)m);
}

/* The operands are normal numbers in single precision, too. */
kernel void singles(OPERANDS)
{
	TAKE(2)
	(void)b;
	(void)c;
	r[0] = as_uint((float)a);
	r[1] = as_ulong((double)as_float((uint)r[0]) + 1.0);
}
