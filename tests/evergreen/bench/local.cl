/* Each round replaces an element by the mean of itself and its neighbours in
 * the work-group's block. */
kernel void stencil(global const float *input, global float *output,
		    uint rounds)
{
	local float block[256 + 2];
	uint id = get_local_id(0);
	float own = input[get_global_id(0)];

	if (id < 2)
		block[id * 257] = 0.0f;
	for (uint i = 0; i < rounds; i++) {
		block[id + 1] = own;
		barrier(CLK_LOCAL_MEM_FENCE);
		own = (block[id] + own + block[id + 2]) * 0.333f;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	output[get_global_id(0)] = own;
}
