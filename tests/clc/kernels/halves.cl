/* What LLVM makes of these are operations on halves. */

/* NaNs have no one pattern. */
void put(float x, size_t i, global ushort *to)
{
	if (isnan(x))
		to[i] = 0x7e00;
	else
		vstore_half(x, i, (global half *)to);
}

float get(global const ushort *from, size_t i)
{
	return vload_half(i, (global const half *)from);
}

#define HALVES(name, expression)                                               \
	kernel void name(global const ushort *a, global const ushort *b,       \
			 global ushort *c)                                     \
	{                                                                      \
		size_t i = get_global_id(0);                                   \
		float x = get(a, i), y = get(b, i);                            \
		put(expression, i, c);                                         \
	}

HALVES(half_sum, x + y)
HALVES(half_difference, x - y)
HALVES(half_product, x * y)
HALVES(half_absolute, fabs(x) * 0.5f)
HALVES(half_opposite, -x)
HALVES(half_floor, floor(x))
HALVES(half_ceil, ceil(x))
HALVES(half_rint, rint(x))
HALVES(half_trunc, trunc(x))
HALVES(half_greater, x > y ? x : y)
HALVES(half_less, x <= y ? 2.0f * x : y)
HALVES(half_ordered, isordered(x, y) ? x : 1.0f)
HALVES(half_integer, (float)((int)clamp(x, -1e4f, 1e4f) + (y == x)))

/* Without a function between: NaNs of any pattern stay what they are. */
kernel void half_vectors(global const ushort *a, global const ushort *b,
			 global ushort *c)
{
	size_t i = get_global_id(0);
	float4 x = vload_half4(i & 63, (global const half *)a);
	float4 y = vload_half4(i & 63, (global const half *)b);
	float4 z = fabs(floor(x)) + rint(y);

	vstore_half4(select(z, (float4)(1), isnan(z)), i & 63,
		     (global half *)c);
}
