/* wait_group_events (OpenCL C 1.2, section 6.12.10) under the name that
 * clang's header asks for, with a pointer to the generic address space 0:
 * libclc has it for another one. The copies themselves are ordinary loads
 * and stores. */
void __m2s_wait_group_events(int count,
			     __attribute__((address_space(0))) void *events)
	__asm("_Z17wait_group_eventsiPU3AS09ocl_event");

void __m2s_wait_group_events(int count,
			     __attribute__((address_space(0))) void *events)
{
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

/* The copies of vectors of three, which libclc has not: in memory they are
 * as large as vectors of four. (OpenCL C 1.2, section 6.12.10) */
#define COPY(type, to, from)                                                   \
	__attribute__((overloadable)) event_t async_work_group_copy(           \
		to type *dst, const from type *src, size_t count,              \
		event_t event)                                                 \
	{                                                                      \
		size_t step = get_local_size(0) * get_local_size(1) *          \
			      get_local_size(2);                               \
		size_t first = (get_local_id(2) * get_local_size(1) +          \
				get_local_id(1)) * get_local_size(0) +         \
			       get_local_id(0);                                \
                                                                               \
		for (size_t i = first; i < count; i += step)                   \
			dst[i] = src[i];                                       \
		return event;                                                  \
	}
#define STRIDED_COPY(type, to, from, to_stride, from_stride)                   \
	__attribute__((overloadable)) event_t async_work_group_strided_copy(   \
		to type *dst, const from type *src, size_t count,              \
		size_t stride, event_t event)                                  \
	{                                                                      \
		size_t step = get_local_size(0) * get_local_size(1) *          \
			      get_local_size(2);                               \
		size_t first = (get_local_id(2) * get_local_size(1) +          \
				get_local_id(1)) * get_local_size(0) +         \
			       get_local_id(0);                                \
                                                                               \
		for (size_t i = first; i < count; i += step)                   \
			dst[i * (to_stride)] = src[i * (from_stride)];         \
		return event;                                                  \
	}
#define COPIES(type)                                                           \
	__attribute__((overloadable)) void prefetch(const global type *p,      \
						    size_t count)              \
	{                                                                      \
	}                                                                      \
	COPY(type, local, global)                                              \
	COPY(type, global, local)                                              \
	STRIDED_COPY(type, local, global, 1, stride)                           \
	STRIDED_COPY(type, global, local, stride, 1)

COPIES(char3)
COPIES(uchar3)
COPIES(short3)
COPIES(ushort3)
COPIES(int3)
COPIES(uint3)
COPIES(long3)
COPIES(ulong3)
COPIES(float3)
