/* Volatile reads of local memory whose values nobody uses crash LLVM. */
kernel void volatile_local(global int *out, volatile local int *l)
{
	l[get_local_id(0)] = 3;
	l[1];
	barrier(CLK_LOCAL_MEM_FENCE);
	l[get_local_id(0) + 2];
	out[get_global_id(0)] = l[0];
}

/* The last steps of many reductions. */
kernel void warp(global int *out, volatile local int *l)
{
	int i = get_local_id(0);

	l[i] = out[i];
	if (i < 32) {
		l[i] += l[i + 16];
		l[i] += l[i + 8];
		l[i] += l[i + 4];
	}
	if (i == 0)
		out[get_group_id(0)] = l[0];
}
