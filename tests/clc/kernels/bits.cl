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

/* Products of numbers of 64 bits, at the ends of the range, too. */
kernel void wide_overflows(global uint *out, global const uint *in)
{
	size_t i = get_global_id(0), at = 4 * i;
	uint a = in[i] * 0x9e3779b9, b = in[i + 1] * 0x85ebca6b;
	long x = as_long((uint2)(b, a)) >> i % 64;
	long y = as_long((uint2)(a, b)) >> (63 - i * 5 % 64);
	long least = i % 3 ? LONG_MIN : LONG_MAX, w;
	ulong v;
	uint flags = 0;

	flags |= __builtin_smull_overflow(x, y, &w);
	out[at] = w;
	out[at + 1] = w >> 32;
	flags |= __builtin_smull_overflow(least, (long)(i % 5) - 2, &w) << 1;
	flags |= __builtin_smull_overflow(least >> i % 40, -1L << i % 37, &w)
		 << 2;
	flags |= __builtin_umull_overflow(x, y, &v) << 3;
	out[at + 2] = v >> 32;
	flags |= __builtin_umull_overflow((ulong)x >> 32, (ulong)y >> 31, &v)
		 << 4;
	flags |= __builtin_umull_overflow((ulong)x >> 34, (ulong)y >> 33, &v)
		 << 5;
	flags |= __builtin_umull_overflow((ulong)x | 1, (ulong)(y != 0), &v)
		 << 6;
	out[at + 3] = flags;
}

/* LLVM 14 has no name for some of these. */
#if __has_builtin(__builtin_reduce_add)
#define SUM(v) __builtin_reduce_add(v)
#define PRODUCT(v) __builtin_reduce_mul(v)
#define BOTH(v) __builtin_reduce_and(v)
#define EITHER(v) __builtin_reduce_or(v)
#define ODD(v) __builtin_reduce_xor(v)
#define LEAST(v) __builtin_reduce_min(v)
#define GREATEST(v) __builtin_reduce_max(v)
#else
#define SUM(v) (v.x + v.y + v.z + v.w)
#define PRODUCT(v) (v.x * v.y * v.z * v.w)
#define BOTH(v) (v.x & v.y & v.z & v.w)
#define EITHER(v) (v.x | v.y | v.z | v.w)
#define ODD(v) (v.x ^ v.y ^ v.z ^ v.w)
#define LEAST(v) min(min(v.x, v.y), min(v.z, v.w))
#define GREATEST(v) max(max(v.x, v.y), max(v.z, v.w))
#endif

kernel void reductions(global uint *out, global const uint *in)
{
	size_t i = get_global_id(0), at = 8 * i;
	uint4 a = in[i] * (uint4)(0x9e3779b9, 0x85ebca6b, 0xc2b2ae35, 5);
	ulong4 l = convert_ulong4(a) * 0x9e3779b97f4a7c15;
	char4 c = convert_char4(a);
	short4 s = convert_short4(a);
	float4 f = convert_float4(as_int4(a));
	uchar v;
	ulong w;

	out[at] = SUM(a) ^ PRODUCT(a);
	out[at + 1] = BOTH(a) + (EITHER(a) ^ ODD(a));
	out[at + 2] = LEAST(as_int4(a)) ^ GREATEST(as_int4(a));
	out[at + 3] = LEAST(a) ^ GREATEST(a);
	w = SUM(l) ^ PRODUCT(l) ^ LEAST(as_long4(l)) ^ GREATEST(l);
	out[at + 4] = w;
	out[at + 5] = w >> 32;
	v = SUM(c) ^ LEAST(c) ^ GREATEST(c) ^ PRODUCT(c);
	out[at + 6] = (v << 16) + (ushort)(SUM(s) ^ LEAST(s) ^ ODD(s));
	out[at + 7] = as_uint(LEAST(f)) ^ as_uint(GREATEST(f));
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
