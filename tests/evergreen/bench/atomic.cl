kernel void histogram_global(global const uint *input, global uint *bins)
{
	atomic_inc(&bins[input[get_global_id(0)]]);
}

kernel void histogram_local(global const uint *input, global uint *bins,
			    uint rounds)
{
	local uint block[256];
	uint id = get_local_id(0);

	block[id] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = 0; i < rounds; i++)
		atomic_inc(&block[input[i * get_global_size(0) +
					get_global_id(0)]]);
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(&bins[id], block[id]);
}
