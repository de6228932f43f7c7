/* Many operations, for tests/evergreen/llvm-text.sh; results mean nothing. */

__kernel void floats(__global float *o, __global const float *a, __global const float *b)
{
	int i = get_global_id(0);
	float x = a[i], y = b[i];
	o[0] = native_sin(x)+native_cos(y);
	o[1] = native_exp2(x)*native_log2(y);
	o[2] = native_rsqrt(x)+native_recip(y);
	o[3] = fabs(x)-y;
	o[4] = -x*y;
	o[5] = fmin(x, y);
	o[6] = fmax(x, -y);
	o[7] = floor(x)+ceil(y);
	o[8] = trunc(x)*rint(y);
	o[9] = fma(x, y, 2.5f);
	o[10] = mad(x, y, -1.0f);
	o[11] = clamp(x, 0.0f, 1.0f);
	o[12] = x*2.0f;
	o[13] = dot((float4)(x, y, 1.0f, 2.0f), (float4)(y, x, x, y));
	o[14] = x-floor(x);
	o[15] = (x>y)?x:0.5f;
	o[16] = isnan(x)?1.0f:y;
	o[17] = x/y;
	o[18] = sqrt(x);
	o[19] = (float)(int)x;
	o[20] = (float)(uint)y;
	o[21] = copysign(x, y);
	o[22] = 0.0f;
	o[23] = -0.5f*x;
	o[24] = x>=y;
	o[25] = x!=y;
	o[26] = x==y;
	o[27] = vload_half(i, (__global half*)a);
}

__kernel void ints(__global int *o, __global const int *a, __global const int *b)
{
	int i = get_global_id(0);
	int x = a[i], y = b[i];
	uint u = x, v = y;
	o[0] = x/y;
	o[1] = u/v;
	o[2] = x%y;
	o[3] = mul_hi(x, y);
	o[4] = mul_hi(u, v);
	o[5] = mul24(x, y);
	o[6] = mad24(x, y, i);
	o[7] = popcount(x);
	o[8] = clz(x);
	o[9] = rotate(x, y);
	o[10] = x<<y;
	o[11] = x>>y;
	o[12] = u>>v;
	o[13] = min(x, y);
	o[14] = max(u, v);
	o[15] = ~x&y;
	o[16] = x|y;
	o[17] = x^y;
	o[18] = (x>>3)&15;
	o[19] = (x<<20)>>25;
	o[20] = bitselect(x, y, i);
	o[21] = add_sat(x, y);
	o[22] = abs(x);
	o[23] = x>y?x:i;
	o[24] = (u>v)?i:3;
	o[25] = mul24(u, v);
	o[26] = hadd(x, y);
	o[27] = ((long)x*y)>>13;
	o[28] = (int)(((ulong)u<<32|v)>>i);
	o[29] = 0x7fffffff;
	o[30] = 0x80000000;
	o[31] = -5;
}

__kernel void memory(__global char *o, __global const char *a, __global short *s, __global float4 *f, __local int *l, __constant int *c)
{
	int i = get_global_id(0), t = get_local_id(0);
	o[i] = a[i];
	s[i] = s[i+1];
	f[i] = f[i+1]*2.0f;
	((__global float2*)f)[i+9] = ((__global float2*)f)[i+5];
	l[t] = a[t];
	barrier(CLK_LOCAL_MEM_FENCE);
	o[i+4] = l[t^1]+c[t];
	atomic_add(l, 1);
	atomic_sub(l+1, i);
	atomic_min(l+2, i);
	atomic_max(l+3, i);
	atomic_and(l, i);
	atomic_or(l, i);
	atomic_xor(l, i);
	atomic_xchg(l, i);
	atomic_cmpxchg(l, i, 3);
	o[9] = atomic_add(l, 5);
	o[10] = atomic_xchg(l, 6);
	o[11] = atomic_cmpxchg(l, 4, 5);
	o[12] = ((__local char*)l)[t];
	o[13] = ((__local ushort*)l)[t];
	((__local char*)l)[t] = 3;
	((__local short*)l)[t] = 9;
	o[14] = ((__local short*)l)[t];
	atomic_dec(l);
	atomic_inc((__global int*)f);
	atomic_add((__global int*)f, i);
	atomic_max((__global int*)f, i);
}

__kernel void control(__global int *o, int n)
{
	int i = get_global_id(0);
	int x = 0;
	float p[8];
	for(int k = 0;k<8;k++) p[k] = o[k];
	for (int k = 0;k<n;k++) {
		if (o[k]==3) continue;
		if (o[k]==i) break;
		if (i&k) x+=k;
		else x^=o[i+k];
		for(int j = 0;j<o[k];j++) x+=o[j]*x;
	}
	o[i] = x+p[i&7];
	if (i>3) o[i+5] = p[(i+3)&7];
	else {
		p[i] = 3;
		o[i] = p[n];
	}
}
