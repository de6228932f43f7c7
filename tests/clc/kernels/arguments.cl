/* Every kind of argument; where each lies is checked by test-features. */
typedef struct {
	float4 place;
	int count;
} particle;

struct __attribute__((packed)) tight {
	char tag;
	int value;
};

struct one {
	int only;
};

typedef unsigned char u8;

kernel void pointer_float4(global float *out, float4 v)
{
	out[0] = v.x + v.w;
}

kernel void scalars(global float *out, char c, uchar uc, short s, ushort us,
		    int i, long l, float f)
{
	out[0] = c + uc + s + us + i + l + f;
}

kernel void char_vector(global int *out, char3 v)
{
	out[0] = v.x + v.z;
	out[1] = get_work_dim();
}

kernel void structs(global float *out, int n, particle p, struct tight t,
		    struct one o)
{
	out[0] = p.place.y + p.count * n + t.tag + t.value + o.only;
}

__attribute__((reqd_work_group_size(16, 4, 1)))
__attribute__((vec_type_hint(float4)))
kernel void pointers(global const float4 *restrict in, local float4 *scratch,
		     constant u8 *table, volatile global uint *flags,
		     global void *any)
{
	scratch[get_local_id(0)] = in[get_global_id(0)];
	flags[0] = table[get_local_id(0)] + ((global int *)any)[3];
}

__attribute__((work_group_size_hint(8, 1, 1)))
kernel void wide(global long *out, uchar first, ulong8 v, short4 s)
{
	out[0] = v.s7 + s.w + first;
}

/* A structure in a union, taken out by itself. */
typedef union {
	struct {
		double x, y;
	};
	struct {
		double real, imag;
	};
} complex_t;

complex_t complex_new(double real, double imag)
{
	complex_t result;
	result.real = real;
	result.imag = imag;
	return result;
}

#define complex_cast(a) complex_new((a).real, (a).imag)

complex_t complex_add(complex_t a, complex_t b)
{
	return complex_new(a.real + b.real, a.imag + b.imag);
}

complex_t complex_multiply(complex_t a, complex_t b)
{
	return complex_new(a.real * b.real - a.imag * b.imag,
			   a.real * b.imag + a.imag * b.real);
}

kernel void nested(global complex_t *out, global complex_t *in, complex_t a,
		   complex_t b, int n)
{
	for (int i = get_global_id(0); i < (n & 31); i += get_global_size(0))
		out[i] = complex_add(complex_cast(complex_multiply(a, in[i])),
				     complex_cast(b));
}

/* The same with members that are no dwords. */
typedef union {
	struct {
		short x;
		char y;
	};
	struct {
		short first;
		char second;
	};
} small_t;

small_t small_new(short first, char second)
{
	small_t result;
	result.first = first;
	result.second = second;
	return result;
}

kernel void nested_small(global int *out, small_t a, int n, small_t b)
{
	small_t sum = small_new(a.x + b.first, a.second - b.y);

	out[0] = sum.x * n + sum.y;
	out[1] = a.first - b.second;
}

/* Arguments that the first window of constants does not hold, and those behind
 * both. */
typedef struct {
	int v[90];
} large_t;

kernel void large(global int *out, large_t a, int n, large_t b, large_t c)
{
	out[0] = a.v[0] + 3 * a.v[70] + 7 * a.v[89] + 11 * n;
	out[1] = b.v[1] + 5 * b.v[22] + 3 * b.v[23] - b.v[89];
	out[2] = c.v[0] + 9 * c.v[58] - 3 * c.v[59] + 7 * c.v[60];
	out[3] = c.v[89] ^ b.v[88];
}
