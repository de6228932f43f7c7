/* Kernels that other kernels call like functions. */
/* So long that clang leaves the calls to whoever comes after it. */
__kernel void sum(__global int *in, __global int *out)
{
	size_t at = get_global_id(0);
	int total = 0;

	for (int i = 0; i < in[at] % 50; i++)
		total += i * in[at] ^ total >> 3;
	for (int i = in[at + 1] % 7; i > 0; i--)
		total = total << (i & 3) ^ in[at + i];
	for (int i = 0; i < 20; i += 1 + in[i] % 2)
		total += in[at] % (i + 1) + in[i] / (i + 2);
	for (int i = 1; i < in[at + 2] % 30; i++)
		total ^= mul_hi(total, in[i]) + rotate(total, i);
	out[at] += total;
}

__kernel void doubled(__global int *in, __global int *out)
{
	sum(in, out);
	if (get_global_id(0) % 3)
		sum(in, out);
	sum(in + 3, out);
}

__kernel void shared(__global int *in, __global int *out)
{
	__local int values[64];

	values[get_local_id(0)] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = values[63 - get_local_id(0)];
}

struct pair {
	int a, b;
};

__kernel void pairs(__global int *out, struct pair pair)
{
	out[get_global_id(0)] += pair.a - pair.b * (int)get_global_id(0);
}

__kernel void everything(__global int *in, __global int *out)
{
	shared(in, out);
	doubled(in, out);
	pairs(out, (struct pair){ in[1], in[2] });
}

struct sums {
	int in_order[8], others[8];
};

__attribute__((noinline)) struct sums add_up(__global int *restrict from,
					     size_t at)
{
	struct sums sums;

	for (int i = 0; i < 8; i++) {
		sums.in_order[i] = from[at + i] + i;
		sums.others[i] = from[at + 7 - i] * i;
	}
	return sums;
}

__kernel void a_name_longer_than_the_sixty_three_characters_that_the_assembler_used_to_take(
	__global int *in, __global int *out)
{
	size_t at = get_global_id(0);
	struct sums sums = add_up(in, at);

	for (int i = 0; i < 8; i++)
		out[at] += sums.in_order[i] ^ sums.others[i];
}
