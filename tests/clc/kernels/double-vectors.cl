#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* Operations on whole vectors, element by element; test-double-vectors.c has
 * what is right. Many independent operations in a block are what moves them
 * past each other. */
#define OPERANDS(type)                                                         \
	global const type *p, global const type *q, global type *results
#define ONE(f, type)                                                           \
	kernel void f##_##type(OPERANDS(type))                                 \
	{                                                                      \
		size_t i = get_global_id(0);                                   \
		(void)q;                                                       \
		results[i] = f(p[i]);                                          \
	}
#define TWO(name, type, expression)                                            \
	kernel void name##_##type(OPERANDS(type))                              \
	{                                                                      \
		size_t i = get_global_id(0);                                   \
		type a = p[i], b = q[i];                                       \
		results[i] = expression;                                       \
	}

ONE(rint, double4)
ONE(rint, double8)
ONE(rint, double16)
ONE(floor, double4)
ONE(floor, double8)
ONE(round, double8)
ONE(sqrt, double2)
TWO(divide, double2, a / b)
TWO(divide, double4, a / b)
TWO(add, double8, a + b)
TWO(multiply, double16, a *b)
TWO(fmax, double8, fmax(a, b))

/* The quotients, too: not a number where they are not those of the function of
 * numbers. */
kernel void remquo_double8(OPERANDS(double8))
{
	size_t i = get_global_id(0), k = get_local_id(0);
	local int8 near[64];
	local int one[64];
	int8 private_quotients;
	double8 a = p[i], b = q[i], r = remquo(a, b, &near[k]);
	double8 again = remquo(a, b, &private_quotients);

	for (int n = 0; n < 8; n++) {
		int quotient;
		double right = remquo(a[n], b[n], &quotient);
		bool same = quotient == near[k][n] &&
			    quotient == private_quotients[n] &&
			    as_ulong(right) == as_ulong(again[n]);

		remquo(a[n], b[n], &one[k]);
		if (!same || one[k] != quotient)
			r[n] = NAN;
	}
	results[i] = r;
}

kernel void nan_double4(OPERANDS(double4))
{
	size_t i = get_global_id(0);
	ulong4 codes = as_ulong4(p[i]) >> 13;

	results[i] = nan(codes);
	for (int n = 0; n < 4; n++)
		if (as_ulong4(results[i])[n] != as_ulong(nan(codes[n])))
			results[i] = 0;
}

/* From vectors of all widths to vectors of all widths. */
kernel void shuffle_double16(OPERANDS(double16))
{
	size_t i = get_global_id(0);
	double16 a = p[i];
	ulong16 mask = as_ulong16(q[i]);

	results[i].lo = shuffle(a, mask.lo);
	results[i].hi.lo = shuffle2(a.s0123, a.s4567, mask.s89ab);
	results[i].scd = shuffle(a.hi, mask.scd);
	results[i].sef = shuffle2(a.s01, a.s23, mask.sef);
}

kernel void shuffle2_double16(OPERANDS(double16))
{
	size_t i = get_global_id(0);

	results[i] = shuffle2(p[i], p[i].s0f1e2d3c4b5a6978,
			      as_ulong16(q[i]));
}

kernel void shuffle_constant_double4(OPERANDS(double4))
{
	size_t i = get_global_id(0);

	results[i] = shuffle(p[i], (ulong4)(3, 3, 0, 5));
}

/* Even elements there and back; one work-group copies for all of its own. */
kernel void strided_double2(global const double *p, global const double *q,
			    global double *results)
{
	size_t k = get_local_id(0), first = 128 * get_group_id(0);
	local double near[64];
	event_t event;

	prefetch(p + first, 128);
	event = async_work_group_strided_copy(near, p + first, 64, 2, 0);
	wait_group_events(1, &event);
	results[first + 2 * k + 1] = near[k];
	event = async_work_group_strided_copy(results + first, near, 64, 2, 0);
	wait_group_events(1, &event);
}
