/* wait_group_events (OpenCL C 1.2, section 6.12.10) under the name that
 * clang's header asks for, with a pointer to the generic address space 0:
 * libclc 16 has it for another one. The copies themselves are ordinary loads
 * and stores. */
void __m2s_wait_group_events(int count,
			     __attribute__((address_space(0))) void *events)
	__asm("_Z17wait_group_eventsiPU3AS09ocl_event");

void __m2s_wait_group_events(int count,
			     __attribute__((address_space(0))) void *events)
{
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
