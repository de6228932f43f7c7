/* One of each thing that the verifier looks at: a loop with ways out of it, a
 * branch with two sides, an array in registers, local memory and a barrier,
 * an atomic with a result. */
__kernel void all(__global int *data, __local int *shared, int n,
		  __constant int *table)
{
	int id = get_local_id(0), sum = 0;
	int values[4] = { n, id, n + id, n * id };

	shared[id] = data[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int i = 0; i < n; i++) {
		int value = shared[(id + i) & 63];

		if (value == id)
			continue;
		if (value < 0)
			break;
		sum += value * values[(value + i) & 3];
		values[i & 3] = sum;
		if (value & 1)
			data[id] = sum;
		else
			data[id + 64] = table[value & 7];
	}
	if (sum > n)
		sum += atomic_add(data, sum);
	else
		data[id + 128] = sum;
	data[get_global_id(0)] = sum;
}
