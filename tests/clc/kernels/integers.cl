/* Integers of all widths with values from everywhere in their range. */
ulong spread(global const uint *in, uint i, uint salt)
{
	ulong x = (in[i & 1023] + salt) * 0x9e3779b97f4a7c15ul;

	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9ul;
	/* Many of few bits, and the ends of the range. */
	switch (x >> 60) {
	case 0: return 0;
	case 1: return 0x8000000000000000ul;
	case 2: return 0xfffffffffffffffful;
	case 3: return 0x80000000ul;
	default: return x >> (x & 63);
	}
}

kernel void quotients32(global const uint *in, global uint *out)
{
	uint i = get_global_id(0);
	uint a = (uint)spread(in, i, 1), b = (uint)spread(in, i, 2) | 1;
	int c = (int)a >> 1, d = (int)b;

	out[8 * i] = a / b;
	out[8 * i + 1] = a % b;
	out[8 * i + 2] = (uint)(c / d);
	out[8 * i + 3] = (uint)(c % d);
	out[8 * i + 4] = (uint)(((short)a >> 1) / ((short)b | 1));
	out[8 * i + 5] = (uchar)a % ((uchar)b | 1);
	out[8 * i + 6] = a / 10;
	out[8 * i + 7] = (uint)(c % 1000);
}

kernel void quotients64(global const uint *in, global ulong *out)
{
	uint i = get_global_id(0);
	ulong a = spread(in, i, 3), b = spread(in, i, 4) | 1;
	long c = (long)a >> 1, d = (long)b;

	out[4 * i] = a / b;
	out[4 * i + 1] = a % b;
	out[4 * i + 2] = (ulong)(c / d);
	out[4 * i + 3] = (ulong)(c % d);
}

kernel void shifts(global const uint *in, global ulong *out)
{
	uint i = get_global_id(0), n = in[i];
	ulong a = spread(in, i, 5), b = spread(in, i, 6);

	out[8 * i] = a << (n & 63);
	out[8 * i + 1] = a >> (n & 63);
	out[8 * i + 2] = (ulong)((long)a >> (n & 63));
	out[8 * i + 3] = (a << 40) ^ (a >> 40) ^ (a << 7) ^ (a >> 7);
	out[8 * i + 4] = (ulong)((long)a >> 33) ^ (ulong)((long)b >> 3);
	out[8 * i + 5] = (ulong)((char)a >> (n & 7)) + (uchar)((uchar)b >> 2);
	out[8 * i + 6] = (ulong)(ushort)((ushort)a << (n & 15));
	out[8 * i + 7] = a * b + (a - b) * 3;
}

kernel void orders(global const uint *in, global ulong *out)
{
	uint i = get_global_id(0);
	ulong a = spread(in, i, 7), b = i & 1 ? a + (i & 2) - 1
					      : spread(in, i, 8);
	long c = (long)a, d = (long)b;

	out[4 * i] = (ulong)(a < b) | (a <= b) << 1 | (a > b) << 2 |
		     (a >= b) << 3 | (a == b) << 4 | (a != b) << 5;
	out[4 * i + 1] = (ulong)(c < d) | (c <= d) << 1 | (c > d) << 2 |
			 (c >= d) << 3 | ((char)c < (char)d) << 4 |
			 ((ushort)a > (ushort)b) << 5;
	out[4 * i + 2] = min(a, b) ^ (ulong)max(c, d);
	out[4 * i + 3] = abs(c) + clz(a) + (uint)clz((char)b);
}

kernel void numbers(global const uint *in, global float *out)
{
	uint i = get_global_id(0);
	ulong a = spread(in, i, 9);
	float x = (float)in[i] * 0x1p40f + 3.5f;

	out[8 * i] = (float)a;
	out[8 * i + 1] = (float)(long)a;
	out[8 * i + 2] = (float)(uint)a;
	out[8 * i + 3] = (float)(char)a;
	out[8 * i + 4] = (float)(uint)((ulong)x >> 20);
	out[8 * i + 5] = (float)(int)((long)-x >> 33);
	out[8 * i + 6] = (float)(uchar)(in[i] * 0.25f);
	out[8 * i + 7] = (float)(ushort)a;
}

kernel void pieces(global const uint *in, global uchar *bytes,
		   global ushort *shorts, local uchar *near)
{
	uint i = get_global_id(0), n = get_local_id(0);
	uchar own[12];

	near[n] = (uchar)spread(in, i, 10);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 0; k < 12; k++)
		own[k] = near[(n + k) & 63] + k;
	own[in[i] % 12] ^= 0x5a;
	bytes[7 * i] = own[in[i + 1] % 12];
	bytes[7 * i + 3] = own[in[i + 2] % 12];
	vstore3((uchar3)(own[0], own[5], own[11]), i, bytes + 8192);
	shorts[3 * i] = (ushort)(own[1] * own[2]);
	vstore4(vload4(i & 7, near), i, bytes + 16384);
}

kernel void chosen_element(global const uint *in, global ulong *out)
{
	uint i = get_global_id(0);
	ulong4 v = (ulong4)(spread(in, i, 11), i, in[i], 77);
	char8 c = (char8)(1, 2, 3, 4, 5, 6, 7, (char)i);

	((ulong *)&v)[in[i] & 3] += 5;
	out[3 * i] = v.x ^ v.y << 8 ^ v.z << 16 ^ v.w << 24;
	out[3 * i + 1] = ((ulong *)&v)[in[i + 1] & 3];
	out[3 * i + 2] = (ulong)((char *)&c)[in[i] & 7];
}
