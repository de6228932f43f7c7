/* p multiply-adds, in CHAINS chains that do not depend on each other: each has
 * p / CHAINS of them, so that the work is the same. 16 steps of each chain are a
 * round of the loop. */
#ifndef CHAINS
#define CHAINS 1
#endif

kernel void chains(global const uint *in, global uint *out, uint p)
{
	float x[CHAINS], sum = 0;
	uint id = get_global_id(0);

	for (uint i = 0; i < CHAINS; i++)
		x[i] = in[id * CHAINS + i] * 1e-9f;
	for (uint round = 0; round < p / CHAINS; round += 16)
#pragma unroll
		for (uint step = 0; step < 16 * CHAINS; step++)
			x[step % CHAINS] = x[step % CHAINS] * 0.999f + 1.25f;
	for (uint i = 0; i < CHAINS; i++)
		sum += x[i];
	out[id] = as_uint(sum);
}

/* A chain of p loads, each of which says where the next one goes; all
 * work-items of a wavefront go the same way. LDS words of local memory keep
 * other work-groups away from the compute unit. */
#ifndef LDS
#define LDS 256
#endif

kernel void chase(global const uint *in, global uint *out, uint p)
{
	local uint taken[LDS];
	uint id = get_global_id(0), x = id / 64;

	taken[get_local_id(0) % LDS] = id;
	for (uint step = 0; step < p; step++)
		x = in[x % 65536];
	out[id] = x ^ taken[(get_local_id(0) + 1) % LDS];
}
