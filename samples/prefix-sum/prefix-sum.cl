/* Exclusive prefix sum of 2 * local size elements by one work-group: an
 * up-sweep that builds partial sums, then a down-sweep that spreads them
 * (Blelloch, 1990). */
kernel void prefix_sum(global const uint *input, global uint *output,
		       local uint *block)
{
	uint id = get_local_id(0), items = get_local_size(0);
	uint n = 2 * items, stride = 1;

	block[2 * id] = input[2 * id];
	block[2 * id + 1] = input[2 * id + 1];
	for (uint active = items; active > 0; active /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (id < active) {
			uint right = stride * (2 * id + 2) - 1;

			block[right] += block[right - stride];
		}
		stride *= 2;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (id == 0)
		block[n - 1] = 0;
	for (uint active = 1; active <= items; active *= 2) {
		stride /= 2;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (id < active) {
			uint right = stride * (2 * id + 2) - 1;
			uint left_sum = block[right - stride];

			block[right - stride] = block[right];
			block[right] += left_sum;
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	output[2 * id] = block[2 * id];
	output[2 * id + 1] = block[2 * id + 1];
}
