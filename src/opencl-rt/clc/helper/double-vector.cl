/* From functions of numbers to those of vectors. */
#define OVER __attribute__((overloadable, const))

/* f of one, two and three doubles. */
#define VECTORS_1(f)                                                           \
	OVER double2 f(double2 a) { return (double2)(f(a.x), f(a.y)); }        \
	OVER double3 f(double3 a) { return (double3)(f(a.xy), f(a.z)); }       \
	OVER double4 f(double4 a) { return (double4)(f(a.lo), f(a.hi)); }      \
	OVER double8 f(double8 a) { return (double8)(f(a.lo), f(a.hi)); }      \
	OVER double16 f(double16 a) { return (double16)(f(a.lo), f(a.hi)); }

/* The same in a loop, for functions so long that their code should be there
 * once. */
#define LONG_1(f)                                                              \
	IN_LOOP_1(f, double2, 2)                                               \
	IN_LOOP_1(f, double3, 3)                                               \
	IN_LOOP_1(f, double4, 4)                                               \
	IN_LOOP_1(f, double8, 8)                                               \
	IN_LOOP_1(f, double16, 16)
#define IN_LOOP_1(f, type, count)                                              \
	OVER type f(type a)                                                    \
	{                                                                      \
		type r = a;                                                    \
		_Pragma("nounroll") for (int i = 0; i < count; i++)            \
			r[i] = f(a[i]);                                        \
		return r;                                                      \
	}
#define LONG_2(f)                                                              \
	IN_LOOP_2(f, double2, 2)                                               \
	IN_LOOP_2(f, double3, 3)                                               \
	IN_LOOP_2(f, double4, 4)                                               \
	IN_LOOP_2(f, double8, 8)                                               \
	IN_LOOP_2(f, double16, 16)
#define IN_LOOP_2(f, type, count)                                              \
	OVER type f(type a, type b)                                            \
	{                                                                      \
		type r = a;                                                    \
		_Pragma("nounroll") for (int i = 0; i < count; i++)            \
			r[i] = f(a[i], b[i]);                                  \
		return r;                                                      \
	}

#define VECTORS_2(f)                                                           \
	OVER double2 f(double2 a, double2 b)                                   \
	{                                                                      \
		return (double2)(f(a.x, b.x), f(a.y, b.y));                    \
	}                                                                      \
	OVER double3 f(double3 a, double3 b)                                   \
	{                                                                      \
		return (double3)(f(a.xy, b.xy), f(a.z, b.z));                  \
	}                                                                      \
	HALVES_2(f, double4)                                                   \
	HALVES_2(f, double8)                                                   \
	HALVES_2(f, double16)
#define HALVES_2(f, type)                                                      \
	OVER type f(type a, type b)                                            \
	{                                                                      \
		return (type)(f(a.lo, b.lo), f(a.hi, b.hi));                   \
	}

#define VECTORS_3(f)                                                           \
	OVER double2 f(double2 a, double2 b, double2 c)                        \
	{                                                                      \
		return (double2)(f(a.x, b.x, c.x), f(a.y, b.y, c.y));          \
	}                                                                      \
	OVER double3 f(double3 a, double3 b, double3 c)                        \
	{                                                                      \
		return (double3)(f(a.xy, b.xy, c.xy), f(a.z, b.z, c.z));       \
	}                                                                      \
	HALVES_3(f, double4)                                                   \
	HALVES_3(f, double8)                                                   \
	HALVES_3(f, double16)
#define HALVES_3(f, type)                                                      \
	OVER type f(type a, type b, type c)                                    \
	{                                                                      \
		return (type)(f(a.lo, b.lo, c.lo), f(a.hi, b.hi, c.hi));       \
	}

/* f of doubles and one number for all elements. */
#define SCALAR_2(f, type)                                                      \
	OVER type f(type a, double b) { return f(a, (type)b); }
#define SCALARS_2(f)                                                           \
	SCALAR_2(f, double2)                                                   \
	SCALAR_2(f, double3)                                                   \
	SCALAR_2(f, double4)                                                   \
	SCALAR_2(f, double8)                                                   \
	SCALAR_2(f, double16)

/* f of a double and an integer. */
#define VECTORS_INT(f)                                                         \
	OVER double2 f(double2 a, int2 b)                                      \
	{                                                                      \
		return (double2)(f(a.x, b.x), f(a.y, b.y));                    \
	}                                                                      \
	OVER double3 f(double3 a, int3 b)                                      \
	{                                                                      \
		return (double3)(f(a.xy, b.xy), f(a.z, b.z));                  \
	}                                                                      \
	HALVES_INT(f, double4, int4)                                           \
	HALVES_INT(f, double8, int8)                                           \
	HALVES_INT(f, double16, int16)
#define HALVES_INT(f, type, integer)                                           \
	OVER type f(type a, integer b)                                         \
	{                                                                      \
		return (type)(f(a.lo, b.lo), f(a.hi, b.hi));                   \
	}

/* f of doubles with an integer result. */
#define VECTORS_TO(f, number)                                                  \
	OVER number##2 f(double2 a)                                            \
	{                                                                      \
		return (number##2)(f(a.x), f(a.y));                            \
	}                                                                      \
	OVER number##3 f(double3 a)                                            \
	{                                                                      \
		return (number##3)(f(a.xy), f(a.z));                           \
	}                                                                      \
	HALVES_TO(f, number##4, double4)                                       \
	HALVES_TO(f, number##8, double8)                                       \
	HALVES_TO(f, number##16, double16)
#define HALVES_TO(f, result, type)                                             \
	OVER result f(type a) { return (result)(f(a.lo), f(a.hi)); }

/* f of a double and a pointer to where a second result goes. */
#define VECTORS_POINTER_IN(f, number, space)                                   \
	__attribute__((overloadable)) double2 f(double2 a, space number##2 *p) \
	{                                                                      \
		number u, v;                                                   \
		double2 r = (double2)(f(a.x, &u), f(a.y, &v));                 \
		*p = (number##2)(u, v);                                        \
		return r;                                                      \
	}                                                                      \
	__attribute__((overloadable)) double3 f(double3 a, space number##3 *p) \
	{                                                                      \
		number u, v, w;                                                \
		double3 r = (double3)(f(a.x, &u), f(a.y, &v), f(a.z, &w));     \
		*p = (number##3)(u, v, w);                                     \
		return r;                                                      \
	}                                                                      \
	HALVES_POINTER(f, double4, number##4, number##2, space)                \
	HALVES_POINTER(f, double8, number##8, number##4, space)                \
	HALVES_POINTER(f, double16, number##16, number##8, space)
#define HALVES_POINTER(f, type, whole, part, space)                            \
	__attribute__((overloadable)) type f(type a, space whole *p)           \
	{                                                                      \
		part u, v;                                                     \
		type r = (type)(f(a.lo, &u), f(a.hi, &v));                     \
		*p = (whole)(u, v);                                            \
		return r;                                                      \
	}
/* The scalar function takes a private pointer: the others are made of it. */
#define SCALAR_POINTER(f, number, space)                                       \
	__attribute__((overloadable)) double f(double a, space number *p)      \
	{                                                                      \
		number u;                                                      \
		double r = f(a, &u);                                           \
		*p = u;                                                        \
		return r;                                                      \
	}
#define WITH_POINTER(f, number)                                                \
	SCALAR_POINTER(f, number, __global)                                    \
	SCALAR_POINTER(f, number, __local)                                     \
	VECTORS_POINTER_IN(f, number, __private)                               \
	VECTORS_POINTER_IN(f, number, __global)                                \
	VECTORS_POINTER_IN(f, number, __local)
