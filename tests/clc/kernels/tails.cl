/* Kernels whose last action is no global store: without a mark before the
 * return, LLVM loses END_OF_PROGRAM. */
kernel void ends_in_barrier(global int *p, local int *l)
{
	l[get_local_id(0)] = p[get_global_id(0)];
	p[0] = 1;
	barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void ends_in_local_store(global int *p, local int *l)
{
	p[0] = 1;
	barrier(CLK_LOCAL_MEM_FENCE);
	l[get_local_id(0)] = p[get_global_id(0)];
}

kernel void ends_in_local_atomic(global int *p, local int *l)
{
	p[0] = 1;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(l, p[get_global_id(0)]);
}

kernel void ends_in_branch(global int *p, local int *l)
{
	if (p[get_global_id(0)] > 4)
		l[get_local_id(0)] = p[get_global_id(0)];
}

kernel void ends_in_loop(global int *p, local int *l, int n)
{
	for (int i = 0; i < n; i++) {
		l[get_local_id(0)] += p[i];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}

kernel void ends_early(global int *p, local int *l, int n)
{
	if (n == (int)get_global_id(0))
		return;
	p[get_global_id(0)] = 2;
	l[get_local_id(0)] = n;
}

kernel void empty(void)
{
}
