/* Private variables that have no room in registers: every way to reach them. */

kernel void big(global float *out, global const int *in)
{
	float a[1024];
	int id = get_global_id(0);
	float sum = 0;

	for (int i = 0; i < 1024; i++)
		a[i] = i * 0.5f + id;
	for (int i = 0; i < 64; i++) {
		a[in[i + id] & 1023] += 1;
		sum += a[in[i] * 7 + id & 1023];
	}
	out[id] = sum + a[5];
}

/* Bytes and shorts: parts of dwords. */
kernel void small(global int *out, global const int *in)
{
	uchar bytes[700];
	short shorts[300];
	int id = get_global_id(0);

	for (int i = 0; i < 700; i++)
		bytes[i] = i * 3 + id;
	for (int i = 0; i < 300; i++)
		shorts[i] = i * 300 - id;
	for (int i = 0; i < 50; i++) {
		bytes[in[i] % 700] += shorts[in[i + 1] % 300];
		shorts[in[i + id] % 300] ^= bytes[in[i + 2] % 700];
	}
	for (int i = 0; i < 20; i++)
		out[20 * (id % 64) + i] = bytes[in[i] % 700] * 65536 +
					  shorts[in[2 * i] % 300];
}

struct node {
	char tag;
	int value;
	short pair[2];
	long wide;
	float4 quad;
	private struct node *next;
};

int walk(private struct node *node, int steps)
{
	int sum = 0;

	while (steps--) {
		sum += node->value + node->tag + node->pair[steps & 1] +
		       (int)node->wide + (int)node->quad.y;
		node = node->next;
	}
	return sum;
}

/* Structures, pointers kept in memory, copies of structures. */
kernel void list(global int *out, global const int *in)
{
	struct node nodes[24], copy;
	int id = get_global_id(0);

	for (int i = 0; i < 24; i++) {
		nodes[i].tag = i - id;
		nodes[i].value = in[i] + id;
		nodes[i].pair[0] = i * 1000;
		nodes[i].pair[1] = -i;
		nodes[i].wide = (long)in[i] << 20;
		nodes[i].quad = (float4)(i, i + 1, i + 2, i + 3);
		nodes[i].next = &nodes[in[i + id] % 24];
	}
	copy = nodes[in[id] % 24];
	nodes[in[id + 1] % 24] = copy;
	out[id] = walk(&nodes[id % 24], 40) + walk(&copy, 10) +
		  (nodes[3].next - nodes);
}

/* Pointers that are chosen, passed on, compared and cast. */
kernel void pointers(global int *out, global const int *in)
{
	int a[200], b[200];
	int id = get_global_id(0);
	int *p = id & 1 ? a : b, *q = id & 2 ? b : a;

	for (int i = 0; i < 200; i++) {
		a[i] = in[i];
		b[i] = in[i + 50] * 2;
	}
	for (int i = 0; i < 30; i++) {
		int *r = in[i] & 1 ? p + in[i] % 190 : q + in[i + 1] % 190;

		if (r == p + 3)
			r++;
		*r += r[1] + (p == q);
		((char *)r)[2] = i;
	}
	out[id] = p[in[id] % 200] + q[in[id + 3] % 200];
}

/* Vectors and 64 bits. */
kernel void vectors(global float *out, global long *wide, global const int *in)
{
	float4 f[60];
	char4 c[60];
	long l[60];
	short3 s[40];
	int id = get_global_id(0);

	for (int i = 0; i < 60; i++) {
		f[i] = convert_float4((int4)(i, in[i], id, 3));
		c[i] = convert_char4((int4)(i, in[i], id, 3));
		l[i] = (long)in[i] * 123456789;
	}
	for (int i = 0; i < 40; i++)
		s[i] = (short3)(i, id, in[i]);
	f[in[id] % 60].zx += f[in[id + 1] % 60].yw;
	((float *)f)[in[id + 2] % 240] = 7.5f;
	c[in[id + 3] % 60] += c[in[id + 4] % 60];
	l[in[id + 5] % 60] -= l[in[id + 6] % 60] << 3;
	s[in[id] % 40] += s[in[id + 7] % 40];
	for (int i = 0; i < 8; i++) {
		float4 v = f[in[i] % 60] + convert_float4(c[in[i + 1] % 60]);
		short3 t = s[in[i] % 40];

		out[8 * (id % 64) + i] = v.x + v.y * 2 + v.z * 3 + v.w * 5 +
					 t.x + t.y + t.z;
		wide[8 * (id % 64) + i] = l[in[i + 2] % 60];
	}
}

/* A table that is copied, one that is cleared, a copy onto itself. */
constant int table[300] = { 1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31 };

kernel void copies(global int *out, global const int *in)
{
	int a[300] = { 4, 3, 2, 1 }, b[300] = { 0 };
	int id = get_global_id(0);

	for (int i = 0; i < 300; i++)
		b[i] = table[i] + a[299 - i];
	for (int i = 0; i < 250; i++)
		a[i] = b[i + 7];
	for (int i = 0; i < 290; i++)
		b[i] = b[i + 10];
	for (int i = 299; i >= 20; i--)
		a[i] = a[i - 20];
	a[in[id] % 300] = id;
	out[id] = a[in[id + 1] % 300] + b[in[id + 2] % 300] + b[id % 300];
}

/* More values at once than there are registers. */
kernel void pressure(global float *out, global const float *in)
{
	int id = get_global_id(0);
	float v[160];

#pragma unroll
	for (int i = 0; i < 160; i++)
		v[i] = in[id + i];
	for (int round = 0; round < 1; round++) {
#pragma unroll
		for (int i = 0; i < 160; i++)
			v[i] = v[i] * v[(i * 7 + 3) % 160] + in[round + i];
	}
	for (int round = 0; round < 1; round++) {
#pragma unroll
		for (int i = 0; i < 160; i++)
			v[159 - i] += v[i] * 0.25f;
	}
	float sum = 0;
#pragma unroll
	for (int i = 0; i < 160; i++)
		sum += v[i] > 1e30f ? 1 : v[i] * 1e-30f;
	out[id] = sum;
}

/* Local memory, barriers, atomics and early returns beside it. */
kernel void mixed(global int *out, volatile global int *count, local int *tile)
{
	int a[500];
	int id = get_global_id(0), lid = get_local_id(0);

	for (int i = 0; i < 500; i++)
		a[i] = i ^ id;
	tile[lid] = a[lid * 3 % 500];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid % 5 == 4)
		return;
	for (int i = 0; i < lid % 7; i++)
		a[tile[(lid + i) % get_local_size(0)] & 255] += i;
	atomic_add(&count[lid % 3], a[7] & 15);
	out[id] = a[lid] + a[tile[0] & 255];
}
