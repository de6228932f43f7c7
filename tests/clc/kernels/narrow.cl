/* Several vectors of bytes or shorts in a kernel, stored or converted by their
 * bits. */
#define AT get_global_id(0)

#define TWO(name, type, n, ...)                                                \
	__kernel void name(__global type *in, __global type *out)              \
	{                                                                      \
		__global type##n *to = (__global type##n *)out + 2 * AT;       \
		__global type *s = in + 4 * AT;                                \
                                                                               \
		to[0] = (type##n)(__VA_ARGS__);                                \
		s++;                                                           \
		to[1] = (type##n)(__VA_ARGS__);                                \
	}
TWO(char2_second, char, 2, 0, s[0])
TWO(char2_first, char, 2, s[0], 7)
TWO(char2_both, char, 2, s[1], s[0])
TWO(char4_one, char, 4, 0, s[2], 0, 0)
TWO(uchar4_all, uchar, 4, s[3], s[2], s[1], s[0])
TWO(char8_some, char, 8, s[0], 1, 2, s[1], 3, 4, 5, s[2])
TWO(uchar16_some, uchar, 16, s[0], 1, 2, s[1], 3, 4, 5, s[2], s[3], s[0], 0, 0,
    9, 9, s[1], 9)
TWO(short2_second, short, 2, 0, s[0])
TWO(ushort4_all, ushort, 4, s[3], s[2], s[1], s[0])
TWO(short8_some, short, 8, s[0], 1, 2, s[1], 3, 4, 5, s[2])
TWO(ushort16_all, ushort, 16, s[0], 1, 2, s[1], s[3], 4, 5, s[2], s[3], s[0], 0,
    0, 9, 9, s[1], 9)
TWO(ulong2_second, ulong, 2, 0, s[0])
TWO(long4_half, long, 4, 0, 0, s[0], s[1])
TWO(int4_half, int, 4, 0, 0, s[0], s[1])

/* The same kernel writes an element of each. */
__kernel void char2_elements(__global char *in, __global char2 *out)
{
	char2 two = (char2)(0);

	two.s0 = in[4 * AT];
	out[4 * AT] = two;
	two = (char2)(0);
	two.s1 = in[4 * AT + 1];
	out[4 * AT + 1] = two;
	two = (char2)(0);
	two.s0 = in[4 * AT + 2];
	out[4 * AT + 2] = two;
}

__kernel void three(__global char *in, __global char *out)
{
	vstore3((char3)(in[AT], 1, in[AT + 1]), 2 * AT, out);
	vstore3((char3)(in[AT + 1], in[AT], 2), 2 * AT + 1, out);
}

__kernel void unaligned(__global short *in, __global short *out)
{
	vstore4((short4)(in[AT], 1, in[AT + 1], 2), 0, out + 9 * AT + 1);
	vstore4((short4)(in[AT], 1, in[AT + 1], 2), 0, out + 9 * AT + 5);
}

__kernel void bits(__global char *in, __global int *out)
{
	char4 a = (char4)(in[AT], 1, in[AT + 1], 3);
	uchar4 b = (uchar4)(1, in[AT + 2], 0, 3);
	char8 c = (char8)(a, as_char4(b));
	short2 d = (short2)(in[AT], 8);

	out[6 * AT] = as_int(a) + as_int(b);
	out[6 * AT + 1] = as_int(as_short2(a * (char4)(3)));
	out[6 * AT + 2] = as_int2(c).x ^ as_int2(c * c).y;
	out[6 * AT + 3] = as_int(d) * as_int(as_uchar4(d));
	out[6 * AT + 4] = (int)(as_long(c) >> 13);
	out[6 * AT + 5] = as_short((char2)(in[AT], in[AT + 1]));
}

/* Each work-item has bytes of its own, which begin anywhere. */
__kernel void unaligned_in_local(__global char *in, __global int *out)
{
	__local char bytes[64 * 23];
	__local char *own = bytes + get_local_id(0) % 64 * 23;

	for (int i = 0; i < 23; i++)
		own[i] = in[AT] + i;
	out[5 * AT] = as_short(vload2(0, own + 1));
	out[5 * AT + 1] = as_int2(vload8(0, own + 3)).y;
	vstore4((char4)(in[AT], 1, in[AT + 1], 2), 1, own + 5);
	vstore2((char2)(in[AT + 1], 3), 0, own + 14);
	out[5 * AT + 2] = as_int(vload4(0, own + 8));
	out[5 * AT + 3] = as_int(vload4(0, own + 12));
	out[5 * AT + 4] = own[9] + own[15];
}

__kernel void in_local(__global char *in, __global char4 *out)
{
	__local char4 a[64];
	__local short2 b[64];
	int at = get_local_id(0) % 64;

	a[at] = (char4)(0, in[AT], 1, in[AT + 1]);
	b[at] = (short2)(in[AT], 3);
	barrier(CLK_LOCAL_MEM_FENCE);
	at = get_local_size(0) - 1 - at;
	out[2 * AT] = a[at];
	out[2 * AT + 1] = as_char4(b[at]);
}

/* An index that is not known. */
__kernel void indexed(__global char *in, __global char *out)
{
	char4 a = (char4)(in[AT], 1, in[AT + 1], 2);
	char *p = (char *)&a;

	p[in[AT] & 3] = 9;
	out[2 * AT] = p[in[AT + 2] & 3];
	out[2 * AT + 1] = a.s0 + a.s3;
}

/* Vectors across the dwords of private arrays. */
#define PRIVATE(name, type, n)                                                 \
	__kernel void name(__global type *in, __global type *out)              \
	{                                                                      \
		type a[48], *at = a + (in[AT] & 7);                            \
                                                                               \
		for (int i = 0; i < 48; i++)                                   \
			a[i] = in[i];                                          \
		vstore##n(vload##n(1, at), in[AT + 1] & 1, a + 1);             \
		vstore##n(vload##n(0, at), AT, out);                           \
	}
PRIVATE(private_char2, char, 2)
PRIVATE(private_char4, char, 4)
PRIVATE(private_char8, uchar, 8)
PRIVATE(private_short2, short, 2)
PRIVATE(private_short3, short, 3)
PRIVATE(private_short16, ushort, 16)
PRIVATE(private_int4, int, 4)
