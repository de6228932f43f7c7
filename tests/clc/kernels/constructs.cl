/* What LLVM makes of unusual programs: numbers and values of many dwords,
 * constants of every kind, and loops with no way out. */

/* --- Many dwords ---------------------------------------------------------- */

typedef unsigned _BitInt(128) u128;
typedef unsigned _BitInt(65) u65;
typedef _BitInt(100) s100;
typedef unsigned _BitInt(48) u48;
typedef unsigned _BitInt(24) u24;

kernel void long_sums(global ulong *out, global const ulong *in)
{
	int id = get_global_id(0);
	u128 a = (u128)in[id] << 64 | ~in[id + 1];
	u128 b = (u128)in[id + 2] << 37 ^ in[id + 3];
	u128 sum = (a + b) ^ (a - b) << 3;

	out[3 * id] = (ulong)sum;
	out[3 * id + 1] = (ulong)(sum >> 64);
	out[3 * id + 2] = (ulong)(u65)(sum + (u128)-77) >> 3;
}

kernel void long_shifts(global ulong *out, global const ulong *in)
{
	int id = get_global_id(0), by = in[id] % 100;
	u128 a = (u128)in[id] * 1 << 90 | (u128)(in[id + 1] * 0x123456789abcd) << 21;
	s100 b = (s100)(a << 30 ^ a >> 2);
	u128 all = (a >> by) ^ (a << (by / 2)) ^ (u128)(b >> by) ^
		   (u128)(b >> 17) ^ a >> 64;

	out[2 * id] = (ulong)all;
	out[2 * id + 1] = (ulong)(all >> 64);
}

kernel void long_comparisons(global int *out, global const ulong *in)
{
	int id = get_global_id(0);
	u128 a = (u128)(in[id] & 1) << 64 | in[id + 1];
	u128 b = (u128)(in[id + 2] & 1) << 64 | in[id + 3];
	s100 c = (s100)(a << 35), d = (s100)(b << 35) >> (in[id] & 1);

	out[id] = (a < b) | (a == b) << 1 | (a >= b) << 2 | (a <= b) << 3 |
		  (a > b) << 4 | (a != b) << 5 | (c < d) << 6 |
		  (c >= d) << 7 | (c > d) << 8 | (c <= d) << 9 |
		  (c == -d) << 10 | (c < 0) << 11 | ((c ^ d) != 0) << 12;
}

kernel void odd_widths(global ulong *out, global const ulong *in,
		       global uchar *bytes)
{
	int id = get_global_id(0);
	u48 a = in[id] * 0x123456789abcdu;
	u24 b = in[id + 1] * 77777;
	uchar3 c = __builtin_astype(vload3(id, bytes), uchar3) + (uchar)id;

	out[id] = (ulong)(a / 3) + (ulong)(b * b) + c.x + c.y * c.z;
}

typedef int many __attribute__((ext_vector_type(64)));

kernel void many_elements(global int *out, global const int *in)
{
	int id = get_global_id(0);
	many a = *(global const many *)(in + (id & 15) * 64);
	many b = *(global const many *)in;

	a = (a > b) ? a * 3 : b ^ a;
	out[id] = a.s0 + a[id & 63] + a[5];
}

/* More values from two sides of a branch than the copies of a block once could
 * be. */
kernel void many_values(global int *out, global const int *in)
{
	int id = get_global_id(0) & 255;
	int16 v[17], sum = 0;

	if (id & 1) {
#pragma unroll
		for (int i = 0; i < 17; i++)
			v[i] = vload16(i, in + id) * i;
	} else {
#pragma unroll
		for (int i = 0; i < 17; i++)
			v[i] = vload16(3 * i, in) ^ id;
	}
#pragma unroll
	for (int i = 0; i < 17; i++)
		sum = sum * 31 + v[(i * 7) % 17];
	sum.lo ^= sum.hi;
	sum.s0123 ^= sum.s4567;
	out[get_global_id(0)] = sum.x + sum.y * 3 + sum.z * 5 + sum.w * 7;
}

typedef u128 u128x2 __attribute__((ext_vector_type(2)));

kernel void long_elements(global ulong *out, global const ulong *in)
{
	int id = get_global_id(0);
	u128x2 a = { in[id], (u128)in[id + 1] << 70 }, b = a.yx;

	a ^= b << 9;
	a += (u128x2)(in[id + 2]);
	b = a > b ? a - b : ~b;
	b[id & 1] ^= 99;
	out[4 * id] = (ulong)b.x;
	out[4 * id + 1] = (ulong)(b.x >> 64);
	out[4 * id + 2] = (ulong)b.y;
	out[4 * id + 3] = (ulong)(b[id & 1] >> 64);
}

typedef unsigned _BitInt(96) u96;
typedef _BitInt(128) s128;

static void put(global ulong *out, u128 a)
{
	out[0] ^= (ulong)a * 3;
	out[1] += (ulong)(a >> 64) * 5 ^ out[0];
}

/* What LLVM has functions for: rotations, shifts of two numbers. */
kernel void long_turns(global ulong *out, global const ulong *in)
{
	int id = get_global_id(0);
	uint by = in[id + 3] & 127;
	u128 a = (u128)in[id] << 64 | in[id + 1] * 0x123456789abcd;
	u128 b = (u128)in[id + 2] << 64 | ~in[id];
	u96 c = (u96)(a >> 11), d = (u96)b;
	u48 e = (u48)a, f = (u48)(b >> 70);
	u24 g = (u24)(a >> 9);

	out += 2 * id;
	out[0] = out[1] = 0;
	put(out, a << by | a >> (-by & 127));
	put(out, b >> by | b << (-by & 127));
	put(out, a << 17 | a >> 111);
	put(out, a << 69 | b >> 59);
	put(out, (u96)(c << 40) | c >> 56);
	put(out, (u96)(c << 7) | d >> 89);
	put(out, (u48)(e << 13) | f >> 35);
	put(out, (u24)(g << 5) | g >> 19);
}

kernel void long_quotients(global ulong *out, global const ulong *in)
{
	int id = get_global_id(0);
	u128 a = (u128)in[id] << 64 | in[id + 1] * 0x123456789abcd;
	s100 b = (s100)(a >> 3);
	u65 c = (u65)a;

	out += 2 * id;
	out[0] = out[1] = 0;
	put(out, a / 10);
	put(out, a % 65535);
	put(out, c / 7 * 100 + c % 7);
	put(out, (u128)(b >> (in[id] & 127)));
	put(out, (u128)(b << (uint)in[id + 2]));
}

/* Choices, and sums that stay in the range. */
kernel void long_choices(global ulong *out, global const ulong *in)
{
	int id = get_global_id(0);
	u128 a = (u128)(in[id] << 56) << 64 | in[id + 1] * 0x123456789abcd;
	u128 b = (u128)(in[id + 2] << 56) << 64 | ~in[id];
	s128 c = (s128)a, d = (s128)b;

	out += 2 * id;
	out[0] = out[1] = 0;
	put(out, a < b ? a : b);
	put(out, a > b ? a : b);
	put(out, (u128)(c < d ? c : d));
	put(out, (u128)(c > d ? c : d));
	put(out, (u128)(c < 0 ? -c : c));
	put(out, a + b < a ? ~(u128)0 : a + b);
	put(out, a > b ? a - b : 0);
	put(out, (u128)(s128)((a > b) - (a < b)));
	out[0] += (a > b) - (a < b) + 3 * ((c > d) - (c < d));
}

/* Bytes of 48 bits in another order, bits that are looked for. */
kernel void odd_bits(global ulong *out, global const ulong *in)
{
	int id = get_global_id(0);
	u48 a = in[id] * 0x123456789abcd, turned;
	int places = 0;

	turned = (a & 0xff) << 40 | (a >> 8 & 0xff) << 32 |
		 (a >> 16 & 0xff) << 24 | (a >> 24 & 0xff) << 16 |
		 (a >> 32 & 0xff) << 8 | a >> 40;
	for (u48 rest = a; rest; rest &= rest - 1)
		places++;
	out[id] = (ulong)turned * 64 + places;
}

/* 2 to the power of a whole number is made with its exponent. */
kernel void exponents(global float *out, global const int *in)
{
	int id = get_global_id(0), n = in[id] % 200;

	out[4 * id] = exp2((float)n);
	out[4 * id + 1] = ldexp(1.5f, n);
	out[4 * id + 2] = native_exp2((float)(in[id] % 120)) * 3.0f;
	out[4 * id + 3] = ldexp((float)in[id], in[id + 1] % 50);
}

/* Kinds of numbers, which LLVM 19 asks of their bits. */
kernel void kinds(global int *out, global const uint *in)
{
	int id = get_global_id(0);
	uint top = in[id] % 7;
	uint bits = top == 0   ? 0
		    : top == 1 ? 0x7f800000
		    : top == 2 ? 0x7fc00000 + (in[id + 1] & 0xff)
			       : 0x3f800000 + (in[id + 1] & 0xffffff);
	float a = as_float(bits | (in[id + 2] & 1) << 31);

	out[id] = isnan(a) | isinf(a) << 1 | isfinite(a) << 2 |
		  isnormal(a) << 3 | (signbit(a) != 0) << 4 |
		  (a == 0.0f) << 5 | (isinf(a) && a < 0.0f) << 6 |
		  (fabs(a) < INFINITY && a != 0.0f) << 7;
}

/* LLVM knows what these divisions ask. */
kernel void product_fits(global char *out, global const uchar *in,
			 global const ulong *wide)
{
	int id = get_global_id(0);
	uchar2 a = vload2(id, in) * (uchar)3 | (uchar)1, b = vload2(id + 1, in);
	ulong2 c = (vload2(id, wide) << 25) | 1UL, d = vload2(id + 1, wide) << 20;

	vstore2(a * b / a != b, id, out);
	vstore2(convert_char2(c * d / c != d), id + 1024, out);
}

/* --- Constants ------------------------------------------------------------ */

kernel void half_constants(global ushort *out, int n)
{
	int id = get_global_id(0);

	vstore_half(id < n ? 1.5f : -0.1f, id, (global half *)out);
	vstore_half(2.0f, id + 512, (global half *)out);
	vstore_half(-6e-8f, id + 1024, (global half *)out);
	vstore_half(65504.0f, id + 1536, (global half *)out);
	vstore_half(INFINITY, id + 2048, (global half *)out);
	vstore_half(6.0e-5f, id + 2560, (global half *)out);
	vstore_half(1e-4f, id + 3072, (global half *)out);
	vstore_half(NAN, id + 3584, (global half *)out);
	out[id + 3584] &= 0xfc00;
}

constant int first[] = { 1, 2, 3, 4 }, second[] = { 10, 20, 30, 40 };
constant int third[] = { -1, -5, -7, 11 };
constant int *constant lists[] = { first, second, third, second + 1 };
constant float floats[] = { 1.5f, 2.5f, -3 };
constant struct entry {
	constant int *list;
	int number;
	constant float *real;
} entries[] = {
	{ first, 1, floats }, { second + 2, 0, floats + 2 }, { 0, 3, 0 },
};
constant struct entry *constant entry = &entries[1];

kernel void addresses(global int *out)
{
	int id = get_global_id(0);
	constant struct entry *e = &entries[id % 3];
	int sum = lists[id & 3][id & 1] + e->number + entry->list[1];

	if (e->list)
		sum += e->list[1] * 100;
	if (e->real)
		sum += (int)(e->real[0] * 2000);
	out[id] = sum;
}

/* Where a variable lies counts only in comparison with another place. */
kernel void distances(global int *out)
{
	int id = get_global_id(0);
	size_t at = (size_t)&second[id & 3];

	out[id] = (int)(at - (size_t)second) * 10 + (((size_t)first & 3) == 0) +
		  ((ulong)(size_t)&third[2] % 4 == 0) * 2 +
		  ((size_t)first != (size_t)third) * 4;
}

/* --- Loops ---------------------------------------------------------------- */

kernel void endless(global int *out, int n)
{
	int id = get_global_id(0), k = id;

	if (id > 1000000)
		for (;;) {
			out[k & 7] = k;
			k++;
		}
	if (n > 100)
		for (;;) {
			if (k++ & 1)
				out[n] = k;
			else
				while (out[k & 7] & 1)
					out[k & 3] += k;
		}
	out[id] = n + id;
}

kernel void many_ways_out(global int *out, int n)
{
	int id = get_global_id(0), k = id;

	for (;;) {
		out[id] = k;
		k += n;
		if (k > 200) {
			out[id + 512] = k;
			if (k & 1)
				return;
			k += 3;
			if (k > 1000)
				return;
		}
	}
}
