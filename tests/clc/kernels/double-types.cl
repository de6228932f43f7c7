#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

constant double table[] = { 0.5, -1.25, 3.75, 0.1, 1e10, -2.0, 7.0, 1.0 / 3 };

struct particle {
	float mass;
	double position[2];
	int kind;
	double2 velocity;
};

kernel void vectors(global double4 *out, global const double4 *in,
		    global double *flat)
{
	size_t i = get_global_id(0);
	double4 a = in[2 * i], b = in[2 * i + 1];
	double8 wide = (double8)(a, b);
	double16 wider = (double16)(wide, wide.s76543210);
	double3 three = a.xyz * b.zyx;

	wider *= 0.5;
	out[i] = wider.sfc30 + (double4)(three, dot(a, b)) - b.wzyx;
	out[i] += select(a, b, a > b) + max(a, b) * fmin(b, 3.0);
	vstore3(three, i, flat);
	flat[1536 + i] = vload4(i, (global const double *)in).y + as_double2(a.xy).x;
	flat[2048 + i] = (double)(convert_int4(b).z + convert_long4(a).x) +
			 convert_double4((int4)(1, 2, 3, (int)i)).w;
}

kernel void values(global double *out, double a, char c, double2 b, float f,
		   double4 d)
{
	size_t i = get_global_id(0);

	out[i] = a * i + b.x - b.y * c + f + d.w - d.x;
}

kernel void structures(global struct particle *all, global double *out)
{
	size_t i = get_global_id(0);
	struct particle p = all[i];

	all[i].kind = (int)p.mass + 3;
	p.position[0] += 0.125 * p.velocity.x;
	p.position[1] += 0.125 * p.velocity.y;
	p.velocity = p.velocity.yx;
	out[i] = p.position[0] - p.position[1];
	all[i].velocity = p.velocity;
}

kernel void tables(global double *out, global const uint *index)
{
	size_t i = get_global_id(0);
	double private_table[6];

	for (int k = 0; k < 6; k++)
		private_table[k] = table[k] + k;
	out[i] = table[index[i] & 7] * private_table[index[i] % 6];
}

kernel void branches(global double *out, global const double *in)
{
	size_t i = get_global_id(0);
	double x = in[i], sum = 0;

	for (int k = 0; k < 20; k++) {
		if (x > 5.0)
			x = x * 0.5 - 1.0;
		else if (x < 0.0)
			x = -x;
		else
			x += 1.75;
		if (sum > 60.0)
			break;
		sum += x;
	}
	out[i] = sum;
}

kernel void reduction(global double *out, global const double *in,
		      local double *part)
{
	size_t l = get_local_id(0);

	part[l] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (size_t n = get_local_size(0) / 2; n; n /= 2) {
		if (l < n)
			part[l] += part[l + n];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (!l)
		out[get_group_id(0)] = part[0];
}

kernel void bodies(global double4 *out, global const double4 *in)
{
	size_t i = get_global_id(0), n = get_global_size(0);
	double4 self = in[i], force = 0;

	for (size_t k = 0; k < n; k++) {
		double4 d = in[k] - self;
		double r = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01);

		force.xyz += d.xyz * (in[k].w * r * r * r);
	}
	out[i] = force;
}

double normal(double x)
{
	double t = 1.0 / (1.0 + 0.2316419 * fabs(x));
	double p = t * (0.319381530 +
			t * (-0.356563782 +
			     t * (1.781477937 +
				  t * (-1.821255978 + t * 1.330274429))));

	p = 1.0 - p * exp(-0.5 * x * x) * 0.39894228040143267794;
	return x < 0 ? 1.0 - p : p;
}

kernel void prices(global double *call, global const double *stock,
		   global const double *strike)
{
	size_t i = get_global_id(0);
	double s = stock[i], k = strike[i], t = 0.5, r = 0.02, v = 0.3;
	double d1 = (log(s / k) + (r + 0.5 * v * v) * t) / (v * sqrt(t));
	double d2 = d1 - v * sqrt(t);

	call[i] = s * normal(d1) - k * exp(-r * t) * normal(d2);
}

kernel void mixed(global float *out, global const float *in, global int *n)
{
	size_t i = get_global_id(0);
	double d = in[i];

	out[i] = (float)(d * 0.1 + n[i]) + convert_float_rtz(d / 3.0);
	n[i] = isgreater(d, 4.0) + (int)round(d) + convert_int_sat(d * 1e10);
}

/* What else has 64 bits. */
kernel void longs(global long *out, global const long *in)
{
	size_t i = get_global_id(0);
	long a = in[2 * i] * 0x123456789abL, b = in[2 * i + 1] - 500;

	out[i] = a + b;
	out[i + 512] = a - b;
	out[i + 1024] = a * b;
	out[i + 1536] = a / (b | 1) + a % (b | 1);
	out[i + 2048] = (a << (b & 63)) ^ (a >> (b & 63)) ^
			(long)((ulong)a >> (b & 63));
	out[i + 2560] = (a < b) + 2 * ((ulong)a < (ulong)b) + min(a, b) +
			mul_hi(a, b) + (long)clz(b) + popcount(a);
	out[i + 3072] = (long)((ulong)a / (ulong)(b | 1));
	out[i + 3584] = (long)(float)b + abs_diff(a, b) + rotate(a, b);
}

/* Functions of vectors go through a loop. */
kernel void wide(global double4 *out, global const double4 *a,
		 global const double2 *b)
{
	size_t i = get_global_id(0);
	double4 x = a[i], y;
	double2 z = b[i];

	y = sqrt(x) + log(x) * exp(-x);
	y.xy += pow(z, x.zw * 0.25) + atan2(z, x.xy);
	y.z += sin(z).x + floor(x).w / rsqrt(z).y;
	out[i] = y;
}
