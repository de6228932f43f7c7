/* Atomics on local memory, with results and without. */
kernel void local_atomics(global int *out, local int *l, int n)
{
	int i = get_local_id(0);

	for (int k = 0; k < 10; k++)
		l[k] = k;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(l, n);
	atomic_inc(l + 1);
	atomic_max(l + 2, i);
	atomic_min((local uint *)l + 3, (uint)i);
	atomic_or(l + 4, i);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = atomic_add(l, 1) + atomic_cmpxchg(l + 1, 2, 3) +
		 atomic_xchg(l + 2, 4) + atomic_and(l + 3, 5) +
		 atomic_xor(l + 4, i) + atomic_dec(l + 5) +
		 atomic_sub(l + 6, i) + atomic_min(l + 7, i) +
		 atomic_max(l + 8, i) + atomic_or(l + 9, i);
}
