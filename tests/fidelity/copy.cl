/* The copies that AMD's guide measured, and its ways of writing. Their buffers
 * are read uncached (rows-memory.c). */
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_local_int32_base_atomics : enable

kernel void copy(global const float *restrict input, global float *output)
{
	uint i = get_global_id(0);

	output[i] = input[i];
}

kernel void copy4(global const float4 *restrict input, global float4 *output)
{
	uint i = get_global_id(0);

	output[i] = input[i];
}

kernel void copy_2d(global const float *restrict input, global float *output,
		    uint width)
{
	uint i = get_global_id(1) * width + get_global_id(0);

	output[i] = input[i];
}

kernel void copy4_2d(global const float4 *restrict input,
		     global float4 *output, uint width)
{
	uint i = get_global_id(1) * width + get_global_id(0);

	output[i] = input[i];
}

/* Stores alone, of a dword each, as SHOC's. */
kernel void store(global uint *output, uint count)
{
	uint id = get_global_id(0), step = get_global_size(0);

	for (uint j = 0; j < count; j++)
		output[id + j * step] = id;
}

/* The guide's NoCoal: a quarter wavefront's first element is its last. */
kernel void uncoalesced(global const float *restrict input,
			global float *output)
{
	uint i = get_global_id(0) - 1;

	if ((get_local_id(0) & 15) == 0)
		i += 16;
	output[i] = input[i];
}

/* The guide's Split: odd work-items forward, even ones backwards. */
kernel void split(global const float *restrict input, global float *output)
{
	uint i = get_global_id(0);

	if ((i & 1) == 0)
		i = (i & ~63u) + 62 - get_local_id(0);
	output[i] = input[i];
}

kernel void misaligned(global const float *restrict input,
		       global float *output)
{
	uint i = get_global_id(0) + 1;

	output[i] = input[i];
}

/* Every work-item adds to one word. */
kernel void one_address(global uint *counter)
{
	atomic_inc(counter);
}

/* The same sum, first of a work-group in local memory. The first work-item
 * clears the local sum and the last one adds it, as in the published program. */
kernel void local_sum(global uint *counter)
{
	local uint sum;

	if (get_local_id(0) == 0)
		sum = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_inc(&sum);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == get_local_size(0) - 1)
		atomic_add(counter, sum);
}
