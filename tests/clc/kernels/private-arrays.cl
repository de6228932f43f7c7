/* Private arrays, indexed by constants and dynamically. */
kernel void dynamic(global int *out, global const int *in, int n)
{
	int a[24];

	for (int i = 0; i < 24; i++)
		a[i] = in[i * get_global_size(0) + get_global_id(0)];
	for (int i = 0; i < n; i++)
		a[i & 15] += a[(i * 7) % 24];
	out[get_global_id(0)] = a[n & 7] + a[5];
}

kernel void histogram(global uint *out, global const uchar *in, uint n)
{
	uint bins[16] = { 0 };

	for (uint i = 0; i < n; i++)
		bins[in[i] & 15]++;
	for (uint i = 0; i < 16; i++)
		out[get_global_id(0) * 16 + i] = bins[i];
}

/* Bytes and vectors. */
kernel void bytes(global uchar *out, global const uchar *in, int n)
{
	uchar state[16];
	float4 v[4];

	for (int i = 0; i < 16; i++)
		state[i] = in[i];
	for (int i = 0; i < 4; i++)
		v[i] = (float4)(state[i], state[i + 4], i, n);
	state[n & 15] = (uchar)v[n & 3].x;
	for (int i = 0; i < 16; i++)
		out[i] = state[(i + n) & 15];
}
