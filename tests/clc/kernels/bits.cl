/* Bits counted and in another order, sums with a flag, copies, of any width. */
kernel void counted(global ulong *out, global const ulong *in)
{
	size_t i = get_global_id(0), at = 6 * i;
	ulong a = in[i] * 0x9e3779b97f4a7c15, b = i % 5 ? a << i % 64 : 0;

	out[at] = popcount(a) + 100 * popcount((uint)a) +
		  10000 * popcount((uchar)a) + 1000000 * popcount((ushort)a);
	out[at + 1] = (b ? __builtin_ctzll(b) : 64) +
		      ((uint)b ? __builtin_ctz((uint)b) : 32) * 100;
	out[at + 2] = __builtin_bitreverse64(a) ^ __builtin_bitreverse32(b);
	out[at + 3] = __builtin_bitreverse8(a) * 65536 +
		      __builtin_bitreverse16(a);
	out[at + 4] = __builtin_bswap64(a);
	out[at + 5] = (ulong)__builtin_bswap32(a) << 16 | __builtin_bswap16(a);
}

kernel void overflows(global int *out, global const uint *in)
{
	size_t i = get_global_id(0), at = 8 * i;
	uint a = in[i] * 0x9e3779b9, b = in[i + 1] * 0x85ebca6b;
	int s, flags = 0;
	uint u;
	long w;
	ulong v;
	short h;

	flags |= __builtin_sadd_overflow(a, b, &s);
	out[at] = s;
	flags |= __builtin_ssub_overflow(a, b, &s) << 1;
	out[at + 1] = s;
	flags |= __builtin_smul_overflow((int)a >> i % 32, (int)b >> 16, &s)
		 << 2;
	out[at + 2] = s;
	flags |= __builtin_uadd_overflow(a, b, &u) << 3;
	flags |= __builtin_usub_overflow(a, b, &u) << 4;
	out[at + 3] = u;
	flags |= __builtin_umul_overflow(a >> i % 32, b >> 16, &u) << 5;
	out[at + 4] = u;
	flags |= __builtin_saddl_overflow((long)a << 32, (long)b << 31, &w)
		 << 6;
	flags |= __builtin_ssubl_overflow((long)a << 32, (long)b << 31, &w)
		 << 7;
	out[at + 5] = w >> 32;
	flags |= __builtin_uaddl_overflow((ulong)a << 32, (ulong)b << 32, &v)
		 << 8;
	flags |= __builtin_usubl_overflow(a, b, &v) << 9;
	out[at + 6] = v;
	flags |= __builtin_add_overflow((short)a, (short)b, &h) << 10;
	flags |= __builtin_sub_overflow((short)a, (short)b, &h) << 11;
	flags |= __builtin_mul_overflow((short)(a >> 8 & 255),
					(short)(b >> i % 16), &h) << 12;
	out[at + 7] = flags ^ h;
}

struct piece {
	float4 first;
	uchar bytes[5];
	short last[3];
};

/* A structure as an argument, and one that is copied. */
kernel void pieces(global int *out, int n, struct piece given)
{
	struct piece all[3];
	size_t i = get_global_id(0);

	for (int k = 0; k < 3; k++) {
		all[k] = given;
		all[k].bytes[k] += i;
		all[k].last[k] -= n;
	}
	all[i % 3] = all[(i + 1) % 3];
	out[i] = all[i % 2].bytes[(i + n) % 5] + all[2].last[i % 3] * 256 +
		 (int)(all[0].first.z + given.first.w) * 65536;
}
