/* Programs for test-differential: each work-item writes only its own element
 * of `out`, so that the result does not depend on any order. */

kernel void nested_branches(global int *out, global const int *in, int n)
{
	int i = get_global_id(0), x = in[i], y = in[i + 1];

	if (x > 500) {
		if (y > 500)
			x = y - x;
		else if (y > 250)
			x += n;
		else
			x *= 3;
	} else if (x > 250) {
		x = -x;
		if ((y & 3) == 1)
			x ^= y;
	}
	out[i] = x;
}

kernel void returns(global int *out, global const int *in, int n)
{
	int i = get_global_id(0), x = in[i];

	out[i] = 1;
	if (x & 1)
		return;
	out[i] = 2;
	for (int k = 0; k < x % 17; k++) {
		if (in[k] % 13 == n)
			return;
		out[i] += in[k];
	}
	if (x & 2) {
		out[i] += 1000;
		return;
	}
	out[i] += 5000;
}

kernel void switches(global int *out, global const int *in, int n)
{
	int i = get_global_id(0), x = in[i], y = 0;

	switch (x & 7) {
	case 0: y = 1; break;
	case 1: y = x; /* fall through */
	case 2: y += n; break;
	case 3: case 4: y = x * x; break;
	case 6: y = in[x & 63]; break;
	default: y = -1;
	}
	out[i] = y;
}

kernel void nested_loops(global int *out, global const int *in, int n)
{
	int i = get_global_id(0), sum = 0;

	for (int a = 0; a < n + (i & 3); a++) {
		for (int b = 0; b < in[i + a] % 9; b++) {
			if (in[b + a] % 7 == 2)
				continue;
			if (in[b] % 11 == 4)
				break;
			sum += in[b] * (a + 1);
		}
		if (sum > 4000)
			goto out;
	}
	do
		sum = sum / 2 + 1;
	while (sum > in[i]);
out:
	out[i] = sum;
}

kernel void collatz(global int *out, global const int *in, int n)
{
	int i = get_global_id(0), steps = 0;

	for (uint x = in[i]; x != 1; steps++)
		x = x & 1 ? 3 * x + 1 : x / 2;
	out[i] = steps + n;
}

kernel void divisions(global int *out, global const int *in, int n)
{
	int i = get_global_id(0);
	int a = in[i] * 7919 - 300000, b = in[i + 1] - 400;

	b += b == 0;
	out[i] = a / b * 3 + a % b + (uint)a / (uint)in[i] +
		 (uint)a % (uint)in[i + 2] + a / n + in[i] % n;
}

kernel void private_sort(global int *out, global const int *in, int n)
{
	int a[16], i = get_global_id(0);

	for (int k = 0; k < 16; k++)
		a[k] = in[i + k];
	for (int k = 1; k < 16; k++) {
		int x = a[k], j = k;

		while (j && a[j - 1] > x) {
			a[j] = a[j - 1];
			j--;
		}
		a[j] = x;
	}
	out[i] = a[n] * 1000 + a[15 - (i & 15)];
}

kernel void tree_sum(global int *out, global const int *in, local int *l)
{
	int i = get_local_id(0);

	l[i] = in[get_global_id(0)];
	for (int step = get_local_size(0) / 2; step; step >>= 1) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (i < step)
			l[i] += l[i + step];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = l[0] + i;
}

kernel void scan(global int *out, global const int *in)
{
	local int a[64], b[64];
	local int *from = a, *to = b;
	int i = get_local_id(0);

	a[i] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int step = 1; step < 64; step <<= 1) {
		local int *swap = from;

		to[i] = i >= step ? from[i] + from[i - step] : from[i];
		from = to;
		to = swap;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = from[i];
}

kernel void local_bytes(global int *out, global const int *in,
			local uchar *bytes, local short *shorts)
{
	int i = get_local_id(0), size = get_local_size(0);

	bytes[i] = in[i];
	shorts[i] = -in[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = bytes[size - 1 - i] * 3 + shorts[i ^ 1];
}

kernel void histogram(global int *out, global const int *in)
{
	local int bins[17];
	int i = get_local_id(0);

	if (i < 17)
		bins[i] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_inc(&bins[in[get_global_id(0)] & 15]);
	atomic_add(&bins[in[get_global_id(0)] >> 5 & 15], 3);
	atomic_max(&bins[16], in[get_global_id(0)]);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = bins[i % 17];
}

/* Sums in no order: only totals are looked at. */
kernel void global_histogram(global int *out, global const int *in)
{
	int x = in[get_global_id(0)];

	out[32 + get_global_id(0)] = 0;
	atomic_inc(out + (x & 15));
	atomic_add(out + (x >> 4 & 15), x);
	atomic_max(out + 16, x);
	atomic_min(out + 17, x);
	atomic_or(out + 18, x);
	atomic_xor(out + 19, x);
	atomic_sub(out + 20, 2);
	if (atomic_cmpxchg(out + 21, x, x + 1) == x)
		atomic_inc(out + 22);
	/* Each ticket is drawn once. */
	atomic_add(out + 23, atomic_inc(out + 24));
	if (x & 1)
		atomic_add(out + 25, atomic_add(out + 26, 1) >= 0);
}

kernel void float_sum(global float *out, global const int *in)
{
	global int *bits = (global int *)out;
	float add = in[get_global_id(0)];
	int old;

	do
		old = *(volatile global int *)bits;
	while (atomic_cmpxchg(bits, old, as_int(as_float(old) + add)) != old);
}

kernel void dimensions(global int *out)
{
	int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
	int i = (z * get_global_size(1) + y) * get_global_size(0) + x;

	out[i] = get_local_id(0) + 10 * get_local_id(1) +
		 100 * get_local_id(2) + 1000 * get_group_id(0) +
		 10000 * get_group_id(1) + 100000 * get_group_id(2) +
		 1000000 * get_num_groups(1) + 10000000 * get_work_dim();
}

kernel void floats(global float *out, global const float *in, float4 v)
{
	int i = get_global_id(0);
	float a = in[i], b = in[i + 1];

	out[i] = a * b + v.x / a - sqrt(b) * v.w + floor(a * 3) +
		 (a > b ? a : -b) + fabs(a - b) + convert_int_rtz(a * 100);
}

kernel void mandelbrot(global int *out, float scale)
{
	int x = get_global_id(0), y = get_global_id(1), n = 0;
	float cr = x * 0.0625f * scale - 2, ci = y * 0.0625f * scale - 1;
	float r = 0, i = 0;

	while (r * r + i * i < 4 && n < 50) {
		float t = r * r - i * i + cr;

		i = 2 * r * i + ci;
		r = t;
		n++;
	}
	out[y * get_global_size(0) + x] = n;
}

kernel void constants(global int *out, constant int *given, int n)
{
	int i = get_global_id(0);

	out[i] = given[i & 31] + given[n];
}
