/* Exclusive scan of an array of any number of blocks: each work-group scans
 * its block and leaves the block's sum; the sums are scanned in the same way;
 * then every block adds the sum of those before it. */
kernel void scan_block(global const uint *input, global uint *output,
		       global uint *block_sums, local uint *scan)
{
	uint id = get_local_id(0), size = get_local_size(0);
	uint value = input[get_global_id(0)];
	uint from = 0, to = size;

	/* Double-buffered inclusive scan (Hillis and Steele, 1986). */
	scan[id] = value;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint stride = 1; stride < size; stride *= 2) {
		uint sum = scan[from + id];

		if (id >= stride)
			sum += scan[from + id - stride];
		scan[to + id] = sum;
		barrier(CLK_LOCAL_MEM_FENCE);
		uint swap = from;
		from = to;
		to = swap;
	}
	output[get_global_id(0)] = scan[from + id] - value;
	if (id == size - 1)
		block_sums[get_group_id(0)] = scan[from + id];
}

kernel void add_block_sums(global uint *output, global const uint *block_sums)
{
	output[get_global_id(0)] += block_sums[get_group_id(0)];
}
