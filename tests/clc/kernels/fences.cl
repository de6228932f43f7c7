/* Fences and the other functions that libclc lacks. */
kernel void fences(global int *p, local int *l)
{
	p[get_global_id(0)] = 1;
	mem_fence(CLK_GLOBAL_MEM_FENCE);
	l[0] = p[1];
	read_mem_fence(CLK_LOCAL_MEM_FENCE);
	p[2] = l[1];
	write_mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	p[3] = l[2];
}

kernel void high(global int *p, global uint4 *q, global short *s)
{
	p[0] = mad_hi(p[1], p[2], p[3]);
	q[0] = mad_hi(q[1], q[2], q[3]);
	s[0] = mad_hi(s[1], s[2], s[3]);
}

kernel void copies(global int *p, local int *l)
{
	event_t event = async_work_group_copy(l, p, 64, 0);

	wait_group_events(1, &event);
	p[64 + get_local_id(0)] = l[63 - get_local_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	event = async_work_group_strided_copy(l, p, 16, 4, 0);
	wait_group_events(1, &event);
	p[128 + get_local_id(0)] = l[get_local_id(0) & 15];
}
