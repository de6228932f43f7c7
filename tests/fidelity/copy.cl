/* The copies that AMD's guide measured, and its ways of writing. */
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable

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

/* Each quarter wavefront backwards. */
kernel void uncoalesced(global const float *restrict input,
			global float *output)
{
	uint i = get_global_id(0) ^ 15;

	output[i] = input[i];
}

/* Even work-items first, then odd ones. */
kernel void split(global const float *restrict input, global float *output)
{
	uint i = get_global_id(0);

	if ((i & 1) == 0)
		output[i] = input[i];
	else
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
