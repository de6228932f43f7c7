/* Rules of the code generator that few kernels meet. */

constant long wide[3] = { 1L << 40, -7, 77 };

/* Numbers that are where literals for places in tables begin; the larger comes
 * before the one that moves that beginning towards it. */
kernel void literals(global long *out, global const int *in)
{
	int i = in[get_global_id(0)];
	int j = (i ^ 0x6d000020) * i;
	int k = (j ^ 0x6d000010) * j;

	out[get_global_id(0)] = wide[(uint)k % 3] + k;
}

/* What another wavefront has written is read behind the barrier. */
kernel void exchange(global int *out, global int *between,
		     global const int *in)
{
	int i = get_global_id(0), x = in[i] * 3;

	between[i] = x;
	barrier(CLK_GLOBAL_MEM_FENCE);
	out[i] = between[i ^ 64] + x * in[i ^ 1];
	barrier(CLK_GLOBAL_MEM_FENCE);
	between[i] = x + (int)get_local_id(0);
}

/* Both values of a pair of local reads, in the order against that of reading. */
kernel void taken(global int *out, global const int *in)
{
	local int l[128];
	int i = get_local_id(0);

	l[i] = in[get_global_id(0)];
	l[i + 64] = in[get_global_id(0)] * 5;
	barrier(CLK_LOCAL_MEM_FENCE);
	int a = l[(i * 7) & 127], b = l[(i * 13 + 3) & 127];

	out[get_global_id(0)] = b - a;
}

/* Pairs of local reads behind others, whose values wait in both queues. */
kernel void queued(global int *out, global const int *in)
{
	local int l[128];
	int i = get_local_id(0);

	l[i] = in[get_global_id(0)];
	l[i + 64] = in[get_global_id(0)] * 5;
	barrier(CLK_LOCAL_MEM_FENCE);
	int2 p = vload2(i, l);
	int a = l[(i * 7) & 127], b = l[(i * 13 + 3) & 127];
	int c = l[b & 127], d = l[a & 127];
	int2 q = vload2(a & 31, l);

	out[get_global_id(0)] = (b - a) * c + d * p.x + p.y * q.x + q.y;
}

/* Operands of one operation that are also stored by themselves, so that all their
 * dwords are in the same channel. */
kernel void crossed(global ulong *out, global uint *parts,
		    global const uint *in, uint k)
{
	int i = get_global_id(0);
	uint l0 = in[i] * k + 1, h0 = (in[i] & 0xfffff) | 0x3ff00000;
	uint l1 = in[i ^ 1] * k + 3, h1 = (in[i ^ 1] & 0xfffff) | 0x40000000;
	uint l2 = in[i ^ 2] * k + 5, h2 = (in[i ^ 2] & 0xfffff) | 0x3fe00000;
	double a = as_double((uint2)(l0, h0)), b = as_double((uint2)(l1, h1));
	double c = as_double((uint2)(l2, h2));
	double all = fma(a, b, -c), first = fma(-2.25, b, a);
	double second = fma(b, 1.1, fabs(c)), third = fma(c, a, 3.3);
	int order = (a < c) + 2 * (-b < c);

	barrier(CLK_GLOBAL_MEM_FENCE);
	parts[6 * i] = l0;
	parts[6 * i + 7 * 512] = h0;
	parts[6 * i + 2] = l1;
	parts[6 * i + 7 * 512 + 2] = h1;
	parts[6 * i + 4] = l2;
	parts[6 * i + 7 * 512 + 4] = h2;
	out[5 * i] = as_ulong(all);
	out[5 * i + 1] = as_ulong(first);
	out[5 * i + 2] = as_ulong(second);
	out[5 * i + 3] = as_ulong(third);
	out[5 * i + 4] = order;
}

/* Lanes that leave a loop by the opposite of a comparison of floats, and those
 * that go on by it. */
kernel void unless(global int *out, global const float *in)
{
	int i = get_global_id(0), n = 0, m = 0;
	float x = in[i], y = in[i ^ 1];

	do {
		x += y;
		n++;
	} while (!(x >= 5) && n < 40);
	for (; m < 40; m++) {
		if (!(y < x * 4))
			break;
		y += in[i];
	}
	out[i] = n + (m << 8) + (isgreater(x, y) << 16);
}
