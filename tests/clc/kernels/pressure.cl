/* More values live at once than there are registers, so that some must lie in
 * scratch memory for a time. */

/* Every value is used again after all others were made. */
kernel void doubles(global double *out, global const double *in)
{
	int id = get_global_id(0) & 63;
	double v[260];
	double sum = 0;

#pragma unroll
	for (int i = 0; i < 260; i++)
		v[i] = in[id + i] * in[i];
#pragma unroll
	for (int i = 0; i < 260; i++)
		v[i] += v[(i * 7 + 3) % 260];
#pragma unroll
	for (int i = 0; i < 260; i++)
		sum = sum * 0.5 + v[259 - i];
	out[get_global_id(0)] = sum;
}

/* Around a loop: each value takes another's place, some are exchanged. */
#define TEN(DO, i)                                                             \
	DO((i)) DO((i) + 1) DO((i) + 2) DO((i) + 3) DO((i) + 4)                \
	DO((i) + 5) DO((i) + 6) DO((i) + 7) DO((i) + 8) DO((i) + 9)
#define HUNDRED(DO, i)                                                         \
	TEN(DO, (i)) TEN(DO, (i) + 10) TEN(DO, (i) + 20) TEN(DO, (i) + 30)     \
	TEN(DO, (i) + 40) TEN(DO, (i) + 50) TEN(DO, (i) + 60)                  \
	TEN(DO, (i) + 70) TEN(DO, (i) + 80) TEN(DO, (i) + 90)

kernel void turns(global int *out, global const int *in, int n)
{
	int id = get_global_id(0) & 127;
	int v[200], first;

#define LOAD(i) v[i] = in[id + (i)];
	HUNDRED(LOAD, 0) HUNDRED(LOAD, 100)
#pragma unroll 1
	for (int t = 0; t < n + (id & 3); t++) {
		first = v[0];
#define TURN(i) v[i] = v[((i) + 1) % 200] ^ ((i) % 50 ? 0 : t);
		HUNDRED(TURN, 0) HUNDRED(TURN, 100)
		v[199] = first + v[150];
	}
	first = 0;
#define SUM(i) first = first * 31 + v[i];
	HUNDRED(SUM, 0) HUNDRED(SUM, 100)
	out[get_global_id(0)] = first;
}

/* Across branches: truth values, bytes, 64 bits and vectors. */
kernel void kinds(global int *out, global const int *in, global long *wide,
		  global float4 *quads)
{
	int id = get_global_id(0), part = id & 127, sum = 0;
	float4 f[70], total = 0;
	long l[60], longs = 0;
	uchar c[60];
	bool b[60];

#pragma unroll
	for (int i = 0; i < 70; i++)
		f[i] = (float4)(in[part + i], i, in[i] & 15, part);
#pragma unroll
	for (int i = 0; i < 60; i++) {
		l[i] = (long)in[part + i] << (i & 31);
		c[i] = in[part + i] * 3;
		b[i] = in[part + 2 * i] > in[i];
	}
	if (part & 1) {
#pragma unroll
		for (int i = 0; i < 60; i++)
			sum = sum * 3 + (b[i] ? c[i] : -c[(i + 7) % 60]);
	} else {
#pragma unroll
		for (int i = 0; i < 60; i++)
			longs = longs * 5 + l[59 - i];
	}
#pragma unroll
	for (int i = 0; i < 70; i++)
		total = total * 0.5f + f[(i * 3) % 70].wxyz;
#pragma unroll
	for (int i = 0; i < 60; i++)
		longs += b[i] ? l[i] : c[i];
	out[id] = sum;
	wide[id] = longs;
	quads[id] = total;
}
