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
