/* Atomics on global memory with results: one of each operation. */
kernel void results(global int *p, global uint *u, global float *f,
		    global int *out, int n)
{
	int i = get_global_id(0);

	out[i] = atomic_add(p, n);
	out[i + 1] = atomic_sub(p + 1, n);
	out[i + 2] = atomic_xchg(p + 2, n);
	out[i + 3] = atomic_inc(p + 3);
	out[i + 4] = atomic_dec(p + 4);
	out[i + 5] = atomic_cmpxchg(p + 5, n, i);
	out[i + 6] = atomic_min(p + 6, n);
	out[i + 7] = atomic_max(p + 7, n);
	out[i + 8] = atomic_and(p + 8, n);
	out[i + 9] = atomic_or(p + 9, n);
	out[i + 10] = atomic_xor(p + 10, n);
	out[i + 11] = atomic_min(u, (uint)n);
	out[i + 12] = atomic_max(u + 1, (uint)n);
	out[i + 13] = as_int(atomic_xchg(f, 2.0f));
	out[i + 14] = atom_add(p + 14, n);
	out[i + 15] = atom_cmpxchg(p + 15, 3, n);
}

/* A lock and a compare-exchange loop: results steer control flow. */
kernel void loops(global int *lock, global float *sum, global float *in)
{
	global int *bits = (global int *)sum;
	float add = in[get_global_id(0)];
	int old;

	do
		old = *(volatile global int *)bits;
	while (atomic_cmpxchg(bits, old, as_int(as_float(old) + add)) != old);
	while (atomic_xchg(lock, 1))
		;
	in[0] += add;
	atomic_xchg(lock, 0);
}

/* A result that is used in one branch only, and loads around the atomics. */
kernel void appended(global int *count, global int *list, global int *in)
{
	int i = get_global_id(0), value = in[i];

	if (value > 3) {
		int place = atomic_inc(count);

		list[place] = value + in[place];
	}
}
