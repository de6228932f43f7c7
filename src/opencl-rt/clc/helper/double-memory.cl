/* Loads and stores of vectors of doubles, and copies of work-groups (OpenCL C
 * 1.2, sections 6.12.7 and 6.12.10). */
typedef double __attribute__((aligned(8))) __m2s_double;
#define PACKED(n)                                                              \
	typedef double __attribute__((ext_vector_type(n), aligned(8)))         \
	__m2s_double##n;
PACKED(2)
PACKED(4)
PACKED(8)
PACKED(16)

#define LOAD(n, space)                                                         \
	__attribute__((overloadable)) double##n vload##n(                      \
		size_t at, const space double *p)                              \
	{                                                                      \
		return *(const space __m2s_double##n *)(p + n * at);           \
	}
#define STORE(n, space)                                                        \
	__attribute__((overloadable)) void vstore##n(double##n value,          \
						     size_t at,                \
						     space double *p)          \
	{                                                                      \
		*(space __m2s_double##n *)(p + n * at) = value;                \
	}
#define LOADS(space)                                                           \
	LOAD(2, space)                                                         \
	LOAD(4, space)                                                         \
	LOAD(8, space)                                                         \
	LOAD(16, space)                                                        \
	__attribute__((overloadable)) double3 vload3(size_t at,                \
						     const space double *p)    \
	{                                                                      \
		p += 3 * at;                                                   \
		return (double3)(p[0], p[1], p[2]);                            \
	}
#define STORES(space)                                                          \
	STORE(2, space)                                                        \
	STORE(4, space)                                                        \
	STORE(8, space)                                                        \
	STORE(16, space)                                                       \
	__attribute__((overloadable)) void vstore3(double3 value, size_t at,   \
						   space double *p)            \
	{                                                                      \
		p += 3 * at;                                                   \
		p[0] = value.x;                                                \
		p[1] = value.y;                                                \
		p[2] = value.z;                                                \
	}
LOADS(__global)
LOADS(__constant)
LOADS(__local)
LOADS(__private)
STORES(__global)
STORES(__local)
STORES(__private)

/* Every work-item copies its part; the event is the wait for it. */
#define STRIDED_COPY(name, type, to, from, to_stride, from_stride, ...)        \
	__attribute__((overloadable)) event_t name(                            \
		to type *target, const from type *source, size_t count,        \
		__VA_ARGS__ event_t event)                                     \
	{                                                                      \
		size_t size = get_local_size(0) * get_local_size(1) *          \
			      get_local_size(2);                               \
		size_t i = get_local_id(0) +                                   \
			   get_local_size(0) *                                 \
				   (get_local_id(1) +                          \
				    get_local_size(1) * get_local_id(2));      \
		for (; i < count; i += size)                                   \
			target[i * (to_stride)] = source[i * (from_stride)];   \
		return event;                                                  \
	}
#define COPY(type, to, from)                                                   \
	STRIDED_COPY(async_work_group_copy, type, to, from, 1, 1, )
#define COPIES(type)                                                           \
	COPY(type, __local, __global)                                          \
	COPY(type, __global, __local)                                          \
	STRIDED_COPY(async_work_group_strided_copy, type, __local, __global,   \
		     1, stride, size_t stride, )                               \
	STRIDED_COPY(async_work_group_strided_copy, type, __global, __local,   \
		     stride, 1, size_t stride, )                               \
	__attribute__((overloadable)) void prefetch(const __global type *p,    \
						    size_t count)              \
	{                                                                      \
	}
COPIES(double)
COPIES(double2)
COPIES(double3)
COPIES(double4)
COPIES(double8)
COPIES(double16)
