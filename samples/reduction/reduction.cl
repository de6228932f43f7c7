/* The sum of a block of 2 * local size elements by each work-group: a tree in
 * local memory. */
kernel void reduction(global const uint *input, global uint *output,
		      local uint *sums)
{
	uint local_id = get_local_id(0), size = get_local_size(0);
	uint base = get_group_id(0) * size * 2;

	sums[local_id] = input[base + local_id] + input[base + size + local_id];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint half_size = size / 2; half_size > 0; half_size /= 2) {
		if (local_id < half_size)
			sums[local_id] += sums[local_id + half_size];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (local_id == 0)
		output[get_group_id(0)] = sums[0];
}
