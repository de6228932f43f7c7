/* 32-bit numbers in control flow of many shapes: what our own code generator
 * knows. Each work-item writes its own elements only. */
kernel void nested(global const int *p, global int *out, int n)
{
	int i = get_global_id(0), sum = 0;

	for (int a = 0; a < 12; a++) {
		for (int b = a; b < 20; b++) {
			int x = p[(i + a * b) & 31];

			if (x == 7)
				continue;
			if (x < -50)
				break;
			sum += x * a + b;
			if ((sum & 63) == 5) {
				sum ^= x;
				break;
			}
		}
		if (sum > 100000)
			break;
		sum -= n;
	}
	out[i] = sum;
}

kernel void early(global const int *p, global int *out)
{
	int i = get_global_id(0), x = p[i];

	out[i] = -1;
	if (x & 1)
		return;
	while (x > 3) {
		x -= 1 + (p[x & 15] & 3);
		if (x == 12) {
			out[i] = 77;
			return;
		}
	}
	out[i] = x;
}

kernel void choices(global const int *p, global int *out)
{
	int i = get_global_id(0), x = p[i], y = 0;

	switch (x & 7) {
	case 0: y = 1; break;
	case 1: y = x; /* fall through */
	case 2: y += 5; break;
	case 5: y = x > 9 ? x << 2 : x >> 1; break;
	default: y = ~x;
	}
	if (x > 3) {
		if (x > 10)
			y ^= p[x & 15];
		else if (y < 0)
			y = -y;
	} else if (x < -3 || y == 5) {
		y = max(x, y) - min(x, 3);
	}
	out[i] = y;
}

/* Values that change places at the end of an iteration. */
kernel void rotating(global const uint *p, global uint *out)
{
	int i = get_global_id(0);
	uint a = p[i], b = p[i ^ 1], c = 1;

	for (int k = 0; k < 17; k++) {
		uint t = a;

		a = b;
		b = c;
		c = t + (a ^ (b << 3));
		if (c % 4 == 1)
			continue;
		t = b;
		b = a;
		a = t;
	}
	out[i] = a + 3 * b - c;
}

kernel void floats(global const float *p, global float *out, float scale)
{
	int i = get_global_id(0);
	float x = p[i], sum = 0;

	for (int k = 0; k < 9; k++) {
		float y = p[(i + k) & 31] * scale;

		if (y > x)
			sum = mad(y, 0.5f, sum);
		else if (!(y < -x))
			sum -= fabs(y);
		else
			sum = fmin(fmax(sum, -y), 1000.0f);
		if (isnan(sum) || sum > 1e6f)
			break;
	}
	out[i] = floor(sum) + (float)(int)trunc(x * 0.01f);
}

kernel void vectors(global const int4 *p, global int4 *out)
{
	int i = get_global_id(0);
	int4 a = p[i], b = p[i ^ 3], c = a.wzyx + b;

	for (int k = 0; k < 5; k++) {
		c = select(c + b.s1032, c - a, a > c);
		if (any(c == b))
			c.xz = c.yw;
	}
	out[i] = (int4)(c.lo, max(c.hi, a.lo));
}

kernel void shared(global const int *p, global int *out)
{
	local int rows[16], sums[16];
	int i = get_local_id(0), g = get_global_id(0);

	rows[i] = p[g];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int step = 1; step < 16; step <<= 1) {
		int other = i >= step ? rows[i - step] : 0;

		barrier(CLK_LOCAL_MEM_FENCE);
		rows[i] += other;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	sums[15 - i] = rows[i] + i;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[g] = i & 1 ? sums[i] : rows[i] * 2;
}
