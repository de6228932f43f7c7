/* Long sums: nothing of it lives long, but all of it can be loaded before
 * anything is added, and then has little room in registers. */
#define FOUR(DO, i) DO(i) DO(i + 1) DO(i + 2) DO(i + 3)
#define MANY(DO, i)                                                            \
	FOUR(DO, i) FOUR(DO, i + 4) FOUR(DO, i + 8) FOUR(DO, i + 12)           \
	FOUR(DO, i + 16) FOUR(DO, i + 20) FOUR(DO, i + 24) FOUR(DO, i + 28)
#define ALL(DO) MANY(DO, 0) MANY(DO, 32) MANY(DO, 64)
#define ADD(i) + (a[8 * (i) + id] - b[8 * (i) + id])

kernel void doubles(global double *out, global const double *a,
		    global const double *b)
{
	int id = get_global_id(0);

	out[id] = 0.5 ALL(ADD);
}

kernel void singles(global float *out, global const float *a,
		    global const float *b)
{
	int id = get_global_id(0);

	out[id] = 0.5f ALL(ADD);
}
