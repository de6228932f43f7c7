/* Functions that are not kernels, not static, even not inlinable by request:
 * LLVM would compile each on its own, badly. */
int scale(int x, int n)
{
	return x * n + (n > 3 ? x / n : n);
}

__attribute__((noinline)) float mix_up(float a, float b)
{
	return a * b + native_sin(a);
}

void shift_rows(uchar *state)
{
	for (int row = 1; row < 4; row++)
		for (int times = 0; times < row; times++) {
			uchar first = state[row * 4];

			for (int i = 0; i < 3; i++)
				state[row * 4 + i] = state[row * 4 + i + 1];
			state[row * 4 + 3] = first;
		}
}

kernel void uses_scale(global int *p, int n)
{
	p[get_global_id(0)] = scale(p[get_global_id(0)], n);
}

kernel void uses_both(global float *p, int n)
{
	p[get_global_id(0)] = mix_up(scale(n, n), p[get_global_id(0)]);
}

kernel void uses_rows(global uchar *p)
{
	uchar state[16];

	for (int i = 0; i < 16; i++)
		state[i] = p[get_global_id(0) * 16 + i];
	shift_rows(state);
	for (int i = 0; i < 16; i++)
		p[get_global_id(0) * 16 + i] = state[i];
}
