/* Work-items read words that are p words apart. */
kernel void stride(global const uint *in, global uint *out, uint p)
{
	uint id = get_global_id(0);

	out[id] = in[id * p % 262144];
}

/* 64 reads of local memory by work-items that are p words apart. */
kernel void banks(global const uint *in, global uint *out, uint p)
{
	local uint words[4096];
	uint id = get_global_id(0), item = get_local_id(0), sum = 0;

	for (uint i = item; i < 4096; i += get_local_size(0))
		words[i] = in[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = 0; i < 64; i++)
		sum += words[(item * p + i) % 4096];
	out[id] = sum;
}

/* A tile of 32 x 32 words turned in local memory, whose rows are WIDTH words
 * apart; 256 work-items, p tiles in a row. */
#ifndef WIDTH
#define WIDTH 32
#endif

kernel void turn(global const uint *in, global uint *out, uint p)
{
	local uint tile[32 * WIDTH];
	uint item = get_local_id(0), group = get_group_id(0);
	uint x = item % 32, y = item / 32, n = p * 32;
	uint first = group / p * 32 * n + group % p * 32;

	for (uint row = y; row < 32; row += 8)
		tile[row * WIDTH + x] = in[first + row * n + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	uint sum = 0;
	for (uint row = y; row < 32; row += 8)
		sum = sum * 31 + tile[x * WIDTH + row];
	out[get_global_id(0)] = sum;
}
