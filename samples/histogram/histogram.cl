/* A histogram of bytes in 256 bins. Each work-group counts its part of the
 * data in local memory; a second kernel adds the parts. */
#define BINS 256

kernel void histogram_part(global const uint *data, global uint *parts,
			   uint words_per_item)
{
	local uint bins[BINS];
	uint id = get_local_id(0), size = get_local_size(0);
	uint base = get_group_id(0) * size * words_per_item;

	for (uint bin = id; bin < BINS; bin += size)
		bins[bin] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = 0; i < words_per_item; i++) {
		uint word = data[base + i * size + id];

		atomic_inc(&bins[word & 0xff]);
		atomic_inc(&bins[(word >> 8) & 0xff]);
		atomic_inc(&bins[(word >> 16) & 0xff]);
		atomic_inc(&bins[word >> 24]);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint bin = id; bin < BINS; bin += size)
		parts[get_group_id(0) * BINS + bin] = bins[bin];
}

kernel void histogram_merge(global const uint *parts, global uint *histogram,
			    uint groups)
{
	uint bin = get_global_id(0), sum = 0;

	for (uint group = 0; group < groups; group++)
		sum += parts[group * BINS + bin];
	histogram[bin] = sum;
}
