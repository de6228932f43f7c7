/* Atomics whose results nobody uses. */
kernel void unused(global int *p, global uint *u, int n)
{
	int i = get_global_id(0);

	atomic_add(p + i, n);
	atomic_sub(p + 1, n);
	atomic_xchg(p + 2, n);
	atomic_inc(p + 3);
	atomic_dec(p + 4);
	atomic_cmpxchg(p + 5, n, i);
	atomic_min(p + 6, n);
	atomic_max(p + 7, n);
	atomic_and(p + 8, n);
	atomic_or(p + 9, n);
	atomic_xor(p + 10, n);
	atomic_min(u, (uint)n);
	atomic_max(u + 1, (uint)n);
}
