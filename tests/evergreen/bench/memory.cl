kernel void copy(global const float4 *input, global float4 *output)
{
	output[get_global_id(0)] = input[get_global_id(0)];
}

kernel void gather(global const uint *index, global const float *input,
		   global float *output, uint rounds)
{
	uint id = get_global_id(0), at = index[id];
	float sum = 0.0f;

	for (uint i = 0; i < rounds; i++) {
		sum += input[at];
		at = index[at];
	}
	output[id] = sum;
}
