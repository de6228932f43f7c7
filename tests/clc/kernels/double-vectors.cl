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
