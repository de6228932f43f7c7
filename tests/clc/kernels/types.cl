/* Scalar and vector types, conversions, 64-bit arithmetic, narrow stores. */
kernel void narrow(global uchar *b, global short *s, global char4 *v)
{
	size_t i = get_global_id(0);

	b[i] += 1;
	s[i] = s[i + 1] * 3;
	v[i] = v[i].wzyx + (char4)(1);
}

kernel void longs(global long *p, global ulong *u, int n)
{
	p[0] = p[1] + p[2] - p[3] * p[4];
	p[5] = p[6] / p[7] + p[8] % n;
	p[9] = (p[10] << n) ^ (p[11] >> 3);
	u[0] = u[1] / u[2] + rotate(u[3], (ulong)n) + popcount(u[4]) +
	       clz(u[5]) + mul_hi(u[6], u[7]);
	p[12] = p[13] < p[14] ? (long)(float)p[15] : convert_long(n);
}

kernel void integers(global int *p, global uint *u)
{
	p[0] = p[1] / p[2] + p[3] % p[4] + mul24(p[5], p[6]) +
	       mad24(p[7], p[8], p[9]);
	u[0] = u[1] / u[2] + u[3] % u[4] + mul_hi(u[5], u[6]) +
	       popcount(u[7]) + clz(u[8]) + rotate(u[9], 5u) +
	       abs_diff(u[10], u[11]) + hadd(u[12], u[13]);
	p[10] = add_sat(p[11], p[12]) + sub_sat(p[13], p[14]) +
		clamp(p[15], -5, 5) + bitselect(p[16], p[17], p[18]);
}

kernel void convert(global float *f, global int *p, global uchar4 *c)
{
	p[0] = convert_int_rte(f[0]);
	p[1] = convert_int_sat(f[1]);
	p[2] = convert_uint_sat_rtz(f[2]);
	f[3] = convert_float(as_uint(p[3]));
	f[4] = p[4];
	c[0] = convert_uchar4_sat(vload4(0, f + 8));
	vstore4(convert_float4(c[1]), 1, f + 8);
}

kernel void vectors(global float8 *a, global float16 *b, global int3 *t)
{
	a[0] = a[1].s76543210 + shuffle(a[2], (uint8)(0, 2, 4, 6, 1, 3, 5, 7));
	b[0] = select(b[1], b[2], isless(b[1], b[2]));
	vstore3(t[1].zyx, 0, (global int *)t);
	b[3].s012 = convert_float3(t[2]);
}

kernel void halves(global half *h, global float *f)
{
	vstore_half(vload_half(0, h) * f[0], 1, h);
	vstore_half4(vload4(0, f), 1, h);
}

kernel void booleans(global int *p, global float4 *f)
{
	p[0] = any(f[0] > f[1]) + all(f[1] > f[2]) * 2;
	p[1] = isnan(f[0].x) + isinf(f[0].y) * 2 + signbit(f[0].z) * 4;
}

/* LLVM's own conversion is wrong for negative numbers. */
kernel void signs(global float *f, global const long *p)
{
	size_t i = get_global_id(0);

	f[i] = (float)p[i] + convert_float(-p[i] >> 20);
}
