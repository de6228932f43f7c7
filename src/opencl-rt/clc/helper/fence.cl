/* Memory fences (OpenCL C 1.2, section 6.12.9). m2s-clc replaces each call to
 * __m2s_fence by a wait until the stores before it are acknowledged; that it
 * is a call to something unknown keeps LLVM from moving loads and stores
 * across. Local memory needs no more: a wavefront's accesses stay in order. */
void __m2s_fence(cl_mem_fence_flags flags);

__attribute__((overloadable)) void mem_fence(cl_mem_fence_flags flags)
{
	__m2s_fence(flags);
}

__attribute__((overloadable)) void read_mem_fence(cl_mem_fence_flags flags)
{
	__m2s_fence(flags);
}

__attribute__((overloadable)) void write_mem_fence(cl_mem_fence_flags flags)
{
	__m2s_fence(flags);
}
